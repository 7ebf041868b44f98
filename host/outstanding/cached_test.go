package outstanding_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// A cached pass may be older than the failure.
func TestAPassFromTheCacheClearsNothing(t *testing.T) {
	before := set(
		entry("p", "A", "", outstanding.ReasonFailed),
		entry("p", "B/part", "B", outstanding.ReasonFailed),
		entry("p", "Gone", "", outstanding.ReasonFailed),
		entry("p", "B/gone", "B", outstanding.ReasonFailed),
		entry("p", "Skipped", "", outstanding.ReasonNeverStarted),
		entry("p", "", "", outstanding.ReasonSuite),
		entry("q", "Old", "", outstanding.ReasonFailed),
		entry("", "", "", outstanding.ReasonRun),
	)
	run := func(cached bool) outstanding.Set {
		f := outstanding.NewFold("now", before, outstanding.Scope{})
		f.Knows.Absent = outstanding.Absences{{Suite: "q", Test: "Old"}: {{Suite: "p", Test: "A"}}} // renamed
		for _, r := range []api.Result{
			result("p", "A", sdk.Passed), inside("p", "B", "B/part", sdk.Passed), container(result("p", "B", sdk.Passed), false), result("p", "Skipped", sdk.Skipped),
		} {
			r.Cached = cached
			f.Listen(&api.TestEnded{Result: r})
		}
		f.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "p", Outcome: sdk.SuitePassed, Cached: cached}})
		return f.After(before, outstanding.Green)
	}
	if left := names(run(true)); !slices.Equal(left, names(before)) {
		t.Errorf("left %q of %q", left, names(before))
	}
	if left := run(false); left.Len() > 0 {
		t.Errorf("the same run without a cache leaves %q", names(left))
	}
}

// TestMain may hide a failure from the runner, which then caches it.
func TestAFailureFromTheCacheIsOutstanding(t *testing.T) {
	f := outstanding.NewFold("now", set(), outstanding.Scope{})
	r := result("p", "A", sdk.Failed)
	r.Cached = true
	f.Listen(&api.TestEnded{Result: r})
	f.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailed, Cached: true}})
	if left := names(f.After(set(), outstanding.Ended)); !slices.Equal(left, []string{"p A"}) {
		t.Errorf("left %q", left)
	}
}
