package api

// Surroundings is the environment of a run in detail. No value of a variable is in it
// that its plugin does not name as deciding.
type Surroundings struct {
	// Decides is what decides how tests end, by names for the user: arguments, tools,
	// settings, variables.
	Decides map[string]string `json:"decides"`
	// Variables are all other variables that the tests could see, each with some bits
	// of a hash of its value.
	Variables map[string]string `json:"variables"`
	// Args and Way are as in package outstanding, for a run that is killed.
	Args string `json:"args,omitempty"`
	Way  *Way   `json:"way,omitempty"`
}

// Way is in which way tests ran.
type Way struct {
	Decides []string `json:"decides,omitempty"`
	Narrows []string `json:"narrows,omitempty"`
}

// Unlike is in what the environments of two runs differ.
type Unlike struct {
	BeforeRunID string `json:"before_run_id"`
	NowRunID    string `json:"now_run_id"`
	// Decides is what makes them two environments; empty where they are one.
	Decides []UnlikeSetting `json:"decides,omitempty"`
	// Variables are those that count for nothing and that had other values, by name, at
	// most [MaxNames]; VariablesTotal counts them.
	Variables      []string `json:"variables,omitempty"`
	VariablesTotal int      `json:"variables_total"`
}

// UnlikeSetting is one thing that decides. Before and Now are empty where it was not
// set, and where it may be a secret.
type UnlikeSetting struct {
	Name   string `json:"name"`
	Before string `json:"before,omitempty"`
	Now    string `json:"now,omitempty"`
}
