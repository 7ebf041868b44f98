package report

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/record"
)

// Limits of an answer about coverage: of many short ranges of lines the first ones
// tell where to look.
const (
	maxCoveredRanges = 8
	maxCoveredFiles  = 50
)

// Covering says which tests execute a file or lines of it: what is known, the tests,
// the lines that none executes, and what to do to know more.
func Covering(c record.Covering, style Style) string {
	var b strings.Builder
	p := painter{style.Color}
	b.WriteString(p.paint(bold, Line(c.Message)) + "\n")
	if line := knowledge(c.Granularity, c.Total, c.Stale, c.MeasuredAt != nil, c.AgeS); line != "" {
		b.WriteString(line + "\n")
	}
	writeCoveringTests(&b, c.Tests, c.Total, style, p)
	writeUntested(&b, c, "", style, p)
	writeCoveringEnd(&b, c.Warnings, c.More, p)
	return b.String()
}

// knowledge says how exactly something is known of which there are so many tests, since
// when, and whether it may have changed.
func knowledge(g record.Granularity, total int, stale, measured bool, ageS float64) string {
	words := granularityWords(g)
	switch {
	case words == "":
		return ""
	case g == record.GranularityUnknown && total > 0:
		words = "granularity unknown: of some of it nothing is known"
	}
	if measured {
		words += ", measured " + Duration(time.Duration(ageS*float64(time.Second))) + " ago"
	}
	if stale {
		words += "; STALE: sources changed since, so that other tests may execute it now"
	}
	return words
}

// granularityWords say what a granularity means, in a sentence without a full stop.
func granularityWords(g record.Granularity) string {
	switch g {
	case record.GranularityTest:
		return "granularity test: known of each test by itself"
	case record.GranularitySuite:
		return "granularity package: of some, only which tests together execute it is known"
	case record.GranularityImport:
		return "granularity import: of some, only that they are built from it is known"
	case record.GranularityUnknown:
		return "granularity unknown: this says nothing about any test"
	}
	return ""
}

// writeCoveringTests writes a table: how exactly it is known, which lines, which test.
func writeCoveringTests(b *strings.Builder, tests []record.CoveringTest, total int, style Style, p painter) {
	if len(tests) == 0 && total == 0 {
		return
	}
	b.WriteByte('\n')
	lines := 0
	for _, t := range tests {
		lines = max(lines, utf8.RuneCountInString(ranges(t.Lines, style)))
	}
	for _, t := range tests {
		how := string(t.Granularity)
		if t.Stale {
			how += ", stale"
		}
		row := fmt.Sprintf("%s%-14s  ", indent, Line(how))
		if lines > 0 {
			shown := ranges(t.Lines, style)
			row += shown + strings.Repeat(" ", lines-utf8.RuneCountInString(shown)) + "  "
		}
		b.WriteString(row + Line(name(t.Suite, t.Test)))
		if t.Test == "" && t.Suite != "" {
			b.WriteString(p.paint(dim, " (any of its tests)"))
		}
		if t.Why != "" {
			b.WriteString(p.paint(dim, ": "+Line(t.Why)))
		}
		b.WriteByte('\n')
	}
	if left := total - len(tests); left > 0 {
		fmt.Fprintf(b, "%sand %d more; %s\n", indent, left, style.more("a larger --limit shows them"))
	}
}

// ranges are some ranges of lines, on one line.
func ranges(lines []string, style Style) string {
	most := maxCoveredRanges
	if style.Verbose {
		most = len(lines)
	}
	return listed(lines, len(lines), most, Line)
}

// writeUntested writes which lines no test executes, which have no code, and which are
// new.
func writeUntested(b *strings.Builder, c record.Covering, before string, style Style, p painter) {
	if len(c.Uncovered)+len(c.NoCode)+len(c.Unmapped) > 0 && before == "" {
		b.WriteByte('\n')
	}
	for _, part := range []struct {
		title, color string
		lines        []string
	}{
		{"no test executes: ", red, c.Uncovered}, {"no code: ", "", c.NoCode}, {"written since it was measured: ", yellow, c.Unmapped},
	} {
		if len(part.lines) > 0 {
			b.WriteString(before + paintIf(p, part.color, part.title) + ranges(part.lines, style) + "\n")
		}
	}
}

func paintIf(p painter, code, text string) string {
	if code == "" {
		return text
	}
	return p.paint(code, text)
}

// writeCoveringEnd writes what to know beside an answer, and what to do next.
func writeCoveringEnd(b *strings.Builder, warnings []string, more string, p painter) {
	for _, w := range warnings {
		b.WriteString(p.paint(yellow, "note: ") + noted(Plain(w)) + "\n")
	}
	if more != "" {
		b.WriteString(Line(more) + "\n")
	}
}
