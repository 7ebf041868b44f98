package standing

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/quarantine"
)

const (
	// editStates is how many source states are cached: each lists every file of a
	// repository, and neighboring runs are requested in sequence.
	editStates = 4
	// editReads is how many states are read for one answer before the number of edits
	// counts as unknown.
	editReads = 64
)

// edits finds the files that differ between source states.
type edits struct {
	found map[[2]string]difference
	read  func(id string) (fingerprint.State, bool)
	// recent are the most recently used states, the latest last.
	recent []fingerprint.State
	reads  int
}

// difference is what differs between two states.
type difference struct {
	count int // -1 is unknown
	files []string
}

const (
	// maxNamed is how many files of a difference are named, maxHeld how many are compared
	// for that: a switch of branches can change every file of a repository.
	maxNamed = 3
	maxHeld  = 1000
)

// named returns the first files of a difference, those near a test before others: what
// changed elsewhere seldom makes it fail.
func (d difference) named(t history.Test) []string {
	files := slices.Clone(d.files)
	slices.SortStableFunc(files, func(a, b string) int {
		return cmp.Or(cmp.Compare(isOurs(a), isOurs(b)), cmp.Compare(distance(a, t), distance(b, t)))
	})
	return files[:min(len(files), maxNamed)]
}

// distance returns 0 for the file that declares a test, 1 for one in the same directory, or
// in the one that the suite is named for, and 2 for others. A workspace may lie below the
// top that a file's path counts from, so ends of paths are compared.
func distance(file string, t history.Test) int {
	dir, beside := path.Dir(file), t.Suite
	if t.File != "" {
		beside = path.Dir(t.File)
	}
	switch {
	case t.File != "" && isEnd(file, t.File):
		return 0
	case isEnd(dir, beside):
		return 1
	}
	return 2
}

// isEnd reports whether one of two paths is the end of the other.
func isEnd(a, b string) bool {
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}

func newEdits(ctx context.Context, store history.Store) *edits {
	return &edits{found: map[[2]string]difference{}, read: func(id string) (fingerprint.State, bool) {
		s, ok, err := ledger.RecordedState(ctx, store, id)
		return s, ok && err == nil
	}}
}

// between returns how many files differ between two states, or -1 if unknown.
func (e *edits) between(from, to string) int { return e.difference(from, to).count }

func (e *edits) difference(from, to string) difference {
	switch {
	case from == "" || to == "":
		return difference{count: -1}
	case from == to:
		return difference{}
	}
	key := [2]string{from, to}
	d, ok := e.found[key]
	if !ok {
		d = e.find(from, to)
		e.found[key] = d
	}
	return d
}

func (e *edits) find(from, to string) difference {
	a, ok := e.state(from)
	if !ok {
		return difference{count: -1}
	}
	b, ok := e.state(to)
	if !ok {
		return difference{count: -1}
	}
	changes := fingerprint.Diff(a, b)
	d := difference{count: len(changes)}
	for _, c := range changes[:min(len(changes), maxHeld)] {
		d.files = append(d.files, c.Path)
	}
	return d
}

// isOurs returns 1 for a file of proctor's own, else 0: what proctor itself is told by a file
// makes no test fail.
func isOurs(file string) int {
	switch path.Base(file) {
	case config.FileName, quarantine.FileName, lock.ProjectFile:
		return 1
	}
	return 0
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
