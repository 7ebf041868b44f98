package report_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/sdk"
)

// junitSchema is what Jenkins' junit-10.xsd allows of the elements that a report has:
// their attributes, and the elements below.
var junitSchema = map[string]struct{ attributes, children []string }{
	"testsuites":   {[]string{"name", "time", "tests", "failures", "errors"}, []string{"testsuite"}},
	"testsuite":    {[]string{"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"}, []string{"properties", "testcase"}},
	"properties":   {nil, []string{"property"}},
	"property":     {[]string{"name", "value"}, nil},
	"testcase":     {[]string{"classname", "name", "time", "group"}, []string{"skipped", "failure", "error", "rerunFailure", "flakyFailure"}},
	"rerunFailure": {[]string{"type", "message"}, []string{"stackTrace"}},
	"flakyFailure": {[]string{"type", "message"}, []string{"stackTrace"}},
	"stackTrace":   {nil, nil},
	"skipped":      {[]string{"type", "message"}, nil},
	"failure":      {[]string{"type", "message"}, nil},
	"error":        {[]string{"type", "message"}, nil},
}

// junitRequired are the attributes that the schemas of Jenkins and Maven's Surefire require.
var junitRequired = map[string][]string{
	"testsuite": {"name", "tests", "failures", "errors", "skipped", "time"}, "testcase": {"name", "time"}, "property": {"name", "value"},
	"failure": {"type"}, "error": {"type"}, "rerunFailure": {"type"}, "flakyFailure": {"type"},
}

// junitCases reads a report and returns how each of its cases ended, by its name.
func junitCases(t *testing.T, data []byte) map[string]string {
	t.Helper()
	cases, dec := map[string]string{}, xml.NewDecoder(bytes.NewReader(data))
	var path []string
	var name string
	var order int
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return cases
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		switch token := token.(type) {
		case xml.StartElement:
			element := token.Name.Local
			if len(path) > 0 && !slices.Contains(junitSchema[path[len(path)-1]].children, element) {
				t.Errorf("<%s> in <%s>", element, path[len(path)-1])
			}
			for _, required := range junitRequired[element] {
				if !slices.ContainsFunc(token.Attr, func(a xml.Attr) bool { return a.Name.Local == required }) {
					t.Errorf("<%s> has no %s", element, required)
				}
			}
			if at := slices.Index(surefireOrder, element); at >= 0 {
				if at < order {
					t.Errorf("<%s> stands too late for Surefire", element)
				}
				order = at
			}
			if path = append(path, element); element == "testcase" {
				order = 0
			}
			values := map[string]string{}
			for _, a := range token.Attr {
				if values[a.Name.Local] = a.Value; !slices.Contains(junitSchema[element].attributes, a.Name.Local) {
					t.Errorf("<%s %s>", element, a.Name.Local)
				}
			}
			switch element {
			case "testcase":
				name = values["classname"] + " " + values["name"]
				if _, twice := cases[name]; twice {
					t.Errorf("%s stands there twice", name)
				}
				cases[name] = "passed"
			case "skipped", "failure", "error":
				cases[name] = strings.TrimSuffix(element+" "+values["type"], " ")
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		}
	}
}

// write writes runs in a format.
func write(t testing.TB, w io.Writer, format string, o report.Options, ends ...api.RunFinished) {
	t.Helper()
	f, ok := report.Find(format)
	if !ok {
		t.Fatalf("there is no format %s", format)
	}
	if err := f.Write(w, report.NewDocument(ends...), o); err != nil {
		t.Fatal(err)
	}
}

// record is the record of a run that holds its own results.
type record struct{ run api.Run }

func (r record) Results(yield func(api.Result) bool) error {
	for _, result := range r.run.Results {
		yield(result)
	}
	return nil
}

func (r record) Failures(yield func(api.Failure) bool) error {
	for _, f := range r.run.Failures {
		yield(f)
	}
	return nil
}

func TestAJUnitReportHasEachTestOnceAndHidesNoRed(t *testing.T) {
	result := func(suite, test string, status sdk.Status) api.Result {
		return api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: test}, Status: status}, DurationS: 0.25}
	}
	failure := func(suite, test, kind, message string) api.Failure {
		return api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: suite, Test: test}, Kind: kind, Message: message}}
	}
	for name, tc := range map[string]struct {
		run  api.Run
		want map[string]string
	}{
		"a pass": {
			api.Run{Verdict: api.Passed, Results: []api.Result{result("p", "A", sdk.Passed), result("p", "B", sdk.Skipped)}},
			map[string]string{"p A": "passed", "p B": "skipped"},
		},
		"a suite that its fixture skips as a whole, and one whose fixture passed": {
			api.Run{Verdict: api.Passed, Results: []api.Result{
				result("p", "A", sdk.Passed),
				{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "setUp()"}, Status: sdk.Passed, Fixture: true}},
				{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "q", Test: "setUp()"}, Status: sdk.Skipped, Fixture: true}},
			}},
			map[string]string{"p A": "passed", "q setUp()": "skipped"},
		},
		"a test that ran three times and failed once": {
			api.Run{Verdict: api.Failed, Results: []api.Result{result("p", "A", sdk.Passed), result("p", "A", sdk.Failed), result("p", "A", sdk.Passed)}},
			map[string]string{"p A": "failure failed"},
		},
		"a parent that failed by its part": {
			api.Run{Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{failure("p", "A/x", "assertion", "got 1")}, Results: []api.Result{
				result("p", "A/x", sdk.Failed), {TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "A"}, Status: sdk.Failed, Derived: true, Container: true}},
			}},
			map[string]string{"p A/x": "failure assertion"},
		},
		"a test that passed and has a failure": {
			api.Run{Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{failure("p", "A", "race", "")}, Results: []api.Result{result("p", "A", sdk.Passed)}},
			map[string]string{"p A": "failure race"},
		},
		"a package that does not build": {
			api.Run{Verdict: api.BuildFailed, FailuresTotal: 1, Failures: []api.Failure{failure("p", "", "build", "undefined: x")}},
			map[string]string{"p (suite)": "error build"},
		},
		"tests without an end": {
			api.Run{Verdict: api.Incomplete, Results: []api.Result{result("p", "A", sdk.Unfinished)}, Counts: api.Counts{Tests: 1, Unfinished: 1, NeverStarted: 3},
				Unfinished: []sdk.TestID{{Suite: "p", Test: "A"}}, NeverStarted: []sdk.TestID{{Suite: "p", Test: "B"}}},
			map[string]string{"p A": "error unfinished", "p B": "error never_started", "proctor (never_started)": "error never_started"},
		},
		"tests without an end, one of which only its result names": {
			api.Run{Verdict: api.Incomplete, Results: []api.Result{result("p", "A", sdk.Unfinished), result("p", "B", sdk.Unfinished)},
				Counts: api.Counts{Tests: 2, Unfinished: 2}, Unfinished: []sdk.TestID{{Suite: "p", Test: "A"}}},
			map[string]string{"p A": "error unfinished", "p B": "error unfinished"},
		},
		"tests without an end, of which nothing names one": {
			api.Run{Verdict: api.Incomplete, Results: []api.Result{result("p", "A", sdk.Unfinished)},
				Counts: api.Counts{Tests: 3, Passed: 1, Unfinished: 2}, Unfinished: []sdk.TestID{{Suite: "p", Test: "A"}}},
			map[string]string{"p A": "error unfinished", "proctor (unfinished)": "error unfinished", "proctor (verdict)": "error verdict"},
		},
		"a run of nothing": {
			api.Run{Verdict: api.NothingRan, Reason: "no tests match"},
			map[string]string{"proctor (verdict)": "error verdict"},
		},
		"a pass whose results could not be kept": {
			api.Run{Verdict: api.Passed, Counts: api.Counts{Tests: 2, Passed: 2}},
			map[string]string{"proctor (verdict)": "error verdict"},
		},
		"a pass with one result left by a full disk": {
			api.Run{Verdict: api.Passed, Counts: api.Counts{Tests: 2, Passed: 2}, Results: []api.Result{result("p", "A", sdk.Passed)}},
			map[string]string{"p A": "passed", "proctor (verdict)": "error verdict"},
		},
		"a red rerun with a test that did not run": {
			api.Run{Verdict: api.Failed, Results: []api.Result{result("p", "A", sdk.Failed)}, Requested: []api.Requested{
				{TestID: sdk.TestID{Suite: "p", Test: "A"}, Outcome: api.OutcomeFailed}, {TestID: sdk.TestID{Suite: "p", Test: "B"}, Outcome: api.OutcomeDidNotRun, Why: "the process died"},
			}},
			map[string]string{"p A": "failure failed", "p B": "error did_not_run"},
		},
		"a green rerun with a test that is gone": {
			api.Run{Verdict: api.Passed, Counts: api.Counts{Tests: 1, Passed: 1}, Results: []api.Result{result("p", "A", sdk.Passed)}, Requested: []api.Requested{
				{TestID: sdk.TestID{Suite: "p", Test: "A"}, Outcome: api.OutcomePassed}, {TestID: sdk.TestID{Suite: "p", Test: "B"}, Outcome: api.OutcomeDidNotRun, Why: "it no longer exists"},
			}},
			map[string]string{"p A": "passed", "p B": "skipped"},
		},
		"names and texts that break lines, terminals and XML": {
			api.Run{Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{failure("p\x00", "A\x1b[31m\"<&>\n", "ass<ertion", "]]>\x01\xff\ufffe"+strings.Repeat("é", 1<<14))}},
			map[string]string{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.run.StartedAt = time.Unix(0, 0)
			var b bytes.Buffer
			write(t, &b, "junit", report.Options{}, api.RunFinished{Run: tc.run, Record: record{tc.run}})
			got := junitCases(t, b.Bytes())
			if len(tc.want) == 0 {
				return // that it can be read is all there is to see
			}
			if len(got) != len(tc.want) {
				t.Errorf("%v, want %v", got, tc.want)
			}
			for name, want := range tc.want {
				if got[name] != want {
					t.Errorf("%s: %q, want %q", name, got[name], want)
				}
			}
		})
	}
}

// retried is a run in which two tests failed, and one of them passed in a second try.
func retried(v api.Verdict) api.Run {
	run := api.Run{
		Kind: api.KindRun, Verdict: v, Counts: api.Counts{Tests: 2, Failed: 2, Flaky: 1}, FailuresTotal: 2,
		Retried: []api.Retried{
			{TestID: sdk.TestID{Suite: "a", Test: "Sometimes"}, Flaky: true, Attempts: []api.Attempt{{RunID: "r1", Outcome: api.OutcomeFailed}, {RunID: "r2", Outcome: api.OutcomePassed}}},
			{TestID: sdk.TestID{Suite: "a", Test: "Always"}, Attempts: []api.Attempt{{RunID: "r1", Outcome: api.OutcomeFailed}, {RunID: "r2", Outcome: api.OutcomeDidNotRun, Why: "gone"}}},
		},
	}
	for _, name := range []string{"Sometimes", "Always"} {
		run.Failures = append(run.Failures, api.Failure{ID: name, Failure: sdk.Failure{TestID: sdk.TestID{Suite: "a", Test: name}, Kind: "assertion", Message: "wrong"}})
	}
	return run
}

func TestAReportHasTheTriesOfATest(t *testing.T) {
	for verdict, want := range map[api.Verdict]map[string]int{
		api.Failed: {"<failure ": 2, "<flakyFailure ": 0, "<rerunFailure ": 3, "message=\"flaky, it passed when retried: wrong\"": 1},
		api.Passed: {"<failure ": 1, "<flakyFailure ": 2, "<rerunFailure ": 2}, // as if the other one were in quarantine
	} {
		var b bytes.Buffer
		write(t, &b, "junit", report.Options{}, api.RunFinished{Run: retried(verdict)})
		junitCases(t, b.Bytes())
		for element, n := range want {
			if got := strings.Count(b.String(), element); got != n {
				t.Errorf("%s: %d of %s, want %d:\n%s", verdict, got, element, n, b.String())
			}
		}
	}
}

// surefireOrder is the order of the elements of a case in Maven's surefire-test-report.xsd.
var surefireOrder = []string{"failure", "rerunFailure", "flakyFailure", "skipped", "error"}

func FuzzNothingBreaksTheXML(f *testing.F) {
	f.Add("suite", "Test\x00/\x1b[31m", "]]>&amp;<!--\ufffe\uffff\xff\xc0", "a\"b'\r\n\t", int64(-5))
	f.Fuzz(func(t *testing.T, suite, test, message, kind string, seconds int64) {
		run := api.Run{Verdict: api.Failed, Language: kind, Seed: message, FailuresTotal: 1, Source: &api.Source{Fingerprint: message}}
		id := sdk.TestID{Suite: suite, Test: test}
		run.Failures = []api.Failure{{Failure: sdk.Failure{TestID: id, Kind: kind, Message: message, Output: message + test, Location: sdk.Location{File: test, Line: int(seconds)}, Diff: sdk.Diff{Got: message, Want: kind}, Attributes: map[string]string{message: kind}}}}
		run.Results = []api.Result{{TestResult: sdk.TestResult{TestID: id, Status: sdk.Failed}, DurationS: float64(seconds)}, {TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: test + " (2)"}, Status: sdk.Skipped, Attributes: map[string]string{"reason": message}}}}
		run.Retried = []api.Retried{{TestID: sdk.TestID{Suite: suite, Test: test}, Attempts: []api.Attempt{{RunID: kind, Outcome: api.OutcomeFailed, Why: message}}}}
		for _, dialect := range report.Dialects() {
			var b bytes.Buffer
			write(t, &b, "junit", report.Options{Dialect: dialect}, api.RunFinished{Run: run, Record: record{run}})
			if dialect == report.DefaultDialect {
				if got := junitCases(t, b.Bytes()); len(got) != 2 {
					t.Errorf("%d cases in\n%s", len(got), b.Bytes())
				}
			}
			if err := xml.Unmarshal(b.Bytes(), new(struct{})); err != nil {
				t.Errorf("%v in\n%q", err, b.Bytes())
			}
		}
	})
}

func TestAReportOfJUnitIsDividedIntoFilesThatGitLabTakes(t *testing.T) {
	run := api.Run{Verdict: api.Passed}
	add := func(suite string, n int) {
		for i := range n {
			run.Results = append(run.Results, api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: fmt.Sprintf("TestAll/%d", i)}, Status: sdk.Passed}})
		}
	}
	add("example.com/small", 3)
	add("example.com/larger/than/one/file/of/a/report/may/be", 200_000)
	add("example.com/other", 100_000)
	f, _ := report.Find("junit")
	parts, err := f.Split(report.NewDocument(api.RunFinished{Run: run, Record: record{run}}), report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tests := 0
	for _, part := range parts {
		var b bytes.Buffer
		if err := f.Write(&b, part, report.Options{}); err != nil {
			t.Fatal(err)
		}
		if b.Len() >= 30_000_000 {
			t.Errorf("a file has %d bytes", b.Len())
		}
		n := bytes.Count(b.Bytes(), []byte("<testcase "))
		if tests += n; n == 0 || !bytes.Contains(b.Bytes()[:200], fmt.Appendf(nil, `tests="%d"`, n)) {
			t.Errorf("a file with %d tests begins with %s", n, b.Bytes()[:200])
		}
	}
	if len(parts) < 2 || tests != 300_003 {
		t.Errorf("%d tests in %d files", tests, len(parts))
	}
}
