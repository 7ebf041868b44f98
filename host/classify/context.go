package classify

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

const (
	// mostNamed is how many files each part of the note names.
	mostNamed = 5
	// longestName bounds a file's name in the note, in runes.
	longestName = 160
)

// Context writes the note for the start of a session about files that are recurring or
// regressed. Regressions keep the order of spots; recurring files are sorted by failed
// sessions. Deferred files are omitted, and so are regressions that pass again. File
// names in the text are unambiguous among spots and others.
func Context(spots []api.Spot, others []string) api.Context {
	c := newContext(spots)
	everything := slices.Clone(others)
	for _, s := range slices.Concat(c.Recurring, c.Regressions, c.Flaky) {
		everything = append(everything, s.File)
	}
	var parts []string
	if len(c.Recurring) > 0 {
		parts = append(parts, "Recurring failures across sessions: "+listSpots(c.Recurring, everything, sameRemark(""))+".")
	}
	if len(c.Regressions) > 0 {
		parts = append(parts, "Recent regressions: "+listSpots(c.Regressions, everything, sameRemark(" (was passing, now failing)"))+".")
	}
	if len(c.Flaky) > 0 {
		parts = append(parts, "Flaky: "+listSpots(c.Flaky, everything, flakyTests)+".")
	}
	c.Text = strings.Join(parts, " ")
	c.Flaky = c.Flaky[:min(len(c.Flaky), api.MaxSpots)]
	c.Recurring = c.Recurring[:min(len(c.Recurring), api.MaxSpots)]
	c.Regressions = c.Regressions[:min(len(c.Regressions), api.MaxSpots)]
	return c
}

// AddDetails adds to a note since when the tests of its files have failed, what changed
// before that, and what is outstanding.
func AddDetails(c *api.Context) {
	var failing []string
	told := map[string]bool{}
	for _, s := range slices.Concat(c.Recurring, c.Regressions, c.Flaky) {
		if t := s.Failing; t != nil && !told[s.File] && len(failing) < mostNamed {
			told[s.File] = true
			failing = append(failing, failingText(s, *t))
		}
	}
	var parts []string
	if c.Text != "" {
		parts = append(parts, c.Text)
	}
	if len(failing) > 0 {
		parts = append(parts, "Failing: "+strings.Join(failing, "; ")+".")
	}
	if c.Outstanding > 0 {
		var names []string
		for _, t := range c.OutstandingTests[:min(len(c.OutstandingTests), mostNamed)] {
			name := plainName(cmp.Or(t.Test, t.Suite, "a whole run"))
			if t.Missing {
				name += ", not in its file any more"
			}
			names = append(names, name)
		}
		text := "Outstanding: " + c.OutstandingCounts.String()
		if len(names) > 0 {
			text += " (" + strings.Join(names, "; ")
			if more := c.Outstanding - len(names); more > 0 {
				text += fmt.Sprintf(" and %d more", more)
			}
			text += ")"
		}
		parts = append(parts, text+".")
	}
	c.Text = strings.Join(parts, " ")
}

// failingText says since when a test has failed and what had changed.
func failingText(s api.Spot, t api.SpotTest) string {
	text := plainName(t.Test)
	base := plainName(path.Base(s.File))
	if t.Missing {
		return text + " is not in " + base + " any more"
	}
	text += " of " + base + " since run " + plainName(t.SinceRunID) + " of " + t.SinceAt.UTC().Format("2006-01-02 15:04 UTC")
	switch c := t.Changed; {
	case c == nil:
		text += ", it never passed"
	case c.Known && c.Total == 0:
		text += ", nothing had changed"
	case c.Known:
		text += ", " + prose.Listed(c.Files, c.Total, mostChanged, func(f api.FileChange) string { return plainName(f.File) }) + " had changed"
	}
	return text
}

// mostChanged is how many changed files a note names per test.
const mostChanged = 3

// Named returns the files that the note names in any way.
func Named(spots []api.Spot) []string {
	var files []string
	c := newContext(spots)
	for _, part := range [][]api.Spot{c.Recurring, c.Regressions, c.Flaky} {
		for _, s := range part[:min(len(part), mostNamed)] {
			files = append(files, s.File)
		}
	}
	return files
}

// newContext returns the spots that the note covers, without its text.
func newContext(spots []api.Spot) api.Context {
	c := api.Context{Schema: api.ContextSchema, Recurring: []api.Spot{}, Regressions: []api.Spot{}, Flaky: []api.Spot{}}
	for _, s := range spots {
		if s.Resolution == api.StatusDeferred {
			continue
		}
		if s.Recurring {
			c.Recurring = append(c.Recurring, s)
		}
		if s.Regressed {
			c.Regressions = append(c.Regressions, s)
		}
		if len(s.Flaky) > 0 {
			c.Flaky = append(c.Flaky, s)
		}
	}
	slices.SortStableFunc(c.Recurring, func(a, b api.Spot) int { return cmp.Compare(b.FailedSessions, a.FailedSessions) })
	c.RecurringTotal, c.RegressionsTotal, c.FlakyTotal = len(c.Recurring), len(c.Regressions), len(c.Flaky)
	return c
}

func sameRemark(text string) func(api.Spot) string { return func(api.Spot) string { return text } }

// flakyTests names the flaky tests of a file.
func flakyTests(s api.Spot) string {
	var names []string
	for _, t := range s.Flaky {
		names = append(names, plainName(cmp.Or(t.Test, t.Suite)))
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// listSpots names the first spots and counts the rest.
func listSpots(spots []api.Spot, everything []string, remark func(api.Spot) string) string {
	return prose.Listed(spots, len(spots), mostNamed, func(s api.Spot) string { return plainName(shortestName(s.File, everything)) + remark(s) })
}

// shortestName returns the shortest end of a path that no other file shares.
func shortestName(file string, among []string) string {
	for i := len(file) - 1; i >= 0; i-- {
		if file[i] == '/' && isAlone(file, file[i:], among) {
			return file[i+1:]
		}
	}
	return file
}

// isAlone reports whether no other file ends in tail, which begins with a slash.
func isAlone(file, tail string, among []string) bool {
	return !slices.ContainsFunc(among, func(other string) bool {
		return other != file && strings.HasSuffix("/"+other, tail)
	})
}

// plainName quotes a name that could be taken for more than a name: agents act on what
// the note says.
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
