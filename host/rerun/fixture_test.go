package rerun_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
)

func fixture(suite string, status record.Status) record.Result {
	r := result(suite, "setUp()", status)
	r.Fixture = true
	return r
}

func TestAFailedFixtureLeavesItsSuiteOutstanding(t *testing.T) {
	id := record.Test{Suite: "p", Test: "setUp()"}
	for name, run := range map[string]func(*rerun.Fold){
		"result first": func(f *rerun.Fold) {
			f.Result(fixture("p", record.TestFailed))
			f.Failure(id, "")
			f.Suite("p", rerun.SuiteAborted)
		},
		"failure first": func(f *rerun.Fold) {
			f.Failure(id, "")
			f.Suite("p", rerun.SuiteAborted)
			f.Result(fixture("p", record.TestFailed))
		},
		"no failure": func(f *rerun.Fold) {
			f.Result(fixture("p", record.TestUnfinished))
			f.Suite("p", rerun.SuiteAborted)
		},
	} {
		f := rerun.NewFold("now", set(), rerun.Scope{})
		run(f)
		after := f.After(set(), rerun.Partial)
		if got := names(after); !slices.Equal(got, []string{"p "}) {
			t.Errorf("%s: outstanding %q", name, got)
		}

		// Once it works nobody speaks of it any more.
		mended := rerun.NewFold("later", after, rerun.Scope{Tests: []rerun.Target{{Test: record.Test{Suite: "p"}}}})
		mended.Result(result("p", "A", record.TestPassed))
		mended.Suite("p", rerun.SuitePassed)
		if got := names(mended.After(after, rerun.Partial)); len(got) > 0 {
			t.Errorf("%s: still outstanding after a rerun of the suite: %q", name, got)
		}
		if got := rerun.Judge(mended).Requested[0].Outcome; got != record.OutcomePassed {
			t.Errorf("%s: the suite counts as %s", name, got)
		}
	}
}

func TestASuiteThatWasSkippedStaysOutstanding(t *testing.T) {
	before := set(entry("p", "", "", rerun.ReasonSuite))
	for name, run := range map[string]func(*rerun.Fold){
		"its fixture": func(f *rerun.Fold) { f.Result(fixture("p", record.TestSkipped)) },
		"its tests":   func(f *rerun.Fold) { f.Result(result("p", "A", record.TestSkipped)) },
	} {
		for _, scope := range []rerun.Scope{{}, {Tests: []rerun.Target{{Test: record.Test{Suite: "p"}}}}} {
			f := rerun.NewFold("now", before, scope)
			run(f)
			f.Suite("p", rerun.SuitePassed)
			if got := names(f.After(before, rerun.Ended)); !slices.Equal(got, []string{"p "}) {
				t.Errorf("%s: outstanding %q", name, got)
			}
			if j := rerun.Judge(f); len(j.Requested) > 0 && j.Requested[0].Outcome != record.OutcomeSkipped {
				t.Errorf("%s: the suite counts as %s", name, j.Requested[0].Outcome)
			}
		}
	}
}

func TestARerunThatDoesNotBuildLeavesOutstandingWhatItAskedFor(t *testing.T) {
	before := set(entry("p", "A", "", rerun.ReasonFailed))
	asked := []rerun.Target{{Test: record.Test{Suite: "p", Test: "A"}}}
	f := rerun.NewFold("now", before, rerun.Scope{Tests: asked})
	f.Failure(record.Test{}, "")
	if got := names(f.After(before, rerun.Partial)); !slices.Equal(got, []string{"p A"}) {
		t.Errorf("outstanding %q", got)
	}
	all := rerun.NewFold("now", before, rerun.Scope{})
	all.Failure(record.Test{}, "")
	if got := names(all.After(before, rerun.Partial)); !slices.Equal(got, []string{"p A", " "}) {
		t.Errorf("after a run of everything outstanding %q", got)
	}
}

func TestASkippedOrPassedFixtureIsNoTest(t *testing.T) {
	for _, status := range []record.Status{record.TestSkipped, record.TestPassed} {
		f := rerun.NewFold("now", set(), rerun.Scope{})
		f.Result(fixture("p", status))
		if f.Red() || f.Listed() != 0 {
			t.Errorf("%s: red %v, %d listed", status, f.Red(), f.Listed())
		}
	}
}

func TestWhatAMistypedArgumentLeftLeavesWithAGreenRunOfEverything(t *testing.T) {
	bad := "-bogus" + rerun.EnvMark + "HOME=/a"
	entries := []rerun.Entry{
		{Reason: rerun.ReasonRun, Args: bad},
		{Test: record.Test{Suite: "p"}, Reason: rerun.ReasonSuite, Args: bad},
	}
	for _, tc := range []struct {
		args  string
		reach rerun.Reach
		left  int
	}{
		{rerun.EnvMark + "HOME=/a", rerun.Green, 0},
		{rerun.EnvMark + "HOME=/a", rerun.Ended, 2},
		{rerun.EnvMark + "HOME=/b", rerun.Green, 2},
		{"-race" + rerun.EnvMark + "HOME=/a", rerun.Green, 2},
		{bad, rerun.Ended, 0},
	} {
		before := set(entries...)
		f := rerun.NewFold("now", before, rerun.Scope{Args: tc.args})
		f.Result(result("p", "A", record.TestPassed))
		f.Suite("p", rerun.SuitePassed)
		if got := f.After(before, tc.reach); got.Len() != tc.left {
			t.Errorf("%q, reach %d: %d outstanding, want %d", tc.args, tc.reach, got.Len(), tc.left)
		}
	}
}
