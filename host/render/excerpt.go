package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
)

// tab is how wide a tab is shown.
const tab = "    "

// excerptOf returns the source around a failure's place; nil if it is not known.
func (s Style) excerptOf(f api.Failure) *api.Excerpt {
	i := slices.IndexFunc(s.Excerpts, func(x api.Excerpt) bool { return x.File == f.File && x.Line == f.Line })
	if i < 0 {
		return nil
	}
	return &s.Excerpts[i]
}

// writeSource writes lines of source with their numbers, the one that failed marked.
func writeSource(b *strings.Builder, x api.Excerpt) {
	x.Lines = TrimSource(x.Lines)
	for i, text := range x.Lines {
		n, mark := x.FirstLine()+i, " "
		if n == x.Line && !x.Declared {
			mark = ">"
		}
		writeIndented(b, fmt.Sprintf("%s %d | %s", mark, n, strings.ReplaceAll(prose.Plain(text), "\n", " ")))
	}
}

// TrimSource returns lines of source without the white space that all of them begin with,
// and without leading blank lines. What is left is as in the file: somebody may search
// for it there.
func TrimSource(lines []string) []string {
	for len(lines) > 1 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	common, known := "", false
	for _, l := range lines {
		switch {
		case strings.TrimSpace(l) == "":
			continue
		case !known:
			common, known = l[:len(l)-len(strings.TrimLeft(l, " \t"))], true
		}
		for !strings.HasPrefix(l, common) {
			common = common[:len(common)-1]
		}
	}
	trimmed := make([]string, len(lines))
	for i, l := range lines {
		trimmed[i] = strings.TrimPrefix(l, common)
	}
	return trimmed
}

// knownPass returns the run in which a test last passed if the reader has it: the changes are
// since then, or an earlier failure names it.
func (s Style) knownPass(f api.Failure) string {
	if f.Standing == nil || f.LastPassed == nil {
		return ""
	}
	run := f.LastPassed.RunID
	if s.passes[run] || s.Changed != nil && s.Changed.SinceRunID == run {
		return run
	}
	if s.passes != nil {
		s.passes[run] = true
	}
	return ""
}

// writeChanged writes the lines that changed since failing tests passed.
func writeChanged(b *strings.Builder, c *api.ChangedLines) {
	if c == nil {
		return
	}
	since := "not committed:"
	if c.SinceRunID != "" {
		since = "changed since run " + c.SinceRunID + ", which passed there:"
	}
	b.WriteString(since + "\n")
	writeHunks(b, *c, Style{})
	b.WriteByte('\n')
}

// writeCode writes the functions that failing tests reach.
func writeCode(b *strings.Builder, code []api.Code) {
	if len(code) == 0 {
		return
	}
	b.WriteString("reached by the failing tests, likeliest first:\n")
	hunks := make([]api.Hunk, len(code))
	for i, c := range code {
		hunks[i] = api.Hunk(c)
	}
	writeHunks(b, api.ChangedLines{Hunks: hunks, Total: len(hunks)}, Style{})
	b.WriteByte('\n')
}

// writeHunks writes changed lines, and what is left off.
func writeHunks(b *strings.Builder, c api.ChangedLines, style Style) {
	p := painter{style.Color}
	for _, hunk := range c.Hunks {
		writeIndented(b, concise.Place(prose.Line(hunk.File), hunk.Line))
		for _, l := range hunk.Lines {
			l = strings.TrimRight(strings.ReplaceAll(prose.Plain(l), "\n", " "), " ")
			if style.Columns > 0 {
				l = style.Cut(strings.ReplaceAll(l, "\t", tab), style.Columns-len(indent))
			}
			b.WriteString(indent + p.paint(diffColor(l), l) + "\n")
		}
		if hunk.More > 0 {
			writeIndented(b, fmt.Sprintf("(%d more lines)", hunk.More))
		}
	}
	var more []string
	if n := c.Total - len(c.Hunks); n > 0 {
		more = append(more, api.Plural(n, "more place"))
	}
	if c.FilesTotal > 0 {
		more = append(more, prose.Listed(c.Files, c.FilesTotal, len(c.Files), prose.Line))
	}
	if len(more) > 0 {
		writeIndented(b, "also changed: "+strings.Join(more, "; "))
	}
}

// writeExcerpt writes lines of source with their numbers, the one that failed marked.
func (e *ending) writeExcerpt(x api.Excerpt) {
	x.Lines = layOut(x.Lines)
	digits := len(fmt.Sprint(x.FirstLine() + len(x.Lines) - 1))
	for i, l := range x.Lines {
		n := x.FirstLine() + i
		if n == x.Line && !x.Declared {
			e.writeIndented(e.cutTo(fmt.Sprintf("%s %*d %s %s", e.style.Symbols("▸"), digits, n, e.style.Symbols("│"), l)))
		} else {
			e.writeIndented(e.paint(dim, e.cutTo(fmt.Sprintf("  %*d %s %s", digits, n, e.style.Symbols("│"), l))))
		}
	}
}

// layOut returns lines of source as they are shown: see [TrimSource].
func layOut(lines []string) []string {
	lines = TrimSource(lines)
	for i, l := range lines {
		lines[i] = strings.TrimRight(strings.ReplaceAll(strings.ReplaceAll(prose.Plain(l), "\n", " "), "\t", tab), " ")
	}
	return lines
}

func (e *ending) cutTo(line string) string { return e.style.Cut(line, max(e.style.Columns-2, 0)) }
