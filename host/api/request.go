package api

import (
	"slices"
	"time"
)

// RunnerFlag is a flag of a runner that a front offers as its own.
type RunnerFlag struct {
	// Name has its dashes.
	Name, Value string
}

// BaselineRequest asks to set a run aside for later ones to be compared with.
type BaselineRequest struct {
	Where Where
	// Language is only needed where several languages measure something.
	Language string
	// Names are the measures that the run must have; none is any.
	Names []string
	// Ref names the run; empty is the last one.
	Ref string
}

// BaselineAnswer says what was set aside.
type BaselineAnswer struct {
	Run Run
	Age time.Duration
	// Path is where it lies.
	Path string
	// Tests are in it; LeftOut counts those that did not pass, of which nothing
	// is.
	Tests, LeftOut int
}

// CoveringRequest asks which tests execute a file.
type CoveringRequest struct {
	Where Where
	// Language narrows to one of the detected languages; empty is all.
	Language string
	// File is relative to the workspace, or absolute.
	File string
	// Lines is a line or a range of them, as "42" or "40-60"; empty is all.
	Lines string
	// Limit is the most tests of the answer; 0 is the default, and it is clamped.
	Limit int
}

// CoveringDiffRequest asks which tests execute the lines that were changed.
type CoveringDiffRequest struct {
	Where Where
	// Language narrows to one of the detected languages; empty is all.
	Language string
	// Base is the revision to compare with; empty is HEAD.
	Base string
	// Limit is the most tests of the answer; 0 is the default, and it is clamped.
	Limit int
}

// DiffRequest asks how the tests of two runs ended otherwise.
type DiffRequest struct {
	Where Where
	// Before and Now are run ids, beginnings of ids, "last" or "prev". Without
	// Before it is the run before Now; without Now it is the last run, and if that
	// is Before itself, the two change places with the one before it.
	Before, Now string
	// Language narrows the last runs; empty is that of the last run of any.
	Language string
	// ThresholdPercent: a test that takes longer by less is not slower; 0 is the
	// default.
	ThresholdPercent float64
}

// DeferRequest sets a failing test aside.
type DeferRequest struct {
	Where Where
	// Name is a test, or the unique end of its name.
	Name string
	// Language narrows; empty is any.
	Language string
	// Reason is the user's own, for the reader.
	Reason string
	// Lift takes a deferral back.
	Lift bool
}

// HistoryRequest asks what is on record of tests.
type HistoryRequest struct {
	Where Where
	// Name is a test, a suite or a file, or the unique end of its name; empty asks
	// for the tests worth knowing of.
	Name string
	// Language narrows; empty is any.
	Language string
	// Classification, Recurring and Flaky narrow a list of tests.
	Classification Classification
	Recurring      bool
	Flaky          bool
	// Slow asks for durations instead, Measures for measures of these names.
	Slow     bool
	Measures []string
	// Limit is the most entries of a list; it is clamped.
	Limit int
}

// IndexRequest asks to find out which lines each test executes.
type IndexRequest struct {
	Where Where
	// Language is one of the detected languages, or the name of its plugin. It may be
	// empty where there is only one.
	Language string
	// Packages are names or patterns of suites, as in [RunRequest]; none is all.
	Packages []string
	// MatchPath and MatchContract choose suites by patterns, as in [RunRequest].
	MatchPath, MatchContract string
	// RunnerArgs decide how tests are built.
	RunnerArgs []string
	// Budget is the time that it may take; 0 is the default, and it is clamped.
	// SuiteBudget is how much longer the tests of one suite may take one by one than
	// together; 0 is the default.
	Budget, SuiteBudget time.Duration
	// Force measures also what did not change.
	Force bool
}

// IngestRequest asks to take a recorded output into the history.
type IngestRequest struct {
	Where Where
	// Plugin, Stdout, Stderr, ExitCode and ExitKnown are as in [ParseRequest].
	Plugin         string
	Stdout, Stderr string
	ExitCode       int
	ExitKnown      bool
	// At is when the run was; nil is when the file was last written.
	At *time.Time
	// Commit is the revision whose sources the run saw, with nothing changed;
	// empty is not known.
	Commit string
	// Session is the one that the run belongs to; empty is one of its own.
	Session string
	// Again takes in what is on record once more, in place of that.
	Again bool
}

// MeasureRequest asks how what the tests measured has changed.
type MeasureRequest struct {
	Where Where
	// Language narrows the request; empty is each that measured something.
	Language string
	// Names are the measures that are meant; none is all.
	Names []string
	// Against is "last", "baseline", a run id or the unique beginning of one;
	// empty is "last".
	Against string
	// ThresholdPercent: changes up to this are counted and not listed.
	ThresholdPercent float64
}

func IsRed(v Verdict) bool { return v != Passed && v != NothingRan }

// OutstandingRequest asks what is outstanding in a workspace.
type OutstandingRequest struct {
	Where Where
	// Language narrows; empty is any.
	Language string
	// Limit is clamped; 0 is the default.
	Limit int
	// Drop names entries that the user takes off the list, as it shows them.
	Drop []string
}

// ParseRequest asks to read a recorded output without running anything.
type ParseRequest struct {
	// Plugin is the plugin's name.
	Plugin string
	// Root is the workspace the output came from; empty is unknown.
	Root string
	// Stdout and Stderr are files; Stdout may be "-", Stderr empty.
	Stdout, Stderr string
	// ExitCode is the runner's, when ExitKnown.
	ExitCode  int
	ExitKnown bool
}

// Where says which workspace a request is about.
type Where struct {
	// Dir is where the user stands; the working directory when empty.
	Dir string
	// Exact reports whether Dir is the workspace. Otherwise the workspace is the
	// nearest directory, from Dir upwards, that holds a project.
	Exact bool
}

// LastRun asks for a run: the last one of the session, or a given one.
type LastRun struct {
	Where Where
	// Ref is a run id, the unique beginning of one, "last" or "prev"; empty is
	// the last run of Language.
	Ref string
	// Language narrows the last run; empty is that of any.
	Language string
}

// RerunRequest asks for another run of what is outstanding.
type RerunRequest struct {
	Where     Where
	Languages []string
	// OneLanguage: several languages are a [*LanguagesError].
	OneLanguage bool
	// Of narrows to what was red in this run and still is outstanding: a run id, or
	// the unique beginning of one; empty is all that is outstanding.
	Of string
	// RunID is the id that the run gets, the first one of several; empty is any.
	RunID string
	// Limit is the most outstanding tests to run; it is clamped.
	Limit int
	// Precise is as in [RunRequest].
	Precise bool
	// Timeout is clamped; 0 is the default.
	Timeout time.Duration

	// Doubts are what is wrong beside the run.
	Doubts []Note
}

// RerunAnswer is what became of a rerun: a run for each language that had
// something outstanding, and a sentence for each that had not.
type RerunAnswer struct {
	Runs    []Run
	Notices []string
	// NoRunYet reports whether the session has no run at all.
	NoRunYet bool
	// Green: of each language without a run here, the last run passed and
	// nothing is outstanding.
	Green bool
}

// Worst is the run to go on with: the last one that is no pass, else the last. There
// must be one.
func (a RerunAnswer) Worst() *Run { return &a.Runs[Worst(a.Runs)] }

// RunRequest asks for a run of tests.
type RunRequest struct {
	Where Where
	// Languages narrows to some of the detected languages; all when empty. With
	// OneLanguage, several are a [*LanguagesError].
	Languages   []string
	OneLanguage bool
	// RunID is the id that the run gets, the first one of several; empty is any.
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
	// Seed decides whatever the runner draws at random; empty leaves that to
	// the project's settings, or takes any.
	Seed string
	// Precise asks for the lines that failed, where a runner does not say them:
	// failed tests are run once more.
	Precise bool
	// Timeout is clamped; 0 is the default.
	Timeout time.Duration
	// Affected, a revision such as HEAD, chooses the tests that the changes since then
	// can break; empty chooses none by that. It goes with no other selection.
	Affected string
	// Cover measures also which lines the tests execute; nil is what the settings of
	// the workspace say, and without them no.
	Cover *bool
}

// RunsRequest asks which runs are on record.
type RunsRequest struct {
	Where Where
	// Session narrows to one session; ThisSession is the one that asks, empty all.
	Session string
	// Language narrows; empty is any.
	Language string
	// Limit is clamped; 0 is the default.
	Limit int
}

// ExportRequest asks for an archive of runs.
type ExportRequest struct {
	Where Where
	// Refs are run ids, beginnings of ids, "last" or "prev".
	Refs []string
	// File is the archive; empty is proctor-RUN.tar.gz in the current directory.
	File string
	// Force replaces a file that is there.
	Force bool
}

// ImportRequest asks to take the runs of an archive.
type ImportRequest struct {
	Where Where
	File  string
}

// PruneRequest asks to apply the limits of the record now. A limit of zero is
// the one of the workspace's configuration.
type PruneRequest struct {
	Where Where
	Runs  int
	Age   time.Duration
	Bytes int64
	// DryRun only says what would go.
	DryRun bool
	// Progress is told how far it is, from the goroutine of the call; it may be nil.
	Progress func(Pruning)
}

// TestsRequest asks which tests exist.
type TestsRequest struct {
	Where Where
	// Language is one of the detected languages, or the name of its plugin. It may
	// be empty where there is only one.
	Language string
	// Packages, MatchPath, MatchContract, Filter and RunnerArgs are as in
	// [RunRequest]: the tests that such a run would run are listed. Of runner
	// arguments a plugin may only heed those that decide which tests exist.
	Packages      []string
	MatchPath     string
	MatchContract string
	Filter        string
	RunnerArgs    []string
	// All asks for all of them on one page; otherwise Limit is the most tests of a page,
	// and clamped. Bytes also bounds what they
	// take as JSON; 0 does not.
	All          bool
	Limit, Bytes int
	// Cursor is the NextCursor of the page before; empty asks for the first one.
	Cursor string
}

// TriageRequest asks whose the failures are.
type TriageRequest struct {
	Where     Where
	Languages []string
	// Tests narrows to some of the failing tests; all when empty.
	Tests []string
	// Base is the revision to compare with, or "merge-base:REV"; empty is
	// DefaultBase.
	Base string
	// NoCache does without the answers of earlier triages.
	NoCache bool
	// Timeout is clamped; 0 is the default.
	Timeout time.Duration
}

// UploadRequest asks for a run of source files that somebody handed over.
type UploadRequest struct {
	// RunRequest is as for any run. Where is the project whose dependencies the
	// sources may use; it need not be one. Languages has at most one.
	RunRequest
	// Sources is a directory, or a .json file with an object of paths and
	// contents; Files are these themselves. One of the two is given.
	Sources string
	Files   map[string]string
	// AllowUnsandboxed: where no sandbox is available, run without.
	AllowUnsandboxed bool
}

// Worst is the run of a rerun to go on with: the last one that is no pass, else the last.
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
	// Language narrows; empty is any.
	Language string
}
