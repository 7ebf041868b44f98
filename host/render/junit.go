package render

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// maxJUnitText bounds the text of one case, in bytes: consumers refuse large files, and
// the record has all of it.
const maxJUnitText = 16 << 10

// The elements of a report, as in the schema of Jenkins' xunit plugin (junit-10.xsd),
// the strictest in use, which others accept.
type (
	junitReport struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     junitSeconds `xml:"time,attr"`
		Suites   []*junitSuite
	}
	junitSuite struct {
		XMLName    xml.Name        `xml:"testsuite"`
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       junitSeconds    `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []*junitCase
		cached     bool
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		XMLName   xml.Name     `xml:"testcase"`
		ClassName string       `xml:"classname,attr"`
		Name      string       `xml:"name,attr"`
		Time      junitSeconds `xml:"time,attr"`
		Skipped   *junitSkip   `xml:"skipped"`
		Failure   *junitText   `xml:"failure"`
		Error     *junitText   `xml:"error"`
		Reruns    []junitTry   `xml:"rerunFailure"`
		Flaky     []junitTry   `xml:"flakyFailure"`
		status    sdk.Status
	}
	junitText struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",cdata"`
	}
	// junitTry is a failed try of a test that ran again, as Maven's Surefire has it.
	junitTry struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Stack   string `xml:"stackTrace"`
	}
	junitSkip struct {
		Message string `xml:"message,attr,omitempty"`
	}
	junitSeconds float64
)

// MarshalText formats seconds without an exponent, which readers do not expect.
func (s junitSeconds) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%.3f", float64(s)), nil }

// JUnit is a JUnit XML report of the runs that it hears end. Each test is one case,
// however often it ran. What kept a test from a result is an error, and a run that is
// red for a reason of no test has a case of its own: a run that did not pass never
// reads as green.
type JUnit struct {
	report junitReport
	runs   int
}

// Listen adds a finished run.
func (j *JUnit) Listen(e api.Event) {
	ended, ok := e.(*api.RunFinished)
	if !ok {
		return
	}
	r := &junitRun{run: ended.Run, suites: map[string]*junitSuite{}, cases: map[api.Test]*junitCase{}, names: map[api.Test]bool{}}
	j.runs++
	record := ended.Record
	if record == nil {
		record = noRecord{}
	}
	if err := errors.Join(r.addResults(record), r.addFailures(record)); err != nil {
		r.addError("", "(record)", "verdict", "the record of the run is not whole: "+err.Error())
	}
	r.excuse()
	r.addRetried()
	r.addMissing()
	r.addVerdict()
	r.addTo(&j.report)
}

// Runs returns how many runs the report has.
func (j *JUnit) Runs() int { return j.runs }

// Write writes the report.
func (j *JUnit) Write(w io.Writer) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	j.report.Name = "proctor"
	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	if err := enc.Encode(&j.report); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// noRecord is for a run that could only be shown.
type noRecord struct{}

func (noRecord) Results(func(api.Result) bool) error   { return nil }
func (noRecord) Failures(func(api.Failure) bool) error { return nil }

// junitRun is one run being added to a report.
type junitRun struct {
	run    api.Run
	order  []*junitSuite
	suites map[string]*junitSuite
	cases  map[api.Test]*junitCase
	names  map[api.Test]bool // taken, by suite and name as written
	// passed counts the passes on record, as [api.Counts] does.
	passed int
}

// addResults adds a case for each test. It omits a test that failed only because of
// others inside it, which would count twice, and fixtures that did not fail.
func (r *junitRun) addResults(record api.Record) error {
	err := record.Results(func(result api.Result) bool {
		if result.Status == sdk.Passed && !result.Fixture {
			r.passed++
		}
		red := result.Status == sdk.Failed || result.Status == sdk.Unfinished
		if result.Derived && red || result.Fixture && !red {
			return true
		}
		c := r.findCase(api.Test{Suite: result.Suite, Test: result.Test})
		c.Time += junitSeconds(result.DurationS)
		r.suites[result.Suite].cached = result.Cached // all of a suite, or nothing
		if red || c.status == "" || c.status == sdk.Skipped {
			c.status = result.Status
		}
		return true
	})
	for _, c := range r.cases {
		switch c.status {
		case sdk.Skipped:
			c.Skipped = &junitSkip{}
		case sdk.Failed:
			c.Failure = &junitText{Type: "failed", Message: "failed without a message"}
		case sdk.Unfinished:
			c.Error = &junitText{Type: "unfinished", Message: "started and did not end"}
		}
	}
	return err
}

// addFailures adds the failures to the cases, and a case for each failure of no test.
func (r *junitRun) addFailures(record api.Record) error {
	var failures []api.Failure
	err := record.Failures(func(f api.Failure) bool {
		failures = append(failures, f)
		return true
	})
	if len(failures) < len(r.run.Failures) {
		failures = r.run.Failures // a truncated record hides none of the run's own failures
	}
	told := map[*junitCase]bool{}
	for _, f := range failures {
		c := r.findCase(api.Test{Suite: f.Suite, Test: f.Test})
		text := &junitText{Type: prose.Line(f.Kind), Message: narrow(prose.Line(f.Headline())), Text: junitFailure(f)}
		switch {
		case told[c] && c.Failure != nil:
			c.Failure.Text = boundJUnit(c.Failure.Text + "\n" + text.Text)
		case told[c]:
			c.Error.Text = boundJUnit(c.Error.Text + "\n" + text.Text)
		case isJUnitError(f.Kind) || c.Error != nil:
			c.Failure, c.Error = nil, text
		default:
			c.Failure = text
		}
		c.Skipped, told[c] = nil, true
	}
	if n := r.run.FailuresTotal - len(failures); n > 0 {
		r.addError("", "(failures)", "failed", fmt.Sprintf("%d more failures are not on record", n))
	}
	return err
}

// excuse has the cases of tests in quarantine skipped: readers fail on any failure.
func (r *junitRun) excuse() {
	for _, f := range r.run.Failures {
		if c := r.cases[api.Test{Suite: f.Suite, Test: f.Test}]; f.Quarantine != "" && c != nil {
			c.Skipped = &junitSkip{Message: narrow(prose.Line("in quarantine: " + f.Quarantine + ": " + f.Headline()))}
			c.Failure, c.Error = nil, nil
		}
	}
}

// isJUnitError reports whether a kind of failure means that something other than a
// test's check went wrong.
func isJUnitError(kind string) bool {
	return slices.Contains([]string{"build", "vet", "setup", "exit", "signal", "timeout"}, kind)
}

func junitFailure(f api.Failure) string {
	var b strings.Builder
	writeFailure(&b, 1, 0, f, Style{Verbose: true}, painter{})
	_, text, _ := strings.Cut(b.String(), "\n") // the case has the title
	return boundJUnit(strings.Map(xmlRune, strings.TrimRight(text, "\n")))
}

// xmlRune replaces the characters that XML 1.0 forbids even escaped, besides the
// control characters, which are gone by then.
func xmlRune(r rune) rune {
	if r == '\ufffe' || r == '\uffff' {
		return '\ufffd'
	}
	return r
}

func boundJUnit(text string) string {
	if len(text) <= maxJUnitText {
		return text
	}
	return strings.ToValidUTF8(text[:maxJUnitText], "") + fmt.Sprintf("\n[cut: %d bytes in all; proctor output has them]\n", len(text))
}

// addRetried adds the further tries of tests that failed. A flaky test has failed all the
// same, unless the run passed.
func (r *junitRun) addRetried() {
	for _, t := range r.run.Retried {
		c := r.findCase(t.Test)
		var tries []junitTry
		for _, a := range t.Attempts {
			if a.Outcome != api.OutcomePassed {
				tries = append(tries, junitTry{Type: string(a.Outcome), Message: prose.Line("run " + a.RunID + ": " + strings.ReplaceAll(string(a.Outcome), "_", " ") + " " + a.Why)})
			}
		}
		if !t.Flaky {
			c.Reruns = tries
			continue
		}
		if f := c.Failure; f != nil {
			c.Flaky = append(c.Flaky, junitTry{f.Type, f.Message, f.Text})
		} else if e := c.Error; e != nil {
			c.Flaky = append(c.Flaky, junitTry{e.Type, e.Message, e.Text})
		}
		c.Flaky = append(c.Flaky, tries...)
		if r.run.Verdict == api.Passed {
			c.Failure, c.Error = nil, nil
		}
	}
}

// addMissing adds the tests that should have run and have no result.
func (r *junitRun) addMissing() {
	for _, missing := range []struct {
		tests     []api.Test
		total     int
		kind, why string
	}{
		{r.run.Unfinished, r.run.Counts.Unfinished, "unfinished", "started and did not end"},
		{r.run.NeverStarted, r.run.Counts.NeverStarted, "never_started", "never started"},
	} {
		for _, t := range missing.tests {
			if _, known := r.cases[t]; !known {
				r.addError(t.Suite, t.Test, missing.kind, missing.why)
			}
		}
		// Results name each test that did not end, as far as they are on record.
		if n := missing.total - len(missing.tests); n > 0 && (missing.kind != "unfinished" || r.isLost()) {
			r.addError("", "("+missing.kind+")", missing.kind, fmt.Sprintf("%d more tests: %s", n, missing.why))
		}
	}
	for _, asked := range r.run.Requested {
		t := api.Test{Suite: asked.Suite, Test: asked.Test}
		if _, known := r.cases[t]; known || asked.Outcome != api.OutcomeDidNotRun || t.Test == "" {
			continue
		}
		// A test that does not exist any more keeps no rerun from passing.
		if r.run.Verdict == api.Passed {
			r.findCase(t).Skipped = &junitSkip{Message: prose.Line("did not run: " + asked.Why)}
		} else {
			r.addError(t.Suite, t.Test, "did_not_run", asked.Why)
		}
	}
}

// addVerdict adds a case if no other one says that the run did not pass.
func (r *junitRun) addVerdict() {
	isRed := func(c *junitCase) bool { return c.Failure != nil || c.Error != nil }
	if r.run.Verdict == api.Passed && !r.isLost() {
		return
	}
	for _, c := range r.cases {
		if isRed(c) && !r.isLost() {
			return
		}
	}
	reason := string(r.run.Verdict) + ": " + r.run.Reason
	if r.isLost() {
		reason += fmt.Sprintf("; of %d passes %d are on record", r.run.Counts.Passed, r.passed)
	}
	r.addError("", "(verdict)", "verdict", reason)
}

// isLost reports whether results are missing on record, as after a full disk: the
// report would lack tests without a word.
func (r *junitRun) isLost() bool { return r.passed < r.run.Counts.Passed }

func (r *junitRun) addError(suite, test, kind, why string) {
	r.findCase(api.Test{Suite: suite, Test: test}).Error = &junitText{Type: kind, Message: prose.Line(why)}
}

// findCase returns the case of a test, adding it if missing. A report names a test
// once: consumers use only the first of several.
func (r *junitRun) findCase(t api.Test) *junitCase {
	if c, ok := r.cases[t]; ok {
		return c
	}
	suite, ok := r.suites[t.Suite]
	if !ok {
		suite = &junitSuite{Name: prose.Line(t.Suite), Timestamp: r.run.StartedAt.UTC().Format("2006-01-02T15:04:05")}
		if suite.Name == "" {
			suite.Name = "proctor." + prose.Line(r.run.Language)
		}
		r.suites[t.Suite], r.order = suite, append(r.order, suite)
	}
	c := &junitCase{ClassName: suite.Name, Name: prose.Line(t.Test)}
	if c.Name == "" {
		c.Name = "(suite)"
	}
	taken := func() bool { return r.names[api.Test{Suite: c.ClassName, Test: c.Name}] }
	for n, plain := 2, c.Name; taken(); n++ {
		c.Name = fmt.Sprintf("%s (%d)", plain, n)
	}
	r.names[api.Test{Suite: c.ClassName, Test: c.Name}], r.cases[t] = true, c
	suite.Cases = append(suite.Cases, c)
	return c
}

// addTo adds the run's suites and their totals to a report.
func (r *junitRun) addTo(report *junitReport) {
	report.Time += junitSeconds(r.run.DurationS)
	for _, s := range r.order {
		for _, c := range s.Cases {
			s.Time += c.Time
			switch {
			case c.Error != nil:
				s.Errors++
			case c.Failure != nil:
				s.Failures++
			case c.Skipped != nil:
				s.Skipped++
			}
		}
		s.Tests = len(s.Cases)
		cached := ""
		if s.cached {
			cached = "true"
		}
		for _, p := range []junitProperty{
			{"proctor.run_id", r.run.RunID}, {"proctor.verdict", string(r.run.Verdict)},
			{"proctor.language", prose.Line(r.run.Language)}, {"proctor.seed", prose.Line(r.run.Seed)},
			{"proctor.cached", cached},
		} {
			if p.Value != "" {
				s.Properties = append(s.Properties, p)
			}
		}
		report.Tests, report.Failures, report.Errors = report.Tests+s.Tests, report.Failures+s.Failures, report.Errors+s.Errors
		report.Suites = append(report.Suites, s)
	}
}
