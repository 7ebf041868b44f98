package query

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
)

// many are the results of tests with numbers.
func many(from, to int, outcome history.Outcome) (list []history.Result) {
	for i := from; i < to; i++ {
		list = append(list, historytest.Did("f", fmt.Sprintf("T%02d", i), outcome))
	}
	return list
}

func TestARunIsComparedWithTheNewestThatRanMostOfItsTests(t *testing.T) {
	p := ledgertest.New(t)
	p.Run("now", many(0, 10, history.Passed)...) // 1
	p.Run("now", many(0, 2, history.Failed)...)  // 2, a rerun
	p.Run("now")                                 // 3, nothing ran
	p.Run("now", many(0, 10, history.Failed)...) // 4
	p.Run("now", many(1, 2, history.Passed)...)  // 5
	for now, want := range map[int]string{4: "run0000001", 2: "run0000001", 5: "run0000004"} {
		d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Now: fmt.Sprintf("run%07d", now)})
		if err != nil || d.Before.RunID != want {
			t.Errorf("run %d is compared with %s, %v; want %s", now, d.Before.RunID, err, want)
		}
		if left := strings.Contains(strings.Join(d.Notes, "\n"), "left out: 2 runs in between"); left != (now == 4) {
			t.Errorf("run %d: notes %q", now, d.Notes)
		}
	}
}

func TestNothingElseThanWhatIsNewIsANewFailure(t *testing.T) {
	p := ledgertest.New(t)
	p.Run("now", many(0, 4, history.Failed)...)
	p.Run("now", historytest.Passed("f", "T04"))
	p.Run("now", append(many(0, 4, history.Failed), historytest.Failed("f", "T04"))...)
	d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Before: "run0000002", Now: "run0000003"})
	if err != nil || sections(d) != "new failures: T04; failing, not run before: T00 T01 T02 T03" || d.Counts.FailingNotRun != 4 || d.Counts.NewFailures != 1 {
		t.Errorf("%s, %+v, %v", sections(d), d.Counts, err)
	}
	if want := "tests: 1 newly failing, 4 failing and not run before"; d.Message != want {
		t.Errorf("%s; want %s", d.Message, want)
	}
}

// A test that passed when it was run last, though not in the run before, is new.
func TestARegressionIsANewFailureWhicheverRunPassedIt(t *testing.T) {
	p := ledgertest.New(t)
	p.Run("earlier", historytest.Passed("f", "A"), historytest.Passed("f", "B"))
	p.Run("now", historytest.Passed("f", "B"))
	p.Run("now", historytest.Failed("f", "A"), historytest.Passed("f", "B"))
	d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Before: "run0000002", Now: "run0000003"})
	if err != nil || sections(d) != "new failures: A" || d.Counts.NewFailures != 1 || d.Counts.FailingNotRun != 0 {
		t.Errorf("%s, %+v, %v", sections(d), d.Counts, err)
	}
}

func TestAPassInAnotherSettingOnTheSameSourcesFixesNothing(t *testing.T) {
	p := ledgertest.New(t)
	run := history.Run{SessionID: "now", Fingerprint: "f", Environment: "race"}
	p.RunAs(run, historytest.Failed("f", "A"), historytest.Passed("f", "B"))
	run.Environment = "plain"
	p.RunAs(run, historytest.Passed("f", "A"), historytest.Passed("f", "B"))
	run.Fingerprint = "g"
	p.RunAs(run, historytest.Passed("f", "A"), historytest.Passed("f", "B"))
	for now, want := range map[string]string{"run0000002": "passed otherwise: A", "run0000003": "fixed: A"} {
		d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Before: "run0000001", Now: now})
		if err != nil || sections(d) != want {
			t.Errorf("%s: %s, %v; want %s", now, sections(d), err, want)
		}
	}
}
