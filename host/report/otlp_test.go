package report_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/sdk"
)

// otlpSpan is a span as a collector reads it.
type otlpSpan struct {
	TraceID, SpanID, ParentSpanID, Name string
	StartTimeUnixNano, EndTimeUnixNano  string
	Attributes                          []struct {
		Key   string
		Value struct{ StringValue, IntValue string }
	}
	Events []struct{ Name, TimeUnixNano string }
	Status struct {
		Code    int
		Message string
	}
}

func (s otlpSpan) get(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.StringValue + a.Value.IntValue
		}
	}
	return ""
}

// readSpans reads a request and checks what collectors demand of it.
func readSpans(t *testing.T, data []byte) (spans []otlpSpan) {
	t.Helper()
	var request struct {
		ResourceSpans []struct {
			ScopeSpans []struct{ Spans []otlpSpan }
		}
	}
	if err := json.Unmarshal(data, &request); err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	known := map[string]bool{}
	for _, resource := range request.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for i, s := range scope.Spans {
				spans = append(spans, s)
				if !traceID.MatchString(s.TraceID) || !spanID.MatchString(s.SpanID) || known[s.SpanID] || i > 0 && !known[s.ParentSpanID] {
					t.Errorf("the ids of %+v are none, or there twice, or of no span", s)
				}
				if len(s.StartTimeUnixNano) != len(s.EndTimeUnixNano) || s.StartTimeUnixNano >= s.EndTimeUnixNano {
					t.Errorf("%s lasts from %s to %s", s.Name, s.StartTimeUnixNano, s.EndTimeUnixNano)
				}
				known[s.SpanID] = true
			}
		}
	}
	return spans
}

var traceID, spanID = regexp.MustCompile(`^[0-9a-f]{32}$`), regexp.MustCompile(`^[0-9a-f]{16}$`)

// checkSpans compares the spans with how the cases ended: exactly the red ones have a span
// that is an error.
func checkSpans(t *testing.T, data []byte, raw told) {
	t.Helper()
	seen := map[string]otlpSpan{}
	for _, s := range readSpans(t, data) {
		if name := s.get("test.case.name"); name != "" {
			seen[s.get("test.suite.name")+" "+name] = s
		}
	}
	for name, status := range raw {
		s, ok := seen[name]
		isRed := !strings.Contains("passed skipped quarantined", status)
		if isRed && !ok || ok && (s.Status.Code == 2) != isRed {
			t.Errorf("%s is %s, and its span, %v, is %+v", name, status, ok, s)
		}
		want := map[string]string{"passed": "pass", "failed": "fail", "error": "fail"}[status]
		if want == "" {
			want = status
		}
		if got := s.get("test.case.result.status"); ok && got != want {
			t.Errorf("%s is %s, and %s in its span", name, want, got)
		}
	}
}

func TestSpansAreOfSuitesAndOfWhatFailedOrWasSlow(t *testing.T) {
	result := func(suite, test string, seconds float64, status sdk.Status) api.Result {
		return api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: test}, Status: status}, DurationS: seconds}
	}
	run := api.Run{
		Kind: api.KindRun, Verdict: api.Failed, RunID: "abc", Reason: "1 failure", StartedAt: time.Unix(1.7e9, 0), DurationS: 9, FailuresTotal: 1,
		Source:   &api.Source{Commit: "c0ffee", Branch: "main"},
		Results:  []api.Result{result("p", "Fast", 0.1, sdk.Passed), result("p", "Slow", 2, sdk.Passed), result("p", "Bad", 0.5, sdk.Failed), result("q", "Skips", 0, sdk.Skipped)},
		Failures: []api.Failure{{ID: "1", Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p", Test: "Bad"}, Kind: "assertion", Message: "wrong", Location: sdk.Location{File: "a_test.go", Line: 3}}}},
	}
	text := func(o report.Options) string {
		var b bytes.Buffer
		write(t, &b, "otlp", o, api.RunFinished{Run: run, Record: record{run}})
		return b.String()
	}
	var got []string
	spans := readSpans(t, []byte(text(report.Options{})))
	for _, s := range spans {
		got = append(got, strings.TrimSpace(s.Name+" "+s.get("test.suite.run.status")+s.get("test.case.result.status")+s.get("proctor.verdict")))
	}
	if names := strings.Join(got, ", "); names != "proctor run failed, p failure, Slow pass, Bad fail, q skipped" {
		t.Errorf("the spans are %s", names)
	}
	bad := spans[3]
	if bad.StartTimeUnixNano != "1700000002100000000" || bad.EndTimeUnixNano != "1700000002600000000" || bad.get("code.file.path") != "a_test.go" || bad.get("code.line.number") != "3" ||
		len(bad.Events) != 1 || bad.Events[0].Name != "exception" || bad.Status.Message != "wrong" {
		t.Errorf("the failure is %+v", bad)
	}
	if first, again := text(report.Options{}), text(report.Options{}); first != again {
		t.Error("the same run has other spans when it is sent again")
	}
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	joined := readSpans(t, []byte(text(report.Options{TraceParent: "00-" + trace + "-" + parent + "-01"})))
	if joined[0].TraceID != trace || joined[0].ParentSpanID != parent || joined[4].TraceID != trace {
		t.Errorf("within a trace, the spans are %+v", joined)
	}
	if s := readSpans(t, []byte(text(report.Options{TraceParent: "00-\"}]"}))); s[0].ParentSpanID != "" {
		t.Errorf("a broken TRACEPARENT is accepted: %+v", s[0])
	}
}
