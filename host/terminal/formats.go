package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

// form shows events in one format.
type form = api.Listener

// Format is a way to show a run.
type Format struct {
	Name, What string
	// redrawn reports whether it goes with a redrawn area at a terminal.
	redrawn bool
	make    func(v *View) form
}

// Default is the format if none is requested.
const Default = "default"

// byTestName is the format in which -v has nothing to add.
const byTestName = "testname"

// Formats returns the formats of a run.
func Formats() []Format {
	return []Format{
		{Default, "live at a terminal, else as pkgname", true, func(v *View) form {
			if v.area != nil || v.cfg.Live || v.cfg.Style.Quiet {
				return silent{}
			}
			return &beating{v, newBySuite(v, v.cfg.Out)}
		}},
		{"pkgname", "a line for each suite, failures as they come", true, func(v *View) form { return newBySuite(v, v.cfg.Asked) }},
		{byTestName, "each test as it ends", true, func(v *View) form { return &byTest{v} }},
		{"dots", "a character for each test", false, func(v *View) form { return &dots{v: v} }},
		{"testdox", "suites and their tests as sentences", true, func(v *View) form { return &testdox{v: v} }},
		{"quiet", "only what failed, and the verdict", false, func(*View) form { return silent{} }},
		{"github", "groups of GitHub Actions", false, func(v *View) form { return &github{v: v, bySuite: newBySuite(v, io.Discard)} }},
	}
}

// formatOf returns a format by its name. Another form shows what the default does.
func formatOf(name string) Format {
	all := Formats()
	for _, f := range all {
		if f.Name == name {
			return f
		}
	}
	return all[0]
}

// silent shows nothing during a run.
type silent struct{}

func (silent) Listen(api.Event) {}

// beating reports progress while its form is silent for long.
type beating struct {
	v    *View
	form form
}

func (b *beating) Listen(e api.Event) {
	if _, started := e.(*api.RunStarted); started {
		b.v.startHeart()
	}
	b.form.Listen(e)
}

// byTest prints each test as it ends.
type byTest struct{ v *View }

func (b *byTest) Listen(e api.Event) {
	if e, ok := e.(*api.TestEnded); ok {
		b.v.print(b.v.cfg.Asked, b.v.resultLine(e.Result)+"\n")
	}
}

// mark is the sign of a result.
func mark(style render.Style, s sdk.Status) string {
	switch s {
	case sdk.Passed:
		return style.Green(style.Symbols("✓"))
	case sdk.Skipped:
		return style.Yellow(style.Symbols("–"))
	}
	return style.Red(style.Symbols("✗"))
}

// dots prints a character for each test.
type dots struct {
	v *View
	n int // in this line
}

// maxDots is how many characters a line has if the width is unknown.
const maxDots = 72

func (d *dots) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.TestEnded:
		if e.Root != "" || e.Fixture {
			return
		}
		sign := mark(d.v.cfg.Style, e.Status)
		if e.Status == sdk.Passed {
			sign = d.v.cfg.Style.Green(".")
		}
		if d.n++; d.n >= min(maxDots, max(d.v.cfg.Style.Columns-1, 0)) && d.v.cfg.Style.Columns > 0 || d.n >= maxDots {
			sign, d.n = sign+"\n", 0
		}
		d.v.print(d.v.cfg.Asked, sign)
	case *api.RunFinished:
		if d.n > 0 {
			d.v.print(d.v.cfg.Asked, "\n")
		}
		d.n = 0
	}
}

// testdox prints a suite as it ends, with its tests as sentences.
type testdox struct {
	v     *View
	tests map[string][]string
	order []string
}

func (d *testdox) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.TestEnded:
		if e.Container {
			return
		}
		if d.tests == nil {
			d.tests = map[string][]string{}
		}
		if d.tests[e.Suite] == nil {
			d.order = append(d.order, e.Suite)
		}
		line := fmt.Sprintf(" %s %s", mark(d.v.cfg.Style, e.Status), spellOut(e.Test))
		d.tests[e.Suite] = append(d.tests[e.Suite], line)
	case *api.SuiteEnded:
		d.flush(e.Suite)
	case *api.RunFinished:
		for _, s := range d.order {
			d.flush(s)
		}
		d.order = nil
	}
}

func (d *testdox) flush(suite string) {
	if lines := d.tests[suite]; lines != nil {
		d.v.print(d.v.cfg.Asked, d.v.testName(suite, "")+":\n"+strings.Join(lines, "\n")+"\n\n")
	}
	delete(d.tests, suite)
}

// spellOut returns the name of a test as a sentence.
func spellOut(test string) string {
	test = prose.Line(test)
	for _, prefix := range []string{"Test", "test"} {
		if rest, ok := strings.CutPrefix(test, prefix); ok && rest != "" {
			test = rest
			break
		}
	}
	var b strings.Builder
	before := ' '
	runes := []rune(test)
	for i, r := range runes {
		next := ' '
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		switch {
		case r == '_':
			r = ' '
		case r == '/':
			b.WriteString(": ")
			before = ' '
			continue
		case unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsLower(next) && unicode.IsUpper(before)):
			b.WriteByte(' ')
			if !unicode.IsUpper(next) {
				r = unicode.ToLower(r)
			}
		}
		b.WriteRune(r)
		before = r
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
