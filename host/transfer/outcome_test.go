package transfer

import (
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
)

func TestAnOutcomeHasOneWordInArchives(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range []history.Outcome{history.Passed, history.Failed, history.Skipped, history.Unfinished, history.NeverStarted} {
		line := archiveResult(history.Result{Outcome: o})
		word := ledger.OutcomeWord(o)
		if line.Outcome != word || word == "" || seen[word] {
			t.Errorf("outcome %d is %q on record, %q in archives", o, word, line.Outcome)
		}
		seen[word] = true
		if back, err := line.result(); err != nil || back.Outcome != o {
			t.Errorf("%q is read as outcome %d, %v", line.Outcome, back.Outcome, err)
		}
	}
	// An outcome that no version wrote is neither imported nor shown as another.
	line := archiveResult(history.Result{Outcome: 99})
	if _, err := line.result(); err == nil || line.Outcome != "outcome 99" {
		t.Errorf("an unknown outcome is %q, read with %v", line.Outcome, err)
	}
}
