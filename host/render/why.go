package render

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
)

// maxSuspects is how many changed files are named, maxStatesNamed how many states: the
// answer fits on one screen.
const (
	maxSuspects    = 12
	maxStatesNamed = 4
)

// namesMore says how to see more names on the command line.
const namesMore = "-v or --json names more"

// Why says in plain sentences what is on record about the way a test ended.
func Why(w api.Why, style Style) string {
	var b strings.Builder
	p := painter{style.Color}
	b.WriteString(p.paint(bold, style.name(w.Suite, w.Test)))
	if w.File != "" {
		b.WriteString("  " + prose.Line(concise.Place(w.File, w.Line)))
	}
	b.WriteByte('\n')
	writeAbsence(&b, w.Absence, style.Speaking(w.Language), p)
	switch {
	case w.Latest == nil:
		b.WriteString("No run on record proves anything about it")
		if w.Skipped != nil {
			b.WriteString(": it was " + endedWords(w.Skipped.Ended) + " in " + style.nameSighting(*w.Skipped))
		}
		b.WriteString(".\n")
		return b.String()
	case w.FirstFailure != nil:
		writeFailing(&b, w, style, p)
	default:
		writePassing(&b, w, style, p)
	}
	writeUnlike(&b, w.Unlike)
	if w.Skipped != nil {
		fmt.Fprintf(&b, "It was %s in %s.\n", endedWords(w.Skipped.Ended), style.nameSighting(*w.Skipped))
	}
	if w.Cut {
		b.WriteString("There are older results on record, which were not examined.\n")
	}
	return b.String()
}

// writeAbsence says that a newer run than the following ones has no result of the test.
func writeAbsence(b *strings.Builder, a *api.Absence, style Style, p painter) {
	if a == nil {
		return
	}
	b.WriteString(p.paint(red, style.InWords(api.AbsenceLine(*a))) + "\n")
	if m := concise.Narrow(prose.Line(firstLine(a.Message))); m != "" {
		b.WriteString(indent + m + "\n")
	}
}

// writeFailing is for a test that fails.
func writeFailing(b *strings.Builder, w api.Why, style Style, p painter) {
	fmt.Fprintf(b, "It %s in %s%s.\n", p.paint(red, endedWords(w.Latest.Ended)), style.nameSighting(*w.Latest), becauseOf(w))
	writeMessage(b, *w.Latest)
	if w.Results > 1 {
		fmt.Fprintf(b, "That run has %s of it, %d of them passed: it ran more than once, or two tests have this name.\n", api.Plural(w.Results, "result"), w.PassedResults)
	}
	if c := w.SinceFailure; c != nil && (w.LastPass == nil || c.Total > 0) {
		writeBetween(b, "Between that failure and the working tree", c)
		if c.Total > 0 {
			b.WriteString(indent + fileNames(*c, maxSuspects) + "\n")
		}
	}
	first := w.FirstFailure
	if s := w.Standing; w.LastPass == nil && s != nil && s.Formerly != nil {
		fmt.Fprintf(b, "It %s. By its new name it never passed", formerName(*s.Formerly))
	} else if w.LastPass == nil {
		b.WriteString("It never passed on record")
	} else {
		fmt.Fprintf(b, "It last passed in %s", style.nameSighting(*w.LastPass))
	}
	if first.RunID != w.Latest.RunID {
		fmt.Fprintf(b, ", and has failed since %s, in %s", style.nameSighting(*first), api.Plural(w.FailedRuns, "run"))
	}
	b.WriteString(".\n")
	if s := w.Standing; s != nil {
		writeOtherwise(b, s.Otherwise)
		if same := s.SameFailure; same != nil && same.SinceID == first.RunID && same.Run == w.FailedRuns {
			b.WriteString("It was the same failure each time" + afterEdits(*same) + ".\n") // in the runs named already
		} else {
			writeAgain(b, "It is the same failure", same, "")
		}
		writeAgain(b, "It is a similar failure", s.SimilarFailure, ": their messages have one shape")
		writeFlaky(b, s, w.LastPass != nil && s.Otherwise == nil && w.Results == 0)
	}
	if n := len(w.FailedStates); n > 1 {
		fmt.Fprintf(b, "It failed on %s of the sources: %s%s.\n", api.Plural(n, "state"), stateNames(w.FailedStates), atLeast(n))
	}
	writeBetween(b, "Between that pass and the first failure", w.UntilFailure)
	if c := w.SinceFailure; c == nil || !c.Known || c.Total > 0 || first.RunID != w.Latest.RunID { // else that was said
		writeBetween(b, "Between that pass and the working tree", w.UntilNow)
	}
	writeSuspects(b, w, style, p)
	if c := w.ChangedLines; c != nil {
		b.WriteString("The lines that changed since that pass:\n")
		writeHunks(b, *c, style)
	}
}

// maxVariablesNamed is how many irrelevant variables are named.
const maxVariablesNamed = 8

// writeUnlike says how the environments of two runs differ.
func writeUnlike(b *strings.Builder, u *api.EnvironmentDiff) {
	if u == nil {
		return
	}
	runs := fmt.Sprintf("runs %s and %s", prose.Line(u.BeforeRunID), prose.Line(u.NowRunID))
	if len(u.Decides) > 0 {
		fmt.Fprintf(b, "The environments of %s differ in:\n", runs)
		for _, s := range u.Decides {
			fmt.Fprintf(b, "%s%s%s\n", indent, prose.Line(s.Name), unlikeValues(s))
		}
	}
	if u.VariablesTotal > 0 {
		fmt.Fprintf(b, "Variables that do not count had other values in %s: %s.\n", runs, prose.Listed(u.Variables, u.VariablesTotal, maxVariablesNamed, prose.Line))
	}
}

// unlikeValues returns both values, if they may be shown.
func unlikeValues(s api.SettingDiff) string {
	if s.Before == "" && s.Now == "" {
		return ""
	}
	quote := func(value string) string {
		if value == "" {
			return "not set"
		}
		return concise.Narrow(prose.Line(value))
	}
	return ": " + quote(s.Before) + ", then " + quote(s.Now)
}

// becauseOf names the parts that alone made a test fail.
func becauseOf(w api.Why) string {
	if w.PartsTotal == 0 {
		return ""
	}
	return ", only because of " + prose.Listed(w.Parts, w.PartsTotal, api.MaxStaleNames, brief)
}

// atLeast marks a list that may continue.
func atLeast(n int) string {
	if n >= api.MaxStates {
		return " (at least)"
	}
	return ""
}

func writeMessage(b *strings.Builder, s api.Sighting) {
	if m := concise.Narrow(prose.Line(firstLine(s.Message))); m != "" {
		b.WriteString(indent + m + "\n")
	}
}

// writeAgain counts the times a test ended with the same failure, or with similar ones.
func writeAgain(b *strings.Builder, what string, same *api.SameFailure, how string) {
	if same == nil {
		return
	}
	nth := "the " + ordinal(same.Run)
	if same.AtLeast {
		nth = "at least " + nth
	}
	text := fmt.Sprintf("%s for %s run, since run %s", what, nth, prose.Line(same.SinceID))
	b.WriteString(text + afterEdits(*same) + how + ".\n")
}

// afterEdits says how often files changed between the runs with a failure.
func afterEdits(same api.SameFailure) string {
	if same.Edits <= 0 {
		return ""
	}
	return ", after " + api.Plural(same.Edits, "file change")
}

// writeOtherwise says that the test ended the other way with other settings.
func writeOtherwise(b *strings.Builder, o *api.Otherwise) {
	if o == nil {
		return
	}
	since := "failed"
	if o.Failed {
		since = "passed"
	}
	fmt.Fprintf(b, "It %s, and has not %s with those since.\n", otherwiseText(o), since)
}

// writeFlaky says whether the test passed and failed on one state of the sources. It only
// calls the test flaky if its standing does.
func writeFlaky(b *strings.Builder, s *api.Standing, passed bool) {
	if f := s.Flaky; f != nil {
		if s.IsFlaky() {
			b.WriteString("It is flaky: on")
		} else {
			b.WriteString("On")
		}
		fmt.Fprintf(b, " the same state of the sources (%s) it passed in run %s and failed in run %s", cutName(f.Fingerprint, shortState), prose.Line(f.PassedRun), prose.Line(f.FailedRun))
		if len(f.Seeds) > 0 {
			b.WriteString(", with the seeds " + prose.Line(strings.Join(f.Seeds, " and ")))
		}
		b.WriteString(".\n")
	} else if passed {
		b.WriteString("It is not flaky so far.\n")
	}
}

// writeBetween says which files differ between two states.
func writeBetween(b *strings.Builder, between string, c *api.FileChanges) {
	switch {
	case c == nil:
	case !c.Known:
		fmt.Fprintf(b, "%s: %s.\n", between, prose.Line(c.Why))
	case c.Total == 0:
		fmt.Fprintf(b, "%s no file changed.\n", between)
	default:
		fmt.Fprintf(b, "%s %s changed.\n", between, api.Plural(c.Total, "file"))
	}
}

// writeSuspects names the changed files, likeliest cause first.
func writeSuspects(b *strings.Builder, w api.Why, style Style, p painter) {
	most := maxSuspects
	if style.Verbose {
		most = len(w.Suspects)
	}
	since := "?"
	for _, s := range w.Suspects[:min(len(w.Suspects), most)] {
		if s.Since != since {
			since = s.Since
			b.WriteString(p.paint(bold, suspectTitle(since)) + "\n")
		}
		line := indent + fileChange(s.FileChange)
		if r := roleWords(s.Role); r != "" {
			line += p.paint(yellow, "  "+r)
		}
		b.WriteString(line + "\n")
	}
	if left := w.SuspectsTotal - min(len(w.Suspects), most); left > 0 {
		fmt.Fprintf(b, "%sand %d more; %s\n", indent, left, style.more(namesMore))
	}
}

func suspectTitle(since string) string {
	switch since {
	case api.BeforeFailure:
		return "Changed before it first failed:"
	case api.AfterFailure:
		return "Changed only after it first failed:"
	}
	return "Changed since it last passed:"
}

func roleWords(role string) string {
	switch role {
	case api.RoleFailure:
		return "where it failed"
	case api.RoleStack:
		return "in the stack of the failure"
	case api.RoleTest:
		return "the test's own file"
	case api.RoleBeside:
		return "beside the test"
	}
	return ""
}

// writePassing is for a test that passes.
func writePassing(b *strings.Builder, w api.Why, style Style, p painter) {
	it, further, failure := "It", "", "failure"
	if w.Test == "" { // also while a test of it fails
		it, further, failure = style.Speaking(w.Language).InWords("The suite itself"), "; its tests have answers of their own", "failure of its own"
	}
	fmt.Fprintf(b, "%s %s in %s%s.\n", it, p.paint(green, "passed"), style.nameSighting(*w.Latest), further)
	if w.LastFailure == nil {
		fmt.Fprintf(b, "No %s on record; the oldest result is of %s.\n", failure, style.nameSighting(*w.PassesSince))
	} else {
		fmt.Fprintf(b, "It has passed since %s. Before that it %s in %s.\n", style.nameSighting(*w.PassesSince), endedWords(w.LastFailure.Ended), style.nameSighting(*w.LastFailure))
		writeMessage(b, *w.LastFailure)
	}
	if s := w.Standing; s != nil {
		writeOtherwise(b, s.Otherwise)
		writeFlaky(b, s, false)
	}
	writeBetween(b, "Between its latest pass and the working tree", w.UntilNow)
	if c := w.UntilNow; c != nil && c.Known && c.Total > 0 {
		b.WriteString(indent + fileNames(*c, maxSuspects) + "\n")
	}
}

// endedWords spells how a test ended.
func endedWords(word string) string {
	switch word {
	case "unfinished":
		return "did not finish"
	case "never_started":
		return "not started"
	}
	return prose.Line(word)
}

// nameSighting names a run and the state it saw.
func (s Style) nameSighting(at api.Sighting) string {
	text := fmt.Sprintf("run %s %s ago", prose.Line(at.RunID), prose.Seconds(at.AgeS))
	var circumstances []string
	if s.namesSessions() {
		circumstances = append(circumstances, "session "+cutName(at.SessionID, maxSessionWidth), shownState(at.Fingerprint))
	}
	if at.Commit != "" {
		circumstances = append(circumstances, "commit "+cutName(at.Commit, shortCommit))
	}
	if at.Dirty > 0 {
		circumstances = append(circumstances, api.Plural(at.Dirty, "dirty file"))
	}
	if at.MixedState {
		circumstances = append(circumstances, "changed while it ran")
	}
	if len(circumstances) == 0 {
		return text
	}
	return text + " (" + strings.Join(circumstances, ", ") + ")"
}

// shownState names a state of the sources.
func shownState(fingerprint string) string {
	if fingerprint == "" {
		return "state unknown"
	}
	return "state " + cutName(fingerprint, shortState)
}

func stateNames(states []string) string {
	return prose.Listed(states, len(states), maxStatesNamed, func(s string) string { return cutName(s, shortState) })
}
