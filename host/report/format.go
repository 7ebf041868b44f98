package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"slices"
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

// maxHead is how much of a file shows what it is.
const maxHead = 64 << 10

// IsReport reports whether a file is empty or a report, of proctor or of another tool in a
// format that several write. Of other files nobody wants one in their place.
func IsReport(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, maxHead))
	if err != nil {
		return false
	}
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	begins := func(start string) bool { return bytes.HasPrefix(head, []byte(start)) }
	has := func(word string) bool { return bytes.Contains(head, []byte(word)) }
	switch {
	case len(head) == 0:
		return true
	case begins("<!doctype"):
		return has(`<meta name="generator" content="proctor">`)
	case begins("<"):
		return isJUnit(head)
	case begins("{"):
		return slices.ContainsFunc([]string{`"proctor.run/`, `"CTRF"`, `"resourceSpans"`, `"traceEvents"`}, has)
	}
	return slices.ContainsFunc([]string{"### ✅ ", "### ⚠️ ", "### ❌ ", nothingToRun, "::error ", "::warning "}, begins)
}

// isJUnit reports whether the beginning of an XML document is that of a JUnit report.
func isJUnit(head []byte) bool {
	for d := xml.NewDecoder(bytes.NewReader(head)); ; {
		token, err := d.RawToken()
		if err != nil {
			return false
		}
		if root, ok := token.(xml.StartElement); ok {
			return root.Name.Local == "testsuites" || root.Name.Local == "testsuite"
		}
	}
}
