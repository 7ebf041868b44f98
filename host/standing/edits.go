package standing

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
)

const (
	// EditStates is how many source states are cached: each lists every file of a
	// repository, and neighboring runs are requested in sequence.
	EditStates = 4
	// EditReads is how many states are read for one answer before the number of edits
	// counts as unknown.
	EditReads = 64
)

// Edits counts the files that differ between source states.
type Edits struct {
	Counts map[[2]string]int
	Read   func(id string) (fingerprint.State, bool)
	// Recent are the most recently used states, the latest last.
	Recent []fingerprint.State
	Reads  int
}

func NewEdits(ctx context.Context, store history.Store) *Edits {
	return &Edits{Counts: map[[2]string]int{}, Read: func(id string) (fingerprint.State, bool) {
		s, ok, err := ledger.RecordedState(ctx, store, id)
		return s, ok && err == nil
	}}
}

// Between returns how many files differ between two states, or -1 if unknown.
func (e *Edits) Between(from, to string) int {
	switch {
	case from == "" || to == "":
		return -1
	case from == to:
		return 0
	}
	key := [2]string{from, to}
	n, ok := e.Counts[key]
	if !ok {
		n = e.count(from, to)
		e.Counts[key] = n
	}
	return n
}

func (e *Edits) count(from, to string) int {
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

func (e *Edits) state(id string) (fingerprint.State, bool) {
	if at := slices.IndexFunc(e.Recent, func(s fingerprint.State) bool { return s.ID == id }); at >= 0 {
		s := e.Recent[at]
		e.Recent = append(slices.Delete(e.Recent, at, at+1), s)
		return s, true
	}
	if e.Reads == EditReads {
		return fingerprint.State{}, false
	}
	e.Reads++
	s, ok := e.Read(id)
	if !ok {
		return s, false
	}
	if len(e.Recent) == EditStates {
		e.Recent = slices.Delete(e.Recent, 0, 1)
	}
	e.Recent = append(e.Recent, s)
	return s, true
}
