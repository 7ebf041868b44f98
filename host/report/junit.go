package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// Dialect selects what a JUnit report has beyond the common core.
type Dialect string

// The dialects of JUnit.
const (
	// DefaultDialect is valid by the schema of Jenkins' xunit plugin (junit-10.xsd), the
	// strictest in use, so other readers accept it.
	DefaultDialect Dialect = "default"
	// GitLabDialect adds the file and line of each test, which GitLab links to and
	// Jenkins rejects.
	GitLabDialect Dialect = "gitlab"
)

// Dialects are the dialects of JUnit.
func Dialects() []Dialect { return []Dialect{DefaultDialect, GitLabDialect} }

// junitHead is how each of our files begins.
const junitHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<testsuites name="proctor"`

// IsOwnJUnit reports whether a file is a JUnit report that proctor wrote.
func IsOwnJUnit(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(junitHead))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == junitHead
}

// junitWriter writes elements. The first error stays with the writer below.
type junitWriter struct {
	*bufio.Writer
	Options
}

func writeJUnit(w io.Writer, d *Document, o Options) error {
	j := junitWriter{bufio.NewWriterSize(w, 64<<10), o}
	var total Counts
	seconds := 0.0
	for _, run := range d.Runs {
		seconds += run.Object.DurationS
		for s, n := range run.Counts {
			total[s] += n
		}
	}
	j.WriteString(junitHead)
	j.totals(total, seconds, j.Dialect == GitLabDialect)
	j.WriteString(">\n")
	for _, run := range d.Runs {
		for _, s := range run.Suites {
			j.suite(run.Object, s)
		}
	}
	j.WriteString("</testsuites>\n")
	return j.Flush()
}

// totals writes the counts. In Jenkins' schema the testsuites element has no skipped
// attribute.
func (j junitWriter) totals(c Counts, seconds float64, skipped bool) {
	fmt.Fprintf(j, ` tests="%d" failures="%d" errors="%d"`, c.Total(), c[Failed], c.Red()-c[Failed])
	if skipped {
		fmt.Fprintf(j, ` skipped="%d"`, c[Skipped]+c[Quarantined])
	}
	j.time(seconds)
}

func (j junitWriter) suite(run api.Run, s *Suite) {
	j.WriteString(` <testsuite`)
	j.attribute("name", s.Name)
	j.totals(s.Counts, s.DurationS, true)
	if !run.StartedAt.IsZero() {
		j.attribute("timestamp", run.StartedAt.UTC().Format("2006-01-02T15:04:05")) // the schema has no zone
	}
	j.WriteString(">\n  <properties>\n")
	for _, p := range suiteProperties(run, s) {
		if p[1] != "" {
			j.WriteString("   <property")
			j.attribute("name", "proctor."+p[0])
			j.attribute("value", p[1])
			j.WriteString("/>\n")
		}
	}
	j.WriteString("  </properties>\n")
	class := escapedAttribute("classname", s.Name)
	for _, c := range s.Cases {
		j.testcase(class, c)
	}
	j.WriteString(" </testsuite>\n")
}

func suiteProperties(run api.Run, s *Suite) [][2]string {
	cached, fingerprint := "", ""
	if s.Cached {
		cached = "true"
	}
	if run.Source != nil {
		fingerprint = run.Source.Fingerprint
	}
	return [][2]string{
		{"run_id", run.RunID}, {"verdict", string(run.Verdict)}, {"reason", narrow(run.Reason)}, {"language", prose.Line(run.Language)},
		{"seed", prose.Line(run.Seed)}, {"fingerprint", prose.Line(fingerprint)}, {"cached", cached},
	}
}

// testcase writes a case. class is the classname attribute, the same for a whole suite.
func (j junitWriter) testcase(class string, c *Case) {
	j.WriteString(`  <testcase`)
	j.WriteString(class)
	j.attribute("name", c.Name)
	j.time(c.DurationS)
	if j.Dialect == GitLabDialect {
		j.place(c)
	}
	if c.Status == Passed && c.Trouble == nil {
		j.WriteString("/>\n")
		return
	}
	j.WriteString(">\n")
	// The order of elements is that of Maven's Surefire.
	if c.Status == Failed {
		j.text("failure", c)
	}
	j.tries(c)
	switch {
	case c.Status == Failed || c.Status == Passed:
	case c.Status.IsRed():
		j.text("error", c)
	default:
		j.WriteString("   <skipped")
		if m := c.Message(); m != "" {
			j.attribute("message", m)
		}
		j.WriteString("/>\n")
	}
	j.WriteString("  </testcase>\n")
}

// place writes the file and line of a test.
func (j junitWriter) place(c *Case) {
	file, line := c.File, int(c.Line)
	if file == "" {
		file, line = c.Place()
	}
	if file, ok := j.fileOf(file); ok {
		j.attribute("file", prose.Line(file))
		if line > 0 {
			j.attribute("line", strconv.Itoa(line))
		}
	}
}

// text writes an element that makes a case red. Readers show its content; some only the
// message.
func (j junitWriter) text(element string, c *Case) {
	j.WriteString("   <" + element)
	j.attribute("type", c.Kind())
	message := c.Message()
	if c.Flaky {
		message = narrow("flaky, it passed when retried: " + message)
	}
	j.attribute("message", message)
	j.WriteByte('>')
	j.escape(cmp.Or(c.Text(), c.Message()), false)
	j.WriteString("</" + element + ">\n")
}

// tries writes the failed executions of a test that was retried, as Maven's Surefire has
// them: all of a flaky test, and those after the first of any other. Readers count a case
// with a flakyFailure as passed, whatever else it has: so a red one has none, and one that
// is skipped because it is in quarantine has no tries at all.
func (j junitWriter) tries(c *Case) {
	element := "rerunFailure"
	switch {
	case c.Status == Quarantined:
		return
	case c.Flaky && !c.Status.IsRed():
		element = "flakyFailure"
		if len(c.Failures()) > 0 {
			j.try(element, c.Kind(), c.Message(), c.Text())
		}
	}
	for _, a := range c.Tries() {
		if a.Outcome != api.OutcomePassed {
			j.try(element, string(a.Outcome), tryMessage(a), "")
		}
	}
}

func (j junitWriter) try(element, kind, message, stack string) {
	j.WriteString("   <" + element)
	j.attribute("type", kind)
	j.attribute("message", message)
	j.WriteString("><stackTrace>")
	j.escape(stack, false)
	j.WriteString("</stackTrace></" + element + ">\n")
}

// tryMessage says how a retry of a test ended.
func tryMessage(a api.Attempt) string {
	text := "run " + a.RunID + ": " + strings.ReplaceAll(string(a.Outcome), "_", " ")
	if a.Why != "" {
		text += ": " + a.Why
	}
	return narrow(text)
}

// time writes seconds without an exponent, which readers may not parse.
func (j junitWriter) time(seconds float64) {
	j.WriteString(` time="`)
	j.Write(strconv.AppendFloat(j.AvailableBuffer(), max(seconds, 0), 'f', 3, 64))
	j.WriteByte('"')
}

func (j junitWriter) attribute(name, value string) {
	j.WriteByte(' ')
	j.WriteString(name)
	j.WriteString(`="`)
	j.escape(value, true)
	j.WriteByte('"')
}

// escapedAttribute returns an attribute as attribute writes it.
func escapedAttribute(name, value string) string {
	var b strings.Builder
	j := junitWriter{bufio.NewWriterSize(&b, 16), Options{}}
	j.attribute(name, value)
	_ = j.Flush() // a builder never fails
	return b.String()
}

// isPlain reports whether a text needs no escaping in XML, as most names of tests.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c >= 0x80 || c == '&' || c == '<' || c == '>' || c == '"' {
			return false
		}
	}
	return true
}

// escape writes a text so that it contains no markup. Characters that XML 1.0 forbids even
// when escaped are written as in a Go string.
func (j junitWriter) escape(text string, attribute bool) {
	if isPlain(text) {
		j.WriteString(text)
		return
	}
	from := 0
	for i, r := range text {
		var to string
		switch {
		case r == '&':
			to = "&amp;"
		case r == '<':
			to = "&lt;"
		case r == '>':
			to = "&gt;"
		case r == '"' && attribute:
			to = "&quot;" // some readers do not decode numeric references
		case r == '\n' && attribute, r == '\t' && attribute, r == '\r':
			to = "&#" + strconv.Itoa(int(r)) + ";"
		case r == '\n', r == '\t':
			continue
		case r < 0x20:
			to = fmt.Sprintf(`\x%02x`, r)
		case r == 0xfffe, r == 0xffff:
			to = fmt.Sprintf(`\u%04x`, r)
		case r == 0xfffd && !strings.HasPrefix(text[i:], "\ufffd"):
			j.WriteString(text[from:i] + fmt.Sprintf(`\x%02x`, text[i]))
			from = i + 1
			continue
		default:
			continue
		}
		j.WriteString(text[from:i])
		j.WriteString(to)
		from = i + len(string(r))
	}
	j.WriteString(text[from:])
}
