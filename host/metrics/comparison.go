package metrics

import (
	"time"

	"github.com/proctorhq/proctor/host/api"
)

// Schema is the value of [Comparison.Schema].
const Schema = "proctor.measures/v1"

// Comparison says how what the tests measured differs between two runs. It is
// a public contract like the Run object: fields are only added.
type Comparison struct {
	Schema   string `json:"schema"`
	Language string `json:"language,omitempty"`
	// Names are the measures that were asked for; none is all.
	Names []string `json:"names,omitempty"`
	// Message says the outcome in words, also why nothing could be compared.
	Message string `json:"message"`
	// Before and Now are the runs; nil where there is none.
	Before *Source `json:"before,omitempty"`
	Now    *Source `json:"now,omitempty"`
	// Later are finished runs after Now that measured nothing, newest first: the
	// comparison does not speak of what they ran.
	Later []Source `json:"later,omitempty"`
	// ThresholdPercent: changes up to this are counted and not listed.
	ThresholdPercent float64 `json:"threshold_percent"`
	Counts           Counts  `json:"counts"`
	// Changes are sorted by the size of the difference, the largest first.
	Changes []Change `json:"changes"`
	// Suites sum up what was compared, by suite and name; Totals by name.
	Suites []Total `json:"suites"`
	Totals []Total `json:"totals"`
	// Conditions are those in which the runs differ.
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
	// Whole: every test was asked for and came to an end.
	Whole bool `json:"whole"`
	// Baseline: it is the one that was set.
	Baseline bool `json:"baseline,omitempty"`
	// Tests passed and have measures; LeftOut counts those that did not pass.
	Tests   int `json:"tests"`
	LeftOut int `json:"left_out"`
}

// Counts are the figures of a comparison.
type Counts struct {
	// Tests have at least one measure that was compared, of Measures in all.
	Tests    int `json:"tests"`
	Measures int `json:"measures"`
	// Equal, Within the threshold, Increased and Decreased add up to Measures.
	Equal     int `json:"equal"`
	Within    int `json:"within"`
	Increased int `json:"increased"`
	Decreased int `json:"decreased"`
	// Incomparable counts the list of that name.
	Incomparable int `json:"incomparable"`
	// NotRun tests were measured before and not run now, as in a rerun.
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
	// Beside are the other kinds of the same measure, which decide nothing.
	Beside []Beside `json:"beside,omitempty"`
}

// Beside is another kind of a measure.
type Beside struct {
	Kind string `json:"kind"`
	Figures
}

// Total sums up the measures of a suite; of all, where Suite is empty.
type Total struct {
	Suite    string `json:"suite,omitempty"`
	Name     string `json:"name"`
	Measures int    `json:"measures"`
	Figures
}

// Condition is one in which two runs differ; empty is absent.
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
	// Detail tells what differs: "7 → 9".
	Detail string `json:"detail,omitempty"`
}

// Reason is why something was not compared.
type Reason string

// The reasons. Beside them: an end other than a pass with _now or _before behind
// it, such as failed_now.
const (
	// New and Gone: the other run was whole and does not have the test.
	New  Reason = "new"
	Gone Reason = "gone"
	// NotRunBefore: the run before did not run everything.
	NotRunBefore Reason = "not_run_before"
	// NotMeasuredBefore and NotMeasuredNow: the other run has the test, and not
	// this measure of it.
	NotMeasuredBefore Reason = "not_measured_before"
	NotMeasuredNow    Reason = "not_measured_now"
	OtherConditions   Reason = "other_conditions"
	OtherKind         Reason = "other_kind"
	OtherSeed         Reason = "other_seed"
	// OtherRuns: the values sum up different numbers of executions.
	OtherRuns Reason = "other_runs"
	// Ambiguous: a run has several values.
	Ambiguous Reason = "ambiguous"
	// NoNumber: a value cannot be read.
	NoNumber Reason = "no_number"
)

// SourceOf describes a run.
func SourceOf(s Set) Source {
	measured, others := s.Measured()
	return Source{
		RunID: s.Run.RunID, Kind: s.Run.Kind, Verdict: s.Run.Verdict, StartedAt: s.Run.StartedAt, Seed: s.Run.Seed,
		Whole: IsWhole(s.Run), Baseline: s.Baseline, Tests: measured, LeftOut: others,
	}
}

// Nothing is the comparison that cannot be made; now may be nil.
func Nothing(language string, names []string, now *Source, why string) Comparison {
	return Comparison{
		Schema: Schema, Language: language, Names: names, Now: now, Message: nothing + why,
		Changes: []Change{}, Suites: []Total{}, Totals: []Total{}, Incomparable: []Incomparable{},
	}
}
