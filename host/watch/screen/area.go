package screen

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// area is the bottom of a terminal in raw mode, whose lines are redrawn repeatedly.
type area struct {
	out   io.Writer
	size  func() (columns, rows int)
	color bool
	// drawn are the lines on the terminal, drawn when it had wide columns.
	drawn []string
	wide  int
}

// above prints a permanent line above the view.
func (a *area) above(line string) {
	columns, _ := a.size()
	io.WriteString(a.out, a.erasure(columns)+strings.Join(wrap(a.paint(line), max(columns-1, 1)), "\r\n")+"\r\n")
	a.drawn = nil
}

// replace replaces the view by other lines, in one write.
func (a *area) replace(lines []string) {
	columns, _ := a.size()
	if columns == a.wide && slices.Equal(lines, a.drawn) {
		return
	}
	io.WriteString(a.out, a.erasure(columns)+strings.Join(lines, "\r\n"))
	a.drawn, a.wide = lines, columns
}

// erasure moves the cursor to the beginning of the view and erases from there. A
// terminal that became narrower has wrapped the lines.
func (a *area) erasure(columns int) string {
	up := -1
	for _, line := range a.drawn {
		up += max(1, (cells(line)+columns-1)/max(columns, 1))
	}
	if up <= 0 {
		return "\r\x1b[J"
	}
	// Cursor up, then erase to the end of the screen: ECMA-48 CUU and ED.
	return fmt.Sprintf("\r\x1b[%dA\x1b[J", up)
}

// paint colours the marks of lines.
func (a *area) paint(text string) string {
	if !a.color {
		return text
	}
	return strings.NewReplacer("✓", "\x1b[32m✓"+resetColor, "✗", "\x1b[31m✗"+resetColor).Replace(text)
}

func (a *area) dim(text string) string {
	if !a.color {
		return text
	}
	return "\x1b[2m" + text + resetColor
}
