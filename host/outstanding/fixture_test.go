package outstanding_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

func fixture(suite string, status sdk.Status) api.Result {
	r := result(suite, "setUp()", status)
	r.Fixture = true
	return r
}

func TestAFailedFixtureLeavesItsSuiteOutstanding(t *testing.T) {
	id := sdk.TestID{Suite: "p", Test: "setUp()"}
	for name, run := range map[string]func(*outstanding.Fold){
		"result first": func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: fixture("p", sdk.Failed)})
			f.Listen(failed(id, sdk.KindAssertion))
			f.Listen(suiteEnded("p", sdk.SuiteAborted))
		},
		"failure first": func(f *outstanding.Fold) {
			f.Listen(failed(id, sdk.KindAssertion))
			f.Listen(suiteEnded("p", sdk.SuiteAborted))
			f.Listen(&api.TestEnded{Result: fixture("p", sdk.Failed)})
		},
		"no failure": func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: fixture("p", sdk.Unfinished)})
			f.Listen(suiteEnded("p", sdk.SuiteAborted))
		},
	} {
		f := outstanding.NewFold("now", set(), outstanding.Scope{})
		run(f)
		after := f.After(set(), outstanding.Partial)
		if got := names(after); !slices.Equal(got, []string{"p "}) {
			t.Errorf("%s: outstanding %q", name, got)
		}

		// Once it works, it is gone.
		mended := outstanding.NewFold("later", after, outstanding.Scope{Tests: []outstanding.Target{{TestID: sdk.TestID{Suite: "p"}}}})
		mended.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
		mended.Listen(suiteEnded("p", sdk.SuitePassed))
		if got := names(mended.After(after, outstanding.Partial)); len(got) > 0 {
			t.Errorf("%s: still outstanding after a rerun of the suite: %q", name, got)
		}
		if got := outstanding.Judge(mended).Requested[0].Outcome; got != api.OutcomePassed {
			t.Errorf("%s: the suite counts as %s", name, got)
		}
	}
}

func TestASuiteThatWasSkippedStaysOutstanding(t *testing.T) {
	before := set(entry("p", "", "", outstanding.ReasonSuite))
	for name, run := range map[string]func(*outstanding.Fold){
		"its fixture": func(f *outstanding.Fold) { f.Listen(&api.TestEnded{Result: fixture("p", sdk.Skipped)}) },
		"its tests":   func(f *outstanding.Fold) { f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)}) },
	} {
		for _, scope := range []outstanding.Scope{{}, {Tests: []outstanding.Target{{TestID: sdk.TestID{Suite: "p"}}}}} {
			f := outstanding.NewFold("now", before, scope)
			run(f)
			f.Listen(suiteEnded("p", sdk.SuitePassed))
			if got := names(f.After(before, outstanding.Ended)); !slices.Equal(got, []string{"p "}) {
				t.Errorf("%s: outstanding %q", name, got)
			}
			if j := outstanding.Judge(f); len(j.Requested) > 0 && j.Requested[0].Outcome != api.OutcomeSkipped {
				t.Errorf("%s: the suite counts as %s", name, j.Requested[0].Outcome)
			}
		}
	}
}

func TestARerunThatDoesNotBuildLeavesOutstandingWhatItAskedFor(t *testing.T) {
	before := set(entry("p", "A", "", outstanding.ReasonFailed))
	asked := []outstanding.Target{{TestID: sdk.TestID{Suite: "p", Test: "A"}}}
	f := outstanding.NewFold("now", before, outstanding.Scope{Tests: asked})
	f.Listen(failed(sdk.TestID{}, sdk.KindAssertion))
	if got := names(f.After(before, outstanding.Partial)); !slices.Equal(got, []string{"p A"}) {
		t.Errorf("outstanding %q", got)
	}
	all := outstanding.NewFold("now", before, outstanding.Scope{})
	all.Listen(failed(sdk.TestID{}, sdk.KindAssertion))
	if got := names(all.After(before, outstanding.Partial)); !slices.Equal(got, []string{"p A", " "}) {
		t.Errorf("after a run of everything outstanding %q", got)
	}
}

func TestASkippedOrPassedFixtureIsNotATest(t *testing.T) {
	for _, status := range []sdk.Status{sdk.Skipped, sdk.Passed} {
		f := outstanding.NewFold("now", set(), outstanding.Scope{})
		f.Listen(&api.TestEnded{Result: fixture("p", status)})
		if f.HasRed() || f.CountListed() != 0 {
			t.Errorf("%s: red %v, %d listed", status, f.HasRed(), f.CountListed())
		}
	}
}

func TestWhatAMistypedArgumentLeftIsClearedByAGreenRunOfEverything(t *testing.T) {
	bad := "-bogus" + outstanding.EnvMark + "HOME=/a"
	entries := []outstanding.Entry{
		{Reason: outstanding.ReasonRun, Args: bad},
		{TestID: sdk.TestID{Suite: "p"}, Reason: outstanding.ReasonSuite, Args: bad},
	}
	for _, tc := range []struct {
		args  string
		reach outstanding.Reach
		left  int
	}{
		{outstanding.EnvMark + "HOME=/a", outstanding.Green, 0},
		{outstanding.EnvMark + "HOME=/a", outstanding.Ended, 2},
		{outstanding.EnvMark + "HOME=/b", outstanding.Green, 2},
		{"-race" + outstanding.EnvMark + "HOME=/a", outstanding.Green, 2},
		{bad, outstanding.Ended, 0},
	} {
		before := set(entries...)
		f := outstanding.NewFold("now", before, outstanding.Scope{Args: tc.args})
		f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
		f.Listen(suiteEnded("p", sdk.SuitePassed))
		if got := f.After(before, tc.reach); got.Len() != tc.left {
			t.Errorf("%q, reach %d: %d outstanding, want %d", tc.args, tc.reach, got.Len(), tc.left)
		}
	}
}
