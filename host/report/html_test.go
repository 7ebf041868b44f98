package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/sdk"
)

// fixedRecord is a record in memory.
type fixedRecord struct {
	results  []api.Result
	failures []api.Failure
}

func (r fixedRecord) Results(yield func(api.Result) bool) error {
	for _, result := range r.results {
		if !yield(result) {
			break
		}
	}
	return nil
}

func (r fixedRecord) Failures(yield func(api.Failure) bool) error {
	for _, f := range r.failures {
		if !yield(f) {
			break
		}
	}
	return nil
}

// pageOf returns the page of a run.
func pageOf(t testing.TB, o report.Options, ends ...api.RunFinished) string {
	t.Helper()
	format, ok := report.Find("html")
	if !ok {
		t.Fatal("there is no format html")
	}
	var b bytes.Buffer
	if err := format.Write(&b, report.NewDocument(ends...), o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// redRun has tests in suites of 50. 40 of them fail, for two causes, and every 500th is
// skipped. output is what each failing test printed.
func redRun(tests int, output string) api.RunFinished {
	var r fixedRecord
	run := api.Run{
		Schema: api.Schema, RunID: "k3f9", Kind: api.KindRun, State: api.StateFinished, Verdict: api.Failed, Reason: "40 tests failed",
		Language: "go", Workspace: "/src/shop", StartedAt: time.Date(2026, 11, 23, 1, 34, 0, 0, time.UTC), DurationS: 7,
	}
	for i := range tests {
		id := sdk.TestID{Suite: fmt.Sprintf("example.com/shop/area%03d", i/50), Test: fmt.Sprintf("TestCase%02dOfArea%03d", i%50, i/50)}
		result := api.Result{TestResult: sdk.TestResult{TestID: id, Status: sdk.Passed}, DurationS: 0.01}
		switch {
		case i%(tests/40) == 7:
			result.Status = sdk.Failed
			cause := (i / (tests / 40)) % 2
			f := api.Failure{ID: fmt.Sprintf("%012x", i), Signature: fmt.Sprint("s", cause), Failure: sdk.Failure{
				TestID: id, Kind: sdk.KindAssertion, Location: sdk.Location{File: fmt.Sprintf("area%03d/area_test.go", i/50), Line: 10}, Output: output,
				Message: "connect ECONNREFUSED 127.0.0.1:5432",
			}}
			if cause == 0 {
				f.Message, f.Diff = "values differ", sdk.Diff{Got: "{\n  cents: 80\n}", Want: "{\n  cents: 90\n}"}
			}
			r.failures = append(r.failures, f)
			run.Counts.Failed++
		case i%500 == 1:
			result.Status = sdk.Skipped
			result.Attributes = map[string]string{"reason": "needs the map server"}
			run.Counts.Skipped, run.Counts.TestsSkipped = run.Counts.Skipped+1, run.Counts.TestsSkipped+1
		default:
			run.Counts.Passed, run.Counts.TestsPassed = run.Counts.Passed+1, run.Counts.TestsPassed+1
		}
		r.results = append(r.results, result)
	}
	run.Counts.Tests, run.Counts.Suites = tests, tests/50
	run.Failures, run.FailuresTotal = r.failures, len(r.failures)
	run.Causes = []api.Cause{{Signature: "s0", Total: 20}, {Signature: "s1", Total: 20}}
	return api.RunFinished{Run: run, Record: r}
}

func TestAPageKeepsItsBudget(t *testing.T) {
	t.Parallel()
	if n := len(pageOf(t, report.Options{}, redRun(5000, ""))); n > 500_000 {
		t.Errorf("5,000 tests without output: %d bytes", n)
	}
	long := strings.Repeat("a line of output\n", 100_000)
	page := pageOf(t, report.Options{}, redRun(5000, long))
	if len(page) > 2_000_000 {
		t.Errorf("5,000 tests with long outputs: %d bytes", len(page))
	}
	if !strings.Contains(page, "bytes are left out here: <code>proctor output ") {
		t.Error("nothing says that output was left out, and how to see it")
	}
	if !strings.Contains(page, "TestCase49OfArea099") {
		t.Error("the last test is not named")
	}
}

func TestAPageOfNoPassIsNeverGreen(t *testing.T) {
	t.Parallel()
	for verdict, class := range map[api.Verdict]string{
		api.Passed: "good", api.Failed: "bad", api.BuildFailed: "bad", api.ToolError: "bad",
		api.Incomplete: "doubt", api.NothingRan: "doubt", "": "bad",
	} {
		run := api.Run{RunID: "k3f9", State: api.StateFinished, Verdict: verdict, Reason: "the reason"}
		page := pageOf(t, report.Options{}, api.RunFinished{Run: run})
		if !strings.Contains(page, `<h1 class="`+class+`">`) {
			t.Errorf("%q: its heading is not %s:\n%s", verdict, class, page[strings.Index(page, "<h1"):][:80])
		}
	}
	running := pageOf(t, report.Options{}, api.RunFinished{Run: api.Run{State: api.StateRunning, Verdict: api.Passed}})
	if strings.Contains(running, `<h1 class="good">`) {
		t.Error("a run without an end is green")
	}
}

// A test that hung is not in any other count.
func TestEachRedTestIsBehindAFilter(t *testing.T) {
	t.Parallel()
	hung, never := sdk.TestID{Suite: "s", Test: "TestHung"}, sdk.TestID{Suite: "s", Test: "TestNever"}
	f := api.Failure{ID: "f1", Failure: sdk.Failure{TestID: hung, Kind: sdk.KindTimeout, Message: "still running when time ran out"}}
	run := api.Run{RunID: "k3f9", State: api.StateFinished, Verdict: api.Incomplete, Reason: "timed out", TimedOut: true, Failures: []api.Failure{f}, FailuresTotal: 1,
		Unfinished: []sdk.TestID{hung}, NeverStarted: []sdk.TestID{never}, Counts: api.Counts{Unfinished: 1, NeverStarted: 1}}
	page := pageOf(t, report.Options{}, api.RunFinished{Run: run, Record: fixedRecord{
		results: []api.Result{{TestResult: sdk.TestResult{TestID: hung, Status: sdk.Unfinished}}}, failures: []api.Failure{f},
	}})
	for _, link := range []string{`<a href="#failed">Failed <span>1</span></a>`, `<a href="#undone">Not run <span>1</span></a>`, `<a href="#all">All <span>2</span></a>`} {
		if !strings.Contains(page, link) {
			t.Errorf("there is no %s:\n%s", link, page[strings.Index(page, "<nav"):][:300])
		}
	}
}

// Of several runs the worst one decides what the page says first.
func TestAPageOfTwoLanguagesShowsBoth(t *testing.T) {
	t.Parallel()
	green := api.RunFinished{Run: api.Run{RunID: "aa", Language: "solidity", State: api.StateFinished, Verdict: api.Passed, Reason: "3 tests passed", Workspace: "/src/shop"}}
	page := pageOf(t, report.Options{}, green, redRun(400, ""))
	for _, part := range []string{"go: FAILED", "solidity: PASSED", `<h1 class="bad">`, "<title>✗ go: FAILED 40 tests, 2 causes · shop</title>"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q:\n%s", part, page[strings.Index(page, "<title"):][:400])
		}
	}
}

// hostileTexts try to be markup, or to deceive.
var hostileTexts = []string{
	"</script><script>alert(1)</script>", "</style><img src=x onerror=alert(2)>", "<!-- ", "]]>", "\u2028alert(3)\u2029", "a\x00b",
	"\x1b[31mred\x1b[0m", "\u202egnp.exe", `" onmouseover="alert(4)`, "' autofocus onfocus='alert(5)", "javascript:alert(6)", "&lt;b&gt;", "</pre></details></title>", "100% of %s",
}

// hostileRun has each hostile text in each place.
func hostileRun() api.RunFinished {
	var r fixedRecord
	run := api.Run{RunID: "k3f9", State: api.StateFinished, Verdict: api.Failed, Reason: hostileTexts[0], Language: hostileTexts[0], Workspace: "/src/" + hostileTexts[4]}
	for i, text := range append(hostileTexts, strings.Repeat("<x>", 400_000)) {
		id := sdk.TestID{Suite: "s" + text, Test: "T" + text}
		r.results = append(r.results, api.Result{TestResult: sdk.TestResult{TestID: id, Status: sdk.Failed, Location: sdk.Location{File: text}}, DurationS: 1},
			api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s" + text, Test: "P" + text}, Status: sdk.Passed}, DurationS: 2},
			api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s" + text, Test: "S" + text}, Status: sdk.Skipped, Attributes: map[string]string{"reason": text}}})
		r.failures = append(r.failures, api.Failure{ID: text[:min(len(text), 40)], Signature: fmt.Sprint(i), Repro: text, Failure: sdk.Failure{
			TestID: id, Kind: text, Location: sdk.Location{File: text, Line: 1}, Message: text, Diff: sdk.Diff{Got: text, Want: "w\n" + text}, Output: text,
			Stack: []sdk.Frame{{Function: text, Location: sdk.Location{File: text, Line: 1}}}, Attributes: map[string]string{"a" + text[:min(len(text), 40)]: text}, BlockedOn: text,
		}})
	}
	run.Failures, run.FailuresTotal, run.Counts.Failed, run.Counts.Passed = r.failures, len(r.failures), len(r.failures), len(r.failures)
	return api.RunFinished{Run: run, Record: r}
}

func TestTextOfARunIsNeverMarkup(t *testing.T) {
	t.Parallel()
	page := pageOf(t, report.Options{}, hostileRun())
	for what, most := range map[string]int{"<script": 1, "</script": 1, "<style": 1, "</style": 1, "<img": 0, "<!--": 0, "\x00": 0, "\x1b": 0, "\u2028": 0, "\u202e": 0, "<x>": 0, "</title": 1} {
		if n := strings.Count(page, what); n > most {
			t.Errorf("%q occurs %d times", what, n)
		}
	}
	if len(page) > 2_000_000 {
		t.Errorf("long texts make %d bytes", len(page))
	}
}

func BenchmarkPageOf50000Tests(b *testing.B) {
	run := redRun(50_000, "")
	b.ReportAllocs()
	for b.Loop() {
		b.SetBytes(int64(len(pageOf(b, report.Options{}, run))))
	}
}
