package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/linediff"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxDiffLines is how much of a difference is shown, contextLines how much of what is
	// equal around it.
	maxDiffLines = 20
	contextLines = 3
)

// compareValues returns the message of a failure without the compared values, and the
// painted lines of their difference.
func (e *ending) compareValues(f api.Failure) (message string, lines []string) {
	d := f.Diff
	got, want := unquoteLines(d)
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
	if apart && isShownByLines(got, want) {
		for _, v := range [][2]string{{d.Got, got}, {d.Want, want}} {
			if v[0] != v[1] {
				message = strings.Replace(message, v[0], e.style.Symbols("…"), 1)
			}
		}
	}
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

// isShownByLines reports whether the lines of two texts show how they differ: not by
// what [prose.Plain] leaves out, nor by white space alone.
func isShownByLines(got, want string) bool {
	return prose.Plain(got) == got && prose.Plain(want) == want && !slices.Equal(strings.Fields(got), strings.Fields(want))
}

// unquoteLines returns the compared values, if they were printed as quoted strings of which
// one has several lines, as these lines.
func unquoteLines(d sdk.Diff) (got, want string) {
	got, ungot := strconv.Unquote(strings.TrimSpace(d.Got))
	want, unwanted := strconv.Unquote(strings.TrimSpace(d.Want))
	several := ungot == nil && strings.Contains(got, "\n") || unwanted == nil && strings.Contains(want, "\n")
	if ungot != nil || !several {
		got = d.Got
	}
	if unwanted != nil || !several {
		want = d.Want
	}
	return got, want
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
// one of them.
func editLines(a, b []string) []string {
	var edited []string
	removed, added := 0, 0 // how many lines of each are told
	for i, line := range append(linediff.Map(a, b), len(a)+1) {
		if line == 0 {
			continue
		}
		for _, l := range a[removed : line-1] {
			edited = append(edited, "- "+l)
		}
		for _, l := range b[added:i] {
			edited = append(edited, "+ "+l)
		}
		if i < len(b) {
			edited = append(edited, "  "+b[i])
		}
		removed, added = line, i+1
	}
	return edited
}
