package api

import (
	"time"
)

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

// Params are the parameters that name the run.
func (r *LastRun) Params() []Param {
	return []Param{
		{Value: &r.Ref, Flag: "run", Tool: "run_id", Help: "use `RUN` instead of the last run", Agent: "Default: the last."},
		{Value: &r.Language, Flag: "lang", Tool: "language", Help: "use the last run of this `LANG`", Agent: "Default: the last run's."},
	}
}

// FailuresRequest asks what failed in a run.
type FailuresRequest struct {
	LastRun
	// From is a file, a directory or an address of runs that were made elsewhere; empty
	// means those on record here.
	From string
	// Offset is how many failures to skip.
	Offset int
	// Limit is the most failures of the answer; 0 is the default, and it is clamped.
	Limit int
}

// Params are the parameters of the request.
func (r *FailuresRequest) Params() []Param {
	return append(r.LastRun.Params(),
		Param{
			Value: &r.Limit, Flag: "limit", Tool: "limit", Default: DefaultFailuresLimit, Max: MaxFailuresLimit,
			Help: "show at most `N`, up to {max}",
		},
		fromParam(&r.From, "show what failed elsewhere"),
		Param{Value: &r.Offset, Tool: "offset"},
	)
}

// OutputRequest asks what a test, a suite or a run printed.
type OutputRequest struct {
	LastRun
	// From is as in [FailuresRequest].
	From string
	// Test is a test as the reports show it, or the end of one; empty is the whole run.
	Test string
	// Stream selects the output stream of a whole run; empty means both.
	Stream Stream
	// Offset is where the page begins in bytes; a negative one counts from the end.
	Offset int64
	// MaxBytes is the size of a page; 0 is the default, and it is clamped.
	MaxBytes int
}

// Params are the parameters of the request.
func (r *OutputRequest) Params() []Param {
	return append(r.LastRun.Params(),
		fromParam(&r.From, "show what a test printed elsewhere"),
		Param{Value: &r.Test, Arg: "TEST", Tool: "test", Agent: "Name, failures[].id or package. Default: the run."},
		Param{Value: &r.Stream, Tool: "stream", Words: []string{string(BothStreams), string(Stdout), string(Stderr)}, Agent: "Of a whole run."},
		Param{Value: &r.Offset, Tool: "offset", Agent: "Negative: from the end."},
		Param{Value: &r.MaxBytes, Tool: "max_bytes", Default: DefaultPageBytes, Max: MaxPageBytes},
	)
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

// Params are the parameters of the request.
func (r *BaselineRequest) Params() []Param {
	return []Param{{Value: &r.Ref, Arg: "RUN"}, languageParam(&r.Language, "use the last run of this `LANG`")}
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

// CoveringRequest asks which tests execute a file, or the changed lines.
type CoveringRequest struct {
	Where Where
	// Language selects one of the detected languages; empty means all.
	Language string
	// File is relative to the workspace, or absolute.
	File string
	// Lines is a line or a range, as "42" or "40-60"; empty means all.
	Lines string
	// Base is, without a file, the revision to compare with; empty means HEAD.
	Base string
	// Limit bounds the tests of the answer; 0 means the default. It is clamped.
	Limit int
	// Measure is how long what is asked about may be measured first; 0 means not at all.
	Measure time.Duration
}

// Params are the parameters of the request.
func (r *CoveringRequest) Params() []Param {
	return []Param{
		{Value: &r.Measure, Tool: "measure", Max: int(MaxTimeout.Seconds()), Agent: "Seconds to first run its tests singly."},
		{Value: &r.File, Arg: "FILE", Tool: "file", Agent: "Default: lines changed since HEAD."},
		{Value: &r.Lines, Arg: "LINE", Tool: "lines", Agent: "42 or 40-60. Default: all."},
		{
			Value: &r.Base, Flag: "diff", Bare: "HEAD",
			Help: "the lines changed since `REV`, uncommitted changes included; default HEAD",
		},
		{
			Value: &r.Limit, Flag: "limit", Tool: "limit", Default: DefaultCoveringLimit, Max: MaxCoveringLimit,
			Help: "show at most `N` tests, up to {max}",
		},
		languageParam(&r.Language, "only tests of this `LANG`"),
	}
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

// Params are the parameters of the request.
func (r *DeferRequest) Params() []Param {
	return []Param{
		{Value: &r.Name, Arg: "TEST"},
		{Value: &r.Reason, Flag: "reason", Help: "why (`TEXT`), for readers of the list"},
		{Value: &r.Lift, Flag: "lift", Help: "end the deferral"},
		languageParam(&r.Language, "only tests of this `LANG`"),
	}
}

// DiffRequest asks which tests ended differently in two runs.
type DiffRequest struct {
	Where Where
	// Before and Now are run ids, beginnings of ids, "last" or "prev". Before defaults
	// to the run before Now, and Now to the last run. If Before is the last run itself,
	// it is compared with the run before it.
	Before, Now string
	// Language selects the last runs; empty means the language of the last run of any.
	Language string
	// ThresholdPercent is how much slower a test must be to be called slower; 0 means
	// the default.
	ThresholdPercent float64
}

// Params are the parameters of the request.
func (r *DiffRequest) Params() []Param {
	return []Param{
		{Value: &r.Now, Arg: "RUN", Tool: "run_id", Agent: "The later run. Default: the last."},
		{Value: &r.Before, Arg: "RUN", Tool: "against", Agent: "The earlier run. Default: the one before."},
		{
			Value: &r.ThresholdPercent, Flag: "threshold", Default: float64(DefaultSlowerPercent),
			Help: "ignore slowdowns below this",
		},
		languageParam(&r.Language, "use the last runs of this `LANG`"),
	}
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
	// Rates asks for failure rates instead.
	Rates bool
	// Limit bounds a list. It is clamped.
	Limit int
}

// Params are the parameters of the request.
func (r *HistoryRequest) Params() []Param {
	return []Param{
		{Value: &r.Name, Arg: "TEST", Tool: "test", Agent: "Name, suite or failures[].id."},
		{
			Value: &r.Classification, Flag: "classification", Tool: "classification", Words: classificationWords(),
			Help: "only tests of `C`: gap, passed, fixed, regression, failing or flaky",
		},
		{
			Value: &r.Recurring, Flag: "recurring", Tool: "recurring",
			Help: "only tests that failed in three or more sessions and have not recovered", Agent: "Failed in 3+ sessions.",
		},
		{
			Value: &r.Flaky, Flag: "flaky", Tool: "flaky",
			Help: "only tests that passed and failed on the same sources",
		},
		{Value: &r.Slow, Flag: "slow", Tool: "slow", Help: "show the slowest tests", Agent: "Instead: the slowest."},
		{Value: &r.Rates, Flag: "failure-rate", Help: "show how often tests failed in their latest runs, most often first"},
		{
			Value: &r.Limit, Flag: "limit", Tool: "limit", Default: DefaultHistoryLimit, Max: MaxHistoryLimit,
			Help: "show at most `N`, up to {max}",
		},
		languageParam(&r.Language, "only tests of this `LANG`"),
	}
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

// Params are the parameters of the request.
func (r *MeasureRequest) Params() []Param {
	return []Param{
		{
			Value: &r.Against, Flag: "against", Default: AgainstLast,
			Help: "compare with `RUN`: a run id or a prefix of one, last (the run before), or baseline",
		},
		{Value: &r.ThresholdPercent, Flag: "threshold", Default: 0.0, Help: "count changes up to this, but do not list them"},
		languageParam(&r.Language, "only runs of this `LANG`"),
	}
}

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

// Params are the parameters that no other request has.
func (r *OutstandingRequest) Params() []Param {
	return []Param{
		{Value: &r.Drop, Flag: "drop", Help: "take `TEST` off the list, named as shown there (repeatable), and run nothing"},
	}
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

// Params are the parameters of the request.
func (r *RunsRequest) Params() []Param {
	return []Param{
		{Value: &r.Limit, Flag: "limit", Default: DefaultRunsLimit, Max: MaxRunsLimit, Help: "show at most `N`, up to {max}"},
		{Value: &r.Session, Flag: "session", Help: "only the runs of session `ID`; \"" + ThisSession + "\" is the current one (default: all sessions)"},
		languageParam(&r.Language, "only runs of this `LANG`"),
	}
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

// Params are the parameters of the request.
func (r *ExportRequest) Params() []Param {
	return []Param{
		{Value: &r.Refs, Arg: "RUN"},
		{Value: &r.File, Flag: "output", Short: "o", Help: "the archive `FILE` (default: proctor-RUN.tar.gz in the current directory)"},
		{Value: &r.Force, Flag: "force", Help: "replace an existing file"},
	}
}

// ImportRequest imports the runs of an archive.
type ImportRequest struct {
	Where Where
	File  string
}

// Params are the parameters of the request.
func (r *ImportRequest) Params() []Param { return []Param{{Value: &r.File, Arg: "FILE"}} }

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

// Params are the parameters of the request.
func (r *PruneRequest) Params() []Param {
	return []Param{
		{Value: &r.Runs, Flag: "runs", Min: 1, Help: "keep at most `N` runs"},
		{Value: &r.Age, Flag: "days", Min: 1, Max: maxDays, Unit: 24 * time.Hour, Help: "keep no run older than `N` days"},
		{Value: &r.Bytes, Flag: "size", Min: 1, Help: "keep the record below `SIZE`, such as 500MB"},
		{Value: &r.DryRun, Flag: "dry-run", Help: "only show what would be removed"},
	}
}

// maxDays is a hundred years, which fits a [time.Duration].
const maxDays = 36_500

// WhyRequest asks why a test ended as it did.
type WhyRequest struct {
	Where Where
	// From is as in [FailuresRequest].
	From string
	// Test is a test as the reports show it, or the unique end of one.
	Test string
	// Language selects one language; empty means any.
	Language string
}

// Params are the parameters of the request.
func (r *WhyRequest) Params() []Param {
	return []Param{
		{Value: &r.Test, Arg: "TEST", Tool: "test", Agent: "Name or failures[].id."},
		fromParam(&r.From, "why it failed elsewhere"),
		languageParam(&r.Language, "a test of this `LANG`"),
	}
}
