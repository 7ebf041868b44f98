package history

import (
	"context"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/outstanding"
)

// Store is the record of one workspace. It is safe for use by many goroutines and
// processes. Every method sees only what belongs to the workspace that the store was
// opened for.
type Store interface {
	RunStore
	ResultStore
	TestStore
	StateStore
	OutstandingStore
	EntryStore
	DeferralStore
	AnswerStore
	File
}

// RunStore keeps runs.
type RunStore interface {
	// Begin records a run as running, with its session, which begins with its first
	// run. An id that is already on record is an error.
	Begin(ctx context.Context, run Run) (Recorder, error)
	// Amend changes what is known of a run besides its results: its source state, its
	// end.
	Amend(ctx context.Context, run Run) error

	// Run finds a run by its id or the unique beginning of one; the error is a
	// [*NoRunError] if there is none, or several.
	Run(ctx context.Context, ref string) (Run, error)
	// Runs returns runs, newest first.
	Runs(ctx context.Context, filter RunFilter) ([]Run, error)
	// Span sums up the finished runs.
	Span(ctx context.Context) (Span, error)
	// Finished returns the orders of the finished runs, oldest first.
	Finished(ctx context.Context) ([]int64, error)

	// Remove removes runs in order, with everything that nothing else refers to. It
	// ignores runs that are not on record. It proceeds in short steps, between which
	// others can write. After each it calls tell, if not nil, and stops if that returns
	// false. Wherever it ends, even by a kill, each run is either removed completely or
	// intact; the next Remove frees any remaining space.
	Remove(ctx context.Context, runIDs []string, tell func(Removal) bool) error
}

// ResultStore answers questions about one run, or compares two.
type ResultStore interface {
	// Results calls yield with every result of a run, ordered by suite and name, until
	// it returns false.
	Results(ctx context.Context, runID string, yield func(Result) bool) error
	// Files sums up a run by the files that declare its tests. Tests without a known
	// file are omitted.
	Files(ctx context.Context, runID string) ([]FileCount, error)
	// FilesOf returns the files that now declare the tests of some runs, given by
	// order.
	FilesOf(ctx context.Context, orders []int64) ([]SourceFile, error)
	// FilesNamed returns the files with a name, in any directory, that declare tests,
	// sorted.
	FilesNamed(ctx context.Context, name string) ([]string, error)
	// Compare yields the tests that ended differently in two runs, or are in only one of
	// them. If a test has several results in a run, the worst counts.
	Compare(ctx context.Context, beforeID, nowID string, yield func(Change) bool) error
}

// TestStore answers questions about tests over many runs.
type TestStore interface {
	// Tests finds tests of the dictionary.
	Tests(ctx context.Context, filter TestFilter) ([]Test, error)
	// SuitesOf returns at most so many suites of a run, sorted, each with a file that declares
	// one of its tests.
	SuitesOf(ctx context.Context, runID string, most int) ([]api.ExpectedSuite, error)
	// Suites returns the suites with a test declared in a file; if there are none, those
	// with tests declared in its directory.
	Suites(ctx context.Context, language, file string) ([]string, error)
	// Suspects returns the tests that failed or did not finish in a finished run still
	// on record, latest first.
	Suspects(ctx context.Context, filter SuspectFilter) ([]Test, error)
	// Timeline yields, test by test, the records of some tests.
	Timeline(ctx context.Context, filter TimelineFilter, yield func(Timeline) bool) error
	// Durations sums up how long tests took in the last runs; total counts the tests
	// with a known duration.
	Durations(ctx context.Context, filter DurationFilter) (slowest []Duration, total int, err error)
	// Measures yields the values of a measure in the last runs, newest run first.
	Measures(ctx context.Context, filter MeasureFilter, yield func(MeasurePoint) bool) error
}

// StateStore keeps the source states of runs.
type StateStore interface {
	// SaveState stores the files of a source state, once.
	SaveState(ctx context.Context, s fingerprint.State) error
	// State returns a source state with its files; ok is false if it is not on record.
	State(ctx context.Context, id string) (s fingerprint.State, ok bool, err error)
}

// OutstandingStore keeps what is outstanding.
type OutstandingStore interface {
	// Outstanding returns what is outstanding in a language. known is false before the
	// first update; lost reports whether it was recorded in a database that was set
	// aside since.
	Outstanding(ctx context.Context, language string) (set outstanding.Set, known, lost bool, err error)
	// OutstandingLanguages returns the languages with a known set; lost reports whether
	// there may have been others.
	OutstandingLanguages(ctx context.Context) (languages []string, lost bool, err error)
	// UpdateOutstanding atomically replaces the set by the result of update, and
	// returns it.
	UpdateOutstanding(ctx context.Context, language string, update func(set outstanding.Set, known, lost bool) outstanding.Set) (outstanding.Set, error)
}

// EntryStore keeps how files stood at the end of sessions.
type EntryStore interface {
	// PutEntries records how files stand at the end of a session, and drops the oldest
	// entries beyond most.
	PutEntries(ctx context.Context, entries []api.Entry, most int) error
	// Entries returns all entries, oldest first.
	Entries(ctx context.Context) ([]api.Entry, error)
}

// DeferralStore keeps the deferred tests.
type DeferralStore interface {
	// Defer defers a test, or updates its deferral; Undefer removes it.
	Defer(ctx context.Context, d Deferral) error
	Undefer(ctx context.Context, t TestKey) error
	Deferrals(ctx context.Context) ([]Deferral, error)
}

// AnswerStore stores small answers that are expensive to compute, by key.
type AnswerStore interface {
	Put(ctx context.Context, key string, value []byte) error
	// PutAll stores several at once.
	PutAll(ctx context.Context, answers map[string][]byte) error
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	// DropAnswers drops answers with a key prefix that were stored before a time.
	DropAnswers(ctx context.Context, beginning string, before time.Time) error
}

// File is the file of the record.
type File interface {
	// InPlace reports whether the file is still the one at its path, and was not found
	// damaged. Otherwise it must be reopened.
	InPlace() bool
	// Size returns the size of the record on disk, in bytes.
	Size(ctx context.Context) (int64, error)
	// Sync makes everything written survive a power failure. Without it, the data survives
	// only the end of the process.
	Sync() error
	// Close closes the file. Leave closes it for a process that is about to end, and skips
	// what the system or the next process does anyway.
	Close() error
	Leave() error
}

// Removal is the progress of [Store.Remove].
type Removal struct {
	// Runs is how many of the requested runs are removed: the first ones.
	Runs int
	// Cleared is roughly the share of their space that is free, from 0 to 1.
	Cleared float64
}

// Recorder receives the results of one run as they arrive. Its methods must not be
// called concurrently. Results are written in batches; if the process dies, only those not
// yet written are lost.
type Recorder interface {
	// Add adds a result. It does not wait for the disk, unless results arrive faster
	// than it can write. Finish reports errors.
	Add(Result)
	// Reset discards all results, because they are about to be sent again.
	Reset(ctx context.Context) error
	// Finish writes the rest along with the run's end: a reader sees both or neither.
	Finish(ctx context.Context, run Run) error
	// Abandon stops writing and leaves the run as it is.
	Abandon()
}
