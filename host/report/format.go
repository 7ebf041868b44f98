package report

import (
	"io"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Format is a way to write a document.
type Format struct {
	// Name is what the user calls it, and What it is in a few words.
	Name, What string
	// Write writes a whole document.
	Write func(w io.Writer, d *Document, o Options) error
	// Split divides a document into files that readers accept; nil if they accept any
	// size.
	Split func(d *Document, o Options) ([]*Document, error)
}

// Options are what a format may need to know beside the runs.
type Options struct {
	// Dialect is that of a JUnit report; empty is [DefaultDialect].
	Dialect Dialect
	// Version is that of proctor.
	Version string
	// Prefix is the path of the workspace in its repository, with a slash at its end;
	// empty if it is the repository itself.
	Prefix string
	// Touched are the files that the tested change touches, as paths in the repository.
	Touched map[string]bool
	// TraceParent is the trace that a run is part of, as the variable TRACEPARENT names it;
	// empty if it is part of none.
	TraceParent string
	// Background returns what a page shows of a run and some of its tests besides the
	// record; nil if nothing is known.
	Background func(run api.Run, tests []sdk.TestID) Background
}

// fileOf returns a path from the repository's root; ok is false for a file outside of the
// workspace.
func (o Options) fileOf(file string) (path string, ok bool) {
	if file == "" || strings.HasPrefix(file, "/") || strings.HasPrefix(file, "../") || strings.Contains(file, `:\`) {
		return "", false
	}
	return o.Prefix + file, true
}

// Formats returns the formats, in the order in which they are listed.
func Formats() []Format {
	return []Format{
		{Name: "junit", What: "JUnit XML", Write: writeJUnit, Split: splitJUnit},
		{Name: "html", What: "a page for a browser, in one file", Write: writeHTML},
		{Name: "ctrf", What: "Common Test Report Format, JSON", Write: writeCTRF},
		{Name: "markdown", What: "Markdown, for a comment on a change", Write: writeMarkdown},
		{Name: "trace", What: "a trace for Perfetto, to see what is slow", Write: writeTrace},
		{Name: OTLPName, What: "spans for a collector of OpenTelemetry, or a file for one", Write: writeOTLP},
		{Name: GitHubName, What: "annotations of GitHub Actions", Write: writeGitHub},
		{Name: "json", What: "the Run object with every result and failure, one line per language", Write: writeJSON},
	}
}

// Find returns the format of a name.
func Find(name string) (f Format, ok bool) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// Names returns the names of the formats.
func Names() []string {
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}
