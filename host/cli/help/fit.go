package help

import (
	"strings"

	"github.com/proctorhq/proctor/host/render"
)

// leastColumn is the narrowest column in which an explanation beside its word is readable:
// in a narrower one a terminal may break it.
const leastColumn = 20

// width returns the column at which the texts of flags are wrapped.
func (h Help) width() int {
	if h.Columns > 0 {
		return min(widest, h.Columns)
	}
	return widest
}

// fit breaks a text between words where a terminal would break it within one: paragraphs
// anew, and what stands in a second column within that column.
func (h Help) fit(text string) string {
	if h.Columns == 0 {
		return text
	}
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if h.fits(p) {
			continue
		}
		var lines []string
		for line := range strings.SplitSeq(p, "\n") {
			if n := len(lines); n > 0 && isProse(line) && isProse(lines[n-1]) {
				lines[n-1] += " " + line
			} else {
				lines = append(lines, line)
			}
		}
		for j, line := range lines {
			lines[j] = h.fold(line)
		}
		paragraphs[i] = strings.Join(lines, "\n")
	}
	return strings.Join(paragraphs, "\n\n")
}

func (h Help) fits(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if render.Cells(line) > h.Columns {
			return false
		}
	}
	return true
}

// isProse reports whether a line may be joined with its neighbors.
func isProse(line string) bool { return line != "" && line[0] != ' ' }

// fold breaks a line that is too wide. What follows stands below its beginning, or below
// that of its second column.
func (h Help) fold(line string) string {
	if h.fits(line) {
		return line
	}
	body := strings.TrimLeft(line, " ")
	column := len(line) - len(body)
	if at := strings.LastIndex(body, "  "); at >= 0 {
		column += at + len("  ")
	}
	if h.Columns-column < leastColumn {
		return line
	}
	folded := render.Style{Columns: h.Columns - column}.Fold(line[column:])
	return line[:column] + strings.ReplaceAll(folded, "\n  ", "\n"+strings.Repeat(" ", column))
}

// foldExamples breaks what explains an example, and leaves the command whole, which is to
// be pasted.
func (h Help) foldExamples(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if h.Columns > 0 && strings.Contains(strings.TrimLeft(line, " "), "  ") {
			lines[i] = h.fold(line)
		}
	}
	return strings.Join(lines, "\n")
}
