package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
	"github.com/proctorhq/proctor/sdk"
)

// Standing says on one line what the history knows of a failed test; empty means
// nothing.
func Standing(s *api.Standing) string { return standingSince(s, "") }

// standingSince is [Standing] for a reader who knows of the pass in this run.
func standingSince(s *api.Standing, known string) string {
	if s == nil || s.Classification == "" {
		return ""
	}
	parts := []string{string(s.Classification)}
	switch s.Classification {
	case api.Gap:
		if s.Otherwise != nil {
			parts = nil // that says it
			break
		}
		// A pass or failures of this session may still be on record.
		switch {
		case s.Formerly != nil:
			parts[0] = formerName(*s.Formerly)
		case s.LastPassed != nil:
			parts = nil // that follows
		case s.FailedRuns > 1:
			parts[0] = failedRuns(s) + ", and no pass on record"
		default:
			parts[0] = "first failure on record"
		}
	case api.Regression:
		if known == "" || s.LastPassed == nil || s.LastPassed.RunID != known {
			parts[0] += ": was passing"
		}
	case api.Unsteady:
		if s.Flaky != nil {
			parts[0] = flakyText(*s.Flaky)
		}
	}
	if text := otherwiseText(s.Otherwise); text != "" {
		parts = append(parts, text)
	}
	if s.Resolution == api.StatusDeferred {
		parts = append(parts, "set aside")
	}
	if s.FailedSessions > 1 {
		text := fmt.Sprintf("failed in %d sessions", s.FailedSessions)
		if s.Recurring {
			text = fmt.Sprintf("recurring: failed in %d sessions", s.FailedSessions)
		}
		parts = append(parts, text)
	}
	if s.LastPassed != nil && s.LastPassed.RunID != known && (s.Otherwise == nil || s.Otherwise.RunID != s.LastPassed.RunID) {
		parts = append(parts, fmt.Sprintf("last passed %s ago in run %s", prose.Seconds(s.LastPassed.AgeS), prose.Line(s.LastPassed.RunID)))
	} else if s.LastPassed == nil && s.Classification != api.Gap {
		parts = append(parts, "no pass is on record")
	}
	for _, f := range []struct {
		likeness api.Likeness
		runs     *api.SameFailure
	}{{api.SameFailureAgain, s.SameFailure}, {api.SimilarFailure, s.SimilarFailure}} {
		if text := countAgain(f.likeness, f.runs); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "; ")
}

// formerName says what a test was called before, and how it ended then.
func formerName(f api.Formerly) string {
	ended := prose.Line(f.Ended)
	if ended == "unfinished" {
		ended = "did not finish"
	}
	return fmt.Sprintf("was %s until run %s, where it %s", brief(f.Test), prose.Line(f.RunID), ended)
}

// failedRuns says in how many runs a test has failed since its last pass.
func failedRuns(s *api.Standing) string {
	text := "failed in " + api.Plural(s.FailedRuns, "run")
	if s.FailedRunsAtLeast {
		text = "failed in at least " + api.Plural(s.FailedRuns, "run")
	}
	return text
}

// countAgain counts the times a test ended with the same failure, or with similar ones.
func countAgain(l api.Likeness, same *api.SameFailure) string {
	if same == nil {
		return ""
	}
	text := fmt.Sprintf("%s, %s run", api.LikenessSentence(l), ordinal(same.Run))
	if same.AtLeast {
		text = fmt.Sprintf("%s, at least the %s run", api.LikenessSentence(l), ordinal(same.Run))
	}
	if same.Edits == 0 {
		text += ", no file changed"
	} else if same.Edits > 0 {
		text += ", " + api.Plural(same.Edits, "file change")
	}
	return text
}

// failureStanding is [standingSince] for a failure. A run that was ended as a whole is not
// a test that was passing before.
func failureStanding(f api.Failure, known string) string {
	if f.Suite == "" && f.Test == "" && f.Kind == "timeout" {
		return ""
	}
	return standingSince(f.Standing, known)
}

// otherwiseText says that a test ended the other way in another setting.
func otherwiseText(o *api.Otherwise) string {
	if o == nil {
		return ""
	}
	ended, with := "passed", "other arguments, settings or tools"
	if o.Failed {
		ended = "failed"
	}
	if len(o.RunnerArgs) > 0 {
		with = "runner arguments " + concise.Narrow(prose.Line(strings.Join(o.RunnerArgs, " ")))
	}
	return fmt.Sprintf("%s with %s on the same sources, in run %s", ended, with, prose.Line(o.RunID))
}

// standingWords describes briefly how a test stands; empty if that is no more than the
// reader knows already.
func standingWords(s *api.Standing, known api.Classification) string {
	if s == nil {
		return ""
	}
	var words []string
	if s.Classification != "" && s.Classification != known && s.Classification != api.Gap {
		words = append(words, prose.Line(string(s.Classification)))
	}
	if s.Recurring {
		words = append(words, "recurring")
	}
	if s.Classification != api.Unsteady && s.IsFlaky() {
		words = append(words, "flaky")
	}
	if o := s.Otherwise; o != nil && o.Failed {
		words = append(words, otherwiseText(o))
	}
	return strings.Join(words, ", ")
}

// integrityLines say what no longer verifies anything.
func (s Style) integrityLines(i *api.Integrity) []string {
	if i == nil {
		return nil
	}
	var lines []string
	add := func(what string, total int, tests []sdk.TestID) {
		if total == 0 {
			return
		}
		names := prose.Listed(tests, total, api.MaxStaleNames, func(t sdk.TestID) string { return brief(s.name(t.Suite, t.Test)) })
		noun := "test"
		if slices.ContainsFunc(tests, func(t sdk.TestID) bool { return t.Test == "" }) {
			noun = "suite"
			if slices.ContainsFunc(tests, func(t sdk.TestID) bool { return t.Test != "" }) {
				noun = "name" // of tests and suites
			}
		}
		lines = append(lines, api.Plural(total, noun)+" "+what+": "+names)
	}
	add("vanished since run "+prose.Line(i.Since), i.VanishedTotal, i.Vanished)
	add("newly skipped since run "+prose.Line(i.Since), i.NewlySkippedTotal, i.NewlySkipped)
	return append(lines, s.goneLines(i)...)
}

// goneLines names the outstanding tests that no longer exist, and what was renamed.
func (s Style) goneLines(i *api.Integrity) []string {
	var lines, gone []string
	named := map[sdk.TestID]bool{}
	for _, r := range i.Renamed {
		named[r.TestID] = true
		lines = append(lines, "renamed: "+brief(s.name(r.Suite, r.TestID.Test))+" is now "+brief(r.To.Test))
	}
	for _, g := range i.Gone {
		if to := g.RenamedTo; named[g.TestID] {
			continue
		} else if to == nil {
			gone = append(gone, brief(s.name(g.Suite, g.TestID.Test))+", was "+wasText(g.Was))
		} else if to.Suite != g.Suite {
			lines = append(lines, "moved: "+brief(s.name(g.Suite, g.TestID.Test))+" is now "+brief(s.name(to.Suite, to.Test)))
		} else {
			lines = append(lines, "renamed: "+brief(s.name(g.Suite, g.TestID.Test))+" is now "+brief(to.Test))
		}
	}
	shown := min(len(lines), api.MaxStaleNames)
	if more := len(lines) + max(i.RenamedTotal-len(i.Renamed), 0) - shown; more > 0 {
		lines = append(lines[:shown], fmt.Sprintf("renamed or moved: %d more", more))
	}
	total := len(gone) + max(i.GoneTotal-len(i.Gone), 0)
	if total == 0 {
		return lines
	}
	text := strings.Join(gone[:min(len(gone), api.MaxStaleNames)], "; ")
	if more := total - min(len(gone), api.MaxStaleNames); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return append(lines, "gone: "+text)
}

// wasText says how something was outstanding.
func wasText(reason string) string {
	switch reason {
	case "failed":
		return "failing"
	case "unfinished":
		return "unfinished"
	case "never_started":
		return "never started"
	}
	return "outstanding as a whole"
}

// maxBrief is how much of a name is shown in a note.
const maxBrief = 100

// brief returns a name on one line. It shows both ends of a long one: the first says
// where it belongs, the last distinguishes it.
func brief(name string) string {
	runes := []rune(prose.Line(name))
	if len(runes) <= maxBrief {
		return string(runes)
	}
	const end = maxBrief / 3
	return string(runes[:maxBrief-end-1]) + "…" + string(runes[len(runes)-end:])
}

// ordinal formats "1st", "2nd", "3rd", "4th".
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
