package render

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
)

// onRequest marks a test that an ordinary run leaves out.
const onRequest = "  (only runs on request)"

// Tests lists the tests of a page by suite, with notes about the list.
func Tests(l api.TestList, style Style) string {
	var b strings.Builder
	b.WriteString(TestNames(l, style))
	if l.Shown() > 0 {
		b.WriteByte('\n')
	}
	for _, w := range l.Warnings {
		b.WriteString("note: " + prose.Line(style.note(w)) + "\n")
	}
	b.WriteString(testsFound(l, cmp.Or(l.SuiteNoun, "suite")) + "\n")
	for _, e := range l.Errors {
		writeIndented(&b, e)
	}
	return b.String()
}

// TestNames lists the tests of a page by suite, with their places.
func TestNames(l api.TestList, style Style) string {
	var b strings.Builder
	for _, suite := range l.Suites {
		b.WriteString(style.name(suite.Suite, "") + "\n")
		for _, t := range suite.Tests {
			b.WriteString(indent + prose.Line(t.Test))
			if t.File != "" {
				b.WriteString("  " + prose.Line(concise.Place(t.File, t.Line)))
			}
			if t.OnRequest {
				b.WriteString(onRequest)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// TestsFound says how many tests there are. It never lets an incomplete list look
// complete.
func TestsFound(l api.TestList) string { return testsFound(l, "suite") }

func testsFound(l api.TestList, noun string) string {
	where := fmt.Sprintf("%s in %s", api.Plural(l.Total, "test"), api.Plural(l.SuitesTotal, noun))
	if l.Selection.Narrows() {
		where += " selected"
	}
	text := where
	switch {
	case l.Complete && l.Total == 0 && l.Selection.Narrows():
		text = "no test is selected"
	case l.Complete && l.Total == 0:
		text = "there are no tests"
	case !l.Complete && l.Total == 0:
		text = "INCOMPLETE: the tests could not be listed"
	case !l.Complete:
		text = "INCOMPLETE: not every test could be listed; found: " + where
	}
	text += " (" + prose.Line(l.Language)
	if l.OnRequest > 0 {
		text += fmt.Sprintf("; %d only run on request", l.OnRequest)
	}
	if n := l.Selection.Configured; len(n) > 0 {
		text += "; narrowed by settings: " + prose.Line(strings.Join(n, ", "))
	}
	return text + ")"
}
