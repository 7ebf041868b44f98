package api

import (
	"slices"
	"time"
)

// RunRequest asks for a run of tests.
type RunRequest struct {
	Where Where
	// Languages selects some of the detected languages; empty means all. With
	// OneLanguage, more than one is a [*LanguagesError].
	Languages   []string
	OneLanguage bool
	// RunID is the id of the run, or of the first of several; empty means a new one.
	RunID string
	// Packages, MatchPath, MatchContract and Filter select tests.
	Packages      []string
	MatchPath     string
	MatchContract string
	Filter        string
	// RunnerArgs are passed to the runner unchanged. With OnlyHarmless, they are declared
	// flags that make no other program run and name no file.
	RunnerArgs   []string
	OnlyHarmless bool
	// Check has what does not build told before any test runs, if the plugin has a command
	// for it.
	Check bool
	// Repeat is how often everything runs at most, until it does not pass; 0 means once.
	Repeat int
	// EVMVersion is the version of the EVM to run on; empty means the project's.
	EVMVersion string
	// Seed is the seed of the runner's random choices; empty means the project's, or a
	// random one.
	Seed string
	// Precise asks for the lines that failed if a runner does not report them: failed
	// tests run once more.
	Precise bool
	// Timeout is how long the run may take; 0 means no limit. With DefaultTimeout, the
	// workspace's settings override it.
	Timeout        time.Duration
	DefaultTimeout bool
	// Affected, a revision such as HEAD, selects the tests that changes since then can
	// break; empty does not. It excludes any other selection.
	Affected string
	// Since, the id of a run on record, does the same for the changes since that run. It
	// does not add what is outstanding, since the caller has rerun that. If the changes
	// cannot be determined, everything runs.
	Since string
	// Shard, as in 2/5, is the part of the selected tests to run; empty means all. Timings
	// is a file of recorded durations by which to divide them; without it, each test
	// weighs the same. Attempt counts the runs of the shard; 0 means as the CI provider
	// says.
	Shard, Timings string
	Attempt        int
	// Cover also measures which lines the tests execute; nil means as the workspace's
	// settings say, by default false.
	Cover *bool
	// Cached lets the runner answer from its cache of results; nil means as the
	// workspace's settings say, by default false. What is outstanding always runs.
	Cached *bool
	// Retries is how often failed tests run again. Nothing is retried if more than
	// RetryLimit tests failed. Nil means as the workspace's settings say, by default
	// never.
	Retries, RetryLimit *int
}

// Narrows reports whether the request selects tests by name.
func (r RunRequest) Narrows() bool {
	return len(r.Packages) > 0 || r.MatchPath != "" || r.MatchContract != "" || r.Filter != ""
}

// IsByChange reports whether changes select the tests.
func (r RunRequest) IsByChange() bool { return r.Affected != "" || r.Since != "" }

// RunnerFlags returns the parameters of the request that are flags of the runner.
func (r RunRequest) RunnerFlags() []RunnerFlag {
	if r.EVMVersion == "" {
		return nil
	}
	return []RunnerFlag{{Name: "--evm-version", Value: r.EVMVersion}}
}

// Params are the parameters of the request.
func (r *RunRequest) Params() []Param {
	return append(suiteParams(&r.Packages, &r.MatchPath, &r.MatchContract),
		filterParam(&r.Filter),
		Param{
			Value: &r.Languages, Flag: "lang", Tool: "language", Single: true,
			Help: "run only these of the detected languages (`LANG`, repeatable)", Agent: "Needed if several.",
		},
		Param{
			Value: &r.Affected, Flag: "affected", Tool: "affected", Bare: "HEAD",
			Help:  "run the tests that changes since `REV` can break, uncommitted changes included, and those for which this is unknown; default HEAD",
			Agent: "Git revision: run what changes since it can break.",
		},
		Param{
			Value: &r.RunnerArgs, Tool: "flags", Agent: "The runner's own: -race, -short, -tags=x, -count=2.",
		},
		Param{
			Value: &r.Repeat, Tool: "repeat", Min: 1, Max: MaxRepeat, Agent: "Most runs, until one does not pass.",
		},
		Param{
			Value: &r.Shard, Flag: "shard",
			Help: "run `PART` of the tests, such as 2/5: the second of five machines, which need not communicate; merge their reports into one run",
		},
		Param{
			Value: &r.Timings, Flag: "timings",
			Help: "divide shards by the durations in `FILE`, the timings of an earlier run; the same in every shard",
		},
		Param{
			Value: &r.Attempt, Flag: "attempt",
			Help: "this is attempt `N` of the shard: its report replaces those with smaller numbers (default: as the CI says, or 1)",
		},
		Param{
			Value: &r.EVMVersion, Flag: "evm-version", Tool: "evm_version", Language: Foundry,
			Help: "run on `VERSION` of the EVM",
		},
		Param{
			Value: &r.Seed, Flag: "seed", Language: Foundry,
			Help: "`SEED` of the runner's random choices (default: the project's, or a new one; recorded with the run)",
		},
		Param{
			Value: &r.Precise, Flag: "precise", Tool: "precise", Language: Foundry,
			Help: "find the lines that failed, by running failed tests again", Agent: "find failing lines by a second run.",
		},
		Param{
			Value: &r.Cover, Flag: "cover",
			Help: "also measure which lines the tests execute, for covering (default: run.cover in .proctor.toml)",
		},
		Param{
			Value: &r.Cached, Flag: "cached", Tool: "cached", Agent: "Accept cached results.",
			Help: "let the runner answer from its cache, where it has one; what is outstanding runs all the same (default: run.cached in .proctor.toml)",
		},
		retriesParam(&r.Retries),
		retryLimitParam(&r.RetryLimit),
		timeoutParam(&r.Timeout),
	)
}

func retriesParam(value **int) Param {
	return Param{
		Value: value, Flag: "retries", Tool: "retries", Max: MaxRetries, Agent: "Most reruns of failures.",
		Help: "run failed tests again, up to `N` times, on the same sources; one that then passes is flaky, and the run still fails unless run.flaky in .proctor.toml is \"pass\" (default: run.retries there)",
	}
}

func retryLimitParam(value **int) Param {
	return Param{
		Value: value, Flag: "retry-limit", Min: 1,
		Help: "retry nothing if more than `N` tests failed (default: run.retry-limit in .proctor.toml, or 10)",
	}
}

// RunnerFlag is a runner's flag that a front offers as its own.
type RunnerFlag struct {
	// Name includes its dashes.
	Name, Value string
}

// IsRed reports whether a verdict means that something is wrong. A run of nothing is
// neither red nor a pass.
func IsRed(v Verdict) bool { return v != Passed && v != NothingRan }

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

// Params are the parameters of the request, those of the run among them.
func (r *UploadRequest) Params() []Param {
	return append(r.RunRequest.Params(),
		Param{
			Value: &r.Sources, Flag: "sources",
			Help: "run the tests of the sources in `PATH`, a directory or a .json file {\"path\": \"content\"}, in a throw-away workspace and a sandbox; the workspace is the project whose dependencies they may use",
		},
		Param{Value: &r.Files, Tool: "sources", Language: Foundry, Agent: "run these {path: content} in a sandbox instead."},
		Param{
			Value: &r.AllowUnsandboxed, Flag: "allow-unsandboxed",
			Help: "if there is no sandbox, run the sources without one",
		},
	)
}

// RerunRequest reruns what is outstanding.
type RerunRequest struct {
	Where     Where
	Languages []string
	// OneLanguage makes more than one language a [*LanguagesError].
	OneLanguage bool
	// Of restricts the rerun to what was red in this run and is still outstanding: a
	// run id, or the unique beginning of one; empty means all that is outstanding.
	Of string
	// Names restrict it to these tests and suites of what is outstanding, with all that is
	// inside them; nil means all of it.
	Names []string
	// From is a file, a directory or an address of runs that were made elsewhere. What
	// was red in them runs in place of what is outstanding here, with RunnerArgs; nil
	// means the arguments of these runs.
	From       string
	RunnerArgs []string
	// RunID is the id of the run, or of the first of several; empty means a new one.
	RunID string
	// Limit bounds the outstanding tests to run. It is clamped.
	Limit int
	// Precise is as in [RunRequest].
	Precise bool
	// Timeout and DefaultTimeout are as in [RunRequest].
	Timeout        time.Duration
	DefaultTimeout bool
	// Retries and RetryLimit are as in [RunRequest].
	Retries, RetryLimit *int

	// Doubts are problems outside the run that its warnings should mention.
	Doubts []Note
}

// Params are the parameters of the request.
func (r *RerunRequest) Params() []Param {
	timeout := timeoutParam(&r.Timeout)
	timeout.Same = true
	retries := retriesParam(&r.Retries)
	retries.Tool = "" // a tool that reruns is called again
	return []Param{
		{
			Value: &r.Limit, Flag: "limit", Tool: "limit", Default: DefaultRerunLimit, Max: MaxRerunLimit,
			Help:  "run at most `N` tests, each with its subtests, up to {max}; the rest stays outstanding",
			Agent: "Test names; others stay outstanding.",
		},
		fromParam(&r.From, "run what was red elsewhere"),
		{Value: &r.Names, Arg: "TEST"},
		{Value: &r.Of, Tool: "run_id", Agent: "What was red in this run, of any session."},
		{
			Value: &r.Languages, Flag: "lang", Tool: "language", Single: true,
			Help: "rerun only these languages (`LANG`, repeatable)", Agent: "Default: the last run's.",
		},
		{
			Value: &r.Precise, Flag: "precise", Tool: "precise", Same: true, Language: Foundry,
			Help: "find the lines that failed, as in run",
		},
		retries,
		retryLimitParam(&r.RetryLimit),
		timeout,
	}
}

// RerunAnswer is the result of a rerun: a run for each language with something
// outstanding, and what there is to say about the others.
type RerunAnswer struct {
	Runs []Run
	// Passed are the languages whose last run passed and that have nothing to rerun.
	// NotRun are those without a run. Notes are about the others.
	Passed []PassedLanguage
	NotRun []string
	Notes  []Note
	// NoRunYet reports whether no language has a run yet.
	NoRunYet bool
	// Green reports whether, in each language without a run here, the last run passed
	// and nothing is outstanding.
	Green bool
}

// PassedLanguage is a language with nothing to rerun. Stale says what was edited since
// its last run.
type PassedLanguage struct {
	Language string
	Stale    *Stale
}

// Worst returns the run to continue with; see [Worst]. There must be one.
func (a RerunAnswer) Worst() *Run { return &a.Runs[Worst(a.Runs)] }

// Worst returns the index of the run to continue with: the last red one, or else the
// last one.
func Worst(runs []Run) int {
	for i, run := range slices.Backward(runs) {
		if IsRed(run.Verdict) {
			return i
		}
	}
	return len(runs) - 1
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

// Params are the parameters of the request.
func (r *TestsRequest) Params() []Param {
	return append(suiteParams(&r.Packages, &r.MatchPath, &r.MatchContract),
		filterParam(&r.Filter),
		Param{
			Value: &r.Language, Tool: "language", Same: true,
		},
		Param{
			Value: &r.Limit, Tool: "limit", Max: MaxTestsLimit, ToolDefault: DefaultTestsLimit,
		},
		Param{Value: &r.Cursor, Tool: "cursor"},
	)
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

// Params are the parameters of the request.
func (r *IndexRequest) Params() []Param {
	return append(suiteParams(&r.Packages, &r.MatchPath, &r.MatchContract),
		languageParam(&r.Language, "the language (`LANG`), if there are several"),
		Param{
			Value: &r.Budget, Flag: "budget", Default: DefaultIndexBudget, Max: int(MaxIndexBudget.Seconds()),
			Help: "stop after `DURATION`, such as 90s or 10m, up to {max}; 0 is the default",
		},
		Param{
			Value: &r.SuiteBudget, Flag: "package-budget", Default: DefaultSuiteBudget,
			Help: "how much longer (`DURATION`, such as 90s) one suite's tests may take one by one than together; a slower suite is known only as a whole",
		},
		Param{Value: &r.Force, Flag: "force", Help: "measure again, even what has not changed"},
	)
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
	// Timeout is how long the run may take; 0 means no limit.
	Timeout time.Duration
}

// Params are the parameters of the request.
func (r *TriageRequest) Params() []Param {
	timeout := timeoutParam(&r.Timeout)
	timeout.Same = true
	return []Param{
		{Value: &r.Tests, Arg: "TEST", Tool: "tests", Agent: "Default: all that fail."},
		{
			Value: &r.Base, Flag: "base", Tool: "base", Default: DefaultBase,
			Help: "compare with `REVISION`: anything git understands, or merge-base:REVISION", Agent: "Revision, or merge-base:REVISION.",
		},
		{Value: &r.NoCache, Flag: "no-cache", Help: "run everything, ignoring cached answers"},
		timeout,
		{Value: &r.Languages, Flag: "lang", Help: "only these of the detected languages (`LANG`, repeatable)", Single: true},
	}
}

// ParseRequest reads recorded output without running anything.
type ParseRequest struct {
	// Plugin is the plugin's name.
	Plugin string
	// Root is the workspace that the output came from; empty if unknown.
	Root string
	// Stdout and Stderr are files; Stdout may be "-", Stderr may be empty.
	Stdout, Stderr string
	// ExitCode is the runner's exit code; nil if unknown.
	ExitCode *int
}

// Params are the parameters of the request.
func (r *ParseRequest) Params() []Param {
	return recordingParams(&r.Stdout, &r.Stderr, &r.ExitCode)
}

// recordingParams are the parameters that name recorded output.
func recordingParams(stdout, stderr *string, exitCode **int) []Param {
	return []Param{
		{Value: stdout, Arg: "EVENTS"},
		{Value: stderr, Flag: "stderr", Help: "a `FILE` with the runner's standard error"},
		{Value: exitCode, Flag: "exit-code", Help: "the runner's exit `CODE` (default: unknown)"},
	}
}

// IngestRequest imports recorded output into the history.
type IngestRequest struct {
	Where Where
	// Plugin, Stdout, Stderr and ExitCode are as in [ParseRequest].
	Plugin         string
	Stdout, Stderr string
	ExitCode       *int
	// At is when the run took place; nil means when the file was last written.
	At *time.Time
	// Commit is the revision the run tested, without changes; empty if unknown.
	Commit string
	// Session is the session of the run; empty means one of its own.
	Session string
	// Again replaces what was ingested before.
	Again bool
}

// Params are the parameters of the request.
func (r *IngestRequest) Params() []Param {
	return append(recordingParams(&r.Stdout, &r.Stderr, &r.ExitCode),
		Param{Value: &r.At, Flag: "at", Help: "when the run was (RFC 3339 `TIME`; default: the file's modification time)"},
		Param{Value: &r.Commit, Flag: "commit", Help: "the `REVISION` that the run tested, without changes"},
		Param{Value: &r.Session, Flag: "session", Help: "the `SESSION` the run belongs to (default: its own)"},
		Param{Value: &r.Again, Flag: "again", Help: "replace the recorded run of the same output"},
	)
}

// MergeRequest asks to merge the reports of shards.
type MergeRequest struct {
	Where Where
	// Paths are files, and directories of files, of --report json.
	Paths []string
	// Expect is how many shards there must be; 0 means as many as the reports say.
	Expect int
	// RunID is the id of the run, or of the first of several, and Took how long it took.
	// Without them the id derives from the reports, and the slowest shard says how long.
	RunID string
	Took  time.Duration
}

// Params are the parameters of the request.
func (r *MergeRequest) Params() []Param {
	return []Param{
		{Value: &r.Paths, Arg: "FILE"},
		{Value: &r.Expect, Flag: "expect", Max: MaxShards, Help: "require `N` shards (default: as many as their plan has)"},
	}
}

// TimingsRequest asks how long tests took.
type TimingsRequest struct {
	Where Where
	// Runs is how many of the latest runs count; 0 means the default.
	Runs int
}

// Params are the parameters of the request.
func (r *TimingsRequest) Params() []Param {
	return []Param{{Value: &r.Runs, Flag: "runs", Default: DefaultTimedRuns, Min: 1, Help: "use the last `N` runs"}}
}

// DefaultTimedRuns is enough for a mean, and few enough to follow changes.
const DefaultTimedRuns = 10
