package render

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
	"github.com/proctorhq/proctor/sdk"
)

// nothingRan is the verdict about a run without tests.
const nothingRan = "NOTHING RAN"

// closing writes the verdict of an ending.
type closing struct{ *ending }

// writeVerdict writes the last lines: the verdict with what counts, and what to do.
func (e closing) writeVerdict() {
	if len(e.run.Selection.RunnerArgs) == 0 { // else the reason quotes them; what follows a colon may be the runner's
		ours, _, _ := strings.Cut(e.run.Reason, ": ")
		e.run.Reason = e.style.InWords(ours) + e.run.Reason[len(ours):]
	}
	run := e.run
	if run.State == api.StateRunning {
		e.line("RUNNING  run " + run.RunID + " is in progress")
		return
	}
	word, color, parts := e.verdict()
	if first, rest, more := strings.Cut(strings.Trim(prose.Plain(parts[0]), "\n"), "\n"); more {
		e.writeIndented(concise.Shorten(rest, concise.Lines, "--json has them"))
		parts[0] = strings.TrimSuffix(strings.TrimSpace(first), ":")
	}
	parts = append(parts, e.tallies(word)...)
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	parts[0] = e.paint(color, e.bold(word)) + e.flaky() + "  " + parts[0]
	var last []string
	if isKept(run) {
		last = append(last, "run "+run.RunID)
	}
	if run.Verdict == api.Passed || run.Verdict == api.NothingRan {
		for _, part := range last {
			parts = append(parts, e.paint(dim, part))
		}
		e.writeJoined(parts, e.style.Fold)
		return
	}
	e.writeJoined(parts, e.style.Fold)
	if len(last) == 0 {
		return
	}
	if e.style.From != "" {
		last = append(last, "here: "+e.style.command("rerun", "--from", e.style.From))
	} else if run.OutstandingUnquarantined() > 0 && leftRed(run) && (run.Kind == api.KindRun || run.Kind == api.KindRerun || run.Kind == api.KindMerge) {
		last = append(last, "again: "+e.style.command("rerun"))
		if canBeLocated(run) {
			last = append(last, "lines: "+e.style.command("rerun", "--precise"))
		}
	}
	if f := e.firstFailed(); f != nil {
		last = append(last, "one: "+e.whole(*f))
	}
	e.writeJoined(last, func(text string) string { return e.paint(dim, text) })
}

// canBeLocated reports whether the lines that failed could be found, and were not looked for.
func canBeLocated(run api.Run) bool {
	looked := slices.ContainsFunc(run.Warnings, func(n api.Note) bool { return n.Code == api.NotePlaces })
	return !looked && slices.ContainsFunc(run.Failures, func(f api.Failure) bool { return f.Precision == sdk.PrecisionDeclaration })
}

// leftRed reports whether a run made something outstanding, as far as it says: one that the
// user stopped says nothing of what it did not get to.
func leftRed(run api.Run) bool {
	return !run.Cancelled || run.FailuresTotal+run.Counts.Unfinished > 0
}

// firstFailed is the failure whose output is worth a look; nil if none has any.
func (e closing) firstFailed() *api.Failure {
	for _, c := range e.causes {
		if f := c.failures[0]; f.Test != "" {
			return &f
		}
	}
	return nil
}

// verdict returns the verdict as a word with its color, and what it is about.
func (e closing) verdict() (word, color string, parts []string) {
	run := e.run
	switch {
	case run.Cancelled && (run.Verdict == api.Incomplete || run.Verdict == api.Failed):
		return "STOPPED", yellow, e.stopped()
	case run.TimedOut && run.Verdict == api.Incomplete && run.Merged == nil:
		return "TIMED OUT", yellow, []string{e.timedOut()}
	}
	switch run.Verdict {
	case api.Passed:
		text, _ := e.passed()
		return "PASSED", green, []string{text}
	case api.Failed:
		text, isAll := e.failed()
		parts = []string{text}
		if run.TimedOut {
			parts = append(parts, "timed out "+e.timedOut())
		}
		if !isAll {
			parts = append(parts, wrongs(run)...)
		}
		return "FAILED", red, parts
	case api.BuildFailed:
		word, color, parts = e.unbuilt()
		if m := run.Merged; m != nil && len(m.Problems) > 0 {
			parts = append(parts, "not all is here: "+m.Problems[0])
		}
		return word, color, append(parts, wrongs(run)...)
	case api.NothingRan:
		return nothingRan, yellow, []string{e.nothingRan()}
	case api.Incomplete:
		return "INCOMPLETE", yellow, []string{run.Reason, "not a pass"}
	}
	return "ERROR", red, []string{run.Reason}
}

// nothingRan says what a person asked for that does not exist. Where tests ended without a
// pass, or something else chose them, the run's own reason says more.
func (e closing) nothingRan() string {
	c, s := e.run.Counts, e.run.Selection
	if c.Passed+c.Failed+c.Skipped > 0 || e.run.Quarantined > 0 || s.Affected != "" || s.Shard != "" || e.run.Merged != nil {
		return e.run.Reason
	}
	by := ""
	if len(s.Configured) > 0 {
		by = " (narrowed by settings: " + prose.Line(strings.Join(s.Configured, ", ")) + ")"
	}
	where := ""
	if len(s.Packages) > 0 {
		where = " in " + prose.Listed(s.Packages, len(s.Packages), maxAlike, prose.Line)
	}
	switch {
	case e.run.Kind == api.KindRerun && len(e.run.Commands) == 0:
		return "nothing is left to run"
	case e.run.Kind == api.KindRun && s.Filter != "":
		return "no test matches " + prose.Line(s.Filter) + where + by
	case e.run.Kind == api.KindRun && where != "" && len(s.RunnerArgs) == 0 && len(s.Configured) == 0 && s.MatchPath+s.MatchContract == "":
		return "there is no test" + where
	}
	return e.run.Reason + by
}

// flaky returns the addition to a pass that was not one on the first try.
func (e closing) flaky() string {
	if n := e.run.Counts.Flaky; n > 0 && e.run.Verdict == api.Passed {
		return e.paint(yellow, fmt.Sprintf(" (%d flaky)", n))
	}
	return ""
}

// passed counts what passed. Where a pass has caveats, the text says them and everything
// that it counts; isAll reports that.
func (e closing) passed() (text string, isAll bool) {
	run := e.run
	c, s := run.Counts, run.Selection
	tests, cached := c.TestsPassed+c.TestsSkipped, api.OfThemCached(c.TestsPassed, c.TestsCached)
	// The details of some runs are not kept: then only the reason has the caveats.
	lost := len(run.Caveats) == 0 && run.Reason != c.DescribePasses(" passed")
	if lost || tests > 0 && c.TestsPassed == 0 || tests == 0 && c.Passed == 0 {
		return run.Reason, true
	}
	// A filter of parts of tests may leave some out of a test that it selects.
	counted := tests > 0 && s.Selected == tests && !strings.Contains(s.Filter, "/")
	whole := !s.Narrows() || s.Affected != "" && run.Affected != nil || counted && s.Selected == s.Total
	if tests > 0 && c.Repeats == 0 && !slices.ContainsFunc(run.Caveats, mustBeSaid) {
		switch {
		case whole:
			return api.Plural(c.TestsPassed, "test") + cached, false
		case counted && s.Selected < s.Total:
			return fmt.Sprintf("%s, of %d", api.Plural(c.TestsPassed, "selected test"), s.Total) + cached, false
		}
	}
	caveats := slices.Clone(run.Caveats)
	for i := range caveats {
		if caveats[i].Code != api.CaveatRunnerArgs { // which it quotes
			caveats[i].Text = e.style.InWords(caveats[i].Text)
		}
	}
	return api.WithCaveats(c.DescribePasses(""), caveats), true // the word before says that they passed
}

// mustBeSaid reports whether a caveat is neither told elsewhere on the screen, nor a
// selection that the verdict's count may say.
func mustBeSaid(c api.Caveat) bool {
	return c.Code != api.CaveatSubtestsSkipped && c.Code != api.CaveatFiltered
}

// wrongs says what is wrong besides failures.
func wrongs(run api.Run) []string {
	var texts []string
	for _, c := range run.Caveats {
		texts = append(texts, c.Text)
	}
	return texts
}

// failed counts tests and causes, or gives the run's reason, which says everything; isAll
// reports that.
func (e closing) failed() (text string, isAll bool) {
	if e.run.Quarantined > 0 || e.run.Merged != nil && len(e.run.Merged.Problems) > 0 {
		return e.run.Reason, true // which counts them separately, and says what is missing
	}
	failures, causes := e.run.FailuresTotal, 0
	for _, f := range e.run.Failures {
		if cutOff(e.run, f) {
			failures--
		}
	}
	for _, c := range e.causes {
		if !cutOff(e.run, c.failures[0]) {
			causes++
		}
	}
	failures = max(failures, 0)
	text = api.Plural(failures, "failure")
	if tests := e.run.Counts.FailedTests(); tests > 0 && tests == failures {
		text = api.Plural(tests, "test")
	} else if tests > 0 && failures > tests && e.run.Counts.Unfinished == 0 { // one that did not finish may have failures, too
		text += " in " + api.Plural(tests, "test")
	}
	if causes > 0 && causes < failures && e.run.FailuresTotal == len(e.run.Failures) {
		text += ", " + api.Plural(causes, "cause")
	}
	if failures == 0 {
		return e.run.Reason, true
	}
	switch n := e.run.Counts.Flaky; {
	case n > 0 && e.run.FailuresTotal == len(e.run.Failures) && areFlaky(e.run, e.run.Failures):
		return fmt.Sprintf("%d flaky: failed, then passed when retried", n), false
	case n > 0:
		text += fmt.Sprintf(", %d of them flaky", n)
	}
	return text, false
}

// areFlaky reports whether all of these failures are of tests that passed when they were
// retried.
func areFlaky(run api.Run, failures []api.Failure) bool {
	return !slices.ContainsFunc(failures, func(f api.Failure) bool { return run.PassedOnTry(f.Suite, f.Test) == 0 })
}

// unbuilt says what does not build, or could not be set up.
func (e closing) unbuilt() (word, color string, parts []string) {
	word = "DOES NOT BUILD"
	if unbuilt(e.run) == "not loaded" {
		word = "CANNOT BE SET UP"
	}
	var suites []string
	failures := 0
	for _, f := range e.run.Failures {
		if f.Kind != "build" && f.Kind != "vet" && f.Kind != "setup" {
			failures++
			continue
		}
		if s := e.suite(f.Suite); s != "" && !slices.Contains(suites, s) {
			suites = append(suites, s)
		}
	}
	if len(suites) == 0 {
		parts = append(parts, e.run.Reason)
	} else {
		parts = append(parts, prose.Listed(suites, max(len(suites), e.run.Counts.BuildFailed), maxAlike, prose.Line))
	}
	if failures > 0 {
		parts = append(parts, api.Plural(failures, "failure")+" elsewhere")
	}
	if e.run.TimedOut {
		parts = append(parts, "timed out "+e.timedOut())
	}
	if e.run.Cancelled {
		parts = append(parts, "stopped")
	}
	return word, red, parts
}

// stopped says how far a run was when it was stopped.
func (e closing) stopped() []string {
	when := "after " + seconds(e.run.DurationS)
	if e.style.Columns > 0 {
		when = "by you " + when
	}
	return append([]string{when}, HowFar(e.run.Counts)...)
}

// HowFar says how far a run came that was stopped.
func HowFar(c api.Counts) []string {
	done, failed := c.Passed+c.Failed+c.Skipped, c.Failed
	if c.Tests > 0 {
		failed = c.FailedTests()
		done = c.TestsPassed + c.TestsSkipped + failed
	}
	parts := []string{"no test was done"}
	if done > 0 {
		parts[0] = api.Plural(done, "test") + " done"
	}
	if failed > 0 {
		parts[0] += fmt.Sprintf(", %d of them failed", failed)
	}
	if n := WithoutEnd(c); n > 0 {
		parts = append(parts, fmt.Sprintf("%d never got to an end", n))
	}
	return parts
}

// WithoutEnd counts the tests that did not finish or never started.
func WithoutEnd(c api.Counts) int { return c.NeverStarted + c.Unfinished - c.SubtestsUnfinished }

// timedOut says when a run timed out, and in which test.
func (e closing) timedOut() string {
	text := "after " + seconds(e.run.DurationS)
	for _, f := range e.run.Failures {
		if cutOff(e.run, f) && f.Test != "" {
			return text + " in " + e.testName(f.Suite, f.Test)
		}
	}
	if len(e.run.Unfinished) > 0 {
		t := e.run.Unfinished[0]
		text += " in " + e.testName(t.Suite, t.Test)
	}
	return text
}

// tallies returns the counts that the verdict's sentence does not have, unless they are
// zero, and the duration.
func (e closing) tallies(word string) []string {
	run, c := e.run, e.run.Counts
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	passed, cached, skipped := c.Passed, c.Cached, c.Skipped
	if c.Tests > 0 {
		passed, cached, skipped = c.TestsPassed, c.TestsCached, c.TestsSkipped
	}
	if word == nothingRan {
		return nil
	}
	if _, isAll := e.passed(); word == "PASSED" && isAll {
		return []string{seconds(run.DurationS)}
	}
	if run.Verdict != api.Passed && word != "STOPPED" {
		add(passed, "passed"+api.OfThemCached(passed, cached))
	}
	add(skipped, "skipped")
	if word != "STOPPED" && run.Verdict != api.Incomplete {
		if n := c.Unfinished; n > 0 {
			parts = append(parts, c.DidNotFinish()+" did not finish")
		}
		if n := c.NeverStarted; n > 0 {
			parts = append(parts, api.Plural(n, "test")+" "+undone(run))
		}
	}
	if word != "STOPPED" && (word != "TIMED OUT") {
		if n := c.BuildFailed; n > 0 && run.Verdict != api.BuildFailed {
			parts = append(parts, api.Plural(n, e.suiteNoun())+" "+unbuilt(run))
		}
		return append(parts, seconds(run.DurationS))
	}
	return parts
}

// seconds formats how long something took.
func seconds(s float64) string {
	switch {
	case s < 0.095:
		return fmt.Sprintf("%.2fs", s)
	case s < 60:
		return fmt.Sprintf("%.1fs", s)
	}
	whole := int(math.Round(s))
	return fmt.Sprintf("%dm%02ds", whole/60, whole%60)
}
