package cli

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// Arguments of "go test" work as users type them.
func TestARunTakesPackagesAndFlagsAsTheRunnerDoes(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go": tests("a", "TestOne", pass, "TestTwo", pass), "b/b_test.go": tests("b", "TestOne", pass),
		"a/tagged_test.go": "//go:build extra\n\npackage a\n\nimport \"testing\"\n\nfunc TestTagged(t *testing.T) {}\n",
	})
	for _, c := range []struct {
		args     []string
		tests    int
		packages []string
		runner   []string
		reason   string
	}{
		{[]string{"run", "./a"}, 2, []string{"./a"}, nil, "2 tests passed (filtered: 2 of 3 tests)"},
		{[]string{"run", "a", "b/..."}, 3, []string{"./a", "./b/..."}, nil, ""},
		{[]string{"run", "-run", "TestOne"}, 2, nil, nil, "2 tests passed (filtered: 2 of 3 tests)"},
		{[]string{"run", "--run=Two", "./..."}, 1, []string{"./..."}, nil, ""},
		{[]string{"run", "-tags", "extra", "a", "-short"}, 3, []string{"./a"}, []string{"-tags", "extra", "-short"}, "; narrowed by -short; with runner arguments -tags extra)"},
		{[]string{"run", "-v", "-failfast", "-count", "2", "-parallel=1", "a"}, 2, []string{"./a"}, nil, "2 tests passed, 4 times in all"},
		{[]string{"run", "-qftwo|Two", "--", "-cpu", "1"}, 1, nil, []string{"-cpu", "1"}, ""},
	} {
		run, r := w.object(c.args...)
		r.expect(t, 0, c.reason)
		if s := run.Selection; run.Counts.Tests != c.tests || !slices.Equal(s.Packages, c.packages) || !slices.Equal(s.RunnerArgs, c.runner) {
			t.Errorf("%q: %d tests of %q with %q, want %d of %q with %q", c.args, run.Counts.Tests, s.Packages, s.RunnerArgs, c.tests, c.packages, c.runner)
		}
	}
}

// How much is printed and what runs at once splits neither the history nor what is
// outstanding.
func TestANeutralFlagSplitsNoRecord(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", fail)})
	w.proctor("run").expect(t, 1)
	w.write(files{"a/a_test.go": tests("a", "TestA", pass)})
	plain, _ := w.object("run", "-f", "TestA")
	neutral, r := w.object("run", "./a", "-p", "2", "-parallel", "2", "-count=1", "-work", "-failfast")
	if r.expect(t, 0); neutral.Environment != plain.Environment || len(neutral.Selection.RunnerArgs) > 0 || neutral.Outstanding != 0 {
		t.Errorf("environment %q, before %q; %d outstanding", neutral.Environment, plain.Environment, neutral.Outstanding)
	}
	if race, _ := w.object("run", "-cpu", "1"); race.Verdict != api.Passed || race.Environment == plain.Environment {
		t.Errorf("a flag that decides is of the environment %q, too", race.Environment)
	}
}
