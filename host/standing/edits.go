package standing

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
)

const (
	// editStates is how many source states are cached: each lists every file of a
	// repository, and neighboring runs are requested in sequence.
	editStates = 4
	// editReads is how many states are read for one answer before the number of edits
	// counts as unknown.
	editReads = 64
)

// edits counts the files that differ between source states.
type edits struct {
	counts map[[2]string]int
	read   func(id string) (fingerprint.State, bool)
	// recent are the most recently used states, the latest last.
	recent []fingerprint.State
	reads  int
}

func newEdits(ctx context.Context, store history.Store) *edits {
	return &edits{counts: map[[2]string]int{}, read: func(id string) (fingerprint.State, bool) {
		s, ok, err := ledger.RecordedState(ctx, store, id)
		return s, ok && err == nil
	}}
}

// between returns how many files differ between two states, or -1 if unknown.
func (e *edits) between(from, to string) int {
	switch {
	case from == "" || to == "":
		return -1
	case from == to:
		return 0
	}
	key := [2]string{from, to}
	n, ok := e.counts[key]
	if !ok {
		n = e.count(from, to)
		e.counts[key] = n
	}
	return n
}

func (e *edits) count(from, to string) int {
	a, ok := e.state(from)
	if !ok {
		return -1
	}
	b, ok := e.state(to)
	if !ok {
		return -1
	}
	return len(fingerprint.Diff(a, b))
}

func (e *edits) state(id string) (fingerprint.State, bool) {
	if at := slices.IndexFunc(e.recent, func(s fingerprint.State) bool { return s.ID == id }); at >= 0 {
		s := e.recent[at]
		e.recent = append(slices.Delete(e.recent, at, at+1), s)
		return s, true
	}
	if e.reads == editReads {
		return fingerprint.State{}, false
	}
	e.reads++
	s, ok := e.read(id)
	if !ok {
		return s, false
	}
	if len(e.recent) == editStates {
		e.recent = slices.Delete(e.recent, 0, 1)
	}
	e.recent = append(e.recent, s)
	return s, true
}
