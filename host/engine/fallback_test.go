package engine

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// A rerun's second command decides about the tests that it ran whole, and only
// about these.
func TestTheFallbackOfARerunOverrulesTheParts(t *testing.T) {
	part := func(name, root string, status sdk.Status) sdk.TestResult {
		return sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: name}, Root: root, Status: status}
	}
	failed := func(name string) sdk.Failure {
		return sdk.Failure{TestID: sdk.TestID{Suite: "p", Test: name}, Kind: sdk.KindAssertion}
	}
	targets := []outstanding.Target{{TestID: sdk.TestID{Suite: "p", Test: "A/x"}, Root: "A"}, {TestID: sdk.TestID{Suite: "p", Test: "B"}}}
	newBatch := func(scope outstanding.Scope, exit sdk.Exit) *Batch {
		x := &Batch{Keep: true, NewFold: func() *outstanding.Fold { return outstanding.NewFold("r", outstanding.Set{}, scope) }}
		x.begin()
		x.Done = []endedCommand{{exit: exit}}
		return x
	}
	for _, tc := range []struct {
		name       string
		bFails     bool
		missed     bool // the fallback does not get to A/x
		mute       bool // a second command of the first part exits with 1 and reports nothing
		firstExit  sdk.Exit
		wantFailed int
		wantExit   sdk.Exit
	}{
		{"nothing else failed", false, false, false, sdk.Exit{Code: 1}, 0, sdk.Exit{}},
		{"another test failed", true, false, false, sdk.Exit{Code: 1}, 1, sdk.Exit{Code: 1}},
		{"the fallback did not get to the test", false, true, false, sdk.Exit{Code: 1}, 1, sdk.Exit{Code: 1}},
		{"another command said nothing", false, false, true, sdk.Exit{Code: 1}, 0, sdk.Exit{Code: 1}},
		{"the first part was killed", false, false, false, sdk.Exit{Code: -1, Signal: "SIGKILL"}, 0, sdk.Exit{Code: -1, Signal: "SIGKILL"}},
		{"the first part was out of time", false, false, false, sdk.Exit{Code: 124, TimedOut: true}, 0, sdk.Exit{Code: 124, TimedOut: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			first := newBatch(outstanding.Scope{Tests: targets}, tc.firstExit)
			first.Col.Test(part("A/x", "A", sdk.Failed))
			first.Col.Failure(failed("A/x"))
			if tc.bFails {
				first.Col.Test(part("B", "", sdk.Failed))
				first.Col.Failure(failed("B"))
			} else {
				first.Col.Test(part("B", "", sdk.Passed))
			}
			first.Col.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailed})
			first.Done[0].hasRed = true
			if tc.mute {
				first.Done = append(first.Done, endedCommand{exit: sdk.Exit{Code: 1}})
			}
			second := newBatch(outstanding.Scope{Tests: targets[:1], Widened: true}, sdk.Exit{})
			if !tc.missed {
				second.Col.Test(part("A/x", "A", sdk.Passed))
			}
			second.Col.Test(part("A", "", sdk.Passed))
			second.Col.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuitePassed})
			c := &conclusion{execution: &execution{run: &api.Run{}, record: &record{}, first: first, fallback: second}}
			c.mergeFallback(t.Context())
			merged, exit := c.tally, c.exit
			if lucky := !tc.missed; lucky != (len(c.run.Warnings) == 1 && strings.Contains(c.run.Warnings[0].Text, "failed when run alone") && strings.HasSuffix(c.run.Warnings[0].Text, ": p/A/x")) {
				t.Errorf("notes: %+v", c.run.Warnings)
			}
			if merged.FailuresTotal != tc.wantFailed || merged.Counts.Failed != tc.wantFailed || exit != tc.wantExit {
				t.Errorf("%d failures, %d failed tests, exit %+v; want %d, %+v", merged.FailuresTotal, merged.Counts.Failed, exit, tc.wantFailed, tc.wantExit)
			}
		})
	}
}

// called is a command with a file of this name in its scratch directory.
func called(name string) sdk.Command {
	return sdk.Command{
		Argv: []string{"node", "--reporter=" + sdk.Scratch + "/" + name, "a.mjs"}, Env: map[string]string{"OUT": sdk.Scratch + "/" + name},
		Inputs: []sdk.InputFile{{Name: name, Data: []byte("report")}},
	}
}

func TestCommandsThatDifferInANameOfAnInputFileAreTheSame(t *testing.T) {
	if !isSameCommand(called("reporter-1a.mjs"), called("reporter-2b.mjs")) {
		t.Error("two names of one file make two commands")
	}
	if isSameCommand(sdk.Command{Argv: []string{"x", "reporter-1a"}}, sdk.Command{Argv: []string{"x", "reporter-2b"}}) {
		t.Error("names of no file of the command are taken for one")
	}
}

func TestCommandsThatDoSomethingElseAreDifferent(t *testing.T) {
	for name, change := range map[string]func(*sdk.Command){
		"another argument":  func(c *sdk.Command) { c.Argv[2] = "b.mjs" },
		"more arguments":    func(c *sdk.Command) { c.Argv = append(c.Argv, "-x") },
		"another directory": func(c *sdk.Command) { c.Dir = "sub" },
		"another setting":   func(c *sdk.Command) { c.Env["OUT"] = "elsewhere" },
		"fewer settings":    func(c *sdk.Command) { c.Env = nil },
		"a setting removed": func(c *sdk.Command) { c.UnsetEnv = []string{"HOME"} },
		"another content":   func(c *sdk.Command) { c.Inputs[0].Data = []byte("^TestA$") },
		"no file":           func(c *sdk.Command) { c.Inputs = nil },
		"another file of two": func(c *sdk.Command) {
			c.Inputs = append([]sdk.InputFile{{Name: "first", Data: []byte("report")}}, c.Inputs...)
		},
		"parts of tests": func(c *sdk.Command) { c.SelectsInsideTests = true },
	} {
		a, b := called("f"), called("f")
		change(&b)
		if isSameCommand(a, b) {
			t.Errorf("%s: it is the same command", name)
		}
	}
}

// An exit that says more than that tests failed is not hidden by one before it.
func TestAnExitThatSaysMoreThanFailedTestsCounts(t *testing.T) {
	var failed, broken, cut = sdk.Exit{Code: 1}, sdk.Exit{Code: 2}, sdk.Exit{Cancelled: true}
	for _, c := range []struct {
		exits []sdk.Exit
		codes []int
		want  sdk.Exit
	}{
		{nil, nil, sdk.Exit{}},
		{[]sdk.Exit{{}, {}}, nil, sdk.Exit{}},
		{[]sdk.Exit{{}, failed, {}}, nil, failed},
		{[]sdk.Exit{failed, broken}, nil, broken},
		{[]sdk.Exit{failed, {}, cut}, nil, cut},
		{[]sdk.Exit{failed, {Code: 1, Signal: "SIGKILL"}}, nil, sdk.Exit{Code: 1, Signal: "SIGKILL"}},
		{[]sdk.Exit{{Code: 101}, failed}, []int{101}, failed},
		{[]sdk.Exit{{Code: 101}, {Code: 101}}, []int{101}, sdk.Exit{Code: 101}},
	} {
		x := &Batch{}
		x.Project.ID.FailedExits = c.codes
		for _, e := range c.exits {
			x.Done = append(x.Done, endedCommand{exit: e})
		}
		if got := x.Exit(); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.exits, got, c.want)
		}
	}
}
