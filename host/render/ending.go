package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
	"github.com/proctorhq/proctor/sdk"
)

// Ending renders the end of a run for a person, who reads it upwards from the prompt: the
// verdict comes last, above it what qualifies it, and above that the causes. For agents
// there is [Summary].
func Ending(run api.Run, heard *Asides, style Style) string {
	e := newEnding(run, heard, style)
	e.writeReds()
	e.writeNotes()
	if !style.Quiet {
		e.writeQuarantined()
		e.writeSkips()
		e.writeSlow()
	}
	closing{e}.writeVerdict()
	return e.b.String()
}

// Reds renders the part of an [Ending] about failures and tests that did not run, with the
// short names that are known of suites.
func Reds(run api.Run, names api.SuiteNames, style Style) string {
	e := newEnding(run, &Asides{runs: map[string]*aside{run.RunID: {names: names}}}, style)
	e.writeReds()
	e.writeQuarantined()
	return e.b.String()
}

func newEnding(run api.Run, heard *Asides, style Style) *ending {
	e := &ending{page: page{style: style, painter: painter{style.Color}}, run: run, aside: heard.of(run)}
	e.aside.noun = cmp.Or(e.aside.noun, style.Noun)
	e.aside.names.Join(style.Names)
	e.style.Noun, e.style.Names = e.aside.noun, e.aside.names
	e.takeQuarantined()
	e.causes = groupCauses(e.run)
	return e
}

func (e *ending) writeReds() {
	e.writeCauses()
	undone := e.b.Len()
	e.writeUnexplained()
	e.writeUnfinished()
	e.writeNeverStarted()
	e.writeRequested()
	if e.b.Len() > undone {
		e.line("")
	}
}

// ending is the end of a run as it is written.
type ending struct {
	page
	run    api.Run
	aside  *aside
	causes []cause
	// quarantined are failures that did not decide; run has none of them.
	quarantined []api.Failure
	// excerpted is the place whose source was shown last.
	excerpted string
}

// takeQuarantined separates the failures in quarantine from the others.
func (e *ending) takeQuarantined() {
	if e.run.Quarantined == 0 {
		return
	}
	var rest []api.Failure
	e.run.Causes = slices.Clone(e.run.Causes)
	for _, f := range e.run.Failures {
		if f.Quarantine == "" {
			rest = append(rest, f)
			continue
		}
		e.quarantined = append(e.quarantined, f)
		if i := slices.IndexFunc(e.run.Causes, func(c api.Cause) bool { return c.Signature == f.Signature }); i >= 0 {
			e.run.Causes[i].Total--
		}
	}
	e.run.FailuresTotal -= len(e.quarantined)
	e.run.Failures = rest
}

// writeQuarantined writes a line for each failure in quarantine.
func (e *ending) writeQuarantined() {
	most := maxNames
	if e.style.Verbose {
		most = len(e.quarantined)
	}
	for _, f := range e.quarantined[:min(len(e.quarantined), most)] {
		e.line(e.paint(yellow, e.style.Symbols("–")) + " " + e.testName(f.Suite, f.Test) + "  in quarantine: " + concise.Narrow(prose.Line(f.Quarantine)))
	}
	if left := len(e.quarantined) - most; left > 0 {
		e.line(fmt.Sprintf("  and %d more in quarantine", left))
	}
}

// page is what is written, line by line.
type page struct {
	painter
	b     strings.Builder
	style Style
}

// line writes a line, or several if it is wider than the terminal.
func (e *page) line(text string) { e.verbatim(e.style.Fold(strings.TrimRight(text, " "))) }

// verbatim writes a line that stays one, since it is meant to be pasted, or shows how a text
// is laid out.
func (e *page) verbatim(text string) { e.b.WriteString(strings.TrimRight(text, " ") + "\n") }

// writeIndented writes the lines of a block.
func (e *page) writeIndented(text string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		e.line("  " + line)
	}
}

// writeVerbatim writes the lines of a block that stay as they are.
func (e *page) writeVerbatim(text string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		e.verbatim("  " + line)
	}
}

// dot separates the parts of a line.
func (e *page) dot() string {
	if e.style.ASCII {
		return ", "
	}
	return " · "
}

// writeJoined writes parts on one line, or on several if they do not fit. It never breaks a
// part, since commands are meant to be pasted; see [Style.Fold] for sentences.
func (e *page) writeJoined(parts []string, paint func(string) string) {
	line := ""
	for _, part := range parts {
		next := part
		if line != "" {
			next = line + e.dot() + part
		}
		if line != "" && e.style.Columns > 0 && cellsOf(prose.Plain(next)) > e.style.Columns {
			e.verbatim(paint(line))
			next = part
		}
		line = next
	}
	e.verbatim(paint(line))
}

// writeHead writes a line of the given width with a remark at the right, or below if there
// is no room.
func (e *page) writeHead(line string, cells int, remark string) {
	room := e.style.Columns - cells - cellsOf(remark)
	switch {
	case remark == "":
		e.line(line)
	case e.style.Columns == 0:
		e.line(line + "  " + e.paint(dim, remark))
	case room >= 2:
		e.line(line + strings.Repeat(" ", room) + e.paint(dim, remark))
	default:
		e.line(line)
		e.writeIndented(e.paint(dim, remark))
	}
}

// suiteNoun is what the language calls a suite.
func (e *ending) suiteNoun() string { return cmp.Or(e.aside.noun, "suite") }

func (e *ending) suite(suite string) string { return prose.Line(e.aside.names.Short(suite)) }

func (e *ending) testName(suite, test string) string {
	return prose.Line(name(e.aside.names.Short(suite), test))
}

// writeUnfinished names the tests that did not finish and are not among the failures.
func (e *ending) writeUnfinished() {
	var left []string
	for _, t := range e.run.Unfinished {
		told := func(f api.Failure) bool { return f.Suite == t.Suite && f.Test == t.Test }
		if !slices.ContainsFunc(e.run.Failures, told) {
			left = append(left, e.testName(t.Suite, t.Test))
		}
	}
	if len(left) == 0 {
		return
	}
	most := maxNames
	if e.style.Verbose {
		most = len(left)
	}
	total := len(left) + e.run.Counts.Unfinished - len(e.run.Unfinished)
	for _, t := range left[:min(len(left), most)] {
		e.line(e.paint(yellow, e.style.Symbols("…")) + " " + t + " did not finish")
	}
	if more := total - min(len(left), most); more > 0 {
		e.line(fmt.Sprintf("  and %d more did not finish", more))
	}
}

// writeUnexplained names the suites that failed in an earlier attempt without a failure that
// says why.
func (e *ending) writeUnexplained() {
	for _, r := range e.run.Retried {
		told := slices.ContainsFunc(e.run.Failures, func(f api.Failure) bool { return f.Suite == r.Suite && f.Test == "" })
		if r.Flaky && r.Test == "" && !told {
			e.line(e.paint(yellow, "~") + " " + e.suite(r.Suite) + "  failed without a failure that says why, then passed when retried: flaky")
		}
	}
}

// writeNeverStarted names the tests that never started, on a line for each suite.
func (e *ending) writeNeverStarted() {
	if e.run.Counts.NeverStarted == 0 {
		return
	}
	var suites []string
	tests := map[string][]string{}
	for _, t := range e.run.NeverStarted {
		if tests[t.Suite] == nil {
			suites = append(suites, t.Suite)
		}
		tests[t.Suite] = append(tests[t.Suite], prose.Line(t.Test))
	}
	mark, most := e.paint(yellow, e.style.Symbols("–")), 3
	if e.style.Verbose {
		most = len(e.run.NeverStarted)
	}
	shown := suites
	if !e.style.Verbose {
		shown = suites[:min(len(suites), maxNames)]
	}
	for _, s := range shown {
		if names := tests[s]; len(names) == 1 {
			e.line(fmt.Sprintf("%s %s %s", mark, strings.TrimSpace(e.suite(s)+" "+names[0]), undone(e.run)))
		} else {
			e.line(fmt.Sprintf("%s %s: %s %s: %s", mark, e.suite(s), api.Plural(len(names), "test"), undone(e.run), prose.Listed(names, len(names), most, prose.Line)))
		}
	}
	named := 0
	for _, s := range shown {
		named += len(tests[s])
	}
	if left := e.run.Counts.NeverStarted - named; left > 0 {
		e.line(fmt.Sprintf("  and %s %s", api.Plural(left, "more test"), undone(e.run)))
	}
}

// writeRequested names the tests that a rerun requested and that did not run, on a line
// for each explanation, unless they are named already.
func (e *ending) writeRequested() {
	isNamed := func(r api.Requested) bool {
		return e.isGone(r.Suite, r.Test) || slices.Contains(e.run.NeverStarted, r.TestID)
	}
	ends, tests := groupRequested(slices.DeleteFunc(slices.Clone(e.run.Requested), isNamed))
	for _, k := range ends {
		most, left, said := maxAlike, tests[k], undone(e.run)
		if e.style.Verbose {
			most = len(left)
		}
		if k.outcome == api.OutcomeSkipped {
			said = "skipped"
		}
		if k.why != "" {
			said += " (" + prose.Line(e.style.InWords(k.why)) + ")"
		}
		text := prose.Listed(left, len(left), most, func(t sdk.TestID) string { return e.testName(t.Suite, t.Test) })
		switch alone := len(left) == 1 || slices.ContainsFunc(left, func(t sdk.TestID) bool { return t.Suite != left[0].Suite }); {
		case !alone:
			text = fmt.Sprintf("%s: %s %s: %s", e.suite(left[0].Suite), api.Plural(len(left), "test"), said, prose.Listed(left, len(left), most, func(t sdk.TestID) string { return prose.Line(t.Test) }))
		case k.outcome == api.OutcomeSkipped:
			text += ": " + said
		default:
			text += " " + said
		}
		e.line(e.paint(yellow, e.style.Symbols("–")) + " " + text)
	}
}

// isGone reports whether a note says that a test no longer exists.
func (e *ending) isGone(suite, test string) bool {
	if e.run.Integrity == nil {
		return false
	}
	at := slices.IndexFunc(e.run.Integrity.Gone, func(g api.Gone) bool { return g.Suite == suite && g.TestID.Test == test })
	return at >= 0 && at < api.MaxStaleNames
}

// writeNotes writes what qualifies the verdict.
func (e *ending) writeNotes() {
	for _, text := range runNotes(e.run, e.style) {
		e.b.WriteString(e.style.Fold(e.style.InWords(noteLine(text, e.style))))
	}
	for _, text := range runRemarks(e.run, e.style) {
		e.line(e.style.InWords(text))
	}
}

// maxShownReasons is how many reasons for skips are shown.
const maxShownReasons = 3

// writeSkips says why tests were skipped or, with --skips, which ones.
func (e *ending) writeSkips() {
	skips := slices.Clone(e.aside.skips)
	slices.SortStableFunc(skips, func(a, b skip) int { return cmp.Compare(b.total, a.total) })
	if e.style.Skips {
		for _, s := range skips {
			for _, t := range s.tests {
				e.line(e.paint(yellow, e.style.Symbols("–")) + " " + e.testName(t.Suite, t.Test) + "  " + prose.Line(cmp.Or(s.reason, "skipped without a reason")))
			}
		}
		return
	}
	var parts []string
	skips = slices.DeleteFunc(skips, func(s skip) bool { return s.reason == "" })
	for _, s := range skips[:min(len(skips), maxShownReasons)] {
		parts = append(parts, fmt.Sprintf("%d%s %s", s.total, e.style.Symbols("×"), concise.Narrow(prose.Line(s.reason))))
	}
	if left := len(skips) - len(parts); left > 0 {
		parts = append(parts, api.Plural(left, "more reason")+": --skips")
	}
	if len(parts) > 0 {
		e.line(e.paint(dim, "skipped: "+strings.Join(parts, e.dot())))
	}
}

// writeSlow names the slowest tests.
func (e *ending) writeSlow() {
	var parts []string
	for _, r := range e.aside.slow {
		parts = append(parts, e.testName(r.Suite, r.Test)+" "+seconds(r.DurationS))
	}
	if len(parts) > 0 {
		e.line(e.paint(dim, "slowest: "+strings.Join(parts, e.dot())))
	}
}
