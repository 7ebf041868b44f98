package render

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
)

// maxDiffed is how many tests of a kind are named, maxDiffFiles how many files.
const (
	maxDiffed    = 20
	maxDiffFiles = 5
)

// Diff says which tests ended differently in two runs: the runs, the sections, and the
// summary last.
func Diff(d api.RunDiff, style Style) string {
	var b strings.Builder
	p := painter{style.Color}
	style = style.Speaking(d.Language)
	most := maxDiffed
	if style.Verbose {
		most = api.MaxNames
	}
	b.WriteString("before: " + diffedRun(d.Before, style) + "\n")
	b.WriteString("now:    " + diffedRun(d.Now, style) + "\n")
	b.WriteString("files:  " + fileChanges(d.Sources, most) + "\n")
	for _, n := range d.Notes {
		b.WriteString(p.paint(yellow, "note:   ") + prose.Line(style.InWords(style.note(n))) + "\n")
	}
	b.WriteByte('\n')
	for _, s := range []struct {
		title, color string
		tests        []api.DiffedTest
		total        int
		line         func(api.DiffedTest) string
	}{
		{"new failures", red, d.NewFailures, d.Counts.NewFailures, newFailure},
		{"failing, not run before", red, d.FailingNotRun, d.Counts.FailingNotRun, notRunFailure},
		{"fixed", green, d.Fixed, d.Counts.Fixed, fixedTest},
		{"passed this time, and flaky", yellow, d.PassedFlaky, d.Counts.PassedFlaky, passedFlaky},
		{"passed with other arguments, settings or tools", yellow, d.PassedOtherwise, d.Counts.PassedOtherwise, fixedOtherwise},
		{"still failing", red, d.StillFailing, d.Counts.StillFailing, stillFailing},
		{"vanished", yellow, d.Vanished, d.Counts.Vanished, formerly},
		{"newly skipped", yellow, d.NewlySkipped, d.Counts.NewlySkipped, formerly},
		{"new tests", "", d.New, d.Counts.New, newTest},
		{"renamed", "", d.Renamed, d.Counts.Renamed, renamed},
	} {
		if s.total == 0 {
			continue
		}
		b.WriteString(sectionTitle(p, s.color, s.title, s.total))
		for _, t := range s.tests[:min(len(s.tests), most)] {
			b.WriteString(indent + diffedName(t, style) + s.line(t) + "\n")
		}
		writeLeft(&b, s.total-min(len(s.tests), most), style)
	}
	writeSlower(&b, style, d, most)
	writeGrown(&b, style, d, most)
	b.WriteString(p.paint(bold, style.InWords(prose.Line(d.Message))) + "\n")
	return b.String()
}

func sectionTitle(p painter, color, title string, total int) string {
	text := fmt.Sprintf("%s (%d):", title, total)
	if color != "" {
		text = p.paint(color, text)
	}
	return text + "\n"
}

// writeLeft ends a section, and says what it does not show.
func writeLeft(b *strings.Builder, left int, style Style) {
	if left > 0 {
		fmt.Fprintf(b, "%sand %d more; %s\n", indent, left, style.more(namesMore))
	}
	b.WriteByte('\n')
}

func diffedRun(r api.DiffedRun, style Style) string {
	what := string(r.Kind)
	if !r.Whole {
		what = "partial " + what
	}
	text := fmt.Sprintf("%s %s, %s ago: ", prose.Line(what), prose.Line(r.RunID), prose.Seconds(r.AgeS))
	if style.namesSessions() {
		text += fmt.Sprintf("%s: %s; %s", prose.Line(string(r.Verdict)), style.InWords(figures(r.Counts, "never started", "not built")), sourceText(r.Source, r.MixedState))
	} else {
		text += fmt.Sprintf("%s: %s", prose.Line(r.Verdict.Words()), nonZero(r.Counts))
		if at := sourceWords(r.Source, r.MixedState); len(at) > 0 {
			text += "; " + strings.Join(at, ", ")
		}
	}
	if r.Origin != "" {
		text += ", from " + prose.Line(r.Origin)
	}
	return text
}

// fileChanges says how many files differ, and names the first ones.
func fileChanges(c api.FileChanges, most int) string {
	switch {
	case !c.Known:
		return "unknown which differ: " + prose.Line(c.Why)
	case c.Total == 0:
		return "none differ: both saw the same state"
	}
	verb := "differ"
	if c.Total == 1 {
		verb = "differs"
	}
	return fmt.Sprintf("%s %s: %s", api.Plural(c.Total, "file"), verb, fileNames(c, min(most, maxDiffFiles)))
}

// fileNames names the first files, marking added and removed ones.
func fileNames(c api.FileChanges, most int) string {
	return prose.Listed(c.Files, c.Total, most, fileChange)
}

func fileChange(f api.FileChange) string {
	if f.Change == "modified" {
		return prose.Line(f.File)
	}
	return prose.Line(f.File) + " (" + prose.Line(f.Change) + ")"
}

func diffedName(t api.DiffedTest, style Style) string {
	text := style.name(t.Suite, t.Test)
	if t.RenamedFrom != "" {
		text += " (was " + prose.Line(t.RenamedFrom) + ")"
	}
	if t.File != "" {
		text += "  " + prose.Line(concise.Place(t.File, t.Line))
	}
	return text
}

// renamed says how a test ended in both runs.
func renamed(t api.DiffedTest) string { return "  (" + prose.Line(t.Now) + ")" }

// was says how a test ended before.
func was(word string) string {
	switch word {
	case "absent":
		return "it is new"
	case "not_run":
		return "it was not run"
	case "never_started":
		return "never started"
	case "unfinished":
		return "did not finish"
	}
	return prose.Line(word)
}

func newFailure(t api.DiffedTest) string {
	known := map[string]api.Classification{"passed": api.Regression, "absent": api.Gap}[t.Was]
	text := "  (before: " + was(t.Was) + withWords(t, known) + ")"
	if m := concise.Narrow(prose.Line(firstLine(t.Message))); m != "" {
		text += "  " + m
	}
	return text
}

// notRunFailure is for a test whose earlier result is in the title.
func notRunFailure(t api.DiffedTest) string {
	text := ""
	if words := standingWords(t.Standing, api.Gap); words != "" {
		text = "  (" + words + ")"
	}
	if m := concise.Narrow(prose.Line(firstLine(t.Message))); m != "" {
		text += "  " + m
	}
	return text
}

func fixedTest(t api.DiffedTest) string { return passedNow(t, api.Fixed) }

func passedFlaky(t api.DiffedTest) string { return passedNow(t, api.Unsteady) }

// passedNow is for a test whose standing is in the title.
func passedNow(t api.DiffedTest, known api.Classification) string {
	if m := concise.Narrow(prose.Line(firstLine(t.Message))); m != "" {
		text := "  (was: " + m + ")"
		if words := standingWords(t.Standing, known); words != "" {
			text += "  (" + words + ")"
		}
		return text
	}
	return "  (before: " + was(t.Was) + withWords(t, known) + ")"
}

// fixedOtherwise is for a test whose title says the rest.
func fixedOtherwise(t api.DiffedTest) string {
	if m := concise.Narrow(prose.Line(firstLine(t.Message))); m != "" {
		return "  (failed: " + m + ")"
	}
	return "  (" + was(t.Was) + ")"
}

// withWords appends how a test stands, if that is news.
func withWords(t api.DiffedTest, known api.Classification) string {
	if words := standingWords(t.Standing, known); words != "" {
		return "; " + words
	}
	return ""
}

func stillFailing(t api.DiffedTest) string {
	text := standingWords(t.Standing, api.Failing)
	if t.Likeness != api.LikenessUnknown {
		text = api.LikenessSentence(t.Likeness) + withWords(t, api.Failing)
	}
	if text != "" {
		text = "  (" + text + ")"
	}
	if m := concise.Narrow(prose.Line(firstLine(t.Message))); m != "" {
		text += "  " + m
	}
	return text
}

func formerly(t api.DiffedTest) string { return "  (before: " + was(t.Was) + ")" }

func newTest(t api.DiffedTest) string { return "  (" + was(t.Now) + ")" }

func writeSlower(b *strings.Builder, style Style, d api.RunDiff, most int) {
	if d.Counts.Slower == 0 {
		return
	}
	b.WriteString(sectionTitle(painter{style.Color}, yellow, "slower", d.Counts.Slower))
	for _, t := range d.Slower[:min(len(d.Slower), most)] {
		fmt.Fprintf(b, "%s%s  %.2fs → %.2fs (mean of %s: %.2fs)\n", indent, style.name(t.Suite, t.Test), t.BeforeS, t.NowS, api.Plural(t.Runs, "run"), t.MeanS)
	}
	writeLeft(b, d.Counts.Slower-min(len(d.Slower), most), style)
}

func writeGrown(b *strings.Builder, style Style, d api.RunDiff, most int) {
	if d.Counts.More == 0 {
		return
	}
	b.WriteString(sectionTitle(painter{style.Color}, yellow, "measures that grew", d.Counts.More))
	for _, m := range d.More[:min(len(d.More), most)] {
		what := strings.TrimSpace(m.Kind + " " + m.Name)
		if m.Section != "" {
			what += " [" + m.Section + "]"
		}
		fmt.Fprintf(b, "%s%s  %s %s → %s (+%s)\n", indent, style.name(m.Suite, m.Test), prose.Line(what), number(m.Before), number(m.Now), number(m.Delta))
	}
	writeLeft(b, d.Counts.More-min(len(d.More), most), style)
}

// number formats a number on one line.
func number(n json.Number) string { return prose.Line(n.String()) }
