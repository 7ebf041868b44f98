package report_test

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/sdk"
)

var update = flag.Bool("update", false, "rewrite testdata/formats.txtar; review what changed")

// detailedRuns are two runs of one command that have something in each place of a report: a red
// one with a case of each status, and one that passed although a test is flaky.
func detailedRuns() []api.RunFinished {
	result := func(suite, test string, status sdk.Status, seconds float64, line int) api.Result {
		return api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: test}, Status: status, Location: sdk.Location{File: suite + "/" + suite + "_test.go", Line: line}}, DurationS: seconds}
	}
	failure := func(suite, test, kind, message string, line int) api.Failure {
		f := api.Failure{ID: suite + test + kind, Failure: sdk.Failure{TestID: sdk.TestID{Suite: suite, Test: test}, Kind: kind, Message: message}}
		if suite != "" {
			f.Location = sdk.Location{File: suite + "/" + suite + "_test.go", Line: line}
		}
		return f
	}
	skipped, part, parent := result("a", "TestSkips", sdk.Skipped, 0, 5), result("a", "TestParts/x", sdk.Failed, 0.5, 0), result("a", "TestParts", sdk.Failed, 0.75, 20)
	skipped.Attributes, part.Root = map[string]string{"reason": "skipped: not <here>"}, "TestParts"
	parent.Container, parent.Derived = true, true
	fixture, cached := result("a", "setUp()", sdk.Passed, 0.1, 0), result("b", "TestCached", sdk.Passed, 0.003, 0)
	fixture.Fixture, cached.Cached, cached.File = true, true, "/elsewhere/b_test.go"
	wrong, known, again, panics := failure("a", "TestFails", sdk.KindAssertion, "got 1 & not 2", 12), failure("a", "TestKnown", sdk.KindAssertion, "as ever", 31),
		failure("a", "TestAgain", sdk.KindAssertion, "wrong", 51), failure("a", "TestParts/x", sdk.KindPanic, "index out of range", 22)
	wrong.Diff, wrong.Repro, wrong.Signature = sdk.Diff{Got: "1\n", Want: "2\n"}, "go test -run '^TestFails$'", "s1"
	wrong.Output, wrong.Stack = "--- FAIL: TestFails\n", []sdk.Frame{{Function: "a.TestFails", Location: sdk.Location{File: "a/a_test.go", Line: 12}}}
	wrong.Standing = &api.Standing{Classification: api.Regression, Resolution: "failed"}
	again.Standing, again.Signature = &api.Standing{Classification: api.Gap}, "s3"
	panics.Signature, known.Quarantine = "s1", "issue 7"
	run := api.Run{
		Schema: api.Schema, RunID: "k3f9abcdef", Kind: api.KindRun, State: api.StateFinished, Verdict: api.Failed, Reason: `4 failures "and" <more>`, ExitCode: 1, Language: "go", Seed: "7", Workspace: "/src",
		StartedAt: time.Date(2026, 3, 1, 13, 0, 0, 250e6, time.FixedZone("", 3600)), DurationS: 9.5, Selection: api.Selection{Shard: "2/5"},
		Source: &api.Source{Commit: "c0ffee", Branch: "main", Fingerprint: "abc123", Dirty: 1},
		Results: []api.Result{
			result("a", "TestPasses", sdk.Passed, 0.25, 3), result("a", "TestPasses", sdk.Passed, 1.5, 3), skipped, result("a", "TestFails", sdk.Failed, 2, 10), part, parent,
			result("a", "TestKnown", sdk.Failed, 0.125, 30), result("a", "TestFlaky", sdk.Failed, 0, 40), result("a", "TestAgain", sdk.Failed, 0, 50), result("a", "TestHangs", sdk.Unfinished, 3, 0), fixture, cached,
		},
		Failures:   []api.Failure{again, wrong, failure("a", "TestFlaky", sdk.KindAssertion, "sometimes", 41), known, panics, failure("c", "", sdk.KindBuild, "undefined: x\nand more", 2), failure("", "", sdk.KindExit, "exit status 3", 0)},
		Unfinished: []sdk.TestID{{Suite: "a", Test: "TestHangs"}}, NeverStarted: []sdk.TestID{{Suite: "b", Test: "TestNever"}},
		Requested: []api.Requested{{TestID: sdk.TestID{Suite: "b", Test: "TestGone"}, Outcome: api.OutcomeDidNotRun, Why: "it is gone"}},
		Retried: []api.Retried{
			{TestID: sdk.TestID{Suite: "a", Test: "TestFlaky"}, Flaky: true, Attempts: []api.Attempt{{RunID: "r1", Outcome: api.OutcomeFailed}, {RunID: "r2", Outcome: api.OutcomePassed}}},
			{TestID: sdk.TestID{Suite: "a", Test: "TestAgain"}, Attempts: []api.Attempt{{RunID: "r1", Outcome: api.OutcomeSkipped}, {RunID: "r2", Outcome: api.OutcomeDidNotRun, Why: "gone"}, {RunID: "r3", Outcome: api.OutcomeFailed}}},
		},
		Counts:    api.Counts{Tests: 8, Passed: 3, Failed: 5, Skipped: 1, Unfinished: 1, NeverStarted: 3, Flaky: 1, BuildFailed: 1, Suites: 3},
		Integrity: &api.Integrity{VanishedTotal: 1, NewlySkippedTotal: 2}, Quarantined: 1,
	}
	run.FailuresTotal = len(run.Failures) + 1 // one of which is not on record
	sometimes, slow := result("A", "test_Sometimes()", sdk.Failed, 0.5, 7), result("A", "test_Slow()", sdk.Passed, 61, 9)
	passed := api.Run{
		Schema: api.Schema, RunID: "m4g0abcdef", Kind: api.KindRun, State: api.StateFinished, Verdict: api.Passed, Reason: "1 test passed, 1 flaky", Language: "solidity", StartedAt: run.StartedAt.Add(10 * time.Second), DurationS: 62,
		Results: []api.Result{sometimes, slow}, Failures: []api.Failure{failure("A", "test_Sometimes()", sdk.KindAssertion, "1 != 2", 8)}, FailuresTotal: 1,
		Retried: []api.Retried{{TestID: sometimes.TestID, Flaky: true, Attempts: []api.Attempt{{RunID: "r3", Outcome: api.OutcomeFailed}, {RunID: "r4", Outcome: api.OutcomePassed}}}},
		Counts:  api.Counts{Tests: 2, Passed: 1, Failed: 1, Flaky: 1, Suites: 1},
	}
	return []api.RunFinished{{Run: run, Record: record{run}}, {Run: passed, Record: record{passed}}}
}

// incompleteRuns are a command without a run, a run without an end, and one whose record lacks a pass.
func incompleteRuns() []api.RunFinished {
	running := api.Run{RunID: "n5h1abcdef", State: api.StateRunning, Language: "go"}
	lost := api.Run{RunID: "p6i2abcdef", State: api.StateFinished, Verdict: api.Passed, Reason: "2 tests passed", Counts: api.Counts{Tests: 2, Passed: 2}, Results: []api.Result{
		{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "a", Test: "TestLeft"}, Status: sdk.Passed}},
	}}
	return []api.RunFinished{*report.Ended(api.ToolError, "no tool"), {Run: running}, {Run: lost, Record: record{lost}}}
}

// What each format says of a run, to the last character: readers depend on it.
func TestEachFormatOfDetailedRuns(t *testing.T) {
	const path = "testdata/formats.txtar"
	got := &txtar.Archive{Comment: []byte("What each format says of detailedRuns, incompleteRuns, and nothing. go test -update rewrites it.\n")}
	for _, f := range report.Formats() {
		if f.Name == "html" {
			continue // a page is tested by what it shows
		}
		for _, dialect := range report.Dialects() {
			name := f.Name
			if dialect != report.DefaultDialect {
				if f.Name != "junit" {
					continue
				}
				name += " " + string(dialect)
			}
			o := report.Options{Dialect: dialect, Version: "1.0.0", Prefix: "sub/", Touched: map[string]bool{"sub/c/c_test.go": true}}
			for of, runs := range map[string][]api.RunFinished{"": detailedRuns(), " of what is incomplete": incompleteRuns(), " of nothing": nil} {
				var b bytes.Buffer
				write(t, &b, f.Name, o, runs...)
				got.Files = append(got.Files, txtar.File{Name: name + of, Data: b.Bytes()})
			}
		}
	}
	slices.SortFunc(got.Files, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
	if *update {
		if err := os.WriteFile(path, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(txtar.Format(got))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
