package history_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

func TestOnlyARunThatGotToEveryTestIsComplete(t *testing.T) {
	complete := history.Run{Whole: true, Verdict: api.Failed, Counts: api.Counts{Passed: 1, Failed: 1, Skipped: 1}}
	if !complete.Complete() {
		t.Error("a run of everything with a failure is not complete")
	}
	for name, cut := range map[string]func(*history.Run){
		"of some tests":   func(r *history.Run) { r.Whole = false },
		"incomplete":      func(r *history.Run) { r.Verdict = api.Incomplete },
		"nothing ran":     func(r *history.Run) { r.Verdict = api.NothingRan },
		"unfinished":      func(r *history.Run) { r.Counts.Unfinished = 1 },
		"never started":   func(r *history.Run) { r.Counts.NeverStarted = 1 },
		"a broken suite":  func(r *history.Run) { r.Counts.BuildFailed = 1 },
		"without verdict": func(r *history.Run) { r.Verdict = "" },
	} {
		r := complete
		cut(&r)
		if r.Complete() {
			t.Errorf("%s: it is complete", name)
		}
	}
}

func TestTheOutcomesAreInOneOrder(t *testing.T) {
	order := []history.Outcome{history.NeverStarted, history.Skipped, history.Passed, history.Unfinished, history.Failed}
	for i, a := range order {
		for j, b := range order {
			if a.Worse(b) != (i > j) {
				t.Errorf("%v: outcome %d worse than %d: %t", slices.Clone(order), a, b, a.Worse(b))
			}
		}
	}
}
