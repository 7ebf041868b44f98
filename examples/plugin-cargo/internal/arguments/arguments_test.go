package arguments

import (
	"errors"
	"reflect"
	"testing"
)

func TestArgumentsAreClassified(t *testing.T) {
	got, err := Parse([]string{
		"-p", "a", "-pb", "--package=c", "--exclude", "d", "--workspace", "--test", "x", "--lib", "--release",
		"-F", "one,two", "--features=three", "--profile", "fast", "-j4", "parse",
		"--", "--test-threads", "1", "--nocapture", "--skip", "slow", "other", "--exact",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Arguments{
		Packages: []string{"a", "b", "c"}, Exclude: []string{"d"}, Workspace: true,
		Targets:  []Target{{Flag: "--test", Name: "x"}, {Flag: "--lib"}},
		Features: []string{"one", "two", "three"},
		Cargo:    []string{"--release", "-F", "one,two", "--features=three", "--profile", "fast", "-j4"},
		Filters:  []string{"parse", "--skip", "slow", "other", "--exact"},
		Libtest:  []string{"--test-threads", "1", "--nocapture"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
}

func TestUnsupportedArgumentsAreRefused(t *testing.T) {
	for _, args := range [][]string{
		{"-q"}, {"--no-run"}, {"--message-format", "short"}, {"--message-format=human"}, {"--manifest-path=x"},
		{"--", "--list"}, {"--", "--format=terse"}, {"--", "-q"},
	} {
		var refused *RefusedError
		if _, err := Parse(args); !errors.As(err, &refused) {
			t.Errorf("%q: got %v, want a refusal", args, err)
		}
	}
}
