package tally

import (
	"fmt"
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// What is shown while a run goes on must not exceed what it says in the end.
func TestProgressCountsAsTheEndDoes(t *testing.T) {
	t.Parallel()
	var shown sdk.Progress
	c := NewCollector(api.ListenerFunc(func(e api.Event) {
		if e, ok := e.(*api.Progressed); ok {
			shown = e.Progress
		}
	}))
	for name, derived := range map[string]bool{"TestA": true, "TestA/inner": false} {
		c.Test(sdk.TestResult{ID: sdk.TestID{Suite: "s", Name: name}, Status: sdk.Failed, Derived: derived, Ended: derived})
	}
	c.Test(sdk.TestResult{ID: sdk.TestID{Suite: "s", Name: "TestB"}, Status: sdk.Passed})
	c.Progress(sdk.Progress{Passed: 1, Failed: 2, SuitesDone: 3})
	if shown.Failed != 1 || shown.Passed != 1 || shown.SuitesDone != 3 {
		t.Errorf("%+v", shown)
	}
}

// A test that failed by a part of it is outstanding whole where its suite ended early:
// the parts that follow have no names yet. A plugin may say that it ended before.
func TestATestInWhichItsProcessDiedIsOutstandingWhole(t *testing.T) {
	t.Parallel()
	derived := sdk.TestResult{ID: sdk.TestID{Suite: "s", Name: "A"}, Status: sdk.Failed, Derived: true, Container: true}
	ended := derived
	ended.Ended = true
	part := sdk.TestResult{ID: sdk.TestID{Suite: "s", Name: "A/x"}, Root: "A", Status: sdk.Failed}
	for _, tt := range []struct {
		name    string
		outer   sdk.TestResult
		outcome sdk.SuiteOutcome
		first   bool // the suite's end comes before the test's
		want    []string
	}{
		{"aborted", derived, sdk.SuiteAborted, false, []string{"A", "A/x"}},
		{"aborted, told first", derived, sdk.SuiteAborted, true, []string{"A", "A/x"}},
		{"no end", derived, sdk.SuiteUnfinished, false, []string{"A", "A/x"}},
		{"never told", derived, 0, false, []string{"A", "A/x"}},
		{"it ended before", ended, sdk.SuiteAborted, false, []string{"A/x"}},
		{"the suite ended", derived, sdk.SuiteFailed, false, []string{"A/x"}},
		{"the suite ended, told first", derived, sdk.SuiteFailed, true, []string{"A/x"}},
	} {
		fold := outstanding.NewFold("now", outstanding.Set{}, outstanding.Scope{})
		c := NewCollector(fold)
		end := func() {
			if tt.outcome != 0 {
				c.Suite(sdk.SuiteResult{Suite: "s", Outcome: tt.outcome})
			}
		}
		if tt.first {
			end()
		}
		c.Test(part)
		c.Test(tt.outer)
		if !tt.first {
			end()
		}
		c.EndCommand()
		var got []string
		for _, e := range fold.After(outstanding.Set{}, outstanding.Partial).Entries {
			got = append(got, e.Test.Test)
			if e.Test.Test == "A" && (e.Reason != outstanding.ReasonUnfinished || e.Why != outstanding.WhyParts) {
				t.Errorf("%s: A is outstanding as %s, %s", tt.name, e.Reason, e.Why)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: outstanding is %q, want %q", tt.name, got, tt.want)
		}
		if unfinished := slices.Contains(c.Tally.Unfinished, api.Test{Suite: "s", Test: "A"}); unfinished != slices.Contains(tt.want, "A") {
			t.Errorf("%s: A counts as unfinished: %v", tt.name, unfinished)
		}
	}
}

func BenchmarkTestEnded(b *testing.B) {
	results := make([]sdk.TestResult, 10_000)
	for i := range results {
		results[i] = sdk.TestResult{ID: sdk.TestID{Suite: "p", Name: fmt.Sprintf("Test%d", i)}, Status: sdk.Passed}
	}
	heard := 0
	counter := api.ListenerFunc(func(api.Event) { heard++ })
	c := NewCollector(outstanding.NewFold("r", outstanding.Set{}, outstanding.Scope{}), counter, counter, counter)
	for _, r := range results {
		c.Test(r)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Test(results[i%len(results)])
	}
}

// A million results must not cost a million allocations.
func TestAResultOfAKnownTestCostsNoMemory(t *testing.T) {
	counter := api.ListenerFunc(func(api.Event) {})
	c := NewCollector(outstanding.NewFold("r", outstanding.Set{}, outstanding.Scope{}), counter)
	result := sdk.TestResult{ID: sdk.TestID{Suite: "p", Name: "T"}, Status: sdk.Passed}
	if n := testing.AllocsPerRun(100, func() { c.Test(result) }); n != 0 {
		t.Errorf("%v allocations a result", n)
	}
}
