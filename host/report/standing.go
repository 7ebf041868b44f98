package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/record"
)

// Standing says on one line what the history knows of a failed test; empty is
// nothing.
func Standing(s *record.Standing) string {
	if s == nil || s.Classification == "" {
		return ""
	}
	parts := []string{string(s.Classification)}
	switch s.Classification {
	case record.Gap:
		parts[0] += ": never seen before"
	case record.Regression:
		parts[0] += ": was passing"
	}
	if s.Resolution == record.StatusDeferred {
		parts = append(parts, "set aside")
	}
	if s.FailedSessions > 1 {
		text := fmt.Sprintf("failed in %d sessions", s.FailedSessions)
		if s.Recurring {
			text = fmt.Sprintf("recurring: failed in %d sessions", s.FailedSessions)
		}
		parts = append(parts, text)
	}
	if s.LastPassed != nil {
		parts = append(parts, fmt.Sprintf("last passed %s ago in run %s", seconds(s.LastPassed.AgeS), Line(s.LastPassed.RunID)))
	} else if s.Classification != record.Gap {
		parts = append(parts, "no pass is on record")
	}
	if same := s.SameFailure; same != nil {
		text := fmt.Sprintf("same failure, %s run", ordinal(same.Run))
		if same.AtLeast {
			text = fmt.Sprintf("same failure, at least the %s run", ordinal(same.Run))
		}
		if same.Edits >= 0 {
			text += ", " + plural(same.Edits, "edit")
		}
		parts = append(parts, text)
	}
	if s.Flaky != nil {
		text := fmt.Sprintf("flaky: passed in run %s and failed in run %s on the same sources", Line(s.Flaky.PassedRun), Line(s.Flaky.FailedRun))
		if len(s.Flaky.Seeds) > 0 {
			text += ", with seeds " + Line(strings.Join(s.Flaky.Seeds, " and "))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// Stale says what changed in the sources since a result; empty is nothing, or not
// known.
func Stale(s *record.Stale) string {
	if s == nil || s.Changed == 0 {
		return ""
	}
	files := s.Files[:min(len(s.Files), maxStaleNames)]
	text := fmt.Sprintf("(%s changed since: %s", plural(s.Changed, "file"), Line(strings.Join(files, ", ")))
	if left := s.Changed - len(files); left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	if len(s.Suites) > 0 {
		suites := s.Suites[:min(len(s.Suites), maxStaleNames)]
		text += "; in or beside tests of " + Line(strings.Join(suites, ", "))
		if left := len(s.Suites) - len(suites); left > 0 {
			text += fmt.Sprintf(" and %d more", left)
		}
	}
	return text + ")"
}

// maxStaleNames is how many names say what is stale: one line.
const maxStaleNames = 5

// integrityLines say what no longer verifies anything.
func integrityLines(i *record.Integrity) []string {
	if i == nil {
		return nil
	}
	var lines []string
	for _, part := range []struct {
		what  string
		total int
		tests []record.Test
	}{
		{"vanished", i.VanishedTotal, i.Vanished}, {"newly skipped", i.NewlySkippedTotal, i.NewlySkipped},
	} {
		if part.total == 0 {
			continue
		}
		var names []string
		for _, t := range part.tests[:min(len(part.tests), maxStaleNames)] {
			names = append(names, Line(name(t.Suite, t.Test)))
		}
		line := fmt.Sprintf("%s since run %s: %s", plural(part.total, "test")+" "+part.what, Line(i.Since), strings.Join(names, ", "))
		if left := part.total - len(names); left > 0 {
			line += fmt.Sprintf(" and %d more", left)
		}
		lines = append(lines, line)
	}
	return lines
}

// ordinal writes "1st", "2nd", "3rd", "4th".
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

// seconds is a duration given in seconds, as [Duration] says it.
func seconds(s float64) string { return Duration(time.Duration(s * float64(time.Second))) }
