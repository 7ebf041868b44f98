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
	// maxMessage bounds a message, maxDiffLines and maxDiffText a difference. Longer ones
	// are data, which proctor output shows.
	maxMessage   = 8 << 10
	maxDiffLines = 400
	maxDiffText  = 16 << 10
)

// writeFailed writes the sections about failures.
func (p *htmlPage) writeFailed() {
	p.writeCauses("failed", "What failed", func(r *htmlRun) []render.Cause { return r.failed })
	p.writeCauses("flaky", "Flaky: failed, then passed when retried", func(r *htmlRun) []render.Cause { return r.flaky })
	p.writeCauses("quarantined", "In quarantine: known failures that do not decide", func(r *htmlRun) []render.Cause { return r.quarantined })
}

// writeCauses writes a section of causes, if there are any.
func (p *htmlPage) writeCauses(id, title string, of func(*htmlRun) []render.Cause) {
	number, untold := 0, 0
	for _, r := range p.runs {
		if id == "failed" {
			untold += r.account.UntoldFailures()
		}
		number += len(of(r))
	}
	if number+untold == 0 {
		return
	}
	p.put(`<section id="%"><h2>%</h2>`+"\n", id, title)
	shown := 0
	for _, r := range p.runs {
		for _, c := range of(r) {
			shown++
			p.writeCause(r, c, shown <= maxShownCauses)
		}
		if n := r.account.UntoldFailures(); n > 0 && id == "failed" {
			p.put("<p>and %: <code>%</code></p>\n", api.Plural(n, "more failure"), prose.ShellLine([]string{"proctor", "runs", "show", r.Object.RunID, "--json"}))
		}
	}
	p.put("</section>\n")
}

// writeCause writes a cause: its first failure in full, and the other failures with it.
func (p *htmlPage) writeCause(r *htmlRun, c render.Cause, open bool) {
	f := c.Failures[0]
	id := p.anchor("f-" + f.ID)
	r.anchors[f.TestID] = id
	class := lookOf(c.Tone).class
	p.put(`<details class="cause of-%" id="%"%><summary><h3><span aria-hidden="true">%</span> `, class, id, openIf(open), c.Mark)
	if r.tag != "" {
		p.put(`<small>%</small> `, r.tag)
	}
	p.put(`<b>%</b>%</h3>`, boundText(c.Name, maxName), boundText(c.Rest, maxName))
	if s := describeStanding(c); s != "" {
		p.put(` <small class="standing">%</small>`, s)
	}
	// Shown while the cause is closed.
	p.put(`<span class="gist">%</span></summary>`+"\n", narrow(f.Headline()))
	if c.Total > 1 && f.Test != "" {
		p.put(`<p class="one"><b>%</b></p>`+"\n", boundText(r.account.Name(f.TestID), maxName))
	}
	p.writeFailure(r, f)
	p.writePast(r, f)
	p.writeDetails(r, f)
	if f.Quarantine != "" {
		p.put(`<p class="remark">in quarantine: %</p>`+"\n", narrow(f.Quarantine))
	}
	p.writeAlike(r, c)
	p.put("</details>\n")
}

// describeStanding says how the tests of a cause stand, also if there is nothing on record of them.
func describeStanding(c render.Cause) string {
	if c.Standing == "" && c.Failures[0].Standing != nil && c.Failures[0].Test != "" && !c.CutOff {
		return "first failure on record"
	}
	return c.Standing
}

func openIf(open bool) markup {
	if open {
		return " open"
	}
	return ""
}

// writeFailure writes the place of a failure with the source, the message, and the diff.
func (p *htmlPage) writeFailure(r *htmlRun, f api.Failure) {
	excerpt := r.account.Excerpt(f)
	if at := r.account.Place(f); at != "" {
		p.put(`<p class="at"><code>%</code>`, boundText(at, maxName))
		if excerpt != nil && excerpt.Edited {
			p.put(" (edited since)")
		}
		p.put("</p>\n")
	}
	if excerpt != nil && len(excerpt.Lines) > 0 {
		p.writeExcerpt(excerpt)
	}
	message, difference := r.account.Message(f)
	if message = boundText(message, maxMessage); strings.TrimSpace(message) != "" {
		p.put(`<pre class="message" tabindex="0" aria-label="message">%</pre>`+"\n", message)
	}
	p.writeDifference(r, f, difference)
	for _, line := range r.account.Remarks(f) {
		p.put(`<p class="remark">%</p>`+"\n", boundText(line, maxMessage))
	}
}

func (p *htmlPage) writeExcerpt(x *api.Excerpt) {
	digits := len(fmt.Sprint(x.FirstLine() + len(x.Lines) - 1))
	p.put(`<pre class="source" tabindex="0" aria-label="source">`)
	for i, line := range x.Lines {
		n := x.FirstLine() + i
		text := fmt.Sprintf("%*d │ %s", digits, n, line)
		if n == x.Line && !x.Declared {
			p.put("<b>▸ %</b>", text)
		} else {
			p.put("  %\n", text)
		}
	}
	p.put("</pre>\n")
}

// writeDifference writes the difference between what was wanted and what came.
func (p *htmlPage) writeDifference(r *htmlRun, f api.Failure, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.put(`<pre class="diff" tabindex="0" aria-label="difference: minus is what was wanted, plus what came">`)
	room := maxDiffText
	for i, line := range lines {
		if room -= len(line); i == maxDiffLines || room < 0 && i > 0 {
			p.put("<i>… %: %</i>", api.Plural(len(lines)-i, "more line"), boundText(r.account.OutputCommand(f), maxName))
			break
		}
		p.writeDiffLine(boundText(line, maxDiffText))
	}
	p.put("</pre>\n")
}

func (p *htmlPage) writeDiffLine(line string) {
	switch {
	case strings.HasPrefix(line, "-"):
		p.put("<del>%</del>", line)
	case strings.HasPrefix(line, "+"):
		p.put("<ins>%</ins>", line)
	case strings.HasPrefix(line, "@@"):
		p.put("<i>%</i>", line)
	default:
		p.put("<span>%</span>", line)
	}
}

// writePast writes how a test ended in its latest runs.
func (p *htmlPage) writePast(r *htmlRun, f api.Failure) {
	strip := r.background.Past[f.TestID].Strip
	if len(strip) < 2 {
		return // only this run is on record
	}
	p.put(`<p class="past">`)
	writeStrip(p, strip)
	legend := ""
	if slices.ContainsFunc(strip, func(p api.StripPoint) bool { return p.Changed }) {
		legend = " · │ the sources changed"
	}
	p.put(` <small>the last %%</small></p>`+"\n", api.Plural(len(strip), "run"), legend)
}

// markOf returns how a result looks in a strip.
func markOf(point api.StripPoint) (mark, class string) {
	switch {
	case point.Flaky:
		return "~", "doubt"
	case point.Status == sdk.Passed || point.Status == api.TestCached:
		return "✓", "good"
	case point.Status == sdk.Failed:
		return "✗", "bad"
	case point.Status == sdk.Unfinished:
		return "…", "bad"
	}
	return "–", "none"
}

// writeStrip writes a row of results; equal neighbors share an element.
func writeStrip(p *htmlPage, strip api.Strip) {
	p.put(`<span class="strip" role="img" aria-label="%">`, saidStrip(strip))
	for i := 0; i < len(strip); {
		mark, class := markOf(strip[i])
		text := mark
		for i++; i < len(strip) && !strip[i].Changed; i++ {
			next, same := markOf(strip[i])
			if same != class {
				break
			}
			text += next
		}
		p.put(`<b class="%">%</b>`, class, text)
		if i < len(strip) && strip[i].Changed {
			p.put("<i>│</i>")
		}
	}
	p.put("</span>")
}

// saidStrip returns a strip in words, for screen readers.
func saidStrip(strip api.Strip) string {
	words := map[string]string{"✓": "passed", "✗": "failed", "~": "failed on sources on which it passed", "…": "did not finish", "–": "did not run"}
	var parts []string
	last, n := "", 0
	flush := func() {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words[last]))
		}
	}
	for _, point := range strip {
		mark, _ := markOf(point)
		if mark != last {
			flush()
			last, n = mark, 0
		}
		n++
	}
	flush()
	return "oldest first: " + strings.Join(parts, ", then ")
}

// writeDetails writes the folded output and stack, and the command that repeats the test.
func (p *htmlPage) writeDetails(r *htmlRun, f api.Failure) {
	p.writeOutput(r, f)
	if len(f.Stack) > 0 {
		p.put(`<details class="stack"><summary>stack, %</summary><pre tabindex="0" aria-label="stack">`, api.Plural(len(f.Stack), "frame"))
		for _, frame := range f.Stack[:min(len(f.Stack), maxFrames)] {
			at := frame.File
			if frame.Line > 0 {
				at = fmt.Sprintf("%s:%d", at, frame.Line)
			}
			p.put("%\n    %\n", narrow(frame.Function), narrow(at))
		}
		p.put("</pre></details>\n")
	}
	if f.Repro != "" {
		p.put(`<p class="again">again: <code>%</code></p>`+"\n", boundText(prose.Plain(f.Repro), maxMessage))
	}
}

// writeOutput writes the beginning and the end of a test's output, if the page has room,
// and the command that shows the rest.
func (p *htmlPage) writeOutput(r *htmlRun, f api.Failure) {
	head, tail, left, whole := r.output(f)
	if head+tail == "" {
		return
	}
	command := boundText(r.account.OutputCommand(f), maxName)
	if p.room < len(head)+len(tail) {
		p.put(`<p class="remark">the page has no room for the output of this test: <code>%</code></p>`+"\n", command)
		return
	}
	p.room -= len(head) + len(tail)
	summary := "output, " + api.Plural(strings.Count(strings.TrimSuffix(head+tail, "\n"), "\n")+1, "line")
	if !whole {
		summary = "output around the failure"
	}
	p.put(`<details class="output"><summary>%</summary><pre tabindex="0" aria-label="output">%`, summary, head)
	if left > 0 {
		p.put("</pre><p class=\"remark\">% bytes are left out here: <code>%</code></p><pre tabindex=\"0\" aria-label=\"end of the output\">", grouped(int(left)), command)
	}
	p.put("%</pre>", tail)
	if !whole && f.OutputTruncated {
		p.put(`<p class="remark">the whole output: <code>%</code></p>`, command)
	}
	p.put("</details>\n")
}

// output returns what a test printed, without the left bytes in the middle of a long
// output. whole reports whether it reaches from the test's beginning to its end.
func (r *htmlRun) output(f api.Failure) (head, tail string, left int64, whole bool) {
	if o, ok := r.background.Outputs[f.TestID]; ok {
		return prose.Plain(o.Head), prose.Plain(o.Tail), o.Left, true
	}
	o := api.EndsOf(f.Output)
	return prose.Plain(o.Head), prose.Plain(o.Tail), o.Left, !f.OutputTruncated && o.Left == 0
}

// writeAlike names the other failures of a cause, each with how it differs.
func (p *htmlPage) writeAlike(r *htmlRun, c render.Cause) {
	others := c.Failures[1:]
	if len(others) == 0 && c.Total == len(c.Failures) {
		return
	}
	p.put(`<details class="alike"%><summary>% more of this cause</summary><ul>`+"\n", openIf(len(others) <= maxOpenAlike), grouped(c.Total-1))
	for _, f := range others {
		p.writeOther(r, f, c.Failures[0])
	}
	p.put("</ul>")
	if n := c.Total - len(c.Failures); n > 0 {
		p.put("<p>and % more: <code>%</code></p>", grouped(n), prose.ShellLine([]string{"proctor", "runs", "show", r.Object.RunID, "--json"}))
	}
	p.put("</details>\n")
}

// writeOther writes a further failure of a cause: how it differs from the first.
func (p *htmlPage) writeOther(r *htmlRun, f, first api.Failure) {
	t := f.TestID
	id := p.anchor("f-" + f.ID)
	if r.anchors[t] == "" {
		r.anchors[t] = id
	}
	name := r.account.Name(t)
	if f.Suite == first.Suite && f.Test != "" {
		name = prose.Line(f.Test)
	}
	p.put(`<li id="%"><b>%</b>`, id, boundText(name, maxName))
	if at := r.account.Place(f); at != r.account.Place(first) {
		p.put(` <code>%</code>`, boundText(at, maxName))
	}
	if strip := r.background.Past[t].Strip; len(strip) > 1 {
		p.put(" ")
		writeStrip(p, strip)
	}
	if s := r.account.Standing(f); s != r.account.Standing(first) {
		p.put(` <small class="standing">%</small>`, cmp.Or(s, "first failure on record"))
	}
	if h := f.Headline(); h != first.Headline() {
		p.put(`<br>%`, narrow(h))
	}
	p.writeOutput(r, f)
	p.put("\n")
}

// changes counts the places and files that changed since the failing tests passed.
func (r *htmlRun) changes() int {
	if r.background.Changed == nil {
		return 0
	}
	return r.background.Changed.Total + r.background.Changed.FilesTotal
}

// writeChanged writes the lines that changed since the failing tests passed: often the
// cause.
func (p *htmlPage) writeChanged() {
	begun := false
	for _, r := range p.runs {
		if r.changes() == 0 {
			continue
		}
		if !begun {
			title := "Changed since they passed"
			if r.background.Changed.SinceRunID == "" {
				title = "Changed since the commit"
			}
			p.put(`<section id="changed"><h2>%</h2>`+"\n", title)
			begun = true
		}
		c := r.background.Changed
		since := "commit " + c.Commit[:min(len(c.Commit), commitLength)]
		if c.SinceRunID != "" {
			since = "since run " + prose.Line(c.SinceRunID)
		}
		p.put(`<p class="remark">%</p>`+"\n", strings.TrimSpace(r.tag+" "+since))
		for _, h := range c.Hunks {
			writeHunk(p, h)
		}
		var more []string
		if n := c.Total - len(c.Hunks); n > 0 {
			more = append(more, api.Plural(n, "more place"))
		}
		if c.FilesTotal > 0 {
			more = append(more, prose.Listed(c.Files, c.FilesTotal, len(c.Files), prose.Line))
		}
		if len(more) > 0 {
			p.put(`<p class="remark">also changed: %</p>`+"\n", strings.Join(more, "; "))
		}
	}
	if begun {
		p.put("</section>\n")
	}
}

func writeHunk(p *htmlPage, h api.Hunk) {
	p.put(`<p class="at"><code>%</code></p><pre class="diff" tabindex="0" aria-label="changed lines">`, boundText(fmt.Sprintf("%s:%d", prose.Line(h.File), h.Line), maxName))
	for _, line := range h.Lines {
		p.writeDiffLine(boundText(line, maxName))
	}
	if h.More > 0 {
		p.put("<i>… %</i>", api.Plural(h.More, "more line"))
	}
	p.put("</pre>\n")
}

// boundText cuts a text to most bytes, and says so.
func boundText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head := prose.Head(text, most)
	return head + fmt.Sprintf("… [%s bytes more]", grouped(len(text)-len(head)))
}
