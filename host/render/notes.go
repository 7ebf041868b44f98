package render

import (
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// runNotes returns what qualifies the verdict of a run: the notes of an ending and of a
// summary.
func runNotes(run api.Run, style Style) []string {
	notes := style.integrityLines(run.Integrity)
	for _, w := range run.Warnings {
		if !isTerse(run, style) || qualifiesCounts(w) {
			notes = append(notes, prose.Plain(style.note(w)))
		}
	}
	if line := unsaidLine(run, style); line != "" {
		notes = append(notes, line)
	}
	return notes
}

// runRemarks returns what to know besides the verdict, and what to do next.
func runRemarks(run api.Run, style Style) []string {
	var remarks []string
	add := func(text string) {
		if text != "" {
			remarks = append(remarks, text)
		}
	}
	if !saysAffected(run) {
		add(affectedAgain(run.Affected, style))
	}
	if !isTerse(run, style) {
		add(coverageLine(run.Coverage))
	}
	add(api.StaleSentence(run.Stale))
	add(prose.Plain(api.AppendAdvice(run.Message, run.Advice, style.advice)))
	return remarks
}

// isTerse reports whether to say only what must be said: the run passed, and the reader
// wants it quiet.
func isTerse(run api.Run, style Style) bool { return style.Quiet && run.Verdict == api.Passed }

// qualifiesCounts reports whether a pass must not be shown without this note: less was
// tested than it seems, or the run is not on record.
func qualifiesCounts(n api.Note) bool {
	return n.Code == api.NoteUnrecorded || n.Code == api.NoteQuarantine || n.Code == api.NoteNotTested || n.Code == api.NotePassedOtherwise
}

func writeNotes(b *strings.Builder, notes []api.Note, style Style) {
	for _, n := range notes {
		b.WriteString(noteLine(style.InWords(prose.Plain(style.note(n))), style))
	}
}

// noteLine returns a note on a line of its own, or on several.
func noteLine(text string, style Style) string {
	return painter{style.Color}.paint(yellow, "note: ") + strings.ReplaceAll(text, "\n", "\n      ") + "\n"
}
