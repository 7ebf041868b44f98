package api

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
