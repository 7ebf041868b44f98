package golden

import (
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/sdk"
)

// Want is what a plugin must report about a case. Absent fields are not compared.
type Want struct {
	Counts    *Counts       `json:"counts,omitempty"`
	Tests     []WantTest    `json:"tests,omitempty"`
	Suites    []WantSuite   `json:"suites,omitempty"`
	Failures  []WantFailure `json:"failures,omitempty"`
	RunErrors []string      `json:"run_errors,omitempty"`
	Notes     []string      `json:"notes,omitempty"`
	// Damaged reports whether unread output must count as damaged.
	Damaged *bool `json:"damaged,omitempty"`
	// Absent are tests that must not be reported, because only a test's own output
	// mentions them.
	Absent []WantID `json:"absent,omitempty"`
	// Listed are the expected suites of a listing.
	Listed []WantListed `json:"listed,omitempty"`
}

// Counts are the expected numbers.
type Counts struct {
	Passed     *int `json:"passed,omitempty"`
	Failed     *int `json:"failed,omitempty"`
	Skipped    *int `json:"skipped,omitempty"`
	Unfinished *int `json:"unfinished,omitempty"`
	Failures   *int `json:"failures,omitempty"`
	RunErrors  *int `json:"run_errors,omitempty"`
}

// WantID is the name of a test.
type WantID struct {
	Suite string `json:"suite"`
	Name  string `json:"name"`
}

// WantTest is how a test must end.
type WantTest struct {
	WantID
	Status    string  `json:"status"`
	File      *string `json:"file,omitempty"`
	Line      *int    `json:"line,omitempty"`
	Derived   *bool   `json:"derived,omitempty"`
	Ended     *bool   `json:"ended,omitempty"`
	Container *bool   `json:"container,omitempty"`
	Fixture   *bool   `json:"fixture,omitempty"`
}

// WantSuite is how a suite must end.
type WantSuite struct {
	Suite   string `json:"suite"`
	Outcome string `json:"outcome"`
	Cached  *bool  `json:"cached,omitempty"`
}

// WantFailure is a failure that must be reported.
type WantFailure struct {
	WantID
	Kind    *string `json:"kind,omitempty"`
	File    *string `json:"file,omitempty"`
	Line    *int    `json:"line,omitempty"`
	Column  *int    `json:"column,omitempty"`
	Message *string `json:"message,omitempty"`
	Got     *string `json:"got,omitempty"`
	Want    *string `json:"want,omitempty"`
}

// WantListed is a suite of a listing.
type WantListed struct {
	Suite string   `json:"suite"`
	Tests []string `json:"tests"`
}

// Observed returns a Want with everything that was reported, for review.
func Observed(e *Events) Want {
	count := func(s sdk.Status) *int {
		n := 0
		for _, t := range e.Tests {
			if t.Status == s {
				n++
			}
		}
		return &n
	}
	failures, runErrors, damaged := len(e.Failures), len(e.RunErrors), e.Damaged()
	w := Want{
		Counts: &Counts{
			Passed: count(sdk.Passed), Failed: count(sdk.Failed), Skipped: count(sdk.Skipped), Unfinished: count(sdk.Unfinished),
			Failures: &failures, RunErrors: &runErrors,
		},
		Damaged: &damaged, RunErrors: e.RunErrors, Notes: e.Notes,
	}
	for _, t := range e.Tests {
		w.Tests = append(w.Tests, observedTest(t))
	}
	for _, s := range e.Suites {
		ended := WantSuite{Suite: s.Suite, Outcome: outcomeWord(s.Outcome)}
		if s.Cached {
			ended.Cached = &s.Cached
		}
		w.Suites = append(w.Suites, ended)
	}
	for _, f := range e.Failures {
		w.Failures = append(w.Failures, observedFailure(f))
	}
	return w
}

// ObservedListing returns a Want with everything that was listed.
func ObservedListing(l *Listing) Want {
	var w Want
	for _, s := range l.Suites {
		listed := WantListed{Suite: s.Suite, Tests: []string{}}
		for _, t := range s.Tests {
			listed.Tests = append(listed.Tests, t.Name)
		}
		w.Listed = append(w.Listed, listed)
	}
	return w
}

var outcomeWords = [...]string{
	sdk.SuitePassed: "passed", sdk.SuiteFailed: "failed", sdk.SuiteBuildFailed: "build_failed", sdk.SuiteAborted: "aborted",
	sdk.SuiteFailedOutsideTests: "failed_outside_tests", sdk.SuiteNoTests: "no_tests", sdk.SuiteUnfinished: "unfinished",
}

// outcomeWord returns a suite's outcome as written in want.json.
func outcomeWord(o sdk.SuiteOutcome) string { return wordOf(outcomeWords[:], int(o)) }

func wordOf(words []string, i int) string {
	if i > 0 && i < len(words) {
		return words[i]
	}
	return fmt.Sprintf("unknown %d", i)
}

func wantID(id sdk.TestID) WantID { return WantID{id.Suite, id.Test} }

func observedTest(t sdk.TestResult) WantTest {
	w := WantTest{WantID: wantID(t.TestID), Status: string(t.Status)}
	if t.Location.File != "" {
		w.File, w.Line = &t.Location.File, &t.Location.Line
	}
	for _, flag := range []struct {
		set  bool
		into **bool
	}{{t.Derived, &w.Derived}, {t.Ended, &w.Ended}, {t.Container, &w.Container}, {t.Fixture, &w.Fixture}} {
		if flag.set {
			*flag.into = &flag.set
		}
	}
	return w
}

func observedFailure(f sdk.Failure) WantFailure {
	w := WantFailure{WantID: wantID(f.TestID), Kind: &f.Kind, Message: &f.Message}
	if f.Location.File != "" {
		w.File, w.Line = &f.Location.File, &f.Location.Line
	}
	if f.Location.Column != 0 {
		w.Column = &f.Location.Column
	}
	if f.Diff.Got != "" || f.Diff.Want != "" {
		w.Got, w.Want = &f.Diff.Got, &f.Diff.Want
	}
	return w
}

// sameStrings compares regardless of the order.
func sameStrings(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
