package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// CoveringDiff says which tests execute the changed lines: each file, and the tests of
// all of them.
func CoveringDiff(d api.CoveringDiff, style Style) string {
	var b strings.Builder
	p := painter{style.Color}
	style = style.Speaking(languagesOf(d.Tests)...)
	b.WriteString(p.paint(bold, style.InWords(prose.Line(d.Message))) + "\n")
	if line := granularityText(d.Granularity, d.Tests, d.Total, d.Stale, false, 0); line != "" && d.FilesTotal > 0 {
		b.WriteString(style.InWords(line) + "\n")
	}
	shown := d.Files
	if !style.Verbose {
		shown = shown[:min(len(shown), maxCoveredFiles)]
	}
	for i, c := range shown {
		if i == 0 {
			b.WriteByte('\n')
		}
		writeCoveredFile(&b, c, style, p)
	}
	if left := d.FilesTotal - len(shown); left > 0 {
		fmt.Fprintf(&b, "and %s; %s\n", api.Plural(left, "more file"), style.more("--json has them"))
	}
	writeCoveringTests(&b, d.Tests, d.Total, style, p)
	writeCoveringEnd(&b, d.Warnings, d.Advice, style)
	return b.String()
}

// writeCoveredFile writes what is known about one changed file.
func writeCoveredFile(b *strings.Builder, c api.Covering, style Style, p painter) {
	at := prose.Line(c.File)
	if c.Lines != "" {
		at += ":" + ranges(strings.Split(c.Lines, ","), style)
	}
	// A list that is empty because nothing is known does not mean no tests.
	count, how := api.Plural(c.Total, "test"), granularityWords(c.Granularity)
	switch {
	case c.Granularity == api.GranularityUnknown && c.Total == 0:
		count, how = "unknown", ""
	case c.Total == 0:
		count = "no test"
	case len(c.Tests) == c.Total && !slices.ContainsFunc(c.Tests, func(t api.CoveringTest) bool { return t.Test != "" }):
		count = api.Plural(c.Total, "suite")
	case c.Granularity != api.GranularityTest:
		count += " or " + strings.TrimLeft(api.Plural(c.Total, "suite"), "0123456789 ")
	}
	if isMixed(c.Tests, c.Granularity) {
		how = "some " + how
	}
	if c.Stale {
		how = strings.TrimPrefix(how+", stale", ", ")
	}
	if how != "" {
		how = " " + p.paint(dim, "("+style.InWords(how)+")")
	}
	fmt.Fprintf(b, "%s  %s%s\n", at, style.InWords(count), how)
	writeUntested(b, c, indent, style, p)
}
