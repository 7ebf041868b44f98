package api

import (
	"slices"
	"time"
)

// RunnerFlag is a runner's flag that a front offers as its own.
type RunnerFlag struct {
	// Name includes its dashes.
	Name, Value string
}

// BaselineRequest sets a run as the baseline for later comparisons.
type BaselineRequest struct {
	Where Where
	// Language is only needed if several languages have measures.
	Language string
	// Names are the measures that the run must have; empty means any.
	Names []string
	// Ref names the run; empty means the last one.
	Ref string
}

// BaselineAnswer says what was set as the baseline.
type BaselineAnswer struct {
	Run Run
	Age time.Duration
	// Path is its file.
	Path string
	// Tests counts its tests; LeftOut counts tests that did not pass and are not in it.
	Tests, LeftOut int
}

// CoveringRequest asks which tests execute a file.
type CoveringRequest struct {
	Where Where
	// Language selects one of the detected languages; empty means all.
	Language string
	// File is relative to the workspace, or absolute.
	File string
	// Lines is a line or a range, as "42" or "40-60"; empty means all.
	Lines string
	// Limit bounds the tests of the answer; 0 means the default. It is clamped.
	Limit int
}

// CoveringDiffRequest asks which tests execute the changed lines.
type CoveringDiffRequest struct {
	Where Where
	// Language selects one of the detected languages; empty means all.
	Language string
	// Base is the revision to compare with; empty means HEAD.
	Base string
	// Limit bounds the tests of the answer; 0 means the default. It is clamped.
	Limit int
}

// DiffRequest asks which tests ended differently in two runs.
type DiffRequest struct {
	Where Where
	// Before and Now are run ids, beginnings of ids, "last" or "prev". Before defaults
	// to the run before Now, and Now to the last run. If Before is the last run itself,
	// the run before it takes the part of Before.
	Before, Now string
	// Language selects the last runs; empty means the language of the last run of any.
	Language string
	// ThresholdPercent is how much slower a test must be to be called slower; 0 means
	// the default.
	ThresholdPercent float64
}

// DeferRequest defers a failing test.
type DeferRequest struct {
	Where Where
	// Name is a test, or the unique end of its name.
	Name string
	// Language selects one language; empty means any.
	Language string
	// Reason is the user's own wording, shown to readers.
	Reason string
	// Lift removes a deferral.
	Lift bool
}

// HistoryRequest asks what is on record of tests.
type HistoryRequest struct {
	Where Where
	// Name is a test, a suite or a file, or the unique end of its name; empty asks for
	// noteworthy tests.
	Name string
	// Language selects one language; empty means any.
	Language string
	// Classification, Recurring and Flaky filter a list of tests.
	Classification Classification
	Recurring      bool
	Flaky          bool
	// Slow asks for durations instead, Measures for these measures.
	Slow     bool
	Measures []string
	// Limit bounds a list. It is clamped.
	Limit int
}

// IndexRequest asks to find out which lines each test executes.
type IndexRequest struct {
	Where Where
	// Language is a detected language, or the name of its plugin. It may be empty if
	// there is only one.
	Language string
	// Packages are names or patterns of suites, as in [RunRequest]; empty means all.
	Packages []string
	// MatchPath and MatchContract select suites by pattern, as in [RunRequest].
	MatchPath, MatchContract string
	// RunnerArgs affect how tests are built.
	RunnerArgs []string
	// Budget is the time limit; 0 means the default, and it is clamped. SuiteBudget is
	// how much longer the tests of a suite may take one by one than together; 0 means
	// the default.
	Budget, SuiteBudget time.Duration
	// Force also measures what did not change.
	Force bool
}

// IngestRequest imports recorded output into the history.
type IngestRequest struct {
	Where Where
	// Plugin, Stdout, Stderr, ExitCode and ExitKnown are as in [ParseRequest].
	Plugin         string
	Stdout, Stderr string
	ExitCode       int
	ExitKnown      bool
	// At is when the run took place; nil means when the file was last written.
	At *time.Time
	// Commit is the revision the run tested, without changes; empty if unknown.
	Commit string
	// Session is the session of the run; empty means one of its own.
	Session string
	// Again replaces what was ingested before.
	Again bool
}

// MeasureRequest asks how measures of the tests have changed.
type MeasureRequest struct {
	Where Where
	// Language selects one language; empty means each that has measures.
	Language string
	// Names are the measures; empty means all.
	Names []string
	// Against is "last", "baseline", a run id or the unique beginning of one; empty
	// means "last".
	Against string
	// ThresholdPercent: changes up to this size are counted but not listed.
	ThresholdPercent float64
}

func IsRed(v Verdict) bool { return v != Passed && v != NothingRan }

// OutstandingRequest asks what is outstanding in a workspace.
type OutstandingRequest struct {
	Where Where
	// Language selects one language; empty means any.
	Language string
	// Limit is clamped; 0 means the default.
	Limit int
	// Drop names entries, as listed, that the user removes from the list.
	Drop []string
}

// ParseRequest reads recorded output without running anything.
type ParseRequest struct {
	// Plugin is the plugin's name.
	Plugin string
	// Root is the workspace that the output came from; empty if unknown.
	Root string
	// Stdout and Stderr are files; Stdout may be "-", Stderr may be empty.
	Stdout, Stderr string
	// ExitCode is the runner's exit code if ExitKnown is set.
	ExitCode  int
	ExitKnown bool
}

// Where says which workspace a request concerns.
type Where struct {
	// Dir is the user's current directory; empty means the working directory.
	Dir string
	// Exact reports whether Dir is the workspace. Otherwise it is the nearest
	// directory, from Dir upwards, that holds a project.
	Exact bool
}

// LastRun names a run: the session's last one, or a given one.
type LastRun struct {
	Where Where
	// Ref is a run id, the unique beginning of one, "last" or "prev"; empty means the
	// last run of Language.
	Ref string
	// Language selects the last run; empty means that of any.
	Language string
}

// RerunRequest reruns what is outstanding.
type RerunRequest struct {
	Where     Where
	Languages []string
	// OneLanguage makes several languages a [*LanguagesError].
	OneLanguage bool
	// Of restricts the rerun to what was red in this run and is still outstanding: a
	// run id, or the unique beginning of one; empty means all that is outstanding.
	Of string
	// RunID is the id of the run, or of the first of several; empty means a new one.
	RunID string
	// Limit bounds the outstanding tests to run. It is clamped.
	Limit int
	// Precise is as in [RunRequest].
	Precise bool
	// Timeout is clamped; 0 means the default.
	Timeout time.Duration

	// Doubts are problems outside the run.
	Doubts []Note
}

// RerunAnswer is the result of a rerun: a run for each language with something
// outstanding, and a sentence for each other one.
type RerunAnswer struct {
	Runs    []Run
	Notices []string
	// NoRunYet reports whether the session has no run yet.
	NoRunYet bool
	// Green reports whether, in each language without a run here, the last run passed
	// and nothing is outstanding.
	Green bool
}

// Worst is the run to continue with: the last one that did not pass, else the last.
// There must be one.
func (a RerunAnswer) Worst() *Run { return &a.Runs[Worst(a.Runs)] }

// RunRequest asks for a run of tests.
type RunRequest struct {
	Where Where
	// Languages selects some of the detected languages; empty means all. With
	// OneLanguage, several are a [*LanguagesError].
	Languages   []string
	OneLanguage bool
	// RunID is the id of the run, or of the first of several; empty means a new one.
	RunID string
	// Packages, MatchPath, MatchContract and Filter select tests.
	Packages      []string
	MatchPath     string
	MatchContract string
	Filter        string
	// RunnerArgs are passed to the runner unchanged.
	RunnerArgs []string
	// RunnerFlags follow RunnerArgs, for runners that have them.
	RunnerFlags []RunnerFlag
	// Seed decides whatever the runner draws at random; empty leaves it to the
	// project's settings, or to chance.
	Seed string
	// Precise asks for the lines that failed if a runner does not report them: failed
	// tests run once more.
	Precise bool
	// Timeout is clamped; 0 means the default.
	Timeout time.Duration
	// Affected, a revision such as HEAD, selects the tests that changes since then can
	// break; empty does not. It excludes any other selection.
	Affected string
	// Cover also measures which lines the tests execute; nil means as the workspace's
	// settings say, by default not.
	Cover *bool
}

// RunsRequest asks which runs are on record.
type RunsRequest struct {
	Where Where
	// Session selects one session; ThisSession is the requesting one, empty means all.
	Session string
	// Language selects one language; empty means any.
	Language string
	// Limit is clamped; 0 means the default.
	Limit int
}

// ExportRequest asks for an archive of runs.
type ExportRequest struct {
	Where Where
	// Refs are run ids, beginnings of ids, "last" or "prev".
	Refs []string
	// File is the archive; empty means proctor-RUN.tar.gz in the current directory.
	File string
	// Force overwrites an existing file.
	Force bool
}

// ImportRequest imports the runs of an archive.
type ImportRequest struct {
	Where Where
	File  string
}

// PruneRequest applies the limits of the record now. A zero limit is that of the
// workspace's configuration.
type PruneRequest struct {
	Where Where
	Runs  int
	Age   time.Duration
	Bytes int64
	// DryRun only reports what would be removed.
	DryRun bool
	// Progress receives progress on the caller's goroutine; it may be nil.
	Progress func(Pruning)
}

// TestsRequest asks which tests exist.
type TestsRequest struct {
	Where Where
	// Language is a detected language, or the name of its plugin. It may be empty if
	// there is only one.
	Language string
	// Packages, MatchPath, MatchContract, Filter and RunnerArgs are as in [RunRequest]:
	// the answer lists what such a run would run. A plugin may heed only those runner
	// arguments that decide which tests exist.
	Packages      []string
	MatchPath     string
	MatchContract string
	Filter        string
	RunnerArgs    []string
	// All asks for everything on one page; otherwise Limit bounds the tests of a page
	// and is clamped. Bytes also bounds their size as JSON; 0 does not.
	All          bool
	Limit, Bytes int
	// Cursor is the NextCursor of the previous page; empty asks for the first.
	Cursor string
}

// TriageRequest asks whose the failures are.
type TriageRequest struct {
	Where     Where
	Languages []string
	// Tests selects some of the failing tests; empty means all.
	Tests []string
	// Base is the revision to compare with, or "merge-base:REV"; empty means
	// DefaultBase.
	Base string
	// NoCache ignores the answers of earlier triages.
	NoCache bool
	// Timeout is clamped; 0 means the default.
	Timeout time.Duration
}

// UploadRequest asks to run uploaded source files.
type UploadRequest struct {
	// RunRequest is as for any run. Where is the project whose dependencies the sources
	// may use, if any. Languages has at most one element.
	RunRequest
	// Sources is a directory, or a .json file with an object of paths and contents;
	// Files are the files themselves. Exactly one is set.
	Sources string
	Files   map[string]string
	// AllowUnsandboxed permits a run without a sandbox if none is available.
	AllowUnsandboxed bool
}

// Worst is the run of a rerun to continue with: the last one that did not pass, else
// the last.
func Worst(runs []Run) int {
	for i, run := range slices.Backward(runs) {
		if IsRed(run.Verdict) {
			return i
		}
	}
	return len(runs) - 1
}

// WhyRequest asks why a test ended as it did.
type WhyRequest struct {
	Where Where
	// Test is a test as the reports show it, or the unique end of one.
	Test string
	// Language selects one language; empty means any.
	Language string
}
