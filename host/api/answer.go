package api

import (
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// FailuresPage is one page of a run's failures.
type FailuresPage struct {
	// Run carries the failures of the page; FailuresTotal counts all of them.
	Run Run
	// Age is the time since the run ended.
	Age time.Duration
	// Recorded is the number of failures on record, fewer than occurred if the record
	// was cut.
	Recorded int
	// Notes name gaps in the answer: records that are gone or unreadable. The run's
	// warnings include them.
	Notes []Note
}

// TestOutput is one test's whole output.
type TestOutput struct {
	Run  Run
	Test sdk.TestID
	Text string
	// Truncated reports whether the record or the answer was cut.
	Truncated bool
}

// Stream is one of a runner's output streams, or both.
type Stream string

// The streams.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
	// BothStreams is standard output followed by standard error.
	BothStreams Stream = "output"
)

// StreamPage is a part of the recorded output of a run's commands.
type StreamPage struct {
	Run Run
	// Offset is where the part begins and Total is the length of the whole, in bytes.
	// StderrAt is where standard error begins if both streams are shown.
	Offset, Total, StderrAt int64
	// Text is the part. It never splits a character.
	Text string
	// Unrecorded reports whether no output of the run is on record.
	Unrecorded bool
}

// Next returns where the next part begins; 0 if this is the last one.
func (p StreamPage) Next() int64 {
	if end := p.Offset + int64(len(p.Text)); end < p.Total {
		return end
	}
	return 0
}

// Diagnosis is how proctor sees its environment.
type Diagnosis struct {
	Schema    string          `json:"schema"`
	Version   string          `json:"version"`
	SessionID string          `json:"session_id"`
	Plugins   []PluginReport  `json:"plugins"`
	Refused   []RefusedReport `json:"refused,omitempty"`
	Searched  []string        `json:"searched"`
	Workspace string          `json:"workspace,omitempty"`
	// Records is the directory of recorded runs; empty before the first.
	Records  string          `json:"records,omitempty"`
	Projects []ProjectReport `json:"projects"`
	Problems []Note          `json:"problems,omitempty"`
}

// PluginReport is one plugin.
type PluginReport struct {
	Name     string `json:"name"`
	Path     string `json:"path"`
	Version  string `json:"version,omitempty"`
	Language string `json:"language,omitempty"`
	// Lock is the lock file that names the plugin; empty if none does.
	Lock  string `json:"lock,omitempty"`
	Error string `json:"error,omitempty"`
}

// RefusedReport is a plugin binary that will not be started.
type RefusedReport struct {
	Name string `json:"name"`
	// Path is empty if a lock file names a plugin that is not installed.
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// ProjectReport is a language's project in the workspace.
type ProjectReport struct {
	Language string            `json:"language"`
	Tools    map[string]string `json:"tools"`
	Missing  []string          `json:"missing,omitempty"`
	// Commands are those a run would execute.
	Commands []Command `json:"commands"`
	Untested []string  `json:"untested,omitempty"`
	// Notes are the warnings a run would print before it starts.
	Notes []Note `json:"notes,omitempty"`
	// Tests counts tests and suites; nil if they were not or could not be listed.
	Tests *TestsReport `json:"tests,omitempty"`
}

// TestsReport counts the tests of a project.
type TestsReport struct {
	Tests  int `json:"tests"`
	Suites int `json:"suites"`
	// OnRequest counts those of the tests that only run on request, such as benchmarks.
	OnRequest int `json:"on_request,omitempty"`
	// SuiteNoun is what the language's users call a suite.
	SuiteNoun string `json:"-"`
}

// RawOutput is a run's output in the form of the seed's run_tests.
type RawOutput struct {
	// Stdout and Stderr are already truncated.
	Stdout, Stderr string
	TimedOut       bool
	Limit          time.Duration
	ExitCode       int
	// NoExit reports whether there is no exit code; see [NoExit].
	NoExit bool
	// Unrecorded reports whether no output of the run is on record.
	Unrecorded bool
}

// VersionSchema is the schema of a [Version].
const VersionSchema = "proctor.version/v1"

// Version describes a build of proctor.
type Version struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	// Commit is empty if the build does not record it, such as one from the module proxy.
	Commit string `json:"commit,omitempty"`
	// CommittedAt is the time of the commit, in RFC 3339.
	CommittedAt string `json:"committed_at,omitempty"`
	// Modified reports whether the sources differed from the commit.
	Modified bool `json:"modified,omitempty"`
	// ModuleSum is the checksum of a module that the go command fetched.
	ModuleSum string `json:"module_sum,omitempty"`
	GoVersion string `json:"go_version"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	// Protocol is the version of the protocol spoken with plugins.
	Protocol int `json:"protocol"`
}
