package render

import (
	"fmt"
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
	if line := granularityText(d.Granularity, d.Total, d.Stale, false, 0); line != "" && d.FilesTotal > 0 {
		b.WriteString(line + "\n")
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
		fmt.Fprintf(&b, "and %d more files; %s\n", left, style.more("--json has them"))
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
	how := map[api.Granularity]string{
		api.GranularityTest: "known test by test", api.GranularitySuite: "known only by suite", api.GranularityImport: "known only by import",
	}[c.Granularity]
	if c.Stale {
		how = strings.TrimPrefix(how+", stale", ", ")
	}
	if how != "" {
		how = " " + p.paint(dim, "("+style.InWords(how)+")")
	}
	// A list that is empty because nothing is known does not mean no tests.
	count := api.Plural(c.Total, "test or suite")
	switch {
	case c.Total == 1:
	case c.Total > 1:
		count = fmt.Sprintf("%d tests or suites", c.Total)
	case c.Granularity == api.GranularityUnknown:
		count = "unknown"
	default:
		count = "no test"
	}
	fmt.Fprintf(b, "%s  %s%s\n", at, style.InWords(count), how)
	writeUntested(b, c, indent, style, p)
}
