package api

// Surroundings is the environment of a run in detail. Only variables that the plugin
// declares relevant are included with their values.
type Surroundings struct {
	// Decides is what affects results (arguments, tools, settings and variables), by
	// names for the user.
	Decides map[string]string `json:"decides"`
	// Variables are all other variables visible to the tests, each with a few bits of a
	// hash of its value.
	Variables map[string]string `json:"variables"`
	// Args and Way are as in package outstanding. They are needed if the run is killed.
	Args string `json:"args,omitempty"`
	Way  *Way   `json:"way,omitempty"`
}

// Way is the way in which tests ran.
type Way struct {
	Decides []string `json:"decides,omitempty"`
	Narrows []string `json:"narrows,omitempty"`
}

// EnvironmentDiff says how the environments of two runs differ.
type EnvironmentDiff struct {
	BeforeRunID string `json:"before_run_id"`
	NowRunID    string `json:"now_run_id"`
	// Decides are the relevant differences; empty if the environments count as the same.
	Decides []SettingDiff `json:"decides,omitempty"`
	// Variables are the names of irrelevant variables whose values differ, at most
	// [MaxNames]; VariablesTotal counts all.
	Variables      []string `json:"variables,omitempty"`
	VariablesTotal int      `json:"variables_total"`
}

// SettingDiff is one relevant difference. Before and Now are empty if the setting was
// not set, or may be a secret.
type SettingDiff struct {
	Name   string `json:"name"`
	Before string `json:"before,omitempty"`
	Now    string `json:"now,omitempty"`
}
