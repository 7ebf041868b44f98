package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
	"github.com/proctorhq/proctor/sdk"
)

// Limits of the summary. Every failure is named, but only the first ones at length:
// nobody reads blocks beyond a screen or two, and each is one `proctor failures` away.
const (
	maxBlocks = 20
	maxNames  = 20
)

// wholeOf says how to see what is omitted of a failure.
func (s Style) wholeOf(f api.Failure) string {
	if s.Whole != nil {
		return s.Whole(f)
	}
	return s.more("-v shows them")
}

// isKept reports whether commands find a run again: one that was only parsed, or of an
// upload, is not on record.
func isKept(run api.Run) bool {
	return run.RunID != "" && run.Kind != api.KindParsed && !slices.ContainsFunc(run.Warnings, func(n api.Note) bool { return n.Code == api.NoteUpload })
}

// wholeIn returns the style in which a run's failures name the command that prints
// their test's output.
func (s Style) wholeIn(run api.Run) Style {
	if s.Whole != nil || !isKept(run) {
		return s
	}
	s.Whole = func(f api.Failure) string {
		if f.Suite == "" {
			return s.more("-v shows them")
		}
		argv := []string{"proctor", "output", name(f.Suite, f.Test)}
		if s.Named || run.Origin != "" {
			argv = append(argv, "--run", run.RunID)
		}
		return prose.ShellLine(argv)
	}
	return s
}

// Summary renders a finished run: every failure with its place and message, what did
// not run, additional information, and finally the verdict, with what weakens it.
func Summary(run api.Run, style Style) string {
	var b strings.Builder
	p := painter{style.Color}
	style = style.wholeIn(run)
	writeFailures(&b, run, style, p)
	writeChanged(&b, style.Changed)
	writeCode(&b, style.Code)
	writeRetried(&b, run, style)
	if !IsNoted(run) {
		writeNames(&b, run.Counts.DidNotFinish()+" did not finish", run.Unfinished, run.Counts.Unfinished, style)
	}
	writeUndone(&b, run, style)
	writeRequested(&b, run.Requested, style, p)
	for _, text := range runNotes(run, style) {
		b.WriteString(noteLine(text, style))
	}
	if isPlainPass(run) {
		b.WriteString(passLine(run))
	} else {
		b.WriteString(verdictLine(run, p))
	}
	for _, text := range runRemarks(run, style) {
		b.WriteString(text + "\n")
	}
	return b.String()
}

// IsNoted reports whether one test did not finish, and a note says so: parts of it may
// never have started.
func IsNoted(run api.Run) bool {
	return run.Counts.Unfinished == 1 && len(run.Unfinished) == 1 && slices.ContainsFunc(run.Warnings, func(n api.Note) bool {
		return n.Code == api.NotePartly && n.Test == run.Unfinished[0]
	})
}

// isPlainPass reports whether the reason of a pass and its message say all that its counts
// would.
func isPlainPass(run api.Run) bool {
	c := run.Counts
	return run.Verdict == api.Passed && run.State != api.StateRunning && c.Passed > 0 &&
		c.Failed+c.Unfinished+c.NeverStarted+c.BuildFailed+run.OutstandingQuarantined == 0 &&
		(run.Outstanding == 0 || strings.HasPrefix(run.Message, run.DescribeOutstanding()))
}

// passLine is the verdict about a plain pass on one line: a green answer is the one that
// agents read most.
func passLine(run api.Run) string {
	line := fmt.Sprintf("passed: %s, %s, %.2fs, %s", prose.Line(run.Reason), suitesOf(run.Counts), run.DurationS, prose.Line(run.Language))
	if run.Kind != api.KindParsed {
		line += ", run " + run.RunID
	}
	return line + "\n"
}

func writeFailures(b *strings.Builder, run api.Run, style Style, p painter) {
	first := FirstOfCauses(run.Causes, run.Failures)
	shown := map[string]bool{} // the places with their sources
	style.passes = map[string]bool{}
	for i, f := range run.Failures {
		if i >= maxBlocks && !style.Verbose {
			b.WriteString(FailureLine(f) + "\n")
			continue
		}
		if c := first[i]; c > 0 && !style.Verbose {
			writeSameCause(b, i+1, c, f, run.Failures[c-1], p)
			if next := i + 1; next == len(run.Failures) || next == maxBlocks || first[next] != c {
				b.WriteByte('\n')
			}
			continue
		}
		at := concise.Place(f.File, f.Line)
		source := style.excerptOf(f)
		if shown[at] {
			source = nil
		}
		shown[at] = true
		writeFailure(b, i+1, first[i], f, source, style, p)
	}
	if left := run.FailuresTotal - len(run.Failures); left > 0 {
		fmt.Fprintf(b, "and %d more failures; `proctor runs show %s --json` has them all\n\n", left, run.RunID)
	} else if len(run.Failures) > maxBlocks {
		b.WriteByte('\n')
	}
}

// writeSameCause names a failure that shares its cause, and so its message, with an
// earlier one.
func writeSameCause(b *strings.Builder, n, cause int, f, earlier api.Failure, p painter) {
	writeTitle(b, n, f, p)
	writePlace(b, f)
	text := fmt.Sprintf("same cause as %d", cause)
	known := api.Gap
	if earlier.Standing != nil {
		known = earlier.Standing.Classification
	}
	if words := standingWords(f.Standing, known); words != "" {
		text += " (" + words + ")"
	}
	writeIndented(b, text)
}

func writeTitle(b *strings.Builder, n int, f api.Failure, p painter) {
	fmt.Fprintf(b, "%s %s %s\n", p.paint(red, fmt.Sprintf("%d.", n)),
		p.paint(bold, prose.Line(name(f.Suite, f.Test))), p.paint(dim, "["+prose.Line(f.Kind)+"]"))
	writeQuarantine(b, f)
}

// writeQuarantine says that a failure did not decide, and why.
func writeQuarantine(b *strings.Builder, f api.Failure) {
	if f.Quarantine != "" {
		writeIndented(b, "in quarantine: "+concise.Narrow(prose.Line(f.Quarantine)))
	}
}

func writePlace(b *strings.Builder, f api.Failure) {
	if at := failurePlace(f, unpainted); at != "" {
		writeIndented(b, at)
	}
}

// FailureText returns all that is known of a failure below its name, as plain text.
func FailureText(f api.Failure) string {
	var b strings.Builder
	writeFailure(&b, 1, 0, f, nil, Style{Verbose: true}, painter{})
	_, text, _ := strings.Cut(b.String(), "\n")
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\n"+indent, "\n"), indent)
	return strings.TrimRight(text, "\n")
}

// writeFailure writes one failure. cause is the number of an earlier one with the same
// cause; 0 means none. source is around its place; nil if it is unknown or shown already.
func writeFailure(b *strings.Builder, n, cause int, f api.Failure, source *api.Excerpt, style Style, p painter) {
	writeTitle(b, n, f, p)
	writePlace(b, f)
	if source != nil && cause == 0 {
		writeSource(b, *source)
	}
	f = concise.Failure(f)
	message, difference, way := f.Message, concise.Comparison(f), style.wholeOf(f)
	if !style.Verbose {
		message, difference = concise.Shorten(message, concise.Lines, way), concise.Shorten(difference, concise.Lines, way)
	}
	if message != "" {
		writeIndented(b, message)
	}
	if difference != "" {
		writeIndented(b, titleDiff(message, difference))
	}
	for _, text := range failureDetails(f, style, way) {
		writeIndented(b, text)
	}
	if line := failureStanding(f, style.knownPass(f)); line != "" {
		writeIndented(b, line)
	}
	if cause > 0 {
		writeIndented(b, fmt.Sprintf("same cause as %d", cause))
	}
	if len(f.Blocks) > 0 {
		writeIndented(b, "blocks "+blockedSuites(f, style, prose.Line))
	}
	if style.Verbose && f.Output != "" {
		writeIndented(b, "--- output ---\n"+f.Output)
	}
	if f.Repro != "" {
		b.WriteString(p.paint(dim, indent+"again: "+strings.ReplaceAll(prose.Plain(f.Repro), "\n", "\n"+indent)) + "\n")
	}
	b.WriteByte('\n')
}

// FirstOfCauses returns, for each failure, the number of the first one with the same
// cause, if that is another one.
func FirstOfCauses(causes []api.Cause, failures []api.Failure) []int {
	several := map[string]bool{}
	for _, c := range causes {
		several[c.Signature] = true
	}
	first := make([]int, len(failures))
	seen := map[string]int{}
	for i, f := range failures {
		if !several[f.Signature] {
			continue
		}
		if n, ok := seen[f.Signature]; ok {
			first[i] = n
		} else {
			seen[f.Signature] = i + 1
		}
	}
	return first
}

// FailureLine names a failure on one line.
func FailureLine(f api.Failure) string {
	line := prose.Line(name(f.Suite, f.Test))
	if f.File != "" {
		line += "  " + prose.Line(concise.Place(f.File, f.Line))
	}
	if words := standingWords(f.Standing, ""); words != "" {
		line += "  (" + words + ")"
	}
	if f.Quarantine != "" {
		line += "  (in quarantine: " + concise.Narrow(prose.Line(f.Quarantine)) + ")"
	}
	if m := f.Headline(); m != "" {
		line += "  " + concise.Narrow(prose.Line(m))
	}
	return line
}

// ResultLine formats a test's result on one line, with the measures of the whole test.
func (s Style) ResultLine(r api.Result) string {
	line := fmt.Sprintf("%-10s %s (%.2fs", r.Status, s.name(r.Suite, r.Test), r.DurationS)
	if r.Cached {
		line = fmt.Sprintf("%-10s %s (cached", r.Status, s.name(r.Suite, r.Test))
	}
	for _, m := range r.Measures {
		if m.Section == "" {
			line += ", " + prose.Line(strings.TrimSpace(m.Kind+" "+m.Name)) + " " + m.Value.String()
		}
	}
	return line + ")"
}

// writeNames names tests below a title that counts them.
func writeNames(b *strings.Builder, title string, tests []sdk.TestID, total int, style Style) {
	if total == 0 {
		return
	}
	b.WriteString(title + ":\n")
	names := make([]string, len(tests))
	for i, t := range tests {
		names[i] = prose.Line(name(t.Suite, t.Test))
	}
	writeCapped(b, names, total, style)
	b.WriteByte('\n')
}

// writeRetried names the failed tests that passed when they were retried.
func writeRetried(b *strings.Builder, run api.Run, style Style) {
	var flaky []sdk.TestID
	for _, r := range run.Retried {
		if r.Flaky {
			flaky = append(flaky, r.TestID)
		}
	}
	writeNames(b, fmt.Sprintf("%d flaky: failed, then passed when retried", len(flaky)), flaky, len(flaky), style)
}

// Verdict says how a run ended: the verdict with its reason, and the counts.
func Verdict(run api.Run) string { return strings.TrimSuffix(verdictLine(run, painter{}), "\n") }

func verdictLine(run api.Run, p painter) string {
	if run.State == api.StateRunning {
		return "running: run " + run.RunID + " is in progress\n"
	}
	color := red
	switch run.Verdict {
	case api.Passed:
		color = green
	case api.NothingRan, api.Incomplete:
		color = yellow
	}
	line := p.paint(color, p.bold(prose.Line(string(run.Verdict)))) + ": " + hangIndent(concise.Shorten(prose.Plain(run.Reason), concise.Lines, "--json has them"))
	return line + "\n" + p.paint(dim, CountsLine(run)) + "\n"
}

// hangIndent indents all lines of a text but the first.
func hangIndent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+indent)
}

func suitesOf(c api.Counts) string {
	suites := api.Plural(c.Suites, "suite")
	if n := c.SuitesWithoutTests; n > 0 {
		suites += fmt.Sprintf(" (%d ran no test)", n)
	}
	return suites
}

// CountsLine counts what a run did, and names the run.
func CountsLine(run api.Run) string {
	line := fmt.Sprintf("%s, %s, %.2fs, %s", figures(run.Counts, undone(run), unbuilt(run)), suitesOf(run.Counts), run.DurationS, prose.Line(run.Language))
	if run.Kind != api.KindParsed {
		line += ", run " + run.RunID
	}
	if run.Outstanding > 0 {
		line += "; " + run.DescribeOutstanding() + " outstanding"
	}
	if run.OutstandingQuarantined > 0 {
		line += fmt.Sprintf(", %d of them in quarantine", run.OutstandingQuarantined)
	}
	return line
}

// figures returns the counts of a run with their nouns. undone and unbuilt are the
// words for tests and suites without any information.
func figures(c api.Counts, undone, unbuilt string) string {
	text := c.Results()
	if n := c.NeverStarted; n > 0 {
		text += ", " + api.Plural(n, "test") + " " + undone
	}
	if n := c.BuildFailed; n > 0 {
		text += ", " + api.Plural(n, "suite") + " " + unbuilt
	}
	return text
}

// ResultsSoFar formats the results of a run in progress, including those of subtests.
func ResultsSoFar(passed, failed, skipped int) string {
	text := fmt.Sprintf("results: %d passed, %d failed", passed, failed)
	if skipped > 0 {
		text += fmt.Sprintf(", %d skipped", skipped)
	}
	return text
}

// name is the name of a test in a summary: suite and test separately, as one would look
// for them.
func name(suite, test string) string { return prose.Joined(suite, " ", test) }

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	return line
}
