package engine

import (
	"fmt"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// The likeliest way to lose a test is to break it, and to cut it out then.
func TestABrokenRunDoesNotHideThatATestVanished(t *testing.T) {
	a, b := historytest.Passed("a", "A"), historytest.Passed("a", "B")
	for name, broken := range map[string]history.Run{
		"did not build": {Counts: api.Counts{BuildFailed: 1}},
		"was cut":       {Counts: api.Counts{Unfinished: 1}},
		"did not start": {Counts: api.Counts{NeverStarted: 1}},
		"of some tests": {},
	} {
		for _, session := range []string{"one", "now"} {
			p := ledgertest.New(t)
			first := p.RunAs(history.Run{SessionID: session, Whole: true}, a, b)
			broken.SessionID, broken.Whole = session, name != "of some tests"
			p.RunAs(broken, a)
			now := p.RunAs(history.Run{SessionID: "now", Whole: true}, a)
			found, _, err := standing.Integrity(t.Context(), p.Ledger, now)
			if err != nil || found == nil || found.Since != first.ID || len(found.Vanished) != 1 || found.Vanished[0].Test != "B" {
				t.Errorf("%s, in session %s: %+v, %v", name, session, found, err)
			}
		}
	}
}

func TestASessionThatBeginsBrokenBeginsWithItsFirstCompleteRun(t *testing.T) {
	p := ledgertest.New(t)
	p.RunAs(history.Run{SessionID: "now", Whole: true, Counts: api.Counts{BuildFailed: 1}}, historytest.Passed("a", "A"))
	first := p.RunAs(history.Run{SessionID: "now", Whole: true}, historytest.Passed("a", "A"), historytest.Passed("a", "B"))
	now := p.RunAs(history.Run{SessionID: "now", Whole: true}, historytest.Passed("a", "A"))
	if found, _, err := standing.Integrity(t.Context(), p.Ledger, now); err != nil || found == nil || found.Since != first.ID {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestAnIncompleteRunReportsNoVanishedTests(t *testing.T) {
	p := ledgertest.New(t)
	p.RunAs(history.Run{SessionID: "one", Whole: true}, historytest.Passed("a", "A"), historytest.Passed("a", "B"))
	now := p.RunAs(history.Run{SessionID: "now", Whole: true, Counts: api.Counts{Unfinished: 1}}, historytest.Passed("a", "A"))
	if found, _, err := standing.Integrity(t.Context(), p.Ledger, now); err != nil || found != nil {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestACauseCountsTheFailuresThatTheObjectDoesNotCarry(t *testing.T) {
	const all = 3 * api.MaxFailures
	counted := tally.NewTally()
	for i := range all {
		counted.Listen(&api.FailureFound{Failure: api.Failure{ID: fmt.Sprint(i), Failure: sdk.Failure{TestID: sdk.TestID{Test: fmt.Sprint(i)}, Kind: "assertion", Message: "one cause"}}})
	}
	run := api.Run{Failures: counted.Failures}
	ledger.SetCauses(&run, counted.Causes)
	if len(run.Causes) != 1 || run.Causes[0].Total != all || len(run.Causes[0].Failures) != api.MaxFailures {
		t.Fatalf("%d causes: %d failures of %d", len(run.Causes), len(run.Causes[0].Failures), run.Causes[0].Total)
	}
	// An answer with fewer of them does not count anew.
	run.Failures = run.Failures[:1]
	ledger.SetCauses(&run, ledger.TotalsOf(run.Causes))
	if len(run.Causes) != 1 || run.Causes[0].Total != all {
		t.Errorf("of one failure: %+v", run.Causes)
	}
}

// A suite that passed and failed in one run would be called flaky.
func TestASuiteThatFailedOutsideItsTestsIsNotAPass(t *testing.T) {
	for name, tc := range map[string]struct {
		happens func(*tally.Tally)
		sound   bool
	}{
		"nothing": {func(*tally.Tally) {}, true},
		"a test": {func(t *tally.Tally) {
			t.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "T"}}}})
		}, true},
		"the suite itself": {func(t *tally.Tally) {
			t.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s"}}}})
		}, false},
		"another suite": {func(t *tally.Tally) {
			t.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "other"}}}})
		}, true},
		"a fixture":           {func(t *tally.Tally) { t.Fixtures["s"] = sdk.Failed }, false},
		"a skipped fixture":   {func(t *tally.Tally) { t.Fixtures["s"] = sdk.Skipped }, true},
		"no test":             {func(t *tally.Tally) { t.Suites["s"] = sdk.SuitePassed }, true},
		"its end":             {func(t *tally.Tally) { t.Suites["s"] = sdk.SuiteAborted }, false},
		"more than were kept": {func(t *tally.Tally) { t.FailuresTotal = 1 }, false},
	} {
		for _, widened := range []bool{false, true} {
			x := &execution{first: &Batch{Col: tally.NewCollector()}}
			at := x.first
			if widened {
				x.fallback = &Batch{Col: tally.NewCollector()}
				at = x.fallback
			}
			at.Col.Tally.Suites["s"] = sdk.SuiteFailed
			tc.happens(at.Col.Tally)
			if got := len(x.soundSuites()) == 1; got != tc.sound {
				t.Errorf("%s, widened %v: sound %v", name, widened, got)
			}
		}
	}
}
