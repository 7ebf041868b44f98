package api

import (
	"fmt"
	"strings"
)

// NoProjectError reports that none of the searched directories holds a project.
type NoProjectError struct {
	// Start is where the search began. Looked are the directories without markers; it
	// is empty if Start has one but no plugin accepts it as a project.
	Start  string
	Looked []string
	// Markers are the files that identify a project.
	Markers []string
	// Exact reports whether only Start was searched, nothing above it.
	Exact bool
	// Declined is what the plugins said about the directory: why it is not a project of
	// theirs, or that there is one below it.
	Declined []Declined
}

// Declined is a plugin's reason for not testing a path.
type Declined struct {
	// Plugin is the plugin's name.
	Plugin string
	// Path is relative to the directory the plugin was asked about.
	Path, Reason string
}

// String returns the plugin, the path and the reason, usually on one line.
func (d Declined) String() string {
	text := "plugin " + d.Plugin + ": "
	if d.Path != "" && d.Path != "." {
		text += d.Path + ": "
	}
	return text + d.Reason
}

// noProject is the seed documents' sentence for a workspace without a project.
const noProject = "no supported project detected in workspace root"

func (e *NoProjectError) Error() string {
	text := noProject + ": " + e.Found()
	if len(e.Looked) > 0 && !e.Exact {
		text += ", nor has a directory above it"
	}
	return text
}

// Found says what was found instead of a project.
func (e *NoProjectError) Found() string {
	switch {
	case len(e.Markers) == 0:
		return "no language plugin is installed"
	case len(e.Looked) == 0 && len(e.Declined) == 0:
		return e.Start + " is not a project of any plugin here, although it has one of " + strings.Join(e.Markers, ", ")
	case len(e.Looked) == 0:
		return e.Start + " is not a project of any plugin here" + e.declined()
	}
	return fmt.Sprintf("%s has none of %s", e.Start, strings.Join(e.Markers, ", ")) + e.declined()
}

func (e *NoProjectError) Advise() Advice {
	switch {
	case len(e.Markers) == 0:
		return Advice{Operation: AdviseDoctor}
	case len(e.Looked) == 0:
		return Advice{Operation: AdvisePlugins}
	case e.Exact:
		return Advice{Operation: AdviseProject}
	}
	return Advice{Operation: AdviseDirectory}
}

// maxDeclined is how many reasons an error lists: each takes a line or two, and a
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

// DirectoryError reports that the named workspace is not a readable directory.
type DirectoryError struct {
	Dir string
	Err error
}

func (e *DirectoryError) Error() string { return fmt.Sprintf("workspace %s: %v", e.Dir, e.Err) }

func (e *DirectoryError) Unwrap() error { return e.Err }
