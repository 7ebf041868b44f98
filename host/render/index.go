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

// maxIndexNames is how many suites are named per reason, maxIndexFindings how many
// tests that depend on others.
const (
	maxIndexNames    = 10
	maxIndexFindings = 50
)

// IndexLine summarizes an index in one line.
func IndexLine(ix api.Index) string {
	n := map[api.IndexState]int{}
	for _, s := range ix.Suites {
		n[s.State]++
	}
	word := ""
	switch {
	case ix.RunError != "":
		word = "ERROR: "
	case len(ix.Suites) == 0 && ix.Complete:
		return "there is nothing to index (" + prose.Line(ix.Language) + ")"
	case len(ix.Suites) == 0:
		return "INCOMPLETE: nothing was indexed, since it is unknown which suites there are (" + prose.Line(ix.Language) + ")"
	case !ix.Complete:
		word = "INCOMPLETE: "
	}
	line := fmt.Sprintf("%sindexed %s in %s", word, api.Plural(ix.Tests, "test"), api.Plural(len(ix.Suites), "suite"))
	var parts []string
	for _, part := range []struct {
		state api.IndexState
		words string
	}{
		{api.IndexDone, "now"}, {api.IndexFresh, "unchanged since"}, {api.IndexEmpty, "without tests"}, {api.IndexCut, "cut off"}, {api.IndexFailed, "not measured"},
	} {
		if n[part.state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[part.state], part.words))
		}
	}
	if n[api.IndexDone] < len(ix.Suites) {
		line += " (" + strings.Join(parts, ", ") + ")"
	}
	line += fmt.Sprintf(" in %.1fs", ix.DurationS)
	if ix.Bytes > 0 {
		line += " (" + formatBytes(ix.Bytes) + ")"
	}
	return line
}

// Index renders an index: what did not build, tests that depend on others, suites not
// known test by test and why, and the summary last. Its lines fit the terminal.
func Index(ix api.Index, style Style) string {
	var b strings.Builder
	p := painter{style.Color}
	reds := Reds(api.Run{Language: ix.Language, Failures: ix.Failures, FailuresTotal: len(ix.Failures)}, style.Names, style)
	writeOrderFindings(&b, ix.Findings, style, p)
	writePartial(&b, ix.Partial, style)
	writeCoarse(&b, ix.Suites, style)
	if !style.Quiet {
		writeNotes(&b, ix.Warnings, style)
	}
	if ix.RunError != "" {
		b.WriteString("the index could not be made: " + hangIndent(concise.Shorten(prose.Plain(ix.RunError), concise.Lines, "--json has them")) + "\n")
	}
	color := green
	if !ix.Complete {
		color = yellow
	}
	b.WriteString(p.paint(color, prose.InWordsButNames(IndexLine(ix), ix.SuiteNoun)) + "\n")
	if slices.ContainsFunc(ix.Suites, func(s api.IndexedSuite) bool { return s.State == api.IndexCut }) {
		b.WriteString("the next `proctor covering index` measures what was cut off; --budget gives it more time\n")
	}
	return reds + style.Fold(b.String())
}

// writeOrderFindings names the tests that end differently alone than together.
func writeOrderFindings(b *strings.Builder, findings []api.OrderFinding, style Style, p painter) {
	if len(findings) == 0 {
		return
	}
	b.WriteString(p.paint(yellow, "tests that depend on others, or on their order:") + "\n")
	most := maxIndexFindings
	if style.Verbose {
		most = len(findings)
	}
	for _, f := range findings[:min(len(findings), most)] {
		b.WriteString(indent + orderFinding(f, style) + "\n")
	}
	if left := len(findings) - most; left > 0 {
		fmt.Fprintf(b, "%sand %d more; %s\n", indent, left, style.more("--json has them"))
	}
	b.WriteByte('\n')
}

// writePartial names the tests that were measured only in part.
func writePartial(b *strings.Builder, partial []api.PartialTest, style Style) {
	if len(partial) == 0 {
		return
	}
	b.WriteString("these were measured only in part, and count as tests that may execute anything:\n")
	most := maxIndexNames
	if style.Verbose {
		most = len(partial)
	}
	for _, t := range partial[:min(len(partial), most)] {
		fmt.Fprintf(b, "%s%s: %s\n", indent, style.name(t.Suite, t.Test), prose.Line(t.Why))
	}
	if left := len(partial) - most; left > 0 {
		fmt.Fprintf(b, "%sand %d more; %s\n", indent, left, style.more("--json has them"))
	}
	b.WriteByte('\n')
}

// orderFinding explains that a test ends differently alone than together.
func orderFinding(f api.OrderFinding, style Style) string {
	line := fmt.Sprintf("%s %s alone and %s together: ", style.name(f.Suite, f.Test), endVerb(f.Alone), endVerb(f.Together))
	switch {
	case f.Together == sdk.Passed:
		return line + "it depends on what runs before it"
	case f.Alone == sdk.Passed:
		return line + "what runs before it disturbs it"
	}
	return line + "it depends on the others"
}

// endVerb returns a test's status as a verb.
func endVerb(s sdk.Status) string {
	switch s {
	case sdk.Passed:
		return "passes"
	case sdk.Failed:
		return "fails"
	case sdk.Skipped:
		return "is skipped"
	case sdk.Unfinished:
		return "does not finish"
	}
	return "ends as " + prose.Line(string(s))
}

// writeCoarse names the suites that are not known test by test, by reason.
func writeCoarse(b *strings.Builder, suites []api.IndexedSuite, style Style) {
	type reason struct {
		state       api.IndexState
		granularity api.Granularity
		why         string
	}
	var reasons []reason
	named := map[reason][]string{}
	for _, s := range suites {
		if s.State == api.IndexEmpty || s.Granularity == api.GranularityTest && s.State != api.IndexCut && s.State != api.IndexFailed {
			continue
		}
		r := reason{s.State, s.Granularity, s.Why}
		if r.state == api.IndexFresh {
			r.state = api.IndexDone // it is as coarse as before
		}
		if named[r] == nil {
			reasons = append(reasons, r)
		}
		named[r] = append(named[r], s.Suite)
	}
	slices.SortStableFunc(reasons, func(a, b reason) int { return cmp.Compare(a.state, b.state) })
	for _, r := range reasons {
		title := "known only as a whole"
		switch {
		case r.state == api.IndexCut:
			title = "cut off"
		case r.state == api.IndexFailed:
			title = "not measured"
		case r.granularity != api.GranularitySuite:
			title = "known only by what it is built from"
		}
		if r.why != "" {
			title += " (" + prose.Line(r.why) + ")"
		}
		most := maxIndexNames
		if style.Verbose {
			most = len(named[r])
		}
		fmt.Fprintf(b, "%s: %s\n", title, prose.Listed(named[r], len(named[r]), most, func(s string) string { return style.name(s, "") }))
	}
	if len(reasons) > 0 {
		b.WriteByte('\n')
	}
}
