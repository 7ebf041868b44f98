package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

const (
	// maxDiffLines is how much of a difference is shown, contextLines how much of what is
	// equal around it.
	maxDiffLines = 20
	contextLines = 3
	// maxCompared bounds the lines whose order is compared: the time grows with the square.
	maxCompared = 1000
)

// compareValues returns the message of a failure without the compared values, and the
// painted lines of their difference.
func (e *ending) compareValues(f api.Failure) (message string, lines []string) {
	d := f.Diff
	got, want := unquoteLines(d.Got), unquoteLines(d.Want)
	apart := false // whether the lines show what differs in longer values
	several := strings.Contains(got, "\n") || strings.Contains(want, "\n")
	switch {
	case d.IsZero():
		return f.Message, nil
	case d.Text != "" && (several || !api.IsObvious(d)):
		lines, apart = strings.Split(strings.Trim(prose.Plain(d.Text), "\n"), "\n"), true
	case several && d.Got != "" && d.Want != "":
		lines, apart = unifiedDiff(prose.Plain(want), prose.Plain(got)), true
	default:
		f = Told(f)
		if text := comparison(f); text != "" {
			lines = []string{"- want: " + narrow(prose.Line(d.Want)), "+ got:  " + narrow(prose.Line(d.Got))}
			if d.Got == "" || d.Want == "" {
				lines = strings.Split(prose.Plain(text), "\n")
			}
		}
	}
	message = withoutValues(f.Message, f.Diff, apart)
	if cut := len(lines) - maxDiffLines; cut > 0 && !e.style.Verbose {
		lines = append(lines[:maxDiffLines:maxDiffLines], e.style.Symbols("… ")+api.Plural(cut, "more line")+": "+e.whole(f))
	}
	for i, line := range lines {
		lines[i] = e.paint(diffColor(line), narrow(line))
	}
	return message, lines
}

// diffColor returns the color of a line of a diff: what was wanted is red, what the test
// got is green.
func diffColor(line string) string {
	switch {
	case strings.HasPrefix(line, "-"):
		return red
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "…"), strings.HasPrefix(line, "..."):
		return dim
	}
	return ""
}

// unquoteLines returns the lines of a value that was printed as a quoted string.
func unquoteLines(value string) string {
	if text, err := strconv.Unquote(strings.TrimSpace(value)); err == nil && strings.Contains(text, "\n") {
		return text
	}
	return value
}

// unifiedDiff compares two texts by lines: "-" is the first one's, "+" the second one's.
func unifiedDiff(want, got string) []string {
	all := editLines(strings.Split(strings.TrimSuffix(want, "\n"), "\n"), strings.Split(strings.TrimSuffix(got, "\n"), "\n"))
	if want != got && strings.TrimSuffix(want, "\n") == strings.TrimSuffix(got, "\n") {
		return append(all[max(len(all)-contextLines, 0):], "  (only one of them ends with a new line)")
	}
	var lines []string
	skipped := 0
	for i, line := range all {
		near := false
		for _, other := range all[max(i-contextLines, 0):min(i+contextLines+1, len(all))] {
			near = near || other[0] != ' '
		}
		if !near {
			skipped++
			continue
		}
		if skipped > 0 {
			lines = append(lines, fmt.Sprintf("@@ %s the same @@", api.Plural(skipped, "line")))
			skipped = 0
		}
		lines = append(lines, line)
	}
	if skipped > 0 {
		lines = append(lines, fmt.Sprintf("@@ %s the same @@", api.Plural(skipped, "line")))
	}
	return lines
}

// editLines returns the lines of two texts in one order, each marked as common or as of
// one of them. It follows the longest common subsequence.
func editLines(a, b []string) []string {
	var head, tail []string
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head, a, b = append(head, "  "+a[0]), a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail, a, b = append(tail, "  "+a[len(a)-1]), a[:len(a)-1], b[:len(b)-1]
	}
	lines := append(head, editMiddle(a, b)...)
	for i := len(tail) - 1; i >= 0; i-- {
		lines = append(lines, tail[i])
	}
	return lines
}

func editMiddle(a, b []string) []string {
	var lines []string
	if len(a) > maxCompared || len(b) > maxCompared {
		for _, l := range a {
			lines = append(lines, "- "+l)
		}
		for _, l := range b {
			lines = append(lines, "+ "+l)
		}
		return lines
	}
	// common[i][j] is the length for a[i:] and b[j:].
	common := make([][]int16, len(a)+1)
	for i := range common {
		common[i] = make([]int16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			lines = append(lines, "  "+a[i])
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			lines = append(lines, "- "+a[i])
			i++
		default:
			lines = append(lines, "+ "+b[j])
			j++
		}
	}
	return lines
}
