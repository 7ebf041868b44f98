package report

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// OTLPName is the format that collectors of OpenTelemetry take.
const OTLPName = "otlp"

// These choose which tests have a span. A million would drown any backend, so ordinary
// passes are only counted at their suite.
const (
	// slowTest is from how many seconds on a test is slow enough for a span.
	slowTest = 1.0
	// maxSlowSpans and maxRedSpans bound the spans of a run.
	maxSlowSpans = 200
	maxRedSpans  = 5000
)

// The parts of a request for traces in the JSON encoding of OTLP (opentelemetry-proto,
// trace/v1 and common/v1): ids are hexadecimal, and 64-bit numbers are strings.
type (
	otlpSpan struct {
		TraceID    string          `json:"traceId"`
		SpanID     string          `json:"spanId"`
		ParentID   string          `json:"parentSpanId,omitempty"`
		Name       string          `json:"name"`
		Kind       int             `json:"kind"` // 1 is internal
		Start      string          `json:"startTimeUnixNano"`
		End        string          `json:"endTimeUnixNano"`
		Attributes []otlpAttribute `json:"attributes,omitempty"`
		Events     []otlpEvent     `json:"events,omitempty"`
		Status     otlpStatus      `json:"status"`
	}
	otlpEvent struct {
		At         string          `json:"timeUnixNano"`
		Name       string          `json:"name"`
		Attributes []otlpAttribute `json:"attributes,omitempty"`
	}
	otlpStatus struct {
		Code    int    `json:"code,omitempty"` // 2 is an error
		Message string `json:"message,omitempty"`
	}
	otlpAttribute struct {
		Key   string    `json:"key"`
		Value otlpValue `json:"value"`
	}
	otlpValue struct {
		String *string `json:"stringValue,omitempty"`
		Int    *string `json:"intValue,omitempty"`
		Bool   *bool   `json:"boolValue,omitempty"`
	}
)

// otlpAttributes collects attributes. Empty texts and zeros are left out.
type otlpAttributes []otlpAttribute

func (a *otlpAttributes) text(key, value string) {
	if value != "" {
		*a = append(*a, otlpAttribute{key, otlpValue{String: &value}})
	}
}

func (a *otlpAttributes) number(key string, n int) {
	if n != 0 {
		text := strconv.Itoa(n)
		*a = append(*a, otlpAttribute{key, otlpValue{Int: &text}})
	}
}

func (a *otlpAttributes) flag(key string, is bool) {
	if is {
		*a = append(*a, otlpAttribute{key, otlpValue{Bool: &is}})
	}
}

// writeOTLP writes the runs as the request that a collector accepts at /v1/traces: each run
// is a trace, or part of the one that the environment names, with spans for its suites and
// for tests that failed or were slow.
func writeOTLP(w io.Writer, d *Document, o Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	t := &otlpWriter{Writer: out, enc: json.NewEncoder(out)}
	t.enc.SetEscapeHTML(false)
	t.WriteString(`{"resourceSpans":[`)
	for i, run := range d.Runs {
		if i > 0 {
			t.WriteByte(',')
		}
		var resource otlpAttributes
		resource.text("service.name", "proctor")
		resource.text("service.version", o.Version)
		if s := run.Object.Source; s != nil {
			resource.text("vcs.ref.head.revision", prose.Line(s.Commit))
			resource.text("vcs.ref.head.name", prose.Line(s.Branch))
		}
		t.WriteString(`{"resource":{"attributes":`)
		t.value(resource)
		t.WriteString(`},"scopeSpans":[{"scope":{"name":"proctor"},"spans":[`)
		if err := t.writeRun(run, o.TraceParent); err != nil {
			return err
		}
		t.WriteString(`]}]}`)
	}
	t.WriteString("]}\n")
	return cmp.Or(t.err, t.Flush())
}

// otlpWriter writes spans. The embedded writer keeps its first error.
type otlpWriter struct {
	*bufio.Writer
	enc   *json.Encoder
	err   error
	spans int
	trace string
	run   api.Run
}

func (t *otlpWriter) value(v any) {
	if err := t.enc.Encode(v); err != nil && t.err == nil {
		t.err = err
	}
}

// span writes a span. from and length are microseconds since the start of the run.
func (t *otlpWriter) span(s otlpSpan, from, length int64) {
	if t.spans++; t.spans > 1 {
		t.WriteByte(',')
	}
	start := t.run.StartedAt.Add(time.Duration(from) * time.Microsecond)
	s.TraceID, s.Kind = t.trace, 1
	s.Start, s.End = nanos(start), nanos(start.Add(time.Duration(length)*time.Microsecond))
	for i := range s.Events {
		s.Events[i].At = s.End
	}
	t.value(s)
}

func nanos(at time.Time) string { return strconv.FormatInt(max(at.UnixNano(), 0), 10) }

// traceParent matches the variable TRACEPARENT; see W3C Trace Context.
var traceParent = lazyregexp.New(`^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$`)

// otlpID derives an id from what it identifies, so that a report sent again is the same.
func otlpID(bytes int, of ...string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", of))
	return hex.EncodeToString(sum[:bytes])
}

func (t *otlpWriter) writeRun(run *Run, parent string) error {
	t.run, t.spans = run.Object, 0
	id := cmp.Or(t.run.RunID, t.run.Language+t.run.Reason)
	t.trace = otlpID(16, id)
	root := otlpSpan{SpanID: otlpID(8, id), Name: "proctor " + string(cmp.Or(t.run.Kind, api.KindRun))}
	if m := traceParent.FindStringSubmatch(parent); m != nil {
		t.trace, root.ParentID = m[1], m[2]
	}
	var about otlpAttributes
	about.text("proctor.run_id", t.run.RunID)
	about.text("proctor.verdict", string(t.run.Verdict))
	about.text("proctor.reason", narrow(t.run.Reason))
	about.text("proctor.language", prose.Line(t.run.Language))
	about.text("proctor.layout", laidOut)
	for status, n := range run.Counts {
		about.number("proctor.tests."+Status(status).String(), n)
	}
	root.Attributes = about
	if t.run.Verdict != api.Passed {
		root.Status = otlpStatus{2, narrow(t.run.Reason)}
	}
	t.span(root, 0, micros(t.run.DurationS))
	by := map[string][]*traced{}
	err := run.Record.Results(func(r api.Result) bool {
		by[r.Suite] = append(by[r.Suite], newTraced(r))
		return true
	})
	if err != nil {
		return err
	}
	chosen := chooseSpans(run)
	for _, s := range run.Suites {
		t.writeSuite(s, by[s.ID], root.SpanID, chosen)
	}
	return nil
}

// chooseSpans returns the cases that get a span: those that failed, and the slowest.
func chooseSpans(run *Run) map[*Case]bool {
	var red, slow []*Case
	for _, s := range run.Suites {
		for _, c := range s.Cases {
			switch {
			case c.Status.IsRed() || c.Status == Quarantined || c.Flaky:
				red = append(red, c)
			case c.DurationS >= slowTest:
				slow = append(slow, c)
			}
		}
	}
	slices.SortStableFunc(slow, func(a, b *Case) int { return cmp.Compare(b.DurationS, a.DurationS) })
	chosen := map[*Case]bool{}
	for _, c := range slices.Concat(red[:min(len(red), maxRedSpans)], slow[:min(len(slow), maxSlowSpans)]) {
		chosen[c] = true
	}
	return chosen
}

func (t *otlpWriter) writeSuite(s *Suite, results []*traced, parent string, chosen map[*Case]bool) {
	lanes, length := layResults(results)
	at := map[string]int64{}
	for _, r := range slices.Backward(slices.Concat(lanes...)) {
		at[r.test] = r.at // the first execution's
	}
	span := otlpSpan{SpanID: otlpID(8, parent, s.ID), ParentID: parent, Name: s.Name}
	var about otlpAttributes
	about.text("test.suite.name", s.Name)
	about.text("test.suite.run.status", suiteStatus(t.run, s))
	about.flag("proctor.cached", s.Cached)
	for status, n := range s.Counts {
		about.number("proctor.tests."+Status(status).String(), n)
	}
	span.Attributes = about
	if n := s.Counts.Red(); n > 0 {
		span.Status = otlpStatus{2, api.Plural(n, "test") + " did not pass"}
	}
	t.span(span, 0, max(length, 1))
	for _, c := range s.Cases {
		if chosen[c] {
			t.span(t.caseSpan(s, c, span.SpanID), at[c.Test], micros(c.DurationS))
		}
	}
}

// suiteStatus is how a suite ended, in the words of OpenTelemetry's semantic conventions.
func suiteStatus(run api.Run, s *Suite) string {
	switch red := s.Counts.Red(); {
	case red == 0 && s.Counts[Passed] == 0 && s.Counts[Quarantined] == 0:
		return "skipped"
	case red == 0:
		return "success"
	case s.Counts[Unfinished] > 0 && run.TimedOut:
		return "timed_out"
	case s.Counts[Unfinished]+s.Counts[NeverStarted] > 0:
		return "aborted"
	}
	return "failure"
}

// caseSpan returns the span of a test. The conventions define pass and fail, and allow other
// values.
func (t *otlpWriter) caseSpan(s *Suite, c *Case, parent string) otlpSpan {
	span := otlpSpan{SpanID: otlpID(8, parent, c.Name), ParentID: parent, Name: c.Name}
	status := c.Status.String()
	switch c.Status {
	case Passed:
		status = "pass"
	case Failed, Errored:
		status = "fail"
	}
	var about otlpAttributes
	about.text("test.case.name", c.Name)
	about.text("test.case.result.status", status)
	about.text("test.suite.name", s.Name)
	about.flag("proctor.flaky", c.Flaky)
	if file, line := c.Place(); file != "" {
		about.text("code.file.path", prose.Line(file))
		about.number("code.line.number", line)
	}
	span.Attributes = about
	if c.Status.IsRed() {
		span.Status = otlpStatus{2, c.Message()}
	}
	if text := c.Text(); text != "" {
		var what otlpAttributes
		what.text("exception.type", c.Kind())
		what.text("exception.message", c.Message())
		what.text("exception.stacktrace", prose.Plain(text))
		span.Events = []otlpEvent{{Name: "exception", Attributes: what}}
	}
	return span
}

// RefusedByCollector returns what a collector's answer says it refused; empty if it accepted
// everything.
func RefusedByCollector(answer []byte) string {
	var said struct {
		PartialSuccess struct {
			RejectedSpans json.RawMessage
			ErrorMessage  string
		}
	}
	if json.Unmarshal(answer, &said) != nil {
		return ""
	}
	rejected := string(said.PartialSuccess.RejectedSpans)
	if slices.Contains([]string{"", "0", `"0"`, "null"}, rejected) {
		return ""
	}
	return narrow("it refused spans: " + rejected + " " + said.PartialSuccess.ErrorMessage)
}
