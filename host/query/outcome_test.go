package query

import (
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/transfer"
)

func TestAnOutcomeHasOneWordInAnswersAndArchives(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range []history.Outcome{history.Passed, history.Failed, history.Skipped, history.Unfinished, history.NeverStarted} {
		line := transfer.Archived(history.Result{Outcome: o})
		word := ledger.Ended(o)
		if status := (&question{}).point(history.Point{Outcome: o}).Status; line.Outcome != word || string(status) != word || word == "" || seen[word] {
			t.Errorf("outcome %d is %q in answers, %q in archives", o, word, line.Outcome)
		}
		seen[word] = true
		if back, err := line.Result(); err != nil || back.Outcome != o {
			t.Errorf("%q is read as outcome %d, %v", line.Outcome, back.Outcome, err)
		}
	}
	// What no version wrote is neither imported nor shown as something else.
	line := transfer.Archived(history.Result{Outcome: 99})
	if _, err := line.Result(); err == nil || line.Outcome != "outcome 99" {
		t.Errorf("an unknown outcome is %q, read with %v", line.Outcome, err)
	}
}
