package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/record"
)

// maxIndexNames is how many suites are named for one reason, maxIndexFindings how many
// tests that depend on others.
const (
	maxIndexNames    = 10
	maxIndexFindings = 50
)

// IndexLine says in one line what became of an index.
func IndexLine(ix record.Index) string {
	n := map[record.IndexState]int{}
	for _, s := range ix.Suites {
		n[s.State]++
	}
	word := "complete"
	switch {
	case ix.RunError != "":
		word = "ERROR"
	case len(ix.Suites) == 0 && ix.Complete:
		return "there is nothing to index (" + Line(ix.Language) + ")"
	case len(ix.Suites) == 0:
		return "INCOMPLETE: nothing was indexed, as it is not known which suites there are (" + Line(ix.Language) + ")"
	case !ix.Complete:
		word = "INCOMPLETE"
	}
	line := fmt.Sprintf("%s: %s known one by one in %s: %s", word, record.Plural(ix.Tests, "test"), record.Plural(len(ix.Suites), "suite"), record.Plural(n[record.IndexDone], "suite")+" indexed now")
	for _, part := range []struct {
		state record.IndexState
		words string
	}{
		{record.IndexFresh, "unchanged since"}, {record.IndexEmpty, "without tests"}, {record.IndexCut, "cut off"}, {record.IndexFailed, "not measured"},
	} {
		if n[part.state] > 0 {
			line += fmt.Sprintf(", %d %s", n[part.state], part.words)
		}
	}
	line += fmt.Sprintf("; %s ran, %.2fs", record.Plural(ix.Ran, "test"), ix.DurationS)
	if ix.Bytes > 0 {
		line += ", " + Bytes(ix.Bytes) + " on disk"
	}
	return line + ", " + Line(ix.Language)
}

// Index renders what became of an index: what did not build, tests that depend on
// others, suites that are not known test by test and why, and the sum of it last.
func Index(ix record.Index, style Style) string {
	var b strings.Builder
	p := painter{style.Color}
	for i, f := range ix.Failures {
		writeFailure(&b, i+1, 0, f, style, p)
	}
	writeOrderFindings(&b, ix.Findings, style, p)
	writePartial(&b, ix.Partial, style)
	writeCoarse(&b, ix.Suites, style)
	for _, w := range ix.Warnings {
		if !style.Quiet {
			b.WriteString(p.paint(yellow, "note: ") + noted(Plain(w)) + "\n")
		}
	}
	if ix.RunError != "" {
		b.WriteString("the index could not be made: " + hanging(Shorten(Plain(ix.RunError), MessageLines, "--json has them")) + "\n")
	}
	color := green
	if !ix.Complete {
		color = yellow
	}
	b.WriteString(p.paint(color, IndexLine(ix)) + "\n")
	if slices.ContainsFunc(ix.Suites, func(s record.IndexedSuite) bool { return s.State == record.IndexCut }) {
		b.WriteString("the next `proctor index` measures what was cut off; --budget gives it more time\n")
	}
	return b.String()
}

// writeOrderFindings names the tests that end otherwise alone than together.
func writeOrderFindings(b *strings.Builder, findings []record.OrderFinding, style Style, p painter) {
	if len(findings) == 0 {
		return
	}
	b.WriteString(p.paint(yellow, "tests that depend on others, or on their order:") + "\n")
	most := maxIndexFindings
	if style.Verbose {
		most = len(findings)
	}
	for _, f := range findings[:min(len(findings), most)] {
		b.WriteString(indent + OrderFinding(f) + "\n")
	}
	if left := len(findings) - most; left > 0 {
		fmt.Fprintf(b, "%sand %d more; %s\n", indent, left, style.more("--json has them"))
	}
	b.WriteByte('\n')
}

// writePartial names the tests of which not all was measured.
func writePartial(b *strings.Builder, partial []record.PartialTest, style Style) {
	if len(partial) == 0 {
		return
	}
	b.WriteString("not all that these execute was measured; they count as tests that may execute anything:\n")
	most := maxIndexNames
	if style.Verbose {
		most = len(partial)
	}
	for _, t := range partial[:min(len(partial), most)] {
		fmt.Fprintf(b, "%s%s: %s\n", indent, Line(name(t.Suite, t.Test)), Line(t.Why))
	}
	if left := len(partial) - most; left > 0 {
		fmt.Fprintf(b, "%sand %d more; %s\n", indent, left, style.more("--json has them"))
	}
	b.WriteByte('\n')
}

// OrderFinding says what it means that a test ends otherwise alone than together.
func OrderFinding(f record.OrderFinding) string {
	line := fmt.Sprintf("%s %s alone and %s together: ", Line(name(f.Suite, f.Test)), ends(f.Alone), ends(f.Together))
	switch {
	case f.Together == record.TestPassed:
		return line + "it depends on what runs before it"
	case f.Alone == record.TestPassed:
		return line + "what runs before it disturbs it"
	}
	return line + "it depends on the others"
}

// ends is how a test ends, as a verb.
func ends(s record.Status) string {
	switch s {
	case record.TestPassed:
		return "passes"
	case record.TestFailed:
		return "fails"
	case record.TestSkipped:
		return "is skipped"
	case record.TestUnfinished:
		return "does not finish"
	}
	return "ends as " + Line(string(s))
}

// writeCoarse names the suites that are not known test by test, by the reason.
func writeCoarse(b *strings.Builder, suites []record.IndexedSuite, style Style) {
	type reason struct {
		state       record.IndexState
		granularity record.Granularity
		why         string
	}
	var reasons []reason
	named := map[reason][]string{}
	for _, s := range suites {
		if s.State == record.IndexEmpty || s.Granularity == record.GranularityTest && s.State != record.IndexCut && s.State != record.IndexFailed {
			continue
		}
		r := reason{s.State, s.Granularity, s.Why}
		if r.state == record.IndexFresh {
			r.state = record.IndexDone // it is as coarse as it was
		}
		if named[r] == nil {
			reasons = append(reasons, r)
		}
		named[r] = append(named[r], s.Suite)
	}
	slices.SortStableFunc(reasons, func(a, b reason) int { return cmp.Compare(a.state, b.state) })
	for _, r := range reasons {
		title := "known as a whole only"
		switch {
		case r.state == record.IndexCut:
			title = "cut off"
		case r.state == record.IndexFailed:
			title = "not measured"
		case r.granularity != record.GranularitySuite:
			title = "known by what it is built from only"
		}
		if r.why != "" {
			title += " (" + Line(r.why) + ")"
		}
		most := maxIndexNames
		if style.Verbose {
			most = len(named[r])
		}
		fmt.Fprintf(b, "%s: %s\n", title, listed(named[r], len(named[r]), most, Line))
	}
	if len(reasons) > 0 {
		b.WriteByte('\n')
	}
}
