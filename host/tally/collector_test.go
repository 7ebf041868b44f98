package tally

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// Progress must not exceed the final counts.
func TestProgressCountsAsTheEndDoes(t *testing.T) {
	t.Parallel()
	var shown sdk.Progress
	c := NewCollector(api.ListenerFunc(func(e api.Event) {
		if e, ok := e.(*api.Progressed); ok {
			shown = e.Progress
		}
	}))
	for name, derived := range map[string]bool{"TestA": true, "TestA/inner": false} {
		c.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: name}, Status: sdk.Failed, Derived: derived, Ended: derived})
	}
	c.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "TestB"}, Status: sdk.Passed})
	c.Progress(sdk.Progress{Passed: 1, Failed: 2, SuitesDone: 3})
	if shown.Failed != 1 || shown.Passed != 1 || shown.SuitesDone != 3 {
		t.Errorf("%+v", shown)
	}
}

// A test that failed by a part of it is outstanding whole where its suite ended early:
// the parts that follow have no names yet. A plugin may say that it ended before.
func TestATestInWhichItsProcessDiedIsOutstandingWhole(t *testing.T) {
	t.Parallel()
	derived := sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "A"}, Status: sdk.Failed, Derived: true, Container: true}
	ended := derived
	ended.Ended = true
	part := sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "A/x"}, Root: "A", Status: sdk.Failed}
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
			got = append(got, e.Test)
			if e.Test == "A" && (e.Reason != outstanding.ReasonUnfinished || e.Why != outstanding.WhyParts) {
				t.Errorf("%s: A is outstanding as %s, %s", tt.name, e.Reason, e.Why)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: outstanding is %q, want %q", tt.name, got, tt.want)
		}
		if unfinished := slices.Contains(c.Tally.Unfinished, sdk.TestID{Suite: "s", Test: "A"}); unfinished != slices.Contains(tt.want, "A") {
			t.Errorf("%s: A counts as unfinished: %v", tt.name, unfinished)
		}
	}
}

func BenchmarkTestEnded(b *testing.B) {
	results := make([]sdk.TestResult, 10_000)
	for i := range results {
		results[i] = sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: fmt.Sprintf("Test%d", i)}, Status: sdk.Passed}
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
	result := sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "T"}, Status: sdk.Passed}
	if n := testing.AllocsPerRun(100, func() { c.Test(result) }); n != 0 {
		t.Errorf("%v allocations a result", n)
	}
}

func TestReproIsAShellCommand(t *testing.T) {
	for _, tc := range []struct {
		cmd  sdk.Command
		want string
	}{
		{sdk.Command{}, ""},
		{sdk.Command{Argv: []string{"go", "test", "-run", "^A$/^it's$", "example.com/m"}}, `go test -run '^A$/^it'\''s$' example.com/m`},
		{sdk.Command{Argv: []string{"go", "test", ""}, Dir: "sub dir", Env: map[string]string{"B": "2", "A": "x y"}}, `(cd 'sub dir' && A='x y' B=2 go test '')`},
	} {
		if got := shellLine(tc.cmd); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}

// The record holds the value as it is: what is no number of JSON would make it
// unreadable.
func TestAMeasureThatIsNotANumberIsLeftOut(t *testing.T) {
	var measures []sdk.Measure
	for _, value := range []string{
		"1", "", "Inf", "NaN", "<nil>", "0x1f", "1_000", "+1", "01", "1.", "1 ", " 1", "1\n", "1 2", "true", "null", `"1"`, "[1]", "{}",
		"-1.5e+300", "115792089237316195423570985008687907853269984665640564039457584007913129639935", "0",
	} {
		measures = append(measures, sdk.Measure{Name: "cost", Value: json.Number(value)})
	}
	var told api.Result
	NewCollector(api.ListenerFunc(func(e api.Event) {
		if e, ok := e.(*api.TestEnded); ok {
			told = e.Result
		}
	})).Test(sdk.TestResult{Measures: measures})
	text, err := json.Marshal(told)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Measures []struct{ Value json.Number }
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, m := range got.Measures {
		kept = append(kept, m.Value.String())
	}
	want := []string{"1", "-1.5e+300", "115792089237316195423570985008687907853269984665640564039457584007913129639935", "0"}
	if !slices.Equal(kept, want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
}

// There may be a million suites, and a command none of whose results wait.
func TestNothingIsKeptOfSuitesWhoseResultsDoNotWait(t *testing.T) {
	t.Parallel()
	c := NewCollector()
	for i := range 100 {
		c.Test(sdk.TestResult{TestID: sdk.TestID{Suite: fmt.Sprint(i), Test: "T"}, Status: sdk.Passed})
	}
	for name, s := range c.suites {
		if s.waiting != nil || s.told != nil {
			t.Errorf("something is kept of suite %s: %+v", name, s)
		}
	}
}
