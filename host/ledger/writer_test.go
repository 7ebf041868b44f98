package ledger

import (
	"context"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

// results keeps what a Writer writes.
type results struct {
	history.Recorder
	got []history.Result
}

func (r *results) Add(result history.Result)   { r.got = append(r.got, result) }
func (r *results) Reset(context.Context) error { r.got = nil; return nil }

func TestAnInterruptedTestIsNoEvidenceUnlessItHadFailed(t *testing.T) {
	id := sdk.TestID{Suite: "p", Test: "A"}
	failure := func(kind string) api.Failure {
		return api.Failure{Failure: sdk.Failure{TestID: id, Kind: kind, Message: kind}}
	}
	for name, tc := range map[string]struct {
		cancelled bool
		kinds     []string
		want      history.Outcome
		kind      string
	}{
		"broken off":                     {true, []string{sdk.KindSignal}, history.NeverStarted, ""},
		"without a word":                 {true, nil, history.NeverStarted, ""},
		"it had failed before":           {true, []string{sdk.KindAssertion, sdk.KindSignal}, history.Unfinished, sdk.KindAssertion},
		"in the other order":             {true, []string{sdk.KindSignal, sdk.KindAssertion}, history.Unfinished, sdk.KindAssertion},
		"it hung":                        {false, []string{sdk.KindTimeout}, history.Unfinished, sdk.KindTimeout},
		"something else ended its suite": {false, nil, history.Unfinished, ""},
	} {
		for _, first := range []bool{true, false} {
			rec := &results{}
			c := &Writer{rec: rec}
			c.forget()
			if first {
				c.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: id, Status: sdk.Unfinished}}})
			}
			for _, kind := range tc.kinds {
				c.Listen(&api.FailureFound{Failure: failure(kind)})
			}
			if !first {
				c.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: id, Status: sdk.Unfinished}}})
			}
			c.settle(tc.cancelled)
			if len(rec.got) != 1 || rec.got[0].Outcome != tc.want || rec.got[0].Kind != tc.kind {
				t.Errorf("%s, result first %v: on record is %+v, want %v %q", name, first, rec.got, tc.want, tc.kind)
			} else if got := rec.got[0]; got.Outcome != history.Unfinished && got.Duration <= 0 {
				t.Errorf("%s: it is the same on record as a test that never started", name)
			}
		}
	}
}
