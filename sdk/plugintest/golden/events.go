package golden

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"github.com/proctorhq/proctor/sdk"
)

// Events collects what a parser reports, each kind in order. It is a client.EventSink.
type Events struct {
	Tests     []sdk.TestResult
	Failures  []sdk.Failure
	Suites    []sdk.SuiteResult
	Unreads   []sdk.Unread
	Notes     []string
	RunErrors []string
	Refusals  []sdk.Refusal
	// Conditions holds values by name; the last one counts.
	Conditions map[string]string
	Out        []byte
	// Snapshots depend on time, so they are not compared.
	Snapshots []sdk.Progress
}

func (e *Events) Test(t sdk.TestResult)   { e.Tests = append(e.Tests, t) }
func (e *Events) Failure(f sdk.Failure)   { e.Failures = append(e.Failures, f) }
func (e *Events) Suite(s sdk.SuiteResult) { e.Suites = append(e.Suites, s) }
func (e *Events) Unread(u sdk.Unread)     { e.Unreads = append(e.Unreads, u) }
func (e *Events) Note(text string)        { e.Notes = append(e.Notes, text) }
func (e *Events) RunError(text string)    { e.RunErrors = append(e.RunErrors, text) }
func (e *Events) Refused(r sdk.Refusal)   { e.Refusals = append(e.Refusals, r) }
func (e *Events) Output(data []byte)      { e.Out = append(e.Out, data...) }
func (e *Events) Progress(p sdk.Progress) { e.Snapshots = append(e.Snapshots, p) }

// Condition keeps the last value.
func (e *Events) Condition(name, value string) {
	if e.Conditions == nil {
		e.Conditions = map[string]string{}
	}
	e.Conditions[name] = value
}

// Diff describes the first difference between two reports on the same output. It
// returns "" if there is none.
func (e *Events) Diff(other *Events) string {
	differences := []string{
		firstDifference("test", e.Tests, other.Tests),
		firstDifference("failure", e.Failures, other.Failures),
		firstDifference("suite", e.Suites, other.Suites),
		firstDifference("unread", e.Unreads, other.Unreads),
		firstDifference("note", e.Notes, other.Notes),
		firstDifference("run error", e.RunErrors, other.RunErrors),
	}
	for _, d := range differences {
		if d != "" {
			return d
		}
	}
	if !bytes.Equal(e.Out, other.Out) {
		return fmt.Sprintf("output: %q\nversus %q", e.Out, other.Out)
	}
	return ""
}

func firstDifference[T any](kind string, a, b []T) string {
	for i := range min(len(a), len(b)) {
		if !reflect.DeepEqual(a[i], b[i]) {
			return fmt.Sprintf("%s %d: %+v\nversus %+v", kind, i, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d %ss versus %d", len(a), kind, len(b))
	}
	return ""
}

// Damaged reports whether unread output may have hidden a result.
func (e *Events) Damaged() bool {
	return slices.ContainsFunc(e.Unreads, func(u sdk.Unread) bool { return u.Damaged })
}

// Passes returns the tests that passed.
func (e *Events) Passes() map[sdk.TestID]bool {
	ids := map[sdk.TestID]bool{}
	for _, test := range e.Tests {
		if test.Status == sdk.Passed {
			ids[test.TestID] = true
		}
	}
	return ids
}

// Failed returns the failed tests to rerun: those that did not fail only because of
// another.
func (e *Events) Failed() []sdk.TestID {
	var ids []sdk.TestID
	for _, test := range e.Tests {
		if test.Status == sdk.Failed && !test.Derived {
			ids = append(ids, test.TestID)
		}
	}
	return ids
}

// Coverage collects what a reader of coverage reports. It is an sdk.CoverageSink.
type Coverage struct {
	Suites []sdk.SuiteCoverage
	Errors []string
}

// Suite adds a suite.
func (c *Coverage) Suite(s sdk.SuiteCoverage) { c.Suites = append(c.Suites, s) }

func (c *Coverage) Error(text string) { c.Errors = append(c.Errors, text) }

// Outlines collects what an outliner reports. It is an sdk.OutlineSink.
type Outlines struct {
	Files []sdk.OutlinedFile
}

// File adds a file.
func (o *Outlines) File(f sdk.OutlinedFile) { o.Files = append(o.Files, f) }
