package render

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxCauses is how many causes are shown in full: nobody reads more than a screen or
	// two. The others have a line each.
	maxCauses = 10
	// maxAlikeNames is how many tests of one cause are named.
	maxAlikeNames = 8
	// maxDiffLines is how much of a difference is shown.
	maxDiffLines = 20
)

// cause is a group of failures with one signature.
type cause struct {
	failures []api.Failure
	// total also counts those that the Run object does not carry.
	total int
}

// groupCauses groups failures by cause, in order of first appearance. Each flaky test is
// a group of its own.
func groupCauses(run api.Run) []cause {
	totals := map[string]int{}
	for _, c := range run.Causes {
		totals[c.Signature] = c.Total
	}
	for _, f := range run.Failures {
		if run.PassedOnTry(f.Suite, f.Test) > 0 && totals[f.Signature] > 0 {
			totals[f.Signature]--
		}
	}
	var causes []cause
	at := map[string]int{}
	for _, f := range run.Failures {
		if cutOff(run, f) && f.Test == "" && f.Suite == "" {
			continue // the verdict says that the run was ended
		}
		if run.PassedOnTry(f.Suite, f.Test) > 0 {
			causes = append(causes, cause{[]api.Failure{f}, 1})
			continue
		}
		i, known := at[f.Signature]
		if !known || totals[f.Signature] == 0 {
			i = len(causes)
			at[f.Signature], causes = i, append(causes, cause{})
		}
		causes[i].failures = append(causes[i].failures, f)
		causes[i].total = max(len(causes[i].failures), totals[f.Signature])
	}
	return causes
}

// cutOff reports whether a failure only says that its test was running when the run was
// ended.
func cutOff(run api.Run, f api.Failure) bool {
	return (run.Cancelled || run.TimedOut) && (f.Kind == "timeout" || f.Kind == "signal")
}

// writeCauses writes what failed, one block for each cause.
func (e *ending) writeCauses() {
	briefly := e.style.Quiet || e.run.Verdict == api.Passed // in a pass, these are the flaky tests
	told, after := map[string]bool{}, briefly && len(e.causes) > 0
	for i, c := range e.causes {
		said := saysAgain(c.failures[0], told)
		switch block := (block{e, c}); {
		case briefly:
			block.writeBrief()
		case (said || i >= maxCauses) && !e.style.Verbose:
			block.writeLine()
			after = true
		default:
			if after {
				e.line("")
			}
			block.write()
			after = false
		}
	}
	carried := 0
	for _, c := range e.causes {
		carried += c.total
	}
	if left := e.run.FailuresTotal - max(carried, len(e.run.Failures)); left > 0 {
		e.line(fmt.Sprintf("and %s: %s", api.Plural(left, "more failure"), e.style.command("runs", "show", e.run.RunID, "--json")))
	}
	if after {
		e.line("")
	}
}

// saysAgain reports whether a compiler has told all of a failure before, as of a changed
// function that many suites call.
func saysAgain(f api.Failure, told map[string]bool) bool {
	if f.Kind != "build" {
		return false
	}
	again := len(f.Blocks) == 0
	for _, m := range append([]sdk.Also{{Message: f.Message}}, f.Also...) {
		again, told[m.Message] = again && told[m.Message], true
	}
	return again
}

// block is a cause as it is written.
type block struct {
	*ending
	cause
}

// writeLine writes a cause in one line.
func (e block) writeLine() {
	f := e.failures[0]
	e.line(e.symbol() + " " + e.title() + e.at(f) + "  " + concise.Narrow(prose.Line(f.Headline())))
}

// writeBrief writes a cause in two lines.
func (e block) writeBrief() {
	f := e.failures[0]
	e.line(e.symbol() + " " + e.title() + e.at(f))
	if m := f.Headline(); m != "" {
		e.line("  " + e.style.Cut(concise.Narrow(prose.Line(m)), e.style.Columns-2))
	}
}

func (e *ending) at(f api.Failure) string {
	if f.File == "" {
		return ""
	}
	return "  " + e.paint(cyan, e.place(f))
}

func (e block) write() {
	f := e.failures[0]
	name, rest := e.names()
	e.writeHead(e.symbol()+" "+e.title(), cellsOf(name+rest)+2, e.standings())
	if at := failurePlace(f, func(at string) string { return e.paint(cyan, at) }); at != "" {
		shown := e.style.excerptOf(f)
		if shown != nil && shown.Edited {
			at += " (edited since)"
		}
		if n := e.otherPlaces(); n > 0 {
			at += " and " + api.Plural(n, "other place")
		}
		e.writeIndented(at)
		if shown != nil && e.excerpted != concise.Place(f.File, f.Line) { // else it stands above, as of rows of one table
			e.writeExcerpt(*shown)
			e.excerpted = concise.Place(f.File, f.Line)
		}
	}
	way := e.whole(f)
	message, difference := e.compareValues(f)
	message = e.withKind(f, message)
	if cutOff(e.run, f) {
		message = "" // the title says it
	}
	if !e.style.Verbose {
		message = concise.Shorten(message, concise.Lines, way)
	}
	if message != "" {
		e.writeIndented(prose.Plain(concise.Narrow(message)))
	}
	for _, line := range difference {
		e.writeVerbatim(line)
	}
	for _, text := range failureDetails(f, e.style, way) {
		e.writeIndented(text)
	}
	if len(f.Blocks) > 0 {
		e.writeIndented("keeps from running: " + blockedSuites(f, e.style, e.suite))
	}
	if len(e.failures) > 1 {
		e.writeAlike()
	}
	if e.style.Verbose {
		if f.Output != "" {
			e.writeIndented("output:")
			e.writeVerbatim(prose.Plain(f.Output))
		}
		if f.Repro != "" {
			e.writeVerbatim(e.paint(dim, "again: "+prose.Plain(f.Repro)))
		}
	}
	e.line("")
}

// writeAlike names the tests of one cause.
func (e block) writeAlike() {
	var names []string
	for _, f := range e.failures {
		if test := e.alikeName(f); !slices.Contains(names, test) {
			names = append(names, test)
		}
	}
	if len(names) < 2 {
		return
	}
	if len(names) > maxAlikeNames && !e.style.Verbose {
		shown := append(slices.Clone(names[:3]), e.style.Symbols("…"), names[len(names)-1])
		e.writeIndented(e.paint(dim, strings.Join(shown, " ")))
		return
	}
	if e.total > len(e.failures) {
		names = append(names, fmt.Sprintf("and %d more", e.total-len(e.failures)))
	}
	e.writeIndented(e.paint(dim, strings.Join(names, " ")))
}

// alikeName names a test of a cause, without the suite if that is the same for all.
func (e block) alikeName(f api.Failure) string {
	if e.isOfOneSuite() && f.Test != "" {
		return prose.Line(f.Test)
	}
	return e.testName(f.Suite, f.Test)
}

func (c cause) isOfOneSuite() bool {
	return !slices.ContainsFunc(c.failures, func(f api.Failure) bool { return f.Suite != c.failures[0].Suite })
}

// otherPlaces counts the further places of a cause.
func (c cause) otherPlaces() int {
	places := map[string]bool{}
	for _, f := range c.failures {
		places[concise.Place(f.File, f.Line)] = true
	}
	return len(places) - 1
}

func (e *ending) place(f api.Failure) string { return prose.Line(concise.Place(f.File, f.Line)) }

// symbol returns the mark of a cause: a test that was cut off has not failed.
func (e block) symbol() string {
	if cutOff(e.run, e.failures[0]) {
		return e.paint(yellow, e.style.Symbols("…"))
	}
	if areFlaky(e.run, e.failures) {
		return e.paint(yellow, "~")
	}
	return e.paint(red, e.style.Symbols("✗"))
}

// title names a cause, painted.
func (e block) title() string {
	name, rest := e.names()
	return e.paint(bold, name) + rest
}

// names names a cause by its test, or counts its tests.
func (e block) names() (name, rest string) {
	f := e.failures[0]
	switch {
	case e.total == 1:
		if f.Suite == "" && f.Test == "" {
			return "the run", ""
		}
		return e.testName(f.Suite, f.Test), ""
	case e.isOfOneSuite():
		return e.suite(f.Suite), fmt.Sprintf(": %s, one cause", api.Plural(e.total, "failure"))
	}
	suites := map[string]bool{}
	for _, f := range e.failures {
		suites[f.Suite] = true
	}
	return fmt.Sprintf("%s in %s", api.Plural(e.total, "failure"), api.Plural(len(suites), e.suiteNoun())), ", one cause"
}

// standings says how the tests of a cause stand.
func (e block) standings() string {
	var words []string
	counts := map[string]int{}
	for _, f := range e.failures {
		w := e.standing(f)
		if counts[w]++; counts[w] == 1 && w != "" {
			words = append(words, w)
		}
	}
	if len(words) == 1 && counts[words[0]] == len(e.failures) {
		return words[0]
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	for i, w := range words {
		words[i] = fmt.Sprintf("%d %s", counts[w], w)
	}
	return strings.Join(words[:min(len(words), 2)], e.dot())
}

// standing says how a failed test stands; empty if it failed for the first time.
func (e *ending) standing(f api.Failure) string {
	s := f.Standing
	if cutOff(e.run, f) && e.run.Cancelled {
		return "did not finish"
	}
	if cutOff(e.run, f) {
		return strings.TrimSuffix("did not finish: "+concise.Narrow(prose.Line(firstLine(f.Message))), ": ")
	}
	if n := e.run.PassedOnTry(f.Suite, f.Test); n > 0 {
		return "passed on the " + ordinal(n) + " try: flaky"
	}
	if s == nil || failureStanding(f, "") == "" {
		return ""
	}
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	switch {
	case s.Classification == api.Unsteady && (s.Flaky == nil || s.Flaky.Runs == 0):
		add("flaky: passed and failed on the same sources")
	case s.Classification == api.Unsteady:
		add(fmt.Sprintf("flaky: failed in %d of the last %s", s.Flaky.FailedRuns, api.Plural(s.Flaky.Runs, "run")))
	case s.Otherwise != nil:
		add(otherwiseText(s.Otherwise))
	case s.FailedRuns > 1:
		runs := api.Plural(s.FailedRuns, "run")
		if s.FailedRunsAtLeast {
			runs = "at least " + runs
		}
		since := ""
		if c := namedChange(s); c != "" {
			since = ", since " + c + " changed"
		}
		if s.SameFailure == nil && s.SimilarFailure == nil {
			since += "; differently than before"
		}
		add("failing for " + runs + since)
	case s.Formerly != nil:
		add(formerName(*s.Formerly))
	case namedChange(s) != "":
		add("new since " + namedChange(s) + " changed")
	case s.LastPassed != nil && f.Test == "":
		add("new") // that it built, or was set up, does not mean that its tests passed
	case s.LastPassed != nil:
		add("new: passed " + prose.Seconds(s.LastPassed.AgeS) + " ago")
	}
	if s.Resolution == api.StatusDeferred {
		add("set aside by you")
	}
	return strings.Join(parts, e.dot())
}

// namedChange names what changed between the last pass and the first failure since;
// empty if that is unknown.
func namedChange(s *api.Standing) string {
	switch {
	case len(s.Changed) == 0 || s.ChangedTotal == 0:
		return ""
	case s.ChangedTotal == 1:
		return prose.Line(path.Base(s.Changed[0]))
	}
	first, rest := path.Base(s.Changed[0]), api.Plural(s.ChangedTotal-1, "other file")
	if s.ChangedTotal == 2 && len(s.Changed) == 2 {
		if rest = path.Base(s.Changed[1]); rest == first {
			first, rest = s.Changed[0], s.Changed[1]
		}
	}
	return prose.Line(first) + " and " + prose.Line(rest)
}

// withKind puts the kind of a failure before its message, unless it is an assertion or
// the message already says it.
func (e *ending) withKind(f api.Failure, message string) string {
	kind := prose.Line(f.Kind)
	if kind == "" || kind == assertion || cutOff(e.run, f) || strings.Contains(strings.ToLower(firstLine(message)), kind) {
		return message
	}
	return kind + ": " + message
}

// whole returns the command that shows all that a failure printed.
func (e *ending) whole(f api.Failure) string {
	if !isKept(e.run) || f.Suite == "" {
		return "-v shows them"
	}
	argv := []string{"output", e.outputName(f)}
	switch {
	case e.style.From != "":
		argv = append(argv, "--from", e.style.From)
	case e.style.Named || e.run.Origin != "":
		argv = append(argv, "--run", e.run.RunID)
	}
	return e.style.command(argv...)
}

// outputName names a test for a command: without its suite, unless another failed one
// has the same name.
func (e *ending) outputName(f api.Failure) string {
	alike := func(o api.Failure) bool { return o.Test == f.Test && o.Suite != f.Suite }
	if f.Test == "" || slices.ContainsFunc(e.run.Failures, alike) {
		return name(e.aside.names.Short(f.Suite), f.Test)
	}
	return f.Test
}

// compareValues returns the message of a failure without the compared values, and the
// painted lines of their difference.
func (e *ending) compareValues(f api.Failure) (message string, lines []string) {
	message, lines = concise.Compare(f, e.style.Symbols("…"))
	if cut := len(lines) - maxDiffLines; cut > 0 && !e.style.Verbose {
		lines = append(lines[:maxDiffLines:maxDiffLines], e.style.Symbols("… ")+api.Plural(cut, "more line")+": "+e.whole(f))
	}
	for i, line := range lines {
		lines[i] = e.paint(diffColor(line), concise.Narrow(line))
	}
	return message, lines
}

// diffColor returns the color of a line of a diff: what was wanted is red, what the test
// got is green.
func diffColor(line string) string {
	switch {
	case strings.HasPrefix(line, "-"):
		return red
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "…"), strings.HasPrefix(line, "..."):
		return dim
	}
	return ""
}
