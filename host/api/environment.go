package api

// Surroundings is the environment of a run in detail. It holds the values of only those
// variables that the plugin declares relevant.
type Surroundings struct {
	// Decides is what affects results, by names for the user: arguments, tools,
	// settings, variables.
	Decides map[string]string `json:"decides"`
	// Variables are all other variables visible to the tests, each with a few bits of a
	// hash of its value.
	Variables map[string]string `json:"variables"`
	// Args and Way are as in package outstanding, kept for a run that is killed.
	Args string `json:"args,omitempty"`
	Way  *Way   `json:"way,omitempty"`
}

// Way is the way in which tests ran.
type Way struct {
	Decides []string `json:"decides,omitempty"`
	Narrows []string `json:"narrows,omitempty"`
}

// Unlike says how the environments of two runs differ.
type Unlike struct {
	BeforeRunID string `json:"before_run_id"`
	NowRunID    string `json:"now_run_id"`
	// Decides is what makes them two environments; empty if they are one.
	Decides []UnlikeSetting `json:"decides,omitempty"`
	// Variables names irrelevant variables with other values, at most [MaxNames];
	// VariablesTotal counts all.
	Variables      []string `json:"variables,omitempty"`
	VariablesTotal int      `json:"variables_total"`
}

// UnlikeSetting is one relevant difference. Before and Now are empty if it was not set,
// or may be a secret.
type UnlikeSetting struct {
	Name   string `json:"name"`
	Before string `json:"before,omitempty"`
	Now    string `json:"now,omitempty"`
}
