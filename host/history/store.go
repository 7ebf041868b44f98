package history

import (
	"context"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/outstanding"
)

// Store is the record of one workspace. It may be used by many goroutines and
// many processes at once. Every method sees only what belongs to the workspace
// that the store was opened for.
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

// RunStore has the runs.
type RunStore interface {
	// Begin puts a run on record as running, with its session, which begins with
	// its first run. A run whose id is on record already is an [*ExistsError].
	Begin(ctx context.Context, run Run) (Recorder, error)
	// Amend changes what is known of a run besides its results: its source state,
	// its end.
	Amend(ctx context.Context, run Run) error

	// Run finds a run by its id or the unique beginning of one; [*api.NoRunError] if
	// there is none, or several.
	Run(ctx context.Context, ref string) (Run, error)
	// Runs returns runs, the newest first.
	Runs(ctx context.Context, filter RunFilter) ([]Run, error)
	// Finished are the orders of the runs that are finished, the oldest first.
	Finished(ctx context.Context) ([]int64, error)

	// Remove takes runs off the record in their order, with what nothing else on it
	// refers to. What is not on record is not missed. It goes in short steps, between
	// which others write. After each it calls tell, which may be nil, and stops there
	// if that returns false. Wherever it ends, also by the end of its process, the runs
	// that are off the record are so as a whole, and the others are as they were; what
	// space is left to be given back, the next Remove gives back.
	Remove(ctx context.Context, runIDs []string, tell func(Removal) bool) error
}

// ResultStore tells what happened in a run or two.
type ResultStore interface {
	// Results calls yield with every result of a run, ordered by suite and name,
	// until it returns false.
	Results(ctx context.Context, runID string, yield func(Result) bool) error
	// Files sums up a run by the files in which its tests are declared. Tests
	// whose file is not known are in none.
	Files(ctx context.Context, runID string) ([]FileCount, error)
	// FilesOf are the files in which the tests of some runs, named by their orders, are
	// declared now.
	FilesOf(ctx context.Context, orders []int64) ([]SourceFile, error)
	// FilesNamed are the files, in any directory, that have a name and in which tests
	// are declared, ordered.
	FilesNamed(ctx context.Context, name string) ([]string, error)
	// Compare yields the tests of two runs that ended otherwise in the second one
	// than in the first, or are in one of them only. Several results of a test in
	// one run count as the worst of them.
	Compare(ctx context.Context, beforeID, nowID string, yield func(Change) bool) error
}

// TestStore tells of tests over many runs.
type TestStore interface {
	// Tests finds tests of the dictionary.
	Tests(ctx context.Context, filter TestFilter) ([]Test, error)
	// Suites are those of which a test is declared in a file; where there are none,
	// those that have tests declared in its directory.
	Suites(ctx context.Context, language, file string) ([]string, error)
	// Suspects are the tests that failed or did not finish in a finished run that
	// is still on record, those that did so last first.
	Suspects(ctx context.Context, filter SuspectFilter) ([]Test, error)
	// Timeline yields, test by test, what is on record of some tests.
	Timeline(ctx context.Context, filter TimelineFilter, yield func(Timeline) bool) error
	// Durations sums up how long tests took in the last runs; total is of how many
	// that is known.
	Durations(ctx context.Context, filter DurationFilter) (slowest []Duration, total int, err error)
	// Measures yields what a measure of a test was in the last runs, newest run
	// first.
	Measures(ctx context.Context, filter MeasureFilter, yield func(Measured) bool) error
}

// StateStore has the states of the sources that runs saw.
type StateStore interface {
	// SaveState keeps the files of a source state, once.
	SaveState(ctx context.Context, s fingerprint.State) error
	// State returns a source state with its files; ok is false where it is not on
	// record.
	State(ctx context.Context, id string) (s fingerprint.State, ok bool, err error)
}

// OutstandingStore has what is outstanding.
type OutstandingStore interface {
	// Outstanding returns what is outstanding of a language. known is false
	// before the first update; lost says that it was on record and is not any
	// more, with a database that was set aside.
	Outstanding(ctx context.Context, language string) (set outstanding.Set, known, lost bool, err error)
	// OutstandingLanguages are those of which that is known; lost says that there may
	// have been others.
	OutstandingLanguages(ctx context.Context) (languages []string, lost bool, err error)
	// UpdateOutstanding replaces it by what update makes of it, while nobody else
	// can, and returns the result.
	UpdateOutstanding(ctx context.Context, language string, update func(set outstanding.Set, known, lost bool) outstanding.Set) (outstanding.Set, error)
}

// EntryStore has how files stood at the ends of sessions.
type EntryStore interface {
	// PutEntries sets how files stand at the end of a session, and drops the oldest
	// entries beyond most.
	PutEntries(ctx context.Context, entries []api.Entry, most int) error
	// Entries returns them, the oldest first.
	Entries(ctx context.Context) ([]api.Entry, error)
}

// DeferralStore has the tests that were set aside.
type DeferralStore interface {
	// Defer sets a test aside, or changes that; Undefer takes it back.
	Defer(ctx context.Context, d Deferral) error
	Undefer(ctx context.Context, t TestKey) error
	Deferrals(ctx context.Context) ([]Deferral, error)
}

// AnswerStore keeps small answers that cost much to find again, by key.
type AnswerStore interface {
	Put(ctx context.Context, key string, value []byte) error
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	// DropAnswers drops those whose keys begin so and that were put before a time.
	DropAnswers(ctx context.Context, beginning string, before time.Time) error
}

// File is where the record lies.
type File interface {
	// InPlace reports whether the record is still where it was opened, and nothing was
	// found wrong with it. One that is not is of no more use: it has to be opened
	// again.
	InPlace() bool
	// Size is what the record takes on disk, in bytes.
	Size(ctx context.Context) (int64, error)
	Close() error
}

// Removal is how far [Store.Remove] has come.
type Removal struct {
	// Runs is how many of those asked for are off the record: the first ones.
	Runs int
	// Cleared is the share of their space that is free, from 0 to 1, about.
	Cleared float64
}

// Recorder takes the results of one run as they arrive. Its methods may be called
// from one goroutine at a time. Results are written in batches; what was not
// written when the process ends is lost, and nothing else.
type Recorder interface {
	// Add takes a result. It does not wait for the disk, unless results arrive
	// faster than it can write. An error is told by Finish.
	Add(Result)
	// Reset takes back all results, because they are about to be told again.
	Reset(ctx context.Context) error
	// Finish writes what is left, and the run's end with it: a reader sees both
	// or neither.
	Finish(ctx context.Context, run Run) error
	// Abandon stops writing and leaves the run as it is.
	Abandon()
}
