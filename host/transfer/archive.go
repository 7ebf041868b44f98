package transfer

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/sdk"
)

// An archive of runs is a gzipped tar file, described in docs/runs.md. The first entry
// is its header, which names every other entry with its size, in order.
const (
	archiveHeaderName = "proctor.json"
	archiveRuns       = "runs/"
	archiveStates     = "states/"
	// archiveHistory has a run's rows of the history.
	archiveHistory = "history.jsonl"
)

// Bounds on an imported archive, in bytes unless counts: far above what runs leave, and
// small enough that a malicious file fills neither disk nor memory.
const (
	maxArchiveRuns   = 1000
	maxArchiveFiles  = 20_000
	maxArchiveBytes  = 8 << 30
	maxArchiveHeader = 32 << 20
	maxArchiveObject = 64 << 20
	maxArchiveList   = 1 << 30
	maxArchiveState  = 64 << 20
	maxArchiveStates = 256 << 20
	// maxArchiveLine bounds a line of a list, maxArchiveName the name of a test,
	// maxArchiveFile that of a file.
	maxArchiveLine = 16 << 20
	maxArchiveName = ledger.MaxForeignName
	maxArchiveFile = ledger.MaxForeignFile
)

// archiveHeader is the first entry of an archive.
type archiveHeader struct {
	Schema string `json:"schema"`
	// Proctor is the version that wrote it.
	Proctor   string          `json:"proctor"`
	CreatedAt time.Time       `json:"created_at"`
	Runs      []archivedRun   `json:"runs"`
	States    []archivedState `json:"states"`
	Files     []archivedFile  `json:"files"`
}

// archivedRun has what a run's object does not say.
type archivedRun struct {
	RunID string `json:"run_id"`
	Whole bool   `json:"whole"`
	// Results counts the lines of its part of the history.
	Results int `json:"results"`
}

// archivedState describes a source state, whose files are an entry.
type archivedState struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Commit string `json:"commit,omitempty"`
	Branch string `json:"branch,omitempty"`
	Dirty  int    `json:"dirty"`
}

// archivedFile is an entry.
type archivedFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// archivedResult is a line of the history of a run.
type archivedResult struct {
	Suite     string            `json:"suite"`
	Test      string            `json:"test"`
	File      string            `json:"file,omitempty"`
	Line      int               `json:"line,omitempty"`
	Root      string            `json:"root,omitempty"`
	Outcome   string            `json:"outcome"`
	Derived   bool              `json:"derived,omitempty"`
	DurationS float64           `json:"duration_s"`
	Signature string            `json:"signature,omitempty"`
	Kind      string            `json:"kind,omitempty"`
	Excerpt   string            `json:"excerpt,omitempty"`
	Measures  []archivedMeasure `json:"measures,omitempty"`
}

// archivedMeasure is a whole-test measure.
type archivedMeasure struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// archivePart is what an entry contains: a file of a run, or a state.
type archivePart struct {
	run, file string
	state     string
}

// parseEntryName parses the name of an entry; ok is false if an archive cannot contain it.
func parseEntryName(name string) (part archivePart, ok bool) {
	if id, found := strings.CutPrefix(name, archiveStates); found {
		return archivePart{state: id}, ledger.IsStateID(id)
	}
	rest, found := strings.CutPrefix(name, archiveRuns)
	id, file, cut := strings.Cut(rest, "/")
	part = archivePart{run: id, file: file}
	return part, found && cut && artifacts.IsRunID(id) && (artifacts.IsArtifact(file) || file == archiveHistory)
}

// most returns how large the entry may be, in bytes.
func (p archivePart) most() int64 {
	switch {
	case p.state != "":
		return maxArchiveState
	case p.file == artifacts.ObjectName:
		return maxArchiveObject
	case artifacts.IsStream(p.file):
		return artifacts.MaxStream
	}
	return maxArchiveList
}

func archiveResult(r history.Result) archivedResult {
	a := archivedResult{
		Suite: r.Suite, Test: r.Test, File: r.File, Line: r.Line, Root: r.Root, Outcome: ledger.OutcomeWord(r.Outcome),
		Derived: r.Derived, DurationS: r.Duration.Seconds(), Signature: r.Signature, Kind: r.Kind, Excerpt: r.Excerpt,
	}
	for _, m := range r.Measures {
		a.Measures = append(a.Measures, archivedMeasure(m))
	}
	return a
}

// result converts and validates a line for the history.
func (a archivedResult) result() (history.Result, error) {
	r := history.Result{
		TestID: sdk.TestID{Suite: a.Suite, Test: a.Test}, File: a.File, Line: a.Line, Root: a.Root, Derived: a.Derived,
		Duration:  time.Duration(a.DurationS * float64(time.Second)),
		Signature: a.Signature, Kind: ledger.Excerpt(a.Kind), Excerpt: ledger.Excerpt(a.Excerpt),
	}
	for _, name := range []string{a.Suite, a.Test, a.Root} {
		if len(name) > maxArchiveName {
			return r, fmt.Errorf("a name has %d bytes; at most %d are allowed", len(name), maxArchiveName)
		}
	}
	if len(a.File) > maxArchiveFile {
		return r, fmt.Errorf("the name of a file has %d bytes; at most %d are allowed", len(a.File), maxArchiveFile)
	}
	var known bool
	r.Outcome, known = ledger.ParseOutcome(a.Outcome)
	switch {
	case !known:
		return r, fmt.Errorf("the outcome %q is unknown", ledger.Excerpt(a.Outcome))
	case a.Line < 0 || !(a.DurationS >= 0 && a.DurationS <= maxArchiveSeconds):
		return r, errors.New("a line number is negative, or a duration negative or longer than ten years")
	case a.Signature != "" && !ledger.IsStateID(a.Signature):
		return r, fmt.Errorf("the signature %q is invalid", ledger.Excerpt(a.Signature))
	case len(a.Measures) > maxArchiveMeasures:
		return r, fmt.Errorf("a test has %d measures; at most %d are allowed", len(a.Measures), maxArchiveMeasures)
	}
	for _, m := range a.Measures {
		r.Measures = append(r.Measures, history.Measure{Name: ledger.Excerpt(m.Name), Value: m.Value})
	}
	return r, nil
}

// Bounds on a line of the history: ten years, and more measures than any test has.
const (
	maxArchiveSeconds  = ledger.MaxForeignSeconds
	maxArchiveMeasures = 1000
)
