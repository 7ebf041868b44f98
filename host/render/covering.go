package render

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// Limits of an answer about coverage: of many short ranges of lines the first ones show
// where to look.
const (
	maxCoveredRanges = 8
	maxCoveredFiles  = 50
)

// Covering says which tests execute a file or lines of it: what is known, the tests,
// the lines that none executes, and how to learn more.
func Covering(c api.Covering, style Style) string {
	var b strings.Builder
	p := painter{style.Color}
	style = style.Speaking(languagesOf(c.Tests)...)
	b.WriteString(p.paint(bold, style.InWords(prose.Line(c.Message))) + "\n")
	if line := granularityText(c.Granularity, c.Tests, c.Total, c.Stale, c.MeasuredAt != nil, c.AgeS); line != "" {
		b.WriteString(style.InWords(line) + "\n")
	}
	writeCoveringTests(&b, c.Tests, c.Total, style, p)
	writeUntested(&b, c, "", style, p)
	writeCoveringEnd(&b, c.Warnings, c.Advice, style)
	return b.String()
}

// languagesOf returns the languages of tests.
func languagesOf(tests []api.CoveringTest) []string {
	var languages []string
	for _, t := range tests {
		if !slices.Contains(languages, t.Language) {
			languages = append(languages, t.Language)
		}
	}
	return languages
}

// granularityText says how precisely this many tests are known, since when, and whether that
// may have changed.
func granularityText(g api.Granularity, tests []api.CoveringTest, total int, stale, measured bool, ageS float64) string {
	words, ago := granularityWords(g), prose.Duration(time.Duration(ageS*float64(time.Second)))+" ago"
	switch mixed := isMixed(tests, g); {
	case words == "":
		return ""
	case g == api.GranularityUnknown && total > 0:
		words, ago = "of some of it nothing is known", "the rest was measured "+ago
	case mixed && g == api.GranularityImport:
		words, ago = "some rows are suites, "+words, "the rest was measured "+ago
	case mixed:
		words = "some rows are suites, " + words
	case g == api.GranularityImport:
		words, measured = "", false // each row says it
	}
	if measured {
		words += ", " + ago
	}
	if stale {
		words += "; STALE: sources changed since, so that other tests may execute it now"
	}
	return strings.TrimPrefix(words, "; ")
}

// isMixed reports whether some tests are known more precisely.
func isMixed(tests []api.CoveringTest, g api.Granularity) bool {
	return slices.ContainsFunc(tests, func(t api.CoveringTest) bool { return t.Granularity != g })
}

// granularityWords explains a granularity, in a sentence without a full stop.
func granularityWords(g api.Granularity) string {
	switch g {
	case api.GranularityTest:
		return "measured test by test"
	case api.GranularitySuite:
		return "measured only as a whole"
	case api.GranularityImport:
		return "not measured: built from it"
	case api.GranularityUnknown:
		return "this says nothing about any test"
	}
	return ""
}

// writeCoveringTests writes a table: how precisely it is known, which lines, which
// test.
func writeCoveringTests(b *strings.Builder, tests []api.CoveringTest, total int, style Style, p painter) {
	if len(tests) == 0 && total == 0 {
		return
	}
	b.WriteByte('\n')
	lines, left := 0, total-len(tests)
	for _, t := range tests {
		lines = max(lines, utf8.RuneCountInString(ranges(t.Lines, style)))
	}
	for len(tests) > 0 {
		var alike []api.CoveringTest
		alike, tests = ofOneReason(tests)
		row, why := coveringRow(alike[0], lines, style), style.InWords(prose.Line(alike[0].Why))
		switch {
		case len(alike) > 1:
			b.WriteString(row + p.paint(dim, why+":") + "\n")
			row = strings.Repeat(" ", len(indent)+18)
		case why != "":
			why = p.paint(dim, ": "+why)
		}
		for _, t := range alike {
			b.WriteString(row + coveringName(t, style, p))
			if len(alike) == 1 {
				b.WriteString(why)
			}
			b.WriteByte('\n')
		}
	}
	if left > 0 {
		fmt.Fprintf(b, "%sand %d more; %s\n", indent, left, style.more("a larger --limit shows them"))
	}
}

// ofOneReason splits off the first tests with the same lines, information and reason, so
// that the reason is printed once.
func ofOneReason(tests []api.CoveringTest) (alike, rest []api.CoveringTest) {
	first, n := tests[0], 1
	for first.Why != "" && n < len(tests) && tests[n].Why == first.Why && tests[n].Granularity == first.Granularity && tests[n].Stale == first.Stale && slices.Equal(tests[n].Lines, first.Lines) {
		n++
	}
	return tests[:n], tests[n:]
}

// coveringRow starts a row: how precisely it is known, and the lines, in a column as wide as
// the widest.
func coveringRow(t api.CoveringTest, lines int, style Style) string {
	how := string(t.Granularity)
	if t.Stale {
		how += ", stale"
	}
	row := fmt.Sprintf("%s%-14s  ", indent, prose.Line(how))
	if lines > 0 {
		row += fmt.Sprintf("%-*s  ", lines, ranges(t.Lines, style))
	}
	return row
}

func coveringName(t api.CoveringTest, style Style, p painter) string {
	text := style.name(t.Suite, t.Test)
	if t.Test == "" && t.Suite != "" {
		text += p.paint(dim, " (any of its tests)")
	}
	return text
}

// ranges formats ranges of lines on one line.
func ranges(lines []string, style Style) string {
	most := maxCoveredRanges
	if style.Verbose {
		most = len(lines)
	}
	return prose.Listed(lines, len(lines), most, prose.Line)
}

// writeUntested writes which lines no test executes, which have no code, and which are
// new.
func writeUntested(b *strings.Builder, c api.Covering, before string, style Style, p painter) {
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

// writeCoveringEnd writes additional information, and what to do next.
func writeCoveringEnd(b *strings.Builder, warnings []api.Note, advice api.Advice, style Style) {
	writeNotes(b, warnings, style)
	if more := style.advice(advice); more != "" {
		b.WriteString(style.InWords(prose.Line(more)) + "\n")
	}
}
