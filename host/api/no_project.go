package api

import (
	"fmt"
	"strings"
)

// NoProjectError says that no directory that was looked at holds a project.
type NoProjectError struct {
	// Start is where the search began. Looked are the directories that have none
	// of the markers; there is none where Start has one and no plugin takes it for
	// a project.
	Start  string
	Looked []string
	// Markers are the files that would have made a project.
	Markers []string
	// Exact reports whether only Start was meant, nothing above it.
	Exact bool
	// Declined are what the plugins said of the directory, where they said why it
	// is no project of theirs, or where one lies below it.
	Declined []Declined
}

// Declined is a plugin's word on why a path is not tested.
type Declined struct {
	// Plugin is its name.
	Plugin string
	// Path is relative to the directory that the plugin was asked about.
	Path, Reason string
}

// String says it on a line, unless the plugin's reason has several.
func (d Declined) String() string {
	text := "plugin " + d.Plugin + ": "
	if d.Path != "" && d.Path != "." {
		text += d.Path + ": "
	}
	return text + d.Reason
}

// noProject is the seed documents' sentence for a workspace without a project.
const noProject = "no supported project detected in workspace root"

func (e *NoProjectError) Error() string { return noProject + ": " + e.Found() + e.wayOut() }

// Found is what was found instead of a project.
func (e *NoProjectError) Found() string {
	switch {
	case len(e.Markers) == 0:
		return "no language plugin is installed"
	case len(e.Looked) == 0 && len(e.Declined) == 0:
		return e.Start + " is no project of any plugin here, although it has one of " + strings.Join(e.Markers, ", ")
	case len(e.Looked) == 0:
		return e.Start + " is no project of any plugin here" + e.declined()
	}
	return fmt.Sprintf("%s has none of %s", e.Start, strings.Join(e.Markers, ", ")) + e.declined()
}

// wayOut is what to do.
func (e *NoProjectError) wayOut() string {
	switch {
	case len(e.Markers) == 0:
		return "; `proctor doctor` shows where they are looked for"
	case len(e.Looked) == 0:
		return "; `proctor doctor` shows the plugins, and -C DIR names another directory"
	case e.Exact:
		return "; name the directory of a project" + otherLanguage
	}
	return ", nor has a directory above it; name one with -C DIR" + otherLanguage
}

// otherLanguage is what to do where the project is one that no plugin here knows.
const otherLanguage = ", or install a plugin for its language (see `proctor plugin install --help`)"

// maxDeclined is how many reasons an error gives: each is a line or two, and a
// plugin may name every directory below the workspace.
const maxDeclined = 5

func (e *NoProjectError) declined() string {
	var texts []string
	for _, d := range e.Declined[:min(len(e.Declined), maxDeclined)] {
		texts = append(texts, d.String())
	}
	if len(texts) == 0 {
		return ""
	}
	text := " (" + strings.Join(texts, "; ")
	if left := len(e.Declined) - len(texts); left > 0 {
		text += fmt.Sprintf("; and %d more", left)
	}
	return text + ")"
}

// DirectoryError says that what was named as the workspace is no directory that
// can be read.
type DirectoryError struct {
	Dir string
	Err error
}

func (e *DirectoryError) Error() string { return fmt.Sprintf("workspace %s: %v", e.Dir, e.Err) }

func (e *DirectoryError) Unwrap() error { return e.Err }
