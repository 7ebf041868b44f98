package report

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"io"
	"math"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// The parts of a report in the Common Test Report Format, as its schema has them
// (dist/ctrf-schema-0.0.json of the npm package ctrf). It allows other members only in
// extra, and times are whole milliseconds.
type (
	ctrfSummary struct {
		Tests    int            `json:"tests"`
		Passed   int            `json:"passed"`
		Failed   int            `json:"failed"`
		Skipped  int            `json:"skipped"`
		Pending  int            `json:"pending"`
		Other    int            `json:"other"`
		Flaky    int            `json:"flaky"`
		Suites   int            `json:"suites"`
		Start    int64          `json:"start"`
		Stop     int64          `json:"stop"`
		Duration int64          `json:"duration"`
		Extra    map[string]any `json:"extra"`
	}
	ctrfTest struct {
		Name      string         `json:"name"`
		Status    string         `json:"status"`
		RawStatus string         `json:"rawStatus"`
		Duration  int64          `json:"duration"`
		Suite     []string       `json:"suite"`
		FilePath  string         `json:"filePath,omitempty"`
		Line      int            `json:"line,omitempty"`
		Message   string         `json:"message,omitempty"`
		Trace     string         `json:"trace,omitempty"`
		Flaky     bool           `json:"flaky,omitempty"`
		Retries   int            `json:"retries,omitempty"`
		Attempts  []ctrfAttempt  `json:"retryAttempts,omitempty"`
		Extra     map[string]any `json:"extra,omitempty"`
	}
	// ctrfAttempt is an attempt before the last one.
	ctrfAttempt struct {
		Attempt int    `json:"attempt"`
		Status  string `json:"status"`
		Message string `json:"message,omitempty"`
	}
	ctrfEnvironment struct {
		Commit string         `json:"commit,omitempty"`
		Branch string         `json:"branchName,omitempty"`
		Shard  string         `json:"shardId,omitempty"`
		Extra  map[string]any `json:"extra,omitempty"`
	}
)

// ctrfStatus returns the format's word for a status. Readers take a report without a failed
// test for green, so whatever is red has failed; the raw status says how.
func ctrfStatus(s Status) string {
	switch s {
	case Passed:
		return "passed"
	case Skipped, Quarantined:
		return "skipped"
	}
	return "failed"
}

// writeCTRF writes a report in the Common Test Report Format.
func writeCTRF(w io.Writer, d *Document, o Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	c := ctrfWriter{out: out, enc: json.NewEncoder(out)}
	c.enc.SetEscapeHTML(false)
	c.raw(`{"reportFormat":"CTRF","specVersion":"0.0.0","reportId":`)
	c.value(reportID(d))
	if len(d.Runs) > 0 && d.Runs[0].Object.RunID != "" {
		c.raw(`,"runId":`)
		c.value(d.Runs[0].Object.RunID)
	}
	c.raw(`,"generatedBy":"proctor","results":{"tool":`)
	c.value(map[string]string{"name": "proctor", "version": o.Version})
	c.raw(`,"summary":`)
	c.value(summarize(d))
	c.raw(`,"tests":[`)
	first := true
	for _, run := range d.Runs {
		for _, s := range run.Suites {
			for _, test := range s.Cases {
				if !first {
					c.raw(",")
				}
				first = false
				c.value(ctrfTestOf(s, test, o))
			}
		}
	}
	c.raw(`],"environment":`)
	c.value(environmentOf(d))
	c.raw("}}\n")
	if c.err != nil {
		return c.err
	}
	return out.Flush()
}

// ctrfWriter writes the pieces of an object.
type ctrfWriter struct {
	out *bufio.Writer
	enc *json.Encoder
	err error
}

func (c *ctrfWriter) raw(text string) { c.out.WriteString(text) }

func (c *ctrfWriter) value(v any) {
	if err := c.enc.Encode(v); c.err == nil {
		c.err = err
	}
}

// reportID derives a UUID from the runs, so that the same runs make the same report. See
// RFC 9562, section 5.8.
func reportID(d *Document) string {
	sum := sha256.New()
	for _, run := range d.Runs {
		io.WriteString(sum, run.Object.RunID+"\x00"+run.Object.Reason+"\x00")
	}
	id := sum.Sum(nil)[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	const digits = "0123456789abcdef"
	var b strings.Builder
	for i, octet := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			b.WriteByte('-')
		}
		b.WriteByte(digits[octet>>4])
		b.WriteByte(digits[octet&15])
	}
	return b.String()
}

// milliseconds returns a duration in whole milliseconds.
func milliseconds(seconds float64) int64 {
	return int64(math.Round(max(min(seconds, math.MaxInt32), 0) * 1000))
}

func summarize(d *Document) ctrfSummary {
	s := ctrfSummary{}
	var verdicts []map[string]any
	for _, run := range d.Runs {
		for status, n := range run.Counts {
			s.Tests += n
			*map[string]*int{"passed": &s.Passed, "failed": &s.Failed, "skipped": &s.Skipped}[ctrfStatus(Status(status))] += n
		}
		s.Suites += len(run.Suites)
		s.Flaky += run.Object.Counts.Flaky
		start := max(run.Object.StartedAt.UnixMilli(), 0)
		s.Start = cmp.Or(s.Start, start)
		s.Start, s.Stop = min(s.Start, start), max(s.Stop, start+milliseconds(run.Object.DurationS))
		s.Duration += milliseconds(run.Object.DurationS)
		verdict := map[string]any{"run_id": run.Object.RunID, "language": prose.Line(run.Object.Language), "verdict": run.Object.Verdict, "reason": prose.Plain(run.Object.Reason)}
		if run.Object.Integrity != nil {
			verdict["vanished"] = run.Object.Integrity.VanishedTotal
			verdict["newly_skipped"] = run.Object.Integrity.NewlySkippedTotal
		}
		verdicts = append(verdicts, verdict)
	}
	s.Extra = map[string]any{"verdict": d.Verdict(), "runs": verdicts}
	return s
}

func ctrfTestOf(s *Suite, c *Case, o Options) ctrfTest {
	t := ctrfTest{
		Name: c.Name, Status: ctrfStatus(c.Status), RawStatus: c.Status.String(), Duration: milliseconds(c.DurationS), Suite: []string{s.Name},
		Message: c.Message(), Trace: c.Text(), Flaky: c.Flaky, Retries: len(c.Tries()),
	}
	if file, line := c.Place(); file != "" {
		t.Line = max(line, 0) // the failure's line, which readers annotate
		if path, ok := o.fileOf(file); ok {
			file = path
		}
		t.FilePath = prose.Line(file)
	}
	if n := t.Retries; n > 0 {
		t.Attempts = []ctrfAttempt{{1, "failed", c.Message()}}
		for i, a := range c.Tries()[:n-1] {
			status := map[api.Outcome]string{api.OutcomePassed: "passed", api.OutcomeFailed: "failed", api.OutcomeSkipped: "skipped"}[a.Outcome]
			t.Attempts = append(t.Attempts, ctrfAttempt{i + 2, cmp.Or(status, "other"), tryMessage(a)})
		}
	}
	if failures := c.Failures(); len(failures) > 0 {
		t.Extra = extraOf(failures[0])
	} else if c.Trouble != nil && c.Trouble.Kind != "" {
		t.Extra = map[string]any{"kind": c.Trouble.Kind}
	}
	if c.Cached {
		if t.Extra == nil {
			t.Extra = map[string]any{}
		}
		t.Extra["cached"] = true
	}
	return t
}

// extraOf returns what the format has no place for in a failure.
func extraOf(f api.Failure) map[string]any {
	extra := map[string]any{"kind": prose.Line(f.Kind)}
	for name, text := range map[string]string{
		"signature": f.Signature, "repro": prose.Plain(f.Repro), "got": prose.Plain(f.Diff.Got), "want": prose.Plain(f.Diff.Want), "quarantine": prose.Plain(f.Quarantine),
	} {
		if text != "" {
			extra[name] = text
		}
	}
	if f.Standing != nil {
		extra["classification"], extra["resolution"] = f.Classification, f.Resolution
	}
	return extra
}

func environmentOf(d *Document) (e ctrfEnvironment) {
	for _, run := range d.Runs {
		if source := run.Object.Source; source != nil {
			return ctrfEnvironment{Shard: prose.Line(run.Object.Selection.Shard), Commit: prose.Line(source.Commit), Branch: prose.Line(source.Branch), Extra: map[string]any{"fingerprint": source.Fingerprint, "dirty": source.Dirty}}
		}
	}
	return e
}

// Verdict returns the worst verdict of the runs.
func (d *Document) Verdict() api.Verdict {
	order := []api.Verdict{api.Passed, api.NothingRan, api.Incomplete, api.Failed, api.BuildFailed, api.ToolError}
	worst := api.Verdict("")
	for i, run := range d.Runs {
		if i == 0 || indexOf(order, run.Object.Verdict) > indexOf(order, worst) {
			worst = run.Object.Verdict
		}
	}
	return worst
}

// indexOf returns the place of a verdict in the order; an unknown one is the worst.
func indexOf(order []api.Verdict, v api.Verdict) int {
	for i, known := range order {
		if known == v {
			return i
		}
	}
	return len(order)
}
