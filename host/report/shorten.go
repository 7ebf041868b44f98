package report

import (
	"fmt"
	"strings"
)

// Shorten keeps at most so many lines of a long text. Of one that holds a
// difference these are the lines that differ, with those beside them; else the
// first and the last ones.
func Shorten(text string, most int) string {
	lines := strings.Split(text, "\n")
	if len(lines) <= most {
		return text
	}
	if short, ok := changes(lines, most); ok {
		return short
	}
	head, tail := most*2/3, most-most*2/3-1
	return strings.Join(append(append(lines[:head:head], moreLines(len(lines)-head-tail)), lines[len(lines)-tail:]...), "\n")
}

func moreLines(n int) string { return fmt.Sprintf("[%d lines more]", n) }

// changes are the first line and those lines of a difference that differ, as far as
// they fit. ok is false where the text holds none, or hardly anything else.
func changes(lines []string, most int) (short string, ok bool) {
	differ := 0
	for _, l := range lines {
		if differs(l) {
			differ++
		}
	}
	if differ < 2 || differ > len(lines)/2 {
		return "", false
	}
	var kept []string
	skipped := 0
	for i, l := range lines {
		near := i == 0 || differs(l) || i > 0 && differs(lines[i-1]) || i+1 < len(lines) && differs(lines[i+1])
		// The last line says what else there is.
		if !near || len(kept) >= most-2 {
			skipped++
			continue
		}
		if skipped > 0 {
			kept = append(kept, moreLines(skipped))
			skipped = 0
		}
		kept = append(kept, l)
	}
	if skipped > 0 {
		kept = append(kept, moreLines(skipped))
	}
	return strings.Join(kept, "\n"), true
}

// differs tells whether a line is marked as one side of a difference, as diff(1)
// and the assertion libraries mark it.
func differs(line string) bool {
	line = strings.TrimLeft(line, " \t\u00a0")
	return len(line) > 1 && (line[0] == '-' || line[0] == '+') && (line[1] == ' ' || line[1] == '\t' || strings.HasPrefix(line[1:], "\u00a0"))
}
