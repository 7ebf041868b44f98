package host

import (
	"fmt"
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/sdk"
)

// The likeliest way to lose a test is to break it, and to cut it out then.
func TestABrokenRunDoesNotHideThatATestVanished(t *testing.T) {
	a, b := passed("a", "A"), passed("a", "B")
	for name, broken := range map[string]history.Run{
		"did not build": {Counts: record.Counts{BuildFailed: 1}},
		"was cut":       {Counts: record.Counts{Unfinished: 1}},
		"did not start": {Counts: record.Counts{NeverStarted: 1}},
		"of some tests": {},
	} {
		for _, session := range []string{"one", "now"} {
			p := newPast(t)
			first := p.runAs(history.Run{SessionID: session, Whole: true}, a, b)
			broken.SessionID, broken.Whole = session, name != "of some tests"
			p.runAs(broken, a)
			now := p.runAs(history.Run{SessionID: "now", Whole: true}, a)
			found, _, err := p.integrity(t.Context(), now)
			if err != nil || found == nil || found.Since != first.ID || len(found.Vanished) != 1 || found.Vanished[0].Test != "B" {
				t.Errorf("%s, in session %s: %+v, %v", name, session, found, err)
			}
		}
	}
}

func TestASessionThatBeginsBrokenBeginsWithItsFirstCompleteRun(t *testing.T) {
	p := newPast(t)
	p.runAs(history.Run{SessionID: "now", Whole: true, Counts: record.Counts{BuildFailed: 1}}, passed("a", "A"))
	first := p.runAs(history.Run{SessionID: "now", Whole: true}, passed("a", "A"), passed("a", "B"))
	now := p.runAs(history.Run{SessionID: "now", Whole: true}, passed("a", "A"))
	if found, _, err := p.integrity(t.Context(), now); err != nil || found == nil || found.Since != first.ID {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestARunThatDidNotGetToEveryTestTellsOfNoneThatVanished(t *testing.T) {
	p := newPast(t)
	p.runAs(history.Run{SessionID: "one", Whole: true}, passed("a", "A"), passed("a", "B"))
	now := p.runAs(history.Run{SessionID: "now", Whole: true, Counts: record.Counts{Unfinished: 1}}, passed("a", "A"))
	if found, _, err := p.integrity(t.Context(), now); err != nil || found != nil {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestACauseCountsTheFailuresThatTheObjectDoesNotCarry(t *testing.T) {
	const all = 3 * record.MaxFailures
	tally := newTally()
	for i := range all {
		tally.failure(record.Failure{ID: fmt.Sprint(i), Test: fmt.Sprint(i), Kind: "assertion", Message: "one cause"})
	}
	run := record.Run{Failures: tally.failures}
	sign(&run, tally.causes)
	if len(run.Causes) != 1 || run.Causes[0].Total != all || len(run.Causes[0].Failures) != record.MaxFailures {
		t.Fatalf("%d causes: %d failures of %d", len(run.Causes), len(run.Causes[0].Failures), run.Causes[0].Total)
	}
	// An answer with fewer of them does not count anew.
	run.Failures = run.Failures[:1]
	sign(&run, totalsOf(run.Causes))
	if len(run.Causes) != 1 || run.Causes[0].Total != all {
		t.Errorf("of one failure: %+v", run.Causes)
	}
}

func TestAFloodOfCausesIsBounded(t *testing.T) {
	tally := newTally()
	for i := range maxSigned + 100 {
		tally.failure(record.Failure{Test: fmt.Sprint(i), Kind: "assertion"})
	}
	if len(tally.causes) > maxSigned || tally.failuresTotal != maxSigned+100 {
		t.Errorf("%d causes of %d failures", len(tally.causes), tally.failuresTotal)
	}
}

func BenchmarkTallyFailure(b *testing.B) {
	f := record.Failure{Suite: "s", Test: "T", Kind: "assertion", File: "a_test.x", Message: "got 17 at 0xc000123456, want 18\nin /tmp/x/y after 1.25s"}
	for b.Loop() {
		tally := newTally()
		tally.failure(f)
	}
}

// A suite that passed and failed in one run would be called flaky.
func TestASuiteInWhichSomethingFailedBesideItsTestsIsNoPass(t *testing.T) {
	for name, tc := range map[string]struct {
		happens func(*tally)
		sound   bool
	}{
		"nothing":             {func(*tally) {}, true},
		"a test":              {func(t *tally) { t.failure(record.Failure{Suite: "s", Test: "T"}) }, true},
		"the suite itself":    {func(t *tally) { t.failure(record.Failure{Suite: "s"}) }, false},
		"another suite":       {func(t *tally) { t.failure(record.Failure{Suite: "other"}) }, true},
		"a fixture":           {func(t *tally) { t.fixtures["s"] = sdk.Failed }, false},
		"a skipped fixture":   {func(t *tally) { t.fixtures["s"] = sdk.Skipped }, true},
		"more than were kept": {func(t *tally) { t.failuresTotal = 1 }, false},
	} {
		for _, widened := range []bool{false, true} {
			f := &finisher{run: &execution{col: &collector{tally: newTally()}}}
			at := f.run
			if widened {
				f.widened = &execution{col: &collector{tally: newTally()}}
				at = f.widened
			}
			at.col.tally.suites["s"] = sdk.SuiteFailed
			tc.happens(at.col.tally)
			if got := len(f.sound()) == 1; got != tc.sound {
				t.Errorf("%s, widened %v: sound %v", name, widened, got)
			}
		}
	}
}
