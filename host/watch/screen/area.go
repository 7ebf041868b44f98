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
	io.WriteString(a.out, a.back(columns)+eraseLine+strings.Join(wrap(a.paint(line), max(columns-1, 1)), "\r\n"+eraseLine)+"\r\n"+eraseBelow)
	a.drawn = nil
}

// replace replaces the view by other lines, in one write.
func (a *area) replace(lines []string) {
	columns, _ := a.size()
	if columns == a.wide && slices.Equal(lines, a.drawn) {
		return
	}
	io.WriteString(a.out, a.back(columns)+eraseLine+strings.Join(lines, "\r\n"+eraseLine)+eraseBelow)
	a.drawn, a.wide = lines, columns
}

// What is replaced is erased line by line, in place of erasing all of it first: that would
// flicker, and tmux keeps a screen that is erased from its first cell on among what can be
// scrolled back to. A line is erased from its beginning: tmux takes one whose end is erased
// to be as long as before, and wraps it in a narrower terminal. ECMA-48 EL and ED.
const (
	eraseLine  = "\x1b[K"
	eraseBelow = "\x1b[J"
)

// back moves the cursor to the beginning of the view. A terminal that became narrower has
// wrapped the lines.
func (a *area) back(columns int) string {
	up := -1
	for _, line := range a.drawn {
		up += max(1, (cells(line)+columns-1)/max(columns, 1))
	}
	if up <= 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", up) // cursor up: ECMA-48 CUU
}

// paint colors the marks of lines.
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
