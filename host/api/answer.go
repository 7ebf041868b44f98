package api

import "time"

// FailuresPage is a part of a run's failures.
type FailuresPage struct {
	// Run carries the failures of the page; FailuresTotal counts all of them.
	Run Run
	// Age is how long ago the run ended.
	Age time.Duration
	// Recorded is how many failures are on record: less than there were where the
	// record was cut.
	Recorded int
	// Notes say what the answer cannot rely on: a record that is gone or cannot be
	// read. They are among the run's warnings, too.
	Notes []Note
}

// TestOutput is one test's whole output.
type TestOutput struct {
	Run  Run
	Test Test
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
	// BothStreams are the standard output and then the standard error.
	BothStreams Stream = "output"
)

// StreamPage is a part of what a run's commands printed, as it is on record.
type StreamPage struct {
	Run Run
	// Offset is where the part begins and Total how long the whole is, in bytes.
	// StderrAt is where the standard error begins in both streams.
	Offset, Total, StderrAt int64
	// Text is the part. It neither begins nor ends within a character.
	Text string
	// Unrecorded reports whether no output of the run is on record.
	Unrecorded bool
}

// Next is where the following part begins; 0 is none.
func (p StreamPage) Next() int64 {
	if end := p.Offset + int64(len(p.Text)); end < p.Total {
		return end
	}
	return 0
}

// Diagnosis is what proctor sees of its surroundings.
type Diagnosis struct {
	Schema    string          `json:"schema"`
	Version   string          `json:"version"`
	SessionID string          `json:"session_id"`
	Plugins   []PluginReport  `json:"plugins"`
	Refused   []RefusedReport `json:"refused,omitempty"`
	Searched  []string        `json:"searched"`
	Workspace string          `json:"workspace,omitempty"`
	// Records is where runs are recorded; empty before the first.
	Records  string          `json:"records,omitempty"`
	Projects []ProjectReport `json:"projects"`
	Problems []string        `json:"problems,omitempty"`
}

// PluginReport is one plugin.
type PluginReport struct {
	Name     string `json:"name"`
	Path     string `json:"path"`
	Version  string `json:"version,omitempty"`
	Language string `json:"language,omitempty"`
	// Lock is the lock file that names it; empty where none does.
	Lock  string `json:"lock,omitempty"`
	Error string `json:"error,omitempty"`
}

// RefusedReport is a plugin binary that will not be started.
type RefusedReport struct {
	Name string `json:"name"`
	// Path is empty where a lock file names one that is not installed.
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// ProjectReport is a language's project in the workspace.
type ProjectReport struct {
	Language string            `json:"language"`
	Tools    map[string]string `json:"tools"`
	Missing  []string          `json:"missing,omitempty"`
	// Commands are what a run would execute.
	Commands []Command `json:"commands"`
	Untested []string  `json:"untested,omitempty"`
	// Notes are what a run there would say before it began.
	Notes []string `json:"notes,omitempty"`
	// Tests is how many tests there are in how many suites; nil where that was not, or
	// could not be found out.
	Tests *TestsReport `json:"tests,omitempty"`
}

// TestsReport counts the tests of a project.
type TestsReport struct {
	Tests  int `json:"tests"`
	Suites int `json:"suites"`
}

// RawOutput is one run's output as the seed's run_tests shows it.
type RawOutput struct {
	// Stdout and Stderr are already capped.
	Stdout, Stderr string
	TimedOut       bool
	Limit          time.Duration
	ExitCode       int
	// NoExit is as in [NoExit]: there is no exit code.
	NoExit bool
	// Unrecorded reports whether no output of the run is on record.
	Unrecorded bool
}
