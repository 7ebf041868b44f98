package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxNamed bounds the tests that are named: more make a browser slow.
	maxNamed = 100_000
	// maxSuites bounds the suites with a fold of their own; the tests of all others share
	// one list.
	maxSuites = 2000
	// maxReasonTests is how many tests are named for a reason to skip.
	maxReasonTests = 200
	// namesChunk is how many names are laid out at a time: a browser skips those that are
	// out of sight.
	namesChunk = 500
	// maxName bounds a name, in bytes.
	maxName = 400
)

// writeUndone lists what did not finish and is not a failure.
func writeUndone(p *htmlPage) {
	var lines []string
	for _, r := range p.runs {
		for _, l := range r.account.Undone() {
			lines = append(lines, strings.TrimSpace(r.tag+" "+l))
		}
	}
	if len(lines) == 0 {
		return
	}
	p.put(`<section id="undone"><h2>Not a pass either</h2><ul class="plain">`)
	for _, l := range lines {
		p.put("<li>%\n", l)
	}
	p.put("</ul></section>\n")
}

// writeSkipped writes why tests were skipped, and which.
func writeSkipped(p *htmlPage) {
	number := 0
	for _, r := range p.runs {
		number += len(r.account.Skips())
	}
	if number == 0 {
		return
	}
	p.put(`<section id="skipped"><h2>Skipped</h2>` + "\n")
	for _, r := range p.runs {
		for _, s := range r.account.Skips() {
			p.put(`<details class="fold"><summary>% <small>%</small></summary><pre class="names">`,
				cmp.Or(narrow(s.Reason), "without a reason"), api.Plural(s.Total, "test"))
			for _, t := range s.Tests[:min(len(s.Tests), maxReasonTests)] {
				p.put("– %\n", boundText(r.account.Name(t), maxName))
			}
			if n := s.Total - min(len(s.Tests), maxReasonTests); n > 0 {
				p.put("and % more", grouped(n))
			}
			p.put("</pre></details>\n")
		}
	}
	p.put("</section>\n")
}

// slowBy is how many times its usual time makes a test marked as slow.
const slowBy = 2

// writeSlowest writes the slowest tests, with their usual times.
func writeSlowest(p *htmlPage) {
	number := 0
	for _, r := range p.runs {
		number += len(r.slowest)
	}
	if number == 0 {
		return
	}
	p.put(`<section id="slowest"><h2>Slowest</h2><table><thead><tr><th scope="col">test<th scope="col">took<th scope="col">usually</thead><tbody>` + "\n")
	for _, r := range p.runs {
		for _, s := range r.slowest {
			t := s.TestID
			usual := r.background.Past[t].UsualS
			p.put("<tr><td>%<td>%<td>", boundText(r.account.Name(t), maxName), render.Took(s.DurationS))
			switch {
			case usual > 0 && s.DurationS >= slowBy*usual:
				p.put(`<b class="doubt">%</b>`, render.Took(usual))
			case usual > 0:
				p.put("%", render.Took(usual))
			}
			p.put("\n")
		}
	}
	p.put("</tbody></table></section>\n")
}

// listedSuite is a suite as the list of all tests has it.
type listedSuite struct {
	*Suite
	run *htmlRun
}

// writeAll writes all tests by suite, red suites first. Tests that are not red are text in a
// folded element, which costs a browser nothing until it is opened and needs no script.
func writeAll(p *htmlPage) {
	var suites []listedSuite
	for _, r := range p.runs {
		for _, s := range r.Suites {
			suites = append(suites, listedSuite{s, r})
		}
	}
	if len(suites) == 0 {
		return
	}
	slices.SortStableFunc(suites, func(a, b listedSuite) int {
		if a.Counts.Red() > 0 != (b.Counts.Red() > 0) {
			return cmp.Compare(b.Counts.Red(), a.Counts.Red())
		}
		return cmp.Compare(a.Name, b.Name)
	})
	p.put(`<section id="all"><h2>All tests</h2>` + "\n")
	p.put(`<div class="find" hidden><label>Find <input type="search" autocomplete="off" spellcheck="false" placeholder="words of a name"></label> <output></output></div><div class="found" hidden></div>` + "\n")
	p.put(`<div class="suites">` + "\n")
	left := maxNamed
	for _, s := range suites[:min(len(suites), maxSuites)] {
		writeSuite(p, s, &left)
	}
	if more := suites[min(len(suites), maxSuites):]; len(more) > 0 {
		writeMore(p, more, &left)
	}
	p.put("</div></section>\n")
}

func writeSuite(p *htmlPage, s listedSuite, left *int) {
	mark, class := "✓", "good"
	switch {
	case s.Counts.Red() > 0:
		mark, class = "✗", "bad"
	case s.Counts[Passed] == 0:
		mark, class = "–", "none"
	}
	name := s.run.account.Suite(s.ID)
	if s.ID == "" {
		name = s.Name
	}
	if s.run.tag != "" {
		name = s.run.tag + " " + name
	}
	p.put(`<details class="suite"><summary><b class="%">%</b> <span class="name">%</span> <small>%</small></summary>`, class, mark, boundText(name, maxName), s.counted())
	var reds, rest []*Case
	for _, c := range s.Cases {
		if c.Status.IsRed() {
			reds = append(reds, c)
		} else {
			rest = append(rest, c)
		}
	}
	if len(reds) > 0 {
		p.put(`<ul class="plain reds">`)
		for _, c := range reds[:min(len(reds), max(*left, 0))] {
			writeRed(p, s, c)
		}
		if n := len(reds) - max(*left, 0); n > 0 {
			p.put("<li>and % more", grouped(n))
		}
		*left -= len(reds)
		p.put("</ul>")
	}
	writeNames(p, rest, left, func(c *Case) string { return c.Name })
	p.put("</details>\n")
}

// counted returns the counts of a suite's tests, and its time.
func (s listedSuite) counted() string {
	parts := []string{api.Plural(s.Counts.Total(), "test")}
	for status := Skipped; int(status) < statuses; status++ {
		if n := s.Counts[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(status.String(), "_", " ")))
		}
	}
	if s.Cached {
		parts = append(parts, "from the cache")
	} else if s.DurationS >= slowFrom {
		parts = append(parts, render.Took(s.DurationS))
	}
	return strings.Join(parts, " · ")
}

func writeRed(p *htmlPage, s listedSuite, c *Case) {
	name, message := boundText(c.Name, maxName), ""
	if c.Status != Failed {
		message = c.Message()
	}
	p.put(`<li><b class="bad">✗</b> `)
	if at := s.run.anchors[sdk.TestID{Suite: s.ID, Test: c.Test}]; at != "" && !c.Synthetic {
		p.put(`<a href="#%">%</a>`, at, name)
	} else {
		p.put(`<span class="name">%</span>`, name)
	}
	if message != "" {
		p.put(" <small>%</small>", narrow(message))
	}
	p.put("\n")
}

// writeMore writes the tests of the suites beyond maxSuites.
func writeMore(p *htmlPage, suites []listedSuite, left *int) {
	var cases []*Case
	suiteOf := map[*Case]string{}
	for _, s := range suites {
		for _, c := range s.Cases {
			cases, suiteOf[c] = append(cases, c), s.run.account.Suite(s.ID)
		}
	}
	p.put(`<details class="suite"><summary><span class="name">% more suites</span> <small>%</small></summary>`, grouped(len(suites)), api.Plural(len(cases), "test"))
	writeNames(p, cases, left, func(c *Case) string { return suiteOf[c] + " " + c.Name })
	p.put("</details>\n")
}

// writeNames writes a line per test: mark and time, a tab, and the name.
func writeNames(p *htmlPage, cases []*Case, left *int, name func(*Case) string) {
	named := cases[:min(len(cases), max(*left, 0))]
	*left -= len(named)
	for chunk := range slices.Chunk(named, namesChunk) {
		p.put(`<pre class="names">`)
		for _, c := range chunk {
			mark := "✓"
			switch {
			case c.Status.IsRed():
				mark = "✗"
			case c.Flaky:
				mark = "~"
			case c.Status != Passed:
				mark = "–"
			}
			took := ""
			if c.DurationS >= 0.005 && !c.Cached {
				took = render.Took(c.DurationS)
			}
			p.put("% %\t%\n", mark, took, boundText(name(c), maxName))
		}
		p.put("</pre>")
	}
	if n := len(cases) - len(named); n > 0 {
		p.put("<p>% more are not named here</p>", grouped(n))
	}
}

// writeHow writes how the tests were run.
func writeHow(p *htmlPage) {
	if len(p.runs) == 0 {
		return
	}
	p.put(`<section id="how"><details class="fold"><summary><h2>How this was run</h2></summary><table><tbody>` + "\n")
	for _, r := range p.runs {
		for _, row := range r.how() {
			p.put(`<tr><th scope="row">%<td>%`+"\n", row[0], boundText(row[1], maxMessage))
		}
	}
	p.put("</tbody></table></details></section>\n")
}

// how returns how a run was made, as pairs of label and value.
func (r *htmlRun) how() [][2]string {
	run := r.Object
	var rows [][2]string
	add := func(what, how string) {
		if how != "" {
			rows = append(rows, [2]string{what, prose.Line(how)})
		}
	}
	for _, c := range run.Commands {
		add("command", prose.CommandLine(c.Argv))
	}
	add("verdict", run.Verdict.Words()+": "+run.Reason)
	add("counts", render.CountsLine(run))
	add("plugin", strings.TrimSpace(run.Plugin.Name+" "+run.Plugin.Version))
	add("seed", run.Seed)
	for _, key := range sortedKeys(run.Conditions) {
		add(key, run.Conditions[key])
	}
	if s := run.Source; s != nil {
		add("commit", s.Commit)
		add("sources", s.Fingerprint)
	}
	if run.MixedState {
		add("sources", "changed during the run")
	}
	add("environment", run.Environment)
	add("taken from", run.Origin)
	if run.RunID != "" && run.Kind != api.KindParsed {
		add("all of it", prose.ShellLine([]string{"proctor", "runs", "show", run.RunID}))
	}
	return rows
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
