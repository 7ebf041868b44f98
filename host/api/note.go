package api

import "github.com/proctorhq/proctor/sdk"

// Note is what a reader should know besides an answer. Programs decide by its code, never
// by its text.
type Note struct {
	Code NoteCode `json:"code"`
	Text string   `json:"text"`
	// Test is the test that it is about, if that is one.
	Test sdk.TestID `json:"test,omitzero"`
	// Advice is what to do about it.
	Advice Advice `json:"advice,omitzero"`
}

// NoteCode says what a note is about.
type NoteCode string

// The codes of notes, as docs/run-object.md lists them.
const (
	NoteNotTested       NoteCode = "not_tested"
	NoteUnrecorded      NoteCode = "unrecorded"
	NotePassedOtherwise NoteCode = "passed_otherwise"
	NotePluginChoice    NoteCode = "plugin_choice"
	NotePlugin          NoteCode = "plugin"
	NoteOutput          NoteCode = "output"
	NotePartly          NoteCode = "partly"
	NoteCheck           NoteCode = "check"
	NoteRerun           NoteCode = "rerun"
	NoteOutstanding     NoteCode = "outstanding"
	NoteRepeat          NoteCode = "repeat"
	NotePlaces          NoteCode = "places"
	NoteSources         NoteCode = "sources"
	NoteCompared        NoteCode = "compared"
	NoteCoverage        NoteCode = "coverage"
	NoteRecord          NoteCode = "record"
	NoteDisturbed       NoteCode = "disturbed"
	NoteUpload          NoteCode = "upload"
	NoteUnsandboxed     NoteCode = "unsandboxed"
	NoteCheckout        NoteCode = "checkout"
	NoteTool            NoteCode = "tool"
	NoteProject         NoteCode = "project"
	NoteCached          NoteCode = "cached"
	NoteSelection       NoteCode = "selection"
	NoteQuarantine      NoteCode = "quarantine"
	NoteRetry           NoteCode = "retry"
	NoteMerge           NoteCode = "merge"
)

// Notes makes notes with one code of several texts.
func Notes(code NoteCode, texts ...string) []Note {
	var notes []Note
	for _, text := range texts {
		notes = append(notes, Note{Code: code, Text: text})
	}
	return notes
}

// Note adds warnings to a run.
func (r *Run) Note(code NoteCode, texts ...string) {
	r.Warnings = append(r.Warnings, Notes(code, texts...)...)
}
