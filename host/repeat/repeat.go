package repeat

import (
	"context"
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
)

// Run runs a request up to req.Repeat times, until it does not pass, and returns the last
// runs with a note on how often they passed. The time-out of the request is that of all
// runs together.
func Run(ctx context.Context, k *ledger.Keeper, req api.RunRequest, l api.Listener) ([]api.Run, error) {
	r := repeater{run: func(req api.RunRequest) ([]api.Run, error) { return engine.Run(ctx, k, req, l) }, now: time.Now}
	return r.repeat(req)
}

// repeater repeats a run.
type repeater struct {
	run func(api.RunRequest) ([]api.Run, error)
	now func() time.Time
}

func (r repeater) repeat(req api.RunRequest) ([]api.Run, error) {
	if req.Repeat <= 1 {
		return r.run(req)
	}
	begun, timeout, first := r.now(), req.Timeout, ""
	for n := 1; ; n++ {
		started := r.now()
		runs, err := r.run(req)
		if err != nil || len(runs) == 0 {
			return runs, err
		}
		now := r.now()
		last := &runs[api.Worst(runs)]
		if n == 1 {
			first = last.Fingerprint()
		}
		t := tally{runs: n, most: req.Repeat, passed: last.Verdict == api.Passed, edited: last.Fingerprint() != first}
		left := timeout - now.Sub(begun)
		t.late = timeout > 0 && left <= now.Sub(started) // another one would be cut off
		if t.isLast() {
			last.Warnings = append(last.Warnings, api.Note{Code: api.NoteRepeat, Text: t.text()})
			return runs, nil
		}
		req.RunID = "" // each has its own
		if timeout > 0 {
			req.Timeout = left
		}
	}
}

// tally is how repeated runs went. All but the last passed.
type tally struct {
	runs, most           int
	passed, edited, late bool
}

func (t tally) isLast() bool { return !t.passed || t.runs == t.most || t.edited || t.late }

func (t tally) text() string {
	switch {
	case t.edited:
		return fmt.Sprintf("the sources changed during run %d of at most %d: what was found before holds for the old ones", t.runs, t.most)
	case !t.passed && t.runs == 1:
		return fmt.Sprintf("the first of at most %d runs did not pass: run it again to learn whether it ever does", t.most)
	case !t.passed:
		return fmt.Sprintf("run %d of at most %d did not pass, and the %d before it did: 1 of %d on the same sources", t.runs, t.most, t.runs-1, t.runs)
	case t.runs < t.most:
		return fmt.Sprintf("passed in %d of %d runs: the time-out leaves no room for the other %d", t.runs, t.runs, t.most-t.runs)
	}
	return fmt.Sprintf("passed in %d of %d runs on the same sources", t.runs, t.runs)
}
