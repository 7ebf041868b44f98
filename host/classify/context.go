package classify

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/proctorhq/proctor/host/record"
)

const (
	// mostNamed is how many files a part of the note names.
	mostNamed = 5
	// longestName bounds a file's name in the note, in runes.
	longestName = 160
)

// Context is the note for the start of a session about files that recur or
// regressed. Regressions keep the order of spots; those that recur are in the
// order of their failed sessions. What was set aside is left out, and what
// regressed but passes again is no regression. The names in its text are such that
// they mean none of other files.
func Context(spots []record.Spot, others []string) record.Context {
	c := noted(spots)
	everything := slices.Clone(others)
	for _, s := range slices.Concat(c.Recurring, c.Regressions) {
		everything = append(everything, s.File)
	}
	var parts []string
	if len(c.Recurring) > 0 {
		parts = append(parts, "Recurring failures across sessions: "+list(c.Recurring, everything, "")+".")
	}
	if len(c.Regressions) > 0 {
		parts = append(parts, "Recent regressions: "+list(c.Regressions, everything, " (was passing, now failing)")+".")
	}
	c.Text = strings.Join(parts, " ")
	c.Recurring = c.Recurring[:min(len(c.Recurring), record.MaxSpots)]
	c.Regressions = c.Regressions[:min(len(c.Regressions), record.MaxSpots)]
	return c
}

// Named are the files that the note names, however it does.
func Named(spots []record.Spot) []string {
	var files []string
	c := noted(spots)
	for _, part := range [][]record.Spot{c.Recurring, c.Regressions} {
		for _, s := range part[:min(len(part), mostNamed)] {
			files = append(files, s.File)
		}
	}
	return files
}

// noted are the spots that the note is about, all of them and without its text.
func noted(spots []record.Spot) record.Context {
	c := record.Context{Schema: record.ContextSchema, Recurring: []record.Spot{}, Regressions: []record.Spot{}}
	for _, s := range spots {
		if s.Resolution == record.StatusDeferred {
			continue
		}
		if s.Recurring {
			c.Recurring = append(c.Recurring, s)
		}
		if s.Classification == record.Regression {
			c.Regressions = append(c.Regressions, s)
		}
	}
	slices.SortStableFunc(c.Recurring, func(a, b record.Spot) int { return cmp.Compare(b.FailedSessions, a.FailedSessions) })
	c.RecurringTotal, c.RegressionsTotal = len(c.Recurring), len(c.Regressions)
	return c
}

// list names the first spots and counts the rest.
func list(spots []record.Spot, everything []string, remark string) string {
	var names []string
	for _, s := range spots[:min(len(spots), mostNamed)] {
		names = append(names, plainName(tail(s.File, everything))+remark)
	}
	text := strings.Join(names, ", ")
	if more := len(spots) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// tail is the shortest end of a path that no other file has.
func tail(file string, among []string) string {
	for i := len(file) - 1; i >= 0; i-- {
		if file[i] == '/' && alone(file, file[i:], among) {
			return file[i+1:]
		}
	}
	return file
}

// alone: no other file ends in the tail, which begins with a slash.
func alone(file, tail string, among []string) bool {
	return !slices.ContainsFunc(among, func(other string) bool {
		return other != file && strings.HasSuffix("/"+other, tail)
	})
}

// plainName quotes a name that could be taken for more than a name: the note is
// read by programs that follow what they read.
func plainName(name string) string {
	if runes := []rune(name); len(runes) > longestName {
		name = "…" + string(runes[len(runes)-longestName+1:])
	}
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-/+@…", r)
	}
	if strings.ContainsFunc(name, odd) {
		return strconv.Quote(name)
	}
	return name
}
