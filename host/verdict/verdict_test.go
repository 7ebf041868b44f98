package verdict_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/verdict"
)

// green is the evidence of a run in which all went well.
func green() verdict.Evidence {
	return verdict.Evidence{Exited: true, Passed: 3, TestsPassed: 3}
}

// The table mirrors docs/verdicts.md, strongest rule first.
func TestDecide(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*verdict.Evidence)
		want   api.Verdict
		reason string
	}{
		{"everything passed", func(*verdict.Evidence) {}, api.Passed, "3 tests passed"},
		{"some were skipped", func(e *verdict.Evidence) { e.Skipped, e.TestsSkipped = 2, 2 }, api.Passed, "3 tests passed, 2 skipped"},
		{"one test passed", func(e *verdict.Evidence) { e.Passed, e.TestsPassed = 1, 1 }, api.Passed, "1 test passed"},
		{"subtests are not counted with tests", func(e *verdict.Evidence) { e.Passed, e.Skipped, e.TestsSkipped = 7, 1, 1 }, api.Passed, "3 tests passed, 1 skipped"},
		{"a subtest was skipped", func(e *verdict.Evidence) { e.Skipped, e.TestsSkipped, e.SubtestsSkipped = 2, 1, 1 }, api.Passed, "3 tests passed, 1 skipped; 1 subtest skipped"},
		{"a suite was skipped as a whole", func(e *verdict.Evidence) { e.Skipped, e.SuitesSkipped = 1, 1 }, api.Passed, "3 tests passed; 1 suite skipped as a whole"},
		{"some are from the cache", func(e *verdict.Evidence) { e.TestsCached = 2 }, api.Passed, "3 tests passed, 2 of them cached"},
		{"each ran three times", func(e *verdict.Evidence) { e.Passed, e.Repeats = 21, 6 }, api.Passed, "3 tests passed, 9 times in all"},
		{"each ran three times, and a subtest was skipped", func(e *verdict.Evidence) { e.Skipped, e.SubtestsSkipped, e.Repeats = 3, 3, 6 }, api.Passed, "3 tests passed, 9 times in all; 3 skips of subtests"},
		{"too many to tell repeats apart", func(e *verdict.Evidence) { e.TestsPassed, e.Skipped, e.SubtestsSkipped, e.Cached = 0, 2, 1, 2 }, api.Passed, "3 results passed, 2 of them cached, 2 skipped"},
		{"only subtests passed", func(e *verdict.Evidence) { e.TestsPassed, e.Skipped, e.TestsSkipped = 0, 1, 1 }, api.Passed, "only subtests passed, of 1 skipped test"},
		{"filtered, totals known", func(e *verdict.Evidence) { e.Filtered, e.Selected, e.Total = true, 3, 412 }, api.Passed, "3 tests passed (filtered: 3 of 412 tests)"},
		{"a filter that leaves nothing out", func(e *verdict.Evidence) { e.Filtered, e.Selected, e.Total = true, 3, 3 }, api.Passed, "3 tests passed (filtered: no test left out)"},
		{"a filter that may leave out parts of all tests", func(e *verdict.Evidence) { e.Filtered, e.SomeParts, e.Selected, e.Total = true, true, 3, 3 }, api.Passed, "3 tests passed (filtered)"},
		{"filtered, totals unknown", func(e *verdict.Evidence) { e.Filtered = true }, api.Passed, "3 tests passed (filtered)"},
		{"parts of tests", func(e *verdict.Evidence) {
			e.Filtered, e.OnlyInside, e.PartsRan, e.Selected, e.Total = true, true, 1, 3, 3
		}, api.Passed, "3 tests passed (filtered: parts of 3 of 3 tests)"},
		{"runner arguments", func(e *verdict.Evidence) { e.RunnerArgs = "-run X" }, api.Passed, "3 tests passed (with runner arguments -run X)"},
		{"a merge", func(e *verdict.Evidence) { e.Shards = 3 }, api.Passed, "3 tests passed (3 shards)"},
		{"a part of a rerun of what was red elsewhere", func(e *verdict.Evidence) { e.From, e.Part = "run r", "part 2 of 2" }, api.Passed, "3 tests passed (red in run r; part 2 of 2)"},
		{"narrowed", func(e *verdict.Evidence) { e.Narrowing, e.RunnerArgs = "-run X", "-v" }, api.Passed, "3 tests passed (narrowed by -run X; with runner arguments -v)"},
		{"a shard", func(e *verdict.Evidence) { e.Shard, e.Selected, e.Total = "2/5", 3, 3 }, api.Passed, "3 tests passed (shard 2/5: 3 of 3 tests)"},
		{"a shard of a number unknown", func(e *verdict.Evidence) { e.Shard = "2/5" }, api.Passed, "3 tests passed (shard 2/5)"},
		{"a shard with more than was listed", func(e *verdict.Evidence) { e.Shard, e.Selected, e.Total = "2/5", 3, 2 }, api.Passed, "3 tests passed (shard 2/5)"},
		{"parts of a number unknown", func(e *verdict.Evidence) { e.Filtered, e.OnlyInside, e.PartsRan, e.SomeParts = true, true, 1, true }, api.Passed, "3 tests passed (filtered)"},
		{"a filter that may leave out parts of some tests", func(e *verdict.Evidence) { e.Filtered, e.SomeParts, e.Selected, e.Total = true, true, 2, 3 }, api.Passed, "3 tests passed (filtered: 2 of 3 tests)"},
		{"exit status unknown", func(e *verdict.Evidence) { e.Exited, e.ExitCode = false, 1 }, api.Passed, "3 tests passed; the runner's exit status is not known"},

		{"a known failure is in quarantine", func(e *verdict.Evidence) { e.Quarantined, e.FailedExit, e.ExitCode = 2, true, 1 }, api.Passed, "3 tests passed, 2 failures in quarantine"},
		{"the quarantine is new", func(e *verdict.Evidence) {
			e.Quarantined, e.FailedExit, e.ExitCode, e.Quarantine = 1, true, 1, "q is new"
		}, api.Passed, "3 tests passed, 1 failure in quarantine (q is new)"},
		{"all that ran is in quarantine", func(e *verdict.Evidence) {
			e.Passed, e.TestsPassed, e.Quarantined, e.FailedExit, e.ExitCode = 0, 0, 2, true, 1
		}, api.NothingRan, "no test passed, 2 failures in quarantine"},
		{"another failure besides the quarantine", func(e *verdict.Evidence) { e.Quarantined, e.FailedExit, e.ExitCode, e.Failed = 1, true, 1, 1 }, api.Failed, "1 failure, besides 1 failure in quarantine"},
		{"an exit that no quarantine explains", func(e *verdict.Evidence) { e.Quarantined, e.ExitCode = 1, 2 }, api.Incomplete, "the runner exited with 2 and no result explains it"},
		{"a runner with an exit code of its own for failed tests", func(e *verdict.Evidence) { e.Quarantined, e.FailedExit, e.ExitCode = 1, true, 101 }, api.Passed, "3 tests passed, 1 failure in quarantine"},
		{"an exit that says something else in such a runner", func(e *verdict.Evidence) { e.FlakyPass, e.Flaky, e.ExitCode = true, 1, 1 }, api.Incomplete, "the runner exited with 1 and no result explains it"},
		{"the runner named an error besides the quarantine", func(e *verdict.Evidence) { e.Quarantined, e.FailedExit, e.ExitCode, e.RunError = 1, true, 1, "boom" }, api.Incomplete, "the runner exited with 1 and no result explains it: boom"},
		{"an exit that nothing explains beside a quarantine of no test", func(e *verdict.Evidence) { e.Misplaced, e.ExitCode = "X does not exist", 3 }, api.Incomplete, "the runner exited with 3 and no result explains it"},
		{"a quarantine of no test", func(e *verdict.Evidence) { e.Misplaced = "X in quarantine does not exist" }, api.Failed, "X in quarantine does not exist"},
		{"an error beside the quarantine, and a quarantine of no test", func(e *verdict.Evidence) {
			e.Quarantined, e.FailedExit, e.ExitCode, e.RunError, e.Misplaced = 1, true, 1, "boom", "X does not exist"
		}, api.Incomplete, "the runner exited with 1 and no result explains it: boom"},

		{"a flaky test", func(e *verdict.Evidence) { e.Flaky, e.Failed, e.Failures, e.ExitCode = 1, 1, 1, 1 }, api.Failed, "1 failure; 1 flaky: failed, then passed when retried"},
		{"a flaky test that passes", func(e *verdict.Evidence) {
			e.Flaky, e.FlakyPass, e.FailedExit, e.Failed, e.Failures, e.ExitCode = 1, true, true, 1, 1, 1
		}, api.Passed, "3 tests passed; 1 flaky: failed, then passed when retried"},
		{"a flaky test that passes since today", func(e *verdict.Evidence) {
			e.Flaky, e.FlakyPass, e.FailedExit, e.FlakyBy, e.Failed, e.ExitCode = 1, true, true, "q is new", 1, 1
		}, api.Passed, "3 tests passed; 1 flaky: failed, then passed when retried (allowed by the settings: q is new)"},
		{"only a flaky test that passes", func(e *verdict.Evidence) {
			e.Flaky, e.FlakyPass, e.FailedExit, e.Failed, e.Failures, e.ExitCode, e.Passed, e.TestsPassed = 1, true, true, 1, 1, 1, 0, 0
		}, api.Passed, "1 flaky: failed, then passed when retried"},
		{"a flaky test that passes, and something unbuilt", func(e *verdict.Evidence) { e.Flaky, e.FlakyPass, e.Failed, e.BuildFailures = 1, true, 1, 1 }, api.BuildFailed, "1 build or setup failure"},
		{"a flaky test that passes, and one without an end", func(e *verdict.Evidence) { e.Flaky, e.FlakyPass, e.Failed, e.Unfinished = 1, true, 1, 1 }, api.Incomplete, "1 test started and did not finish"},
		{"a flaky test that passes, and an exit that says more", func(e *verdict.Evidence) { e.Flaky, e.FlakyPass, e.Failed, e.ExitCode = 1, true, 1, 2 }, api.Incomplete, "the runner exited with 2 and no result explains it"},
		{"a flaky test that passes, and a quarantine of no test", func(e *verdict.Evidence) {
			e.Flaky, e.FlakyPass, e.Failed, e.Misplaced = 1, true, 1, "X does not exist"
		}, api.Failed, "X does not exist; 1 flaky: failed, then passed when retried"},

		{"runner did not start", func(e *verdict.Evidence) { e.ToolError = "go was not found" }, api.ToolError, "go was not found"},
		{"plugin failed in a red run", func(e *verdict.Evidence) { e.ToolError, e.Failures, e.Failed = "plugin crashed", 1, 1 }, api.ToolError, "plugin crashed"},

		{"did not build", func(e *verdict.Evidence) { e.BuildFailures, e.ExitCode = 1, 1 }, api.BuildFailed, "1 build or setup failure"},
		{"did not build, and tests failed", func(e *verdict.Evidence) { e.BuildFailures, e.Failures, e.Failed = 2, 1, 1 }, api.BuildFailed, "2 build or setup failures, and 1 failure in what did run"},
		{"did not build, and time ran out", func(e *verdict.Evidence) { e.BuildFailures, e.TimedOut = 1, true }, api.BuildFailed, "1 build or setup failure, and the time ran out"},
		{"did not build, and a rerun answers not all", func(e *verdict.Evidence) { e.BuildFailures, e.Unanswered = 1, "1 not answered" }, api.BuildFailed, "1 build or setup failure; 1 not answered"},

		{"a test failed", func(e *verdict.Evidence) { e.Failures, e.Failed, e.ExitCode = 1, 1, 1 }, api.Failed, "1 failure"},
		{"a test failed and the runner exited with 0", func(e *verdict.Evidence) { e.Failures, e.Failed = 1, 1 }, api.Failed, "1 failure"},
		{"failed tests without a failure record", func(e *verdict.Evidence) { e.Failed = 2 }, api.Failed, "2 failures"},
		{"a suite failed outside of tests", func(e *verdict.Evidence) { e.Failures, e.ExitCode = 1, 1 }, api.Failed, "1 failure"},
		{"a test failed before time ran out", func(e *verdict.Evidence) { e.Failures, e.Failed, e.TimedOut, e.Unfinished = 1, 1, true, 1 }, api.Failed, "1 failure, and the time ran out; 1 test did not get to an end"},
		{"a test failed, and a quarantine of no test", func(e *verdict.Evidence) { e.Failed, e.Misplaced = 1, "X does not exist" }, api.Failed, "1 failure, and X does not exist"},
		{"a test failed, and a merge and a rerun lack something", func(e *verdict.Evidence) {
			e.Failed, e.Unmerged, e.Unanswered = 1, "1 shard is missing", "1 not answered"
		}, api.Failed, "1 failure; 1 shard is missing; 1 not answered"},

		{"a test failed before the user broke it off", func(e *verdict.Evidence) { e.Failures, e.Failed, e.Cancelled, e.NeverStarted = 1, 1, true, 2 }, api.Failed, "1 failure, and the run was interrupted; 2 tests did not get to an end"},
		{"did not build, and the user broke it off", func(e *verdict.Evidence) { e.BuildFailures, e.Cancelled = 1, true }, api.BuildFailed, "1 build or setup failure, and the run was interrupted"},

		{"time ran out", func(e *verdict.Evidence) { e.TimedOut, e.DeadlineS, e.ExitCode = true, 300, 124 }, api.Incomplete, "timed out after 300s"},
		{"time ran out and the runner was killed", func(e *verdict.Evidence) {
			e.TimedOut, e.DeadlineS, e.Signal, e.Interruptions = true, 300, "SIGKILL", 2
		}, api.Incomplete, "timed out after 300s"},
		{"interrupted, and the runner was killed", func(e *verdict.Evidence) { e.Cancelled, e.Signal = true, "SIGKILL" }, api.Incomplete, "interrupted"},
		{"a deadline that did not pass", func(e *verdict.Evidence) { e.DeadlineS, e.Unfinished, e.RunError = 300, 1, "boom" }, api.Incomplete, "1 test started and did not finish; the runner reported an error: boom"},
		{"a merge and a rerun lack something", func(e *verdict.Evidence) { e.Unmerged, e.Unanswered = "1 shard is missing", "1 not answered" }, api.Incomplete, "1 shard is missing; 1 not answered"},
		{"the runner's own time ran out", func(e *verdict.Evidence) { e.TimedOut, e.Interruptions, e.Unfinished, e.ExitCode = true, 1, 1, 1 }, api.Incomplete, "timed out; 1 test started and did not finish"},
		{"interrupted", func(e *verdict.Evidence) { e.Cancelled = true }, api.Incomplete, "interrupted"},
		{"interrupted before any result", func(e *verdict.Evidence) { e.Cancelled, e.Passed, e.Untold = true, 0, true }, api.Incomplete, "interrupted before anything was verified"},
		{"runner killed", func(e *verdict.Evidence) { e.Signal, e.ExitCode = "SIGKILL", -1 }, api.Incomplete, "the runner was ended by SIGKILL"},
		{"runner killed after it printed something", func(e *verdict.Evidence) { e.Signal, e.OutputTail, e.ExitCode = "SIGKILL", "ok", -1 }, api.Incomplete, "the runner was ended by SIGKILL"},
		{"runner ended itself", func(e *verdict.Evidence) {
			e.Signal, e.OutputTail, e.ExitCode = "SIGABRT", "main has overflowed its stack\nfatal runtime error: stack overflow\n", -1
		}, api.Incomplete, "the runner was ended by SIGABRT: fatal runtime error: stack overflow"},
		{"runner ended itself without a word", func(e *verdict.Evidence) { e.Signal, e.ExitCode = "SIGSEGV", -1 }, api.Incomplete, "the runner was ended by SIGSEGV"},
		{"test processes killed", func(e *verdict.Evidence) { e.Interruptions, e.ExitCode = 2, 1 }, api.Incomplete, "2 test processes ended from outside"},
		{"test process killed", func(e *verdict.Evidence) { e.Interruptions, e.ExitCode = 1, 1 }, api.Incomplete, "1 test process ended from outside"},
		{"a test has no end", func(e *verdict.Evidence) { e.Unfinished = 1 }, api.Incomplete, "1 test started and did not finish"},
		{"a test never started", func(e *verdict.Evidence) { e.NeverStarted = 2 }, api.Incomplete, "2 tests never started"},
		{"a suite never started", func(e *verdict.Evidence) { e.NeverStarted, e.SuitesNeverStarted = 3, 1 }, api.Incomplete, "2 tests, 1 suite never started"},
		{"nothing was told", func(e *verdict.Evidence) { e.TimedOut, e.NeverStarted, e.Untold = true, 2, true }, api.Incomplete, "timed out; no result of 2 tests"},
		{"a suite has no end", func(e *verdict.Evidence) { e.SuitesUnfinished = 1 }, api.Incomplete, "1 suite did not finish"},
		{"a suite ended early", func(e *verdict.Evidence) { e.SuitesAborted = 1 }, api.Incomplete, "1 suite ended early"},
		{"a result could not be read", func(e *verdict.Evidence) { e.DamagedBytes = 7 }, api.Incomplete, "7 bytes of results could not be read"},

		{"exit that nothing explains", func(e *verdict.Evidence) { e.ExitCode, e.OutputTail = 2, "boom" }, api.Incomplete, "the runner exited with 2 and no result explains it: boom"},
		{"exit that nothing explains, without tests", func(e *verdict.Evidence) { e.Passed, e.ExitCode = 0, 1 }, api.Incomplete, "the runner exited with 1 and no result explains it"},
		{"runner named an error", func(e *verdict.Evidence) { e.RunError = "no module" }, api.Incomplete, "the runner reported an error: no module"},

		{"no tests", func(e *verdict.Evidence) { e.Passed = 0 }, api.NothingRan, "no test ran"},
		{"narrowed by settings", func(e *verdict.Evidence) { e.Configured = "skip = x" }, api.Passed, "3 tests passed (narrowed by settings: skip = x)"},
		{"settings that leave nothing", func(e *verdict.Evidence) { e.Passed, e.Configured = 0, "skip = x" }, api.NothingRan, "no test ran: the selection matched nothing"},
		{"filter matched nothing", func(e *verdict.Evidence) { e.Passed, e.Filtered = 0, true }, api.NothingRan, "no test ran: the selection matched nothing"},
		{"filter matched a flaky test but no part of it", func(e *verdict.Evidence) {
			e.OnlyInside, e.Filtered, e.Flaky, e.FlakyPass, e.FailedExit, e.Failed, e.ExitCode, e.Passed, e.TestsPassed = true, true, 1, true, true, 1, 1, 0, 0
		}, api.NothingRan, "no subtest matches the selection: only the tests around it ran"},
		{"filter matched tests but no part of them", func(e *verdict.Evidence) { e.OnlyInside, e.Filtered = true, true }, api.NothingRan, "no subtest matches the selection: only the tests around it ran"},
		{"filter matched parts", func(e *verdict.Evidence) { e.OnlyInside, e.PartsRan, e.Filtered = true, 1, true }, api.Passed, "3 tests passed (filtered)"},
		{"the one test was skipped", func(e *verdict.Evidence) { e.Passed, e.Skipped = 0, 1 }, api.NothingRan, "the only test that ran was skipped"},
		{"the one test was skipped, in parts", func(e *verdict.Evidence) { e.Passed, e.Skipped, e.TestsSkipped = 0, 4, 1 }, api.NothingRan, "the only test that ran was skipped"},
		{"filter matched no part, and a test around is in quarantine", func(e *verdict.Evidence) { e.OnlyInside, e.Quarantined = true, 1 }, api.NothingRan, "no subtest matches the selection: only the tests around it ran"},
		{"filter matched no part, and the tests around were skipped", func(e *verdict.Evidence) { e.OnlyInside, e.Passed, e.Skipped = true, 0, 2 }, api.NothingRan, "every test that ran was skipped: 2 tests"},
		{"runner arguments matched nothing", func(e *verdict.Evidence) { e.Passed, e.RunnerArgs = 0, "-run X" }, api.NothingRan, "no test ran: the selection matched nothing"},
		{"arguments that narrow matched nothing", func(e *verdict.Evidence) { e.Passed, e.Narrowing = 0, "-run X" }, api.NothingRan, "no test ran: the selection matched nothing"},
		{"all skipped", func(e *verdict.Evidence) { e.Passed, e.Skipped = 0, 4 }, api.NothingRan, "every test that ran was skipped: 4 tests"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := green()
			tc.change(&e)
			got := verdict.Decide(e)
			if got.Verdict != tc.want || got.Reason != tc.reason {
				t.Errorf("Decide = %s: %q, want %s: %q", got.Verdict, got.Reason, tc.want, tc.reason)
			}
			for _, c := range got.Caveats {
				isWrong := c.Code == api.CaveatMisplaced || c.Code == api.CaveatUnanswered
				if isWrong == (got.Verdict == api.Passed) || !strings.Contains(got.Reason, c.Text) {
					t.Errorf("got caveat %+v of %s: %q", c, got.Verdict, got.Reason)
				}
			}
			for code, text := range map[api.CaveatCode]string{api.CaveatMisplaced: e.Misplaced, api.CaveatUnanswered: e.Unanswered} {
				want := text != "" && (got.Verdict == api.Failed || got.Verdict == api.BuildFailed)
				if slices.Contains(got.Caveats, api.Caveat{Code: code, Text: text}) != want {
					t.Errorf("got caveats %+v of %s, want %s: %v", got.Caveats, got.Verdict, code, want)
				}
			}
		})
	}
}

// random generates evidence with each piece present about one time in eight, so that
// passing runs are common enough to be tested.
func random(r *rand.Rand) verdict.Evidence {
	n := func() int {
		if r.IntN(8) == 0 {
			return 1 + r.IntN(3)
		}
		return 0
	}
	text := func() string { return strings.Repeat("x", n()) }
	return verdict.Evidence{
		ToolError: text(), Exited: r.IntN(2) == 0, ExitCode: n() * (1 - 2*r.IntN(2)), Signal: text(),
		TimedOut: n() > 0, DeadlineS: float64(n()), Cancelled: n() > 0,
		Passed: r.IntN(3), Failed: n(), Skipped: n(), Unfinished: n(), NeverStarted: n(),
		SuitesUnfinished: n(), SuitesAborted: n(), BuildFailures: n(), Failures: n(), Interruptions: n(),
		Quarantined: n(), Misplaced: text(), FailedExit: r.IntN(2) == 0,
		DamagedBytes: int64(n()), RunError: text(), OutputTail: text(),
		OnlyInside: n() > 0, PartsRan: n(), RunnerArgs: text(), Configured: text(), Filtered: n() > 0, Selected: n(), Total: n(),
	}
}

// TestNothingRedEverPasses checks the promise against random evidence: a pass meets
// every condition, and each piece of red evidence revokes it.
func TestNothingRedEverPasses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	red := map[string]func(*verdict.Evidence){
		"tool error":        func(e *verdict.Evidence) { e.ToolError = "x" },
		"non-zero exit":     func(e *verdict.Evidence) { e.Exited, e.ExitCode, e.FailedExit = true, 2, false },
		"negative exit":     func(e *verdict.Evidence) { e.Exited, e.ExitCode, e.FailedExit = true, -1, false },
		"signal":            func(e *verdict.Evidence) { e.Signal = "SIGKILL" },
		"time-out":          func(e *verdict.Evidence) { e.TimedOut = true },
		"cancelled":         func(e *verdict.Evidence) { e.Cancelled = true },
		"failed test":       func(e *verdict.Evidence) { e.Failed++ },
		"failure":           func(e *verdict.Evidence) { e.Failures++ },
		"build failure":     func(e *verdict.Evidence) { e.BuildFailures++ },
		"interruption":      func(e *verdict.Evidence) { e.Interruptions++ },
		"unfinished test":   func(e *verdict.Evidence) { e.Unfinished++ },
		"test not started":  func(e *verdict.Evidence) { e.NeverStarted++ },
		"suite without end": func(e *verdict.Evidence) { e.SuitesUnfinished++ },
		"suite cut short":   func(e *verdict.Evidence) { e.SuitesAborted++ },
		"unread result":     func(e *verdict.Evidence) { e.DamagedBytes++ },
		"run error":         func(e *verdict.Evidence) { e.RunError = "x" },
		"no part matched":   func(e *verdict.Evidence) { e.OnlyInside, e.PartsRan = true, 0 },
		"nothing passed":    func(e *verdict.Evidence) { e.Passed = 0 },
		"misplaced entry":   func(e *verdict.Evidence) { e.Misplaced = "x" },
		"shard left out":    func(e *verdict.Evidence) { e.Unmerged = "x" },
		"red unanswered":    func(e *verdict.Evidence) { e.Unanswered = "x" },
	}
	passes := 0
	for range 200_000 {
		e := random(r)
		d := verdict.Decide(e)
		if d.Reason == "" && e.ToolError == "" {
			t.Fatalf("no reason for %s: %+v", d.Verdict, e)
		}
		if d.Verdict != api.Passed {
			continue
		}
		passes++
		for code, want := range map[api.CaveatCode]bool{
			api.CaveatFiltered: e.Filtered, api.CaveatRunnerArgs: e.RunnerArgs != "", api.CaveatConfigured: e.Configured != "",
			api.CaveatQuarantined: e.Quarantined > 0, api.CaveatExitUnknown: !e.Exited,
		} {
			i := slices.IndexFunc(d.Caveats, func(c api.Caveat) bool { return c.Code == code })
			if (i >= 0) != want || want && !strings.Contains(d.Reason, d.Caveats[i].Text) {
				t.Fatalf("caveat %s: got %+v, want it: %v, reason %q", code, d.Caveats, want, d.Reason)
			}
		}
		for name, spoil := range red {
			bad := e
			spoil(&bad)
			if got := verdict.Decide(bad); got.Verdict == api.Passed {
				t.Fatalf("%s still passes: %+v", name, bad)
			}
		}
		if e != withoutRed(e) {
			t.Fatalf("passed with red evidence: %+v", e)
		}
	}
	if passes < 100 {
		t.Fatalf("only %d random runs passed: the property was hardly tested", passes)
	}
}

// withoutRed keeps only what is compatible with a pass.
func withoutRed(e verdict.Evidence) verdict.Evidence {
	return verdict.Evidence{
		Exited: e.Exited, ExitCode: exitUnless(e), DeadlineS: e.DeadlineS, Passed: e.Passed, Skipped: e.Skipped,
		OutputTail: e.OutputTail, Quarantined: e.Quarantined, FailedExit: e.FailedExit, OnlyInside: e.OnlyInside, PartsRan: e.PartsRan, RunnerArgs: e.RunnerArgs, Configured: e.Configured, Filtered: e.Filtered, Selected: e.Selected, Total: e.Total,
	}
}

// exitUnless returns the exit code where it may be another than 0: if the exit is unknown,
// the code means nothing, and failures in quarantine explain one that says no more.
func exitUnless(e verdict.Evidence) int {
	if e.Exited && !(e.Quarantined > 0 && e.FailedExit) {
		return 0
	}
	return e.ExitCode
}
