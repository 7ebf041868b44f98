package query

import (
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
)

func TestAnOutcomeHasOneWordInAnswers(t *testing.T) {
	for _, o := range []history.Outcome{history.Passed, history.Failed, history.Skipped, history.Unfinished, history.NeverStarted} {
		word := ledger.OutcomeWord(o)
		if status := (&question{}).point(history.Point{Outcome: o}).Status; string(status) != word || word == "" {
			t.Errorf("outcome %d is %q on record, %q in answers", o, word, status)
		}
	}
}
