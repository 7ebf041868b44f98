package verdict

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

// Evidence is everything a run showed.
type Evidence struct {
	// ToolError says why the runner could not start or the plugin failed.
	ToolError string

	// Exited reports whether the exit status is known. ExitCode and Signal are only
	// meaningful then.
	Exited   bool
	ExitCode int
	Signal   string
	// FailedExit reports whether the exit code is one with which the runner reports that
	// tests failed. Any other means that something else went wrong.
	FailedExit bool
	// TimedOut reports whether a deadline passed, the host's or the runner's own.
	TimedOut bool
	// DeadlineS is the host's deadline in seconds, for the text.
	DeadlineS float64
	Cancelled bool

	// Passed, Failed and Skipped count results of tests and subtests, one for each
	// execution.
	Passed, Failed, Skipped int
	// TestsPassed and TestsSkipped count each test once, without subtests; both are 0
	// if unknown. SubtestsSkipped and SubtestsUnfinished are included in Skipped and
	// Unfinished. Repeats counts results of a test beyond its first.
	TestsPassed, TestsSkipped int
	// TestsCached and Cached are those of TestsPassed and Passed that the runner took
	// from its cache.
	TestsCached, Cached                 int
	SubtestsSkipped, SubtestsUnfinished int
	// SuitesSkipped counts the suites that were skipped as a whole, by what prepares their
	// tests.
	SuitesSkipped int
	Repeats       int
	// Unfinished counts tests that started and have no end; NeverStarted counts
	// selected tests whose suite ended without them. SuitesNeverStarted of these are suites
	// whose tests are unknown.
	Unfinished, NeverStarted, SuitesNeverStarted int
	// Untold reports whether the runner was stopped before it reported anything, so
	// that NeverStarted tests may in fact have started.
	Untold bool
	// SuitesUnfinished counts suites without an end; SuitesAborted, those that ended
	// before their tests did.
	SuitesUnfinished, SuitesAborted int

	// BuildFailures counts failures before any test of a suite could run.
	BuildFailures int
	// Failures counts all other failures, except those that only say that something did
	// not end (timeouts, signals); Interruptions counts these. Neither Failures nor
	// Failed counts the known failures of tests in quarantine.
	Failures      int
	Interruptions int

	// Quarantined counts the tests that failed only with their known failure. Quarantine
	// is what a reader should know about the file that names them. Misplaced names
	// entries of it that match no test.
	Quarantined           int
	Quarantine, Misplaced string

	// Flaky counts failed tests that passed when they were retried. FlakyPass reports
	// whether nothing else failed and the project lets flaky tests pass. FlakyBy is what a
	// reader should know about the file with that setting.
	Flaky     int
	FlakyPass bool
	FlakyBy   string

	// DamagedBytes counts bytes that look like results but could not be read.
	DamagedBytes int64
	// RunError is the runner's own explanation of why it could not work.
	RunError string
	// OutputTail is the end of the output. It explains an exit that nothing else
	// explains, and its last line why a runner ended itself.
	OutputTail string

	// Filtered reports whether less than everything was asked for. Selected and Total
	// count listed tests, if known.
	Filtered        bool
	Selected, Total int
	// Shard is the part of what was asked for that ran here, as in 2/5; empty if all did.
	Shard string
	// Shards is how many shards a merge consists of; 0 if it is no merge.
	Shards int
	// Unmerged says why the shards of a merge are not the whole run; empty if they are,
	// or it is no merge.
	Unmerged string
	// From names the runs elsewhere whose failures this run reruns; empty if it does not.
	// Unanswered says what was red there and neither passed nor failed here.
	From, Unanswered string
	// Part says which part of a rerun this run is, which parts before it did not pass, and
	// what of all that is outstanding it is about; empty if it is the whole.
	Part string
	// SomeParts reports whether the selection may leave out parts of the tests that it
	// names.
	SomeParts bool
	// OnlyInside reports whether the selection names only parts of tests; PartsRan
	// counts the parts that ran. The enclosing tests run even if no part matches.
	OnlyInside bool
	PartsRan   int
	// Configured names project settings that leave tests out of a run.
	Configured string
	// RunnerArgs are the arguments passed through to the runner. They may leave
	// tests out, so a reason names them.
	RunnerArgs string
	// Narrowing are those of them that are known to leave tests out.
	Narrowing string
}

// Decision is a verdict and the sentence that explains it, with its caveats.
type Decision struct {
	Verdict api.Verdict
	Reason  string
	Caveats []api.Caveat
}

// Decide applies the rules, strongest first.
func Decide(e Evidence) Decision {
	for _, rule := range []func(Evidence) (Decision, bool){
		toolError, buildFailed, decideFailed, decideInterrupted, unexplainedExit, nothingRan,
	} {
		if d, ok := rule(e); ok {
			return d
		}
	}
	d := Decision{Verdict: api.Passed, Caveats: listCaveats(e)}
	passed := ""
	if e.Passed > 0 {
		passed = e.counts().DescribePasses(" passed")
	}
	d.Reason = api.WithCaveats(passed, d.Caveats)
	return d
}

// toolError applies if the runner could not start, or the plugin failed.
func toolError(e Evidence) (Decision, bool) {
	return Decision{Verdict: api.ToolError, Reason: e.ToolError}, e.ToolError != ""
}

// buildFailed applies if something could not be built or set up.
func buildFailed(e Evidence) (Decision, bool) {
	if e.BuildFailures == 0 {
		return Decision{}, false
	}
	reason := api.Plural(e.BuildFailures, "build or setup failure")
	if e.Failures > 0 {
		reason += ", and " + api.Plural(e.Failures, "failure") + " in what did run"
	}
	reason += besideQuarantine(e) + cut(e) + besides(e.Unmerged) + besides(e.Unanswered)
	return Decision{Verdict: api.BuildFailed, Reason: reason, Caveats: listWrongs(e)}, true
}

// decideFailed applies if a test or a suite failed.
func decideFailed(e Evidence) (Decision, bool) {
	failures := max(e.Failures, e.Failed)
	if e.FlakyPass {
		failures = 0
	}
	// After an exit that nothing explains, a test without a result may exist.
	if failures == 0 && (e.Misplaced == "" || e.isExitUnexplained()) {
		return Decision{}, false
	}
	reason := e.Misplaced
	if failures > 0 {
		reason = api.Plural(failures, "failure")
		if e.Misplaced != "" {
			reason += ", and " + e.Misplaced
		}
	}
	reason += besides(flaky(e)) + besideQuarantine(e) + cut(e)
	undone := e.neverStarted()
	undone.Tests, undone.Subtests = undone.Tests+e.Unfinished-e.SubtestsUnfinished, e.SubtestsUnfinished
	if text := undone.String(); text != "" {
		reason += "; " + text + " did not get to an end"
	}
	reason += besides(e.Unmerged) + besides(e.Unanswered)
	return Decision{Verdict: api.Failed, Reason: reason, Caveats: listWrongs(e)}, true
}

// listWrongs returns what is wrong besides failures, and is in no other field of a run.
func listWrongs(e Evidence) []api.Caveat {
	var all []api.Caveat
	if e.Misplaced != "" {
		all = append(all, api.Caveat{Code: api.CaveatMisplaced, Text: e.Misplaced})
	}
	if e.Unanswered != "" {
		all = append(all, api.Caveat{Code: api.CaveatUnanswered, Text: e.Unanswered})
	}
	return all
}

// besideQuarantine continues a count of failures with those in quarantine.
func besideQuarantine(e Evidence) string {
	if e.Quarantined == 0 {
		return ""
	}
	return ", besides " + inQuarantine(e)
}

// inQuarantine counts the failures in quarantine, which do not decide.
func inQuarantine(e Evidence) string {
	text := api.Plural(e.Quarantined, "failure") + " in quarantine"
	if e.Quarantine != "" {
		text += " (" + e.Quarantine + ")"
	}
	return text
}

// flaky counts the failed tests that passed when they were retried; empty if there are none.
func flaky(e Evidence) string {
	if e.Flaky == 0 {
		return ""
	}
	text := fmt.Sprintf("%d flaky: failed, then passed when retried", e.Flaky)
	if e.FlakyBy != "" {
		text += " (allowed by the settings: " + e.FlakyBy + ")"
	}
	return text
}

// besides appends another problem to a reason.
func besides(what string) string {
	if what == "" {
		return ""
	}
	return "; " + what
}

// cut says what cut a run short.
func cut(e Evidence) string {
	switch {
	case e.TimedOut:
		return ", and the time ran out"
	case e.Cancelled:
		return ", and the run was interrupted"
	}
	return ""
}

// decideInterrupted applies if something has no end, or its end could not be read.
func decideInterrupted(e Evidence) (Decision, bool) {
	var why []string
	add := func(ok bool, format string, args ...any) {
		if ok {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	add(e.Unmerged != "", "%s", e.Unmerged)
	add(e.Unanswered != "", "%s", e.Unanswered)
	add(e.Cancelled && e.Passed+e.Skipped > 0, "interrupted")
	add(e.Cancelled && e.Passed+e.Skipped == 0, "interrupted before anything was verified")
	add(e.TimedOut && e.DeadlineS > 0, "timed out after %gs", e.DeadlineS)
	add(e.TimedOut && e.DeadlineS == 0, "timed out")
	add(e.Signal != "" && !e.TimedOut && !e.Cancelled, "the runner was ended by %s%s", e.Signal, e.lastWords())
	add(e.Interruptions == 1 && !e.TimedOut, "1 test process ended from outside")
	add(e.Interruptions > 1 && !e.TimedOut, "%d test processes ended from outside", e.Interruptions)
	add(e.Unfinished > 0, "%s started and did not finish", api.CountTests(e.Unfinished-e.SubtestsUnfinished, e.SubtestsUnfinished))
	if e.Untold {
		add(e.NeverStarted > 0, "no result of %s", e.neverStarted())
	} else {
		add(e.NeverStarted > 0, "%s never started", e.neverStarted())
	}
	add(e.SuitesUnfinished > 0, "%s did not finish", api.Plural(e.SuitesUnfinished, "suite"))
	add(e.SuitesAborted > 0, "%s ended early", api.Plural(e.SuitesAborted, "suite"))
	add(e.DamagedBytes > 0, "%d bytes of results could not be read", e.DamagedBytes)
	add(len(why) > 0 && e.RunError != "", "the runner reported an error: %s", e.RunError)
	return Decision{Verdict: api.Incomplete, Reason: strings.Join(why, "; ")}, len(why) > 0
}

// lastWords returns the last line of a runner that ended itself: it often says why, as on a
// stack overflow. What it printed before another ended it says nothing of that.
func (e Evidence) lastWords() string {
	switch e.Signal {
	case "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGTRAP":
		text := strings.TrimSpace(e.OutputTail)
		if text = strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]); text != "" {
			return ": " + text
		}
	}
	return ""
}

// neverStarted counts by kind what never started.
func (e Evidence) neverStarted() api.OutstandingCounts {
	return api.OutstandingCounts{Tests: e.NeverStarted - e.SuitesNeverStarted, Suites: e.SuitesNeverStarted}
}

// unexplainedExit applies if the runner's exit code signals a problem that no event
// explains, or if it reported an error.
func unexplainedExit(e Evidence) (Decision, bool) {
	text := e.RunError
	if text == "" {
		text = e.OutputTail
	}
	switch {
	case e.isExitUnexplained():
		reason := fmt.Sprintf("the runner exited with %d and no result explains it", e.ExitCode)
		if text != "" {
			reason += ": " + text
		}
		return Decision{Verdict: api.Incomplete, Reason: reason}, true
	case e.RunError != "":
		return Decision{Verdict: api.Incomplete, Reason: "the runner reported an error: " + e.RunError}, true
	}
	return Decision{}, false
}

// isExitUnexplained reports whether the runner's exit code says that something went wrong
// that failures which do not count, in quarantine or flaky, do not explain.
func (e Evidence) isExitUnexplained() bool {
	excused := e.FailedExit && (e.Quarantined > 0 || e.FlakyPass) && e.RunError == ""
	return e.Exited && e.ExitCode != 0 && !excused
}

// nothingRan applies if no test passed.
func nothingRan(e Evidence) (Decision, bool) {
	unmatched := e.OnlyInside && e.PartsRan == 0
	if (e.Passed > 0 || e.FlakyPass) && !unmatched {
		return Decision{}, false
	}
	reason := "no test ran"
	switch {
	case e.Passed > 0 || e.FlakyPass:
		reason = "no subtest matches the selection: only the tests around it ran"
	case e.Quarantined > 0:
		reason = "no test passed, " + inQuarantine(e)
	case e.Skipped > 0:
		skipped := e.TestsSkipped
		if skipped == 0 {
			skipped = e.Skipped
		}
		reason = "every test that ran was skipped: " + api.Plural(skipped, "test")
		if skipped == 1 {
			reason = "the only test that ran was skipped"
		}
	case e.Filtered || e.RunnerArgs != "" || e.Narrowing != "" || e.Configured != "":
		reason = "no test ran: the selection matched nothing"
	}
	return Decision{Verdict: api.NothingRan, Reason: reason}, true
}

// listCaveats returns what a pass leaves out or excuses.
func listCaveats(e Evidence) []api.Caveat {
	var all []api.Caveat
	add := func(ok bool, code api.CaveatCode, format string, args ...any) {
		if ok {
			all = append(all, api.Caveat{Code: code, Text: fmt.Sprintf(format, args...)})
		}
	}
	add(e.SubtestsSkipped > 0 && e.TestsPassed+e.TestsSkipped > 0, api.CaveatSubtestsSkipped, "%s", skippedSubtests(e))
	add(e.SuitesSkipped > 0, api.CaveatSuitesSkipped, "%s skipped as a whole", api.Plural(e.SuitesSkipped, "suite"))
	add(e.Flaky > 0, api.CaveatFlaky, "%s", flaky(e))
	add(e.Quarantined > 0, api.CaveatQuarantined, "%s", inQuarantine(e))
	add(e.From != "", api.CaveatFrom, "red in %s", e.From)
	add(e.Part != "", api.CaveatPart, "%s", e.Part)
	add(e.Shards > 0, api.CaveatShards, "%s", api.Plural(e.Shards, "shard"))
	switch total := api.Plural(e.Total, "test"); {
	case e.Shard != "":
		add(e.Total > 0 && e.Selected <= e.Total, api.CaveatShard, "shard %s: %d of %s", e.Shard, e.Selected, total)
		add(e.Total <= 0 || e.Selected > e.Total, api.CaveatShard, "shard %s", e.Shard)
	case !e.Filtered:
	case e.OnlyInside && e.Total > 0:
		add(true, api.CaveatFiltered, "filtered: parts of %d of %s", e.Selected, total)
	case e.Total <= 0, e.SomeParts && e.Selected == e.Total: // whose counts would suggest that nothing was left out
		add(true, api.CaveatFiltered, "filtered")
	case e.Selected == e.Total:
		add(true, api.CaveatFiltered, "filtered: no test left out")
	default:
		add(true, api.CaveatFiltered, "filtered: %d of %s", e.Selected, total)
	}
	add(e.Narrowing != "", api.CaveatNarrowed, "narrowed by %s", e.Narrowing)
	add(e.RunnerArgs != "", api.CaveatRunnerArgs, "with runner arguments %s", e.RunnerArgs)
	add(e.Configured != "", api.CaveatConfigured, "narrowed by settings: %s", e.Configured)
	add(!e.Exited, api.CaveatExitUnknown, "the runner's exit status is not known")
	return all
}

// skippedSubtests counts skipped subtests apart: the test around them passed.
func skippedSubtests(e Evidence) string {
	if e.Repeats > 0 {
		return api.Plural(e.SubtestsSkipped, "skip") + " of subtests"
	}
	return api.Plural(e.SubtestsSkipped, "subtest") + " skipped"
}

// counts returns what passed and was skipped.
func (e Evidence) counts() api.Counts {
	return api.Counts{
		Passed: e.Passed, Skipped: e.Skipped, TestsPassed: e.TestsPassed, TestsSkipped: e.TestsSkipped,
		Cached: e.Cached, TestsCached: e.TestsCached, Repeats: e.Repeats,
	}
}
