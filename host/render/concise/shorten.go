package concise

import (
	"fmt"
	"strings"
)

// Lines is how many lines of a message or a diff are shown.
const Lines = 12

// maxWidth is how much of a line of detail is shown: arguments of a call can have many
// thousand characters.
const maxWidth = 240

// Narrow cuts long lines in their middle: the cause of an error, and what a long value was
// compared with, stand at the end. Two sides of a diff are compared from the start.
func Narrow(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		runes := []rune(line)
		left := len(runes) - maxWidth
		if left <= 0 {
			continue
		}
		tail := maxWidth / 3
		if isDiffLine(line) {
			tail = 0
		}
		lines[i] = fmt.Sprintf("%s… [%d characters more]", string(runes[:maxWidth-tail]), left)
		if tail > 0 {
			lines[i] += " …" + string(runes[len(runes)-tail:])
		}
	}
	return strings.Join(lines, "\n")
}

// Shorten keeps at most this many lines of a long text: the differing lines of a diff
// with their neighbors, else the first and the last ones. way says how to see the
// others, and may be empty.
func Shorten(text string, most int, way string) string {
	lines := strings.Split(text, "\n")
	if len(lines) <= most {
		return text
	}
	kept, ok := keepDiffLines(lines, most)
	if !ok {
		head, tail := most*2/3, most-most*2/3-1
		kept = append(append(lines[:head:head], moreLines(len(lines)-head-tail)), lines[len(lines)-tail:]...)
	}
	for i := len(kept) - 1; i >= 0 && way != ""; i-- {
		if left, found := strings.CutSuffix(kept[i], moreMark); found && strings.HasPrefix(left, "[") {
			kept[i] = left + strings.TrimSuffix(moreMark, "]") + ": " + way + "]"
			break
		}
	}
	return strings.Join(kept, "\n")
}

// moreMark ends the line that replaces omitted ones.
const moreMark = " lines more]"

func moreLines(n int) string { return fmt.Sprintf("[%d%s", n, moreMark) }

// keepDiffLines returns the first line and the differing lines of a diff, as far as they fit.
// ok is false if the text has none, or hardly anything else.
func keepDiffLines(lines []string, most int) (kept []string, ok bool) {
	differ := 0
	for _, l := range lines {
		if isDiffLine(l) {
			differ++
		}
	}
	if differ < 2 || differ > len(lines)/2 {
		return nil, false
	}
	skipped := 0
	mark := func(at int) {
		switch skipped {
		case 0:
		case 1:
			kept = append(kept, lines[at-1]) // it is as short as what would count it
		default:
			kept = append(kept, moreLines(skipped))
		}
		skipped = 0
	}
	for i, l := range lines {
		near := i == 0 || isDiffLine(l) || i > 0 && isDiffLine(lines[i-1]) || i+1 < len(lines) && isDiffLine(lines[i+1])
		// The last line says what else there is.
		if !near || len(kept) >= most-2 {
			skipped++
			continue
		}
		mark(i)
		kept = append(kept, l)
	}
	mark(len(lines))
	return kept, true
}

// isDiffLine reports whether a line is marked as one side of a diff, like those of diff(1)
// and the assertion libraries.
func isDiffLine(line string) bool {
	line = strings.TrimLeft(line, " \t\u00a0")
	return len(line) > 1 && (line[0] == '-' || line[0] == '+') && (line[1] == ' ' || line[1] == '\t' || strings.HasPrefix(line[1:], "\u00a0"))
}
