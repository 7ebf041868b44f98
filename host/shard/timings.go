package shard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// perSuite is what a suite costs besides its tests, in seconds, unless the file says
// otherwise: building and linking it, and starting its process. Recorded durations do not
// have it, and without it a hundred quick suites would weigh nothing.
const perSuite = 0.5

// Timings are recorded durations of one language. The zero value has none: then every
// test weighs the same.
type Timings struct {
	// Digest identifies the file that they come from; empty if there is none.
	Digest string
	fixed  float64
	tests  map[sdk.TestID]float64
}

// The bounds of a file of timings.
const (
	maxTimedSeconds = 7 * 24 * 3600
	maxTimedTests   = 1_000_000
)

// ReadTimings reads a file of timings, which holds [api.Timings], for a language.
func ReadTimings(raw []byte, language string) (Timings, error) {
	var file api.Timings
	if err := json.Unmarshal(raw, &file); err != nil {
		return Timings{}, fmt.Errorf("it is not a file of timings: %w", err)
	}
	if file.Schema != api.TimingsSchema {
		return Timings{}, fmt.Errorf("its schema is %q and not %s", prose.Cut(file.Schema, maxShownText, "…"), api.TimingsSchema)
	}
	sum := sha256.Sum256(raw)
	t := Timings{Digest: hex.EncodeToString(sum[:]), fixed: perSuite, tests: map[sdk.TestID]float64{}}
	if file.PerSuiteS != nil {
		t.fixed = *file.PerSuiteS
	}
	if !isDuration(t.fixed) {
		return Timings{}, fmt.Errorf("per_suite_s is %g, which is not a duration", t.fixed)
	}
	for suite, tests := range file.Languages[language] {
		for test, seconds := range tests {
			if !isDuration(seconds) {
				return Timings{}, fmt.Errorf("%s %s takes %g seconds, which is not a duration", prose.Cut(suite, maxShownText, "…"), prose.Cut(test, maxShownText, "…"), seconds)
			}
			t.tests[sdk.TestID{Suite: suite, Test: test}] = seconds
		}
	}
	if len(t.tests) > maxTimedTests {
		return Timings{}, fmt.Errorf("it has %d tests; the limit is %d", len(t.tests), maxTimedTests)
	}
	return t, nil
}

// isDuration reports whether a number of seconds can be a duration. JSON has no NaN.
func isDuration(seconds float64) bool { return seconds >= 0 && seconds <= maxTimedSeconds }

// maxShownText is how much of a foreign text an error repeats.
const maxShownText = 100

// IsZero reports whether nothing is recorded.
func (t Timings) IsZero() bool { return len(t.tests) == 0 }

// unknown marks what has no recorded duration.
const unknown = -1

// weigh returns a suite with the recorded durations of its tests.
func (t Timings) weigh(s Suite) weighted {
	w := weighted{Suite: s, tests: make([]float64, len(s.Tests))}
	for i, name := range s.Tests {
		seconds, ok := t.tests[sdk.TestID{Suite: s.Name, Test: name}]
		if !ok {
			seconds = unknown
		}
		w.tests[i] = seconds
	}
	return w
}

// fillUnknown gives everything its weight: an unknown test takes the median of its suite,
// in an unknown suite that of all tests, or the same as all others if nothing is known.
// An unlisted suite takes the median of the others.
func (t Timings) fillUnknown(suites []weighted) {
	var all []float64
	for _, s := range suites {
		all = append(all, known(s.tests)...)
	}
	usual, isKnown := median(all)
	fixed := t.fixed
	if !isKnown {
		usual, fixed = 1, 0
	}
	var weights []float64
	for i := range suites {
		s := &suites[i]
		own, ok := median(known(s.tests))
		if !ok {
			own = usual
		}
		if len(s.tests) > 0 {
			s.fixed = fixed
		}
		s.weight = s.fixed
		for j, seconds := range s.tests {
			if seconds == unknown {
				s.tests[j] = own
			}
			s.weight += s.tests[j]
		}
		if len(s.tests) > 0 {
			weights = append(weights, s.weight)
		}
	}
	if usual, ok := median(weights); ok {
		for i := range suites {
			if s := &suites[i]; len(s.tests) == 0 && s.Whole {
				s.weight = usual
			}
		}
	}
}

func known(seconds []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(seconds), func(s float64) bool { return s == unknown })
}

// median returns the upper median.
func median(of []float64) (m float64, ok bool) {
	if len(of) == 0 {
		return 0, false
	}
	of = slices.Clone(of)
	slices.Sort(of)
	return of[len(of)/2], true
}
