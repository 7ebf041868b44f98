package arguments_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
)

func TestEachWordBelongsToOneOption(t *testing.T) {
	for _, test := range []struct{ name, words, want string }{
		{"nothing", "", ""},
		{"one value", "--match-test x --isolate", "match-test(x) isolate()"},
		{"glued", "--match-test=x=y --optimize=true", "match-test(x=y) optimize(true)"},
		{"a value like an option", "--match-test --isolate", "match-test(--isolate)"},
		{"aliases", "--mt a --nmt b --mc c --nmc d --mp e --nmp f -j 3 --jobs 4", "match-test(a) no-match-test(b) match-contract(c) no-match-contract(d) match-path(e) no-match-path(f) threads(3) threads(4)"},
		{"letters", "-vvs -j4 -vr=http://x -vq", "verbosity() verbosity() suppress-successful-traces() threads(4) verbosity() rpc-url(http://x) verbosity() quiet()"},
		{"many values", "--skip a b --isolate x", "skip(a b) isolate() (x)"},
		{"an optional value", "--optimize --via-ir --optimize false", "optimize() via-ir() optimize(false)"},
		{"a path", "test/A.t.sol --json", "(test/A.t.sol) json()"},
		{"behind the dashes", "--skip a -- --mt b", "skip(a) (--mt) (b)"},
		{"an unknown option keeps its word", "--new-thing x --other -Zx y", "new-thing(x) other() Zx() (y)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			list, err := arguments.Parse(strings.Fields(test.words))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, option := range list {
				got = append(got, option.Name+"("+strings.Join(option.Values, " ")+")")
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("options differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnOptionWithoutItsValueIsNamed(t *testing.T) {
	for _, words := range []string{"--isolate --mt", "-vj"} {
		_, err := arguments.Parse(strings.Fields(words))
		var missing *arguments.MissingValueError
		if !errors.As(err, &missing) || !strings.Contains(" --mt -j ", " "+missing.Option+" ") {
			t.Errorf("%q: %v", words, err)
		}
	}
}

func TestWrittenWordsMeanTheSame(t *testing.T) {
	for _, words := range []string{
		"-vvj4 --skip a b --isolate", "--mt=x --skip script test -- test/A.t.sol", "test/A.t.sol --skip a", "-o out --optimize",
	} {
		list, err := arguments.Parse(strings.Fields(words))
		if err != nil {
			t.Fatal(err)
		}
		again, err := arguments.Parse(list.Words(func(arguments.Option) bool { return true }))
		if err != nil {
			t.Fatal(err)
		}
		for _, option := range list {
			if got, _ := again.Get(option.Name); got != option.Value() || again.Count(option.Name) != list.Count(option.Name) {
				t.Errorf("%q: %s is %q, was %q", words, option.Name, got, option.Value())
			}
		}
	}
}

func FuzzAnyWordsAreRead(f *testing.F) {
	f.Add("-vvj4 --skip a b -- x")
	f.Add("-- - --= -=")
	f.Fuzz(func(_ *testing.T, text string) {
		list, _ := arguments.Parse(strings.Split(text, " "))
		list.Words(func(arguments.Option) bool { return true })
	})
}
