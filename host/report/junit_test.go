package report_test

import (
	"bytes"
	"encoding/xml"
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

// junitCases reads a report and returns how each of its cases ended, by its name.
func junitCases(t *testing.T, data []byte) map[string]string {
	t.Helper()
	cases, dec := map[string]string{}, xml.NewDecoder(bytes.NewReader(data))
	var path []string
	var name string
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
			path = append(path, element)
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

// record is that of a run which holds its own results.
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
		"a run of nothing": {
			api.Run{Verdict: api.NothingRan, Reason: "no tests match"},
			map[string]string{"proctor (verdict)": "error verdict"},
		},
		"a pass whose results could not be kept": {
			api.Run{Verdict: api.Passed, Counts: api.Counts{Tests: 2, Passed: 2}},
			map[string]string{"proctor (verdict)": "error verdict"},
		},
		"a pass of which a full disk kept one result": {
			api.Run{Verdict: api.Passed, Counts: api.Counts{Tests: 2, Passed: 2}, Results: []api.Result{result("p", "A", sdk.Passed)}},
			map[string]string{"p A": "passed", "proctor (verdict)": "error verdict"},
		},
		"a red rerun with a test that did not run": {
			api.Run{Verdict: api.Failed, Results: []api.Result{result("p", "A", sdk.Failed)}, Requested: []api.Requested{
				{Suite: "p", Test: "A", Outcome: api.OutcomeFailed}, {Suite: "p", Test: "B", Outcome: api.OutcomeDidNotRun, Why: "the process died"},
			}},
			map[string]string{"p A": "failure failed", "p B": "error did_not_run"},
		},
		"a green rerun with a test that is gone": {
			api.Run{Verdict: api.Passed, Counts: api.Counts{Tests: 1, Passed: 1}, Results: []api.Result{result("p", "A", sdk.Passed)}, Requested: []api.Requested{
				{Suite: "p", Test: "A", Outcome: api.OutcomePassed}, {Suite: "p", Test: "B", Outcome: api.OutcomeDidNotRun, Why: "it does not exist any more"},
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

// retried is a run of which two tests failed, one of them always.
func retried(v api.Verdict) api.Run {
	run := api.Run{
		Kind: api.KindRun, Verdict: v, Counts: api.Counts{Tests: 2, Failed: 2, Flaky: 1}, FailuresTotal: 2,
		Retried: []api.Retried{
			{TestID: sdk.TestID{Suite: "a", Test: "Sometimes"}, Flaky: true, Attempts: []api.Attempt{{RunID: "r1", Outcome: api.OutcomeFailed}, {RunID: "r2", Outcome: api.OutcomePassed}}},
			{TestID: sdk.TestID{Suite: "a", Test: "Always"}, Attempts: []api.Attempt{{RunID: "r1", Outcome: api.OutcomeFailed}, {RunID: "r2", Outcome: api.OutcomeDidNotRun, Why: "gone"}}},
		},
	}
	for _, name := range []string{"Sometimes", "Always"} {
		run.Failures = append(run.Failures, api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "a", Test: name}, Kind: "assertion", Message: "wrong"}})
	}
	return run
}

func TestAReportHasTheTriesOfATest(t *testing.T) {
	for verdict, want := range map[api.Verdict]map[string]int{
		api.Failed: {"<failure ": 2, "<flakyFailure ": 2, "<rerunFailure ": 2},
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
