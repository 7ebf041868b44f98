package corpus

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// Observed is a sink that keeps what a parser reports.
type Observed struct {
	Tests     []sdk.TestResult
	Failures  []sdk.Failure
	Suites    []sdk.SuiteResult
	Unreads   []sdk.Unread
	Notes     []string
	RunErrors []string
	events    []event
}

type event struct {
	what  string
	value any
}

var _ sdk.Sink = (*Observed)(nil)

// Test keeps a result.
func (o *Observed) Test(r sdk.TestResult) {
	o.Tests = append(o.Tests, r)
	o.event("test", r)
}

// Failure keeps a failure.
func (o *Observed) Failure(f sdk.Failure) {
	o.Failures = append(o.Failures, f)
	o.event("failure", f)
}

// Suite keeps the end of a suite.
func (o *Observed) Suite(s sdk.SuiteResult) {
	o.Suites = append(o.Suites, s)
	o.event("suite", s)
}

// Unread keeps output that could not be read.
func (o *Observed) Unread(u sdk.Unread) {
	o.Unreads = append(o.Unreads, u)
	o.event("unread", u)
}

// Note keeps a note.
func (o *Observed) Note(text string) {
	o.Notes = append(o.Notes, text)
	o.event("note", text)
}

// RunError keeps an error of the runner.
func (o *Observed) RunError(text string) {
	o.RunErrors = append(o.RunErrors, text)
	o.event("run error", text)
}

// Condition keeps a condition among the events.
func (o *Observed) Condition(name, value string) { o.event("condition", name+"="+value) }

// Output takes nothing: no output was asked for.
func (o *Observed) Output(data []byte) { o.event("output", string(data)) }

// Summary names what was reported, for the message of a failing test.
func (o *Observed) Summary() string {
	var b strings.Builder
	for _, f := range o.Failures {
		fmt.Fprintf(&b, "failure %s\n", describe(f))
	}
	for _, r := range o.Tests {
		if r.Status == sdk.Failed || r.Status == sdk.Unfinished {
			fmt.Fprintf(&b, "test %s %s %s derived=%t\n", r.Suite, r.Test, string(r.Status), r.Derived)
		}
	}
	for _, s := range o.Suites {
		fmt.Fprintf(&b, "suite %s %s\n", s.Suite, outcomeName(s.Outcome))
	}
	for _, e := range o.RunErrors {
		fmt.Fprintf(&b, "run error %q\n", short(e))
	}
	for _, u := range o.Unreads {
		fmt.Fprintf(&b, "unread %+v\n", u)
	}
	return b.String()
}

func (o *Observed) event(what string, v any) {
	o.events = append(o.events, event{what, v})
}

// Events returns everything in the order it came, as text.
func (o *Observed) Events() []string {
	all := make([]string, len(o.events))
	for i, e := range o.events {
		all[i] = fmt.Sprintf("%s %+v", e.what, e.value)
	}
	return all
}

func outcomeName(o sdk.SuiteOutcome) string {
	switch o {
	case sdk.SuitePassed:
		return "passed"
	case sdk.SuiteFailed:
		return "failed"
	case sdk.SuiteBuildFailed:
		return "build_failed"
	case sdk.SuiteAborted:
		return "aborted"
	case sdk.SuiteFailedOutsideTests:
		return "failed_outside_tests"
	case sdk.SuiteNoTests:
		return "no_tests"
	case sdk.SuiteUnfinished:
		return "unfinished"
	}
	return fmt.Sprintf("outcome %d", o)
}
