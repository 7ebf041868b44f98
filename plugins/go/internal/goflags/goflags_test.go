package goflags_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
)

func TestParseSortsArgumentsAsTheGoCommandDoes(t *testing.T) {
	for _, test := range []struct {
		name, args, flags, packages, unknown, tail string
	}{
		{"nothing", "", "", "", "", ""},
		{"boolean and valued", "-race -tags x ./a ./b", "race=true tags=x", "./a ./b", "", ""},
		{"two dashes, equals, prefix", "--run=A -test.count=3 -json=false", "run=A count=3 json=false", "", "", ""},
		{"unknown flag ends the packages", "-update ./a", "", "", "-update ./a", ""},
		{"known flag after an unknown one", "-update -race", "race=true", "", "-update", ""},
		{"value of an unknown flag", "-dsn x -v", "v=true", "", "-dsn x", ""},
		{"word that can be no value", "-dsn=x y -v", "", "", "-dsn=x", "y -v"},
		{"row of packages ends", "./a -v ./b -race", "v=true", "./a", "", "./b -race"},
		{"args", "-v -args -run X", "v=true", "", "", "-run X"},
		{"terminator", "-v -- -run X", "v=true", "", "", "-- -run X"},
		{"value that looks like a flag", "-run -v", "run=-v", "", "", ""},
		{"unknown test flag", "-test.nosuch=1", "", "", "-test.nosuch=1", ""},
		{"lone dash is a package", "-", "", "-", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			args, err := goflags.Parse(strings.Fields(test.args))
			if err != nil {
				t.Fatal(err)
			}
			var flags []string
			for _, flag := range args.Flags {
				flags = append(flags, flag.Name+"="+flag.Value)
			}
			got := []string{strings.Join(flags, " "), strings.Join(args.Packages, " "), strings.Join(args.Unknown, " "), strings.Join(args.Tail, " ")}
			if diff := cmp.Diff([]string{test.flags, test.packages, test.unknown, test.tail}, got); diff != "" {
				t.Errorf("flags, packages, unknown, tail differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseNamesTheFlagThatLacksAValue(t *testing.T) {
	_, err := goflags.Parse([]string{"-v", "-tags"})
	if missing, ok := errors.AsType[*goflags.MissingValueError](err); !ok || missing.Flag != "-tags" {
		t.Errorf("error is %v", err)
	}
}

func TestWordsComeBackAsWritten(t *testing.T) {
	args, err := goflags.Parse([]string{"-tags", "a b", "--race", "-run=X", "-update", "-args", "-x"})
	if err != nil {
		t.Fatal(err)
	}
	words := args.Words(func(f goflags.Flag) bool { return f.Name != "run" })
	if diff := cmp.Diff([]string{"-tags", "a b", "--race"}, words); diff != "" {
		t.Errorf("words differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"-update", "-args", "-x"}, args.Trailing()); diff != "" {
		t.Errorf("trailing words differ (-want +got):\n%s", diff)
	}
}

// In whatever order the arguments were, the go command reads the same from what is
// written back around one package.
func FuzzParseLosesNothing(f *testing.F) {
	f.Add("-race -update ./a -v x -args -y")
	f.Add("./a -v ./b")
	f.Add("-dsn x y -- -run")
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Fields(text)
		args, err := goflags.Parse(words)
		if err != nil {
			return
		}
		all := func(goflags.Flag) bool { return true }
		again, err := goflags.Parse(slices.Concat(args.Words(all), []string{"package"}, args.Packages, args.Trailing()))
		if err != nil {
			t.Fatal(err)
		}
		args.Packages = append([]string{"package"}, args.Packages...)
		if diff := cmp.Diff(args, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("read back differently (-first +again):\n%s", diff)
		}
	})
}

func TestSplitReadsQuotes(t *testing.T) {
	for text, want := range map[string][]string{
		"":                        nil,
		"  a\tb ":                 {"a", "b"},
		`'a b' "c'd" e"f`:         {"a b", "c'd", `e"f`},
		`'-ldflags=-X a=b' -race`: {"-ldflags=-X a=b", "-race"},
	} {
		got, err := goflags.Split(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	if _, err := goflags.Split("'a"); err == nil {
		t.Error("an unterminated quote was accepted")
	}
}

func FuzzQuoteIsReadBack(f *testing.F) {
	f.Add("/usr/local/bin/x")
	f.Add("/with space/it's")
	f.Add(`'"`)
	f.Fuzz(func(t *testing.T, word string) {
		quoted, ok := goflags.Quote(word)
		if !ok {
			return
		}
		words, err := goflags.Split("a " + quoted + " b")
		if err != nil || len(words) != 3 || words[1] != word {
			t.Errorf("%q was read back as %q, %v", word, words, err)
		}
	})
}
