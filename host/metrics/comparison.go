package metrics

import (
	"time"

	"github.com/proctorhq/proctor/host/api"
)

// Schema is the value of [Comparison.Schema].
const Schema = "proctor.measures/v1"

// Answer compares the last run that measured something with another.
type Answer struct {
	Comparison
	// NowAge and BeforeAge are the times since the runs ended.
	NowAge, BeforeAge time.Duration
	// RunnerArgs are those of the present run: a run to compare it with needs them,
	// too.
	RunnerArgs []string
}

// Comparison says how the measures of the tests differ between two runs. It is a public
// contract like the Run object: fields are only added.
type Comparison struct {
	Schema   string `json:"schema"`
	Language string `json:"language,omitempty"`
	// Names are the requested measures; empty means all.
	Names []string `json:"names,omitempty"`
	// Message states the outcome in words, or why nothing could be compared.
	Message string `json:"message"`
	// Before and Now are the runs; nil if there is none.
	Before *Source `json:"before,omitempty"`
	Now    *Source `json:"now,omitempty"`
	// Later are finished runs after Now that measured nothing, newest first. The
	// comparison does not cover what they ran.
	Later []Source `json:"later,omitempty"`
	// ThresholdPercent: changes up to this size are counted but not listed.
	ThresholdPercent float64 `json:"threshold_percent"`
	Counts           Counts  `json:"counts"`
	// Changes are sorted by the size of the difference, largest first.
	Changes []Change `json:"changes"`
	// Suites sums up what was compared, by suite and name; Totals, by name.
	Suites []Total `json:"suites"`
	Totals []Total `json:"totals"`
	// Conditions are those that differ between the runs.
	Conditions   []Condition    `json:"conditions,omitempty"`
	Incomparable []Incomparable `json:"incomparable"`
}

// Source is a run that was compared.
type Source struct {
	RunID     string      `json:"run_id"`
	Kind      api.Kind    `json:"kind"`
	Verdict   api.Verdict `json:"verdict"`
	StartedAt time.Time   `json:"started_at"`
	Seed      string      `json:"seed,omitempty"`
	// Whole reports whether every test was asked for and ended.
	Whole bool `json:"whole"`
	// Baseline reports whether the run is the one set as the baseline.
	Baseline bool `json:"baseline,omitempty"`
	// Tests counts those that passed and have measures; LeftOut, those that did not
	// pass.
	Tests   int `json:"tests"`
	LeftOut int `json:"left_out"`
}

// Counts are the figures of a comparison.
type Counts struct {
	// Tests counts those with at least one compared measure; Measures counts the
	// measures.
	Tests    int `json:"tests"`
	Measures int `json:"measures"`
	// Equal, Within (the threshold), Increased and Decreased add up to Measures.
	Equal     int `json:"equal"`
	Within    int `json:"within"`
	Increased int `json:"increased"`
	Decreased int `json:"decreased"`
	// Incomparable counts the list of that name.
	Incomparable int `json:"incomparable"`
	// NotRun counts tests that were measured before and did not run now, as in a rerun.
	NotRun int `json:"not_run"`
}

// Change is a measure that changed by more than the threshold.
type Change struct {
	Suite   string `json:"suite"`
	Test    string `json:"test"`
	Name    string `json:"name"`
	Kind    string `json:"kind,omitempty"`
	Section string `json:"section,omitempty"`
	Figures
	// Beside holds other kinds of the same measure, which decide nothing.
	Beside []Beside `json:"beside,omitempty"`
}

// Beside is another kind of a measure.
type Beside struct {
	Kind string `json:"kind"`
	Figures
}

// Total sums up the measures of a suite, or of all suites if Suite is empty.
type Total struct {
	Suite    string `json:"suite,omitempty"`
	Name     string `json:"name"`
	Measures int    `json:"measures"`
	Figures
}

// Condition is a condition that differs between two runs; empty means absent.
type Condition struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Incomparable is a test, or one of its measures, that was not compared.
type Incomparable struct {
	Suite   string `json:"suite"`
	Test    string `json:"test"`
	Name    string `json:"name,omitempty"`
	Section string `json:"section,omitempty"`
	Reason  Reason `json:"reason"`
	// Detail says what differs: "7 → 9".
	Detail string `json:"detail,omitempty"`
}

// Reason is why something was not compared.
type Reason string

// The reasons. A test that did not pass has its status with _now or _before appended
// instead, such as failed_now.
const (
	// New and Gone mean that the other run was whole and lacks the test.
	New  Reason = "new"
	Gone Reason = "gone"
	// NotRunBefore means that the earlier run did not run everything.
	NotRunBefore Reason = "not_run_before"
	// NotMeasuredBefore and NotMeasuredNow mean that the other run has the test but not
	// this measure.
	NotMeasuredBefore Reason = "not_measured_before"
	NotMeasuredNow    Reason = "not_measured_now"
	OtherConditions   Reason = "other_conditions"
	OtherKind         Reason = "other_kind"
	OtherSeed         Reason = "other_seed"
	// OtherRuns means that the values sum up different numbers of executions.
	OtherRuns Reason = "other_runs"
	// Ambiguous means that a run has several values.
	Ambiguous Reason = "ambiguous"
	// NoNumber means that a value cannot be read.
	NoNumber Reason = "no_number"
)

// SourceOf describes a run.
func SourceOf(s Set) Source {
	measured, others := s.CountMeasured()
	return Source{
		RunID: s.Run.RunID, Kind: s.Run.Kind, Verdict: s.Run.Verdict, StartedAt: s.Run.StartedAt, Seed: s.Run.Seed,
		Whole: IsWhole(s.Run), Baseline: s.Baseline, Tests: measured, LeftOut: others,
	}
}

// Nothing is a comparison that could not be made; now may be nil.
func Nothing(language string, names []string, now *Source, why string) Comparison {
	return Comparison{
		Schema: Schema, Language: language, Names: names, Now: now, Message: nothing + why,
		Changes: []Change{}, Suites: []Total{}, Totals: []Total{}, Incomparable: []Incomparable{},
	}
}
