package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/sdk"
)

// traceEvent is an event of a trace.
type traceEvent struct {
	Name, Cat, Ph, S string
	Ts, Dur          *int64
	Pid, Tid         *int
	Args             map[string]any
}

// readTrace reads a trace and checks its format: slices of a track are nested or disjoint.
func readTrace(t *testing.T, data []byte) (tracks map[int]string, events []traceEvent) {
	t.Helper()
	var trace struct {
		TraceEvents []traceEvent
		OtherData   map[string]string
	}
	if err := json.Unmarshal(data, &trace); err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	if !strings.Contains(trace.OtherData["layout"], "is not on record") {
		t.Errorf("the trace does not say how it was laid out: %v", trace.OtherData)
	}
	tracks = map[int]string{}
	open := map[int][]traceEvent{}
	for _, e := range trace.TraceEvents {
		if e.Ts == nil || e.Pid == nil || e.Tid == nil || e.Name == "" && e.Ph != "i" || *e.Ts < 0 {
			t.Errorf("%+v lacks something", e)
			continue
		}
		switch e.Ph {
		case "M":
			if e.Name == "thread_name" {
				tracks[*e.Tid], _ = e.Args["name"].(string)
			}
			continue
		case "i":
		case "X":
			if e.Dur == nil || *e.Dur < 1 {
				t.Errorf("%+v has no length", e)
				continue
			}
			within := open[*e.Tid]
			for len(within) > 0 && end(within[len(within)-1]) <= *e.Ts {
				within = within[:len(within)-1]
			}
			if n := len(within); n > 0 && (end(within[n-1]) < end(e) || *within[n-1].Ts > *e.Ts) {
				t.Errorf("%s begins within %s and does not end there", e.Name, within[n-1].Name)
			}
			open[*e.Tid] = append(within, e)
		default:
			t.Errorf("there is an event %q", e.Ph)
		}
		if *e.Tid > 0 {
			events = append(events, e)
		}
	}
	return tracks, events
}

func end(e traceEvent) int64 { return *e.Ts + *e.Dur }

// checkTrace compares a trace with how the cases ended: each case is there, and no red one
// looks green.
func checkTrace(t *testing.T, data []byte, raw told, run api.Run) {
	t.Helper()
	tracks, events := readTrace(t, data)
	seen := map[string]map[string]bool{}
	for _, e := range events {
		suite, _, _ := strings.Cut(tracks[*e.Tid], " (parallel: ")
		name := suite + " " + e.Name
		if seen[name] == nil {
			seen[name] = map[string]bool{}
		}
		seen[name][e.Cat] = true
	}
	flaky := map[string]bool{}
	for _, r := range run.Retried {
		flaky[showing(run, r.TestID)] = r.Flaky
	}
	for name, status := range raw {
		if status == "passed" && flaky[name] && seen[name]["failed"] {
			continue // that it passed when it ran again is in a run of its own
		}
		if !seen[name][status] {
			t.Errorf("%s is %s, and in the trace %v", name, status, seen[name])
		}
	}
}

func TestATraceShowsWhatIsSlow(t *testing.T) {
	result := func(suite, test, root string, seconds float64, status sdk.Status) api.Result {
		return api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: test}, Root: root, Status: status, Derived: status == sdk.Failed && root == ""}, DurationS: seconds}
	}
	run := api.Run{Verdict: api.Failed, DurationS: 9, RunID: "abc", FailuresTotal: 1, Results: []api.Result{
		result("fast", "A", "", 0.5, sdk.Passed),
		result("slow", "B/x", "B", 2, sdk.Passed), result("slow", "B/y", "B", 1, sdk.Failed), result("slow", "B", "", 3, sdk.Failed),
		result("slow", "C/p", "C", 2, sdk.Passed), result("slow", "C/q", "C", 2, sdk.Passed), result("slow", "C", "", 2, sdk.Passed),
		result("slow", "D", "", 0, sdk.Skipped),
	}, NeverStarted: []sdk.TestID{{Suite: "slow", Test: "E"}}, Counts: api.Counts{NeverStarted: 1}}
	run.Failures = []api.Failure{{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "slow", Test: "B/y"}, Kind: "assertion", Message: "wrong", Location: sdk.Location{File: "a_test.go", Line: 3}}}}
	var b bytes.Buffer
	write(t, &b, "trace", report.Options{Version: "1.0.0"}, api.RunFinished{Run: run, Record: record{run}})
	tracks, events := readTrace(t, b.Bytes())
	var got []string
	for _, e := range events {
		at := fmt.Sprintf("%g", float64(*e.Ts)/1e6)
		if e.Ph == "X" {
			at += fmt.Sprintf("-%g", float64(end(e))/1e6)
		}
		got = append(got, fmt.Sprintf("%s: %s %s %s", tracks[*e.Tid], e.Name, at, e.Cat))
	}
	want := `slow: B 0-3 failed
slow: B/x 0-2 passed
slow: B/y 2-3 failed
slow: C 3-5 passed
slow: C/p 3-5 passed
slow: D 5-5.000001 skipped
slow (parallel: 1): C/q 3-5 passed
slow: E 5.000001 never_started
fast: A 0-0.5 passed`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("the trace is\n%s\nwant\n%s", text, want)
	}
	if !bytes.Contains(b.Bytes(), []byte(`"args":{"message":"wrong","place":"a_test.go:3"}`)) {
		t.Errorf("a failure is missing:\n%s", b.Bytes())
	}
}
