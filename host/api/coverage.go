package api

// Coverage is what the tests of a run executed, as the runner measured it.
type Coverage struct {
	// Statements counts those of the measured files, Covered those that were executed
	// by any test; Percent is 100 times their ratio.
	Statements int     `json:"statements"`
	Covered    int     `json:"covered"`
	Percent    float64 `json:"percent"`
	// Suites have the same for each suite, of the files that were measured with it.
	Suites []SuiteCoverage `json:"suites"`
	// Indexed: the measurement answers `proctor covering` from now on. A run of some
	// tests only does not say what the others execute.
	Indexed bool `json:"indexed"`
	// NotIndexed says why not, or of which suites not.
	NotIndexed string `json:"not_indexed,omitempty"`
}

// SuiteCoverage is what the tests of one suite executed.
type SuiteCoverage struct {
	Suite      string  `json:"suite"`
	Statements int     `json:"statements"`
	Covered    int     `json:"covered"`
	Percent    float64 `json:"percent"`
}
