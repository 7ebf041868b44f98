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
			f.Failure(id)
			f.Suite("p", rerun.SuiteAborted)
		},
		"failure first": func(f *rerun.Fold) {
			f.Failure(id)
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

func TestASkippedOrPassedFixtureIsNoTest(t *testing.T) {
	for _, status := range []record.Status{record.TestSkipped, record.TestPassed} {
		f := rerun.NewFold("now", set(), rerun.Scope{})
		f.Result(fixture("p", status))
		if f.Red() || f.Listed() != 0 {
			t.Errorf("%s: red %v, %d listed", status, f.Red(), f.Listed())
		}
	}
}
