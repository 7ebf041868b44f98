package concise

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

// contextLines is how much of what is equal is shown around a difference.
const contextLines = 3

// Compare returns the message of a failure without the compared values, and the lines of
// their difference. In the message, ellipsis stands for a value that the lines show.
func Compare(f api.Failure, ellipsis string) (message string, lines []string) {
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
		f = Failure(f)
		if text := Comparison(f); text != "" {
			want, got := prose.Line(d.Want), prose.Line(d.Got)
			if slices.Equal(strings.Fields(want), strings.Fields(got)) {
				want, got = strconv.Quote(d.Want), strconv.Quote(d.Got) // else they look the same
			}
			if max(len(want), len(got)) > maxWidth {
				want, got = api.CutCommonPrefix(want, got) // which would be all that is kept
			}
			lines = []string{Narrow("- want: " + want), Narrow("+ got:  " + got)}
			if d.Got == "" || d.Want == "" {
				lines = strings.Split(prose.Plain(text), "\n")
			}
		}
	}
	message = withoutValues(f.Message, f.Diff, apart)
	if apart && isShownByLines(got, want) {
		for _, v := range [][2]string{{d.Got, got}, {d.Want, want}} {
			if v[0] != v[1] {
				message = strings.Replace(message, v[0], ellipsis, 1)
			}
		}
	}
	return message, lines
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
