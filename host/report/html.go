package report

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

// The page is one file that loads nothing. Without its script only search, keys and buttons
// are missing: folding uses details elements, and each filter links to a section.
var (
	//go:embed html/page.css
	pageStyle markup
	//go:embed html/page.js
	pageScript markup
)

// Background is what a page shows of a run besides its record.
type Background struct {
	// Excerpts are the sources around failing places.
	Excerpts []api.Excerpt
	// Past is what is on record of tests.
	Past map[sdk.TestID]api.Past
	// Outputs are what tests printed.
	Outputs map[sdk.TestID]api.OutputEnds
	// Changed are the lines that changed since the failing tests passed; nil if unknown.
	Changed *api.ChangedLines
}

// htmlPage is a page being written.
type htmlPage struct {
	markupWriter
	runs []*htmlRun
	// ids are those in use, and room is how many bytes of output the page can still hold.
	ids  map[string]bool
	room int
}

// htmlRun is a run on a page.
type htmlRun struct {
	*Run
	account    *render.Account
	conclusion render.Conclusion
	background Background
	// failed, flaky and quarantined are what did not pass, by cause.
	failed, flaky, quarantined []render.Cause
	slowest                    []api.Result
	// anchors are the elements of failed tests.
	anchors map[sdk.TestID]string
	// tag names the language where a page has several.
	tag string
}

// The bounds of a page, for the sake of browsers, mail and readers.
const (
	// maxShownCauses is how many causes are open: few readers look at more.
	maxShownCauses = 10
	// maxOpenAlike is up to how many further tests of a cause are listed open: a long list
	// hides the next cause.
	maxOpenAlike = 5
	// maxPageOutput bounds the output of all tests of a page.
	maxPageOutput = 1 << 20
	// maxSlowest is how many slow tests are named, and slowFrom from how many seconds on.
	maxSlowest = 10
	slowFrom   = 0.1
)

// writeHTML writes a page for a browser.
func writeHTML(w io.Writer, d *Document, o Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	p := &htmlPage{markupWriter: markupWriter{out}, ids: map[string]bool{}, room: maxPageOutput}
	for _, run := range d.Runs {
		r, err := newHTMLRun(run, o)
		if err != nil {
			return err
		}
		if len(d.Runs) > 1 {
			r.tag = narrow(run.Object.Language)
		}
		p.runs = append(p.runs, r)
	}
	p.writeHead()
	p.writeHeader()
	p.put("<main>\n")
	p.writeFailed()
	p.writeChanged()
	writeUndone(p)
	writeSkipped(p)
	writeSlowest(p)
	writeAll(p)
	writeHow(p)
	p.put("</main>\n<script>%</script>\n", pageScript)
	return out.Flush()
}

func newHTMLRun(run *Run, o Options) (*htmlRun, error) {
	r := &htmlRun{Run: run, anchors: map[sdk.TestID]string{}}
	// Replay the events that the summary of a run is made from.
	heard := &render.Asides{}
	heard.Listen(&api.RunStarted{Run: run.Object})
	var tests []sdk.TestID
	err := run.Record.Results(func(result api.Result) bool {
		heard.Listen(&api.TestEnded{Result: result})
		r.addSlow(result)
		return true
	})
	heard.Listen(&api.RunFinished{Run: run.Object})
	if err != nil {
		return nil, err
	}
	for _, f := range run.Object.Failures {
		tests = append(tests, f.TestID)
	}
	for _, s := range r.slowest {
		tests = append(tests, s.TestID)
	}
	if o.Background != nil {
		r.background = o.Background(run.Object, tests)
	}
	r.account = render.NewAccount(run.Object, heard, render.Style{Verbose: true, Named: true, Excerpts: r.background.Excerpts})
	r.conclusion = r.account.Conclusion()
	for _, c := range r.account.Causes() {
		if c.Flaky {
			r.flaky = append(r.flaky, c)
		} else {
			r.failed = append(r.failed, c)
		}
	}
	r.quarantined = r.account.Quarantined()
	return r, nil
}

func (r *htmlRun) addSlow(result api.Result) {
	if result.Root != "" || result.Status == sdk.Skipped || result.DurationS < slowFrom || result.Cached {
		return
	}
	r.slowest = append(r.slowest, result)
	slices.SortStableFunc(r.slowest, func(x, y api.Result) int { return cmp.Compare(y.DurationS, x.DurationS) })
	r.slowest = r.slowest[:min(len(r.slowest), maxSlowest)]
}

// look is how a verdict is shown.
type look struct {
	tone        render.Tone
	class, mark string
	// color is that of the icon in a browser's tab, and icon the path drawn on it.
	color, icon markup
}

// looks returns how verdicts are shown, the worst first.
func looks() []look {
	return []look{
		{render.Bad, "bad", "✗", "firebrick", "M5 5l6 6M11 5l-6 6"},
		{render.Doubtful, "doubt", "!", "darkgoldenrod", "M8 4v5M8 11.5v.1"},
		{render.Good, "good", "✓", "darkgreen", "M4.5 8.5l2.5 2.5 4.5-5.5"},
	}
}

func lookOf(t render.Tone) look {
	for _, l := range looks() {
		if l.tone == t {
			return l
		}
	}
	return looks()[0]
}

// worst returns the run whose verdict heads the page, and its look.
func (p *htmlPage) worst() (*htmlRun, look) {
	for _, l := range looks() {
		for _, r := range p.runs {
			if r.conclusion.Tone == l.tone {
				return r, l
			}
		}
	}
	return nil, lookOf(render.Doubtful)
}

// sentence returns the heading of the page.
func (p *htmlPage) sentence() string {
	r, _ := p.worst()
	switch {
	case r == nil:
		return "NOTHING RAN  there was no run"
	case r.tag != "":
		return r.tag + ": " + r.conclusion.Sentence()
	}
	return r.conclusion.Sentence()
}

func (p *htmlPage) workspace() string {
	for _, r := range p.runs {
		if r.Object.Workspace != "" {
			return filepath.Base(filepath.ToSlash(r.Object.Workspace))
		}
	}
	return ""
}

// hashOf returns the name of a script or style in a content security policy.
func hashOf(text markup) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (p *htmlPage) writeHead() {
	_, look := p.worst()
	title := look.mark + " " + strings.Join(strings.Fields(p.sentence()), " ")
	if ws := p.workspace(); ws != "" {
		title += " · " + ws
	}
	p.put(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src %; style-src %; img-src data:; base-uri 'none'; form-action 'none'">
`, markup(hashOf(pageScript)), markup(hashOf(pageStyle)))
	p.put(`<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="proctor">
<title>%</title>
<link rel="icon" href="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><circle cx='8' cy='8' r='8' fill='%'/><path d='%' fill='none' stroke='white' stroke-width='2'/></svg>">
`, boundText(prose.Line(title), maxName), look.color, look.icon)
	p.put("<style>%</style>\n", pageStyle)
}

// writeHeader writes the verdict, what it is about, and the filters.
func (p *htmlPage) writeHeader() {
	p.put("<header>\n")
	worst, look := p.worst()
	p.put(`<h1 class="%"><span aria-hidden="true">%</span> `, look.class, look.mark)
	if worst == nil {
		p.put("NOTHING RAN <b>there was no run</b></h1>\n")
	} else {
		if worst.tag != "" {
			p.put("%: ", worst.tag)
		}
		p.put("% <b>%</b></h1>\n", worst.conclusion.Word, worst.conclusion.Parts[0])
	}
	for _, r := range p.runs {
		p.writeRunLine(r)
	}
	p.writeFilters()
	p.put("</header>\n")
}

// writeRunLine writes the verdict of one run with its counts, where there are several,
// and where and when it was made.
func (p *htmlPage) writeRunLine(r *htmlRun) {
	parts := r.conclusion.Parts[1:]
	p.put(`<p class="run">`)
	if r.tag != "" {
		look := lookOf(r.conclusion.Tone)
		p.put(`<b class="%">% %</b> `, look.class, look.mark, r.tag+": "+r.conclusion.Word)
		parts = r.conclusion.Parts
	}
	p.put("%</p>\n", strings.Join(parts, " · "))
	p.put(`<p class="meta">%</p>`+"\n", strings.Join(r.meta(p.workspace()), " · "))
	if notes := r.account.Notes(); len(notes) > 0 {
		p.put(`<ul class="notes">`)
		for _, n := range notes {
			p.put("<li>%", n)
		}
		p.put("</ul>\n")
	}
}

// commitLength is how much of a commit's name identifies it.
const commitLength = 8

// meta says which run it was.
func (r *htmlRun) meta(workspace string) []string {
	run := r.Object
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, narrow(text))
		}
	}
	add(workspace)
	add(run.Language)
	if !run.StartedAt.IsZero() {
		add(run.StartedAt.UTC().Format("2 Jan 2006 15:04 UTC"))
	}
	if s := run.Source; s != nil && s.Commit != "" {
		commit := s.Commit[:min(len(s.Commit), commitLength)]
		if s.Branch != "" {
			commit = s.Branch + " " + commit
		}
		if s.Dirty > 0 {
			commit += " + " + api.Plural(s.Dirty, "edited file")
		}
		add(commit)
	}
	if run.RunID != "" && run.Kind != api.KindParsed {
		add("run " + run.RunID)
	}
	return parts
}

// filter is a link to a section; the script then shows only that section.
type filter struct {
	id, name string
	count    int
}

func (p *htmlPage) filters() []filter {
	var all Counts
	failed, flaky, undone, slow, changes := 0, 0, 0, 0, 0
	for _, r := range p.runs {
		changes += r.changes()
		slow += len(r.slowest)
		for s, n := range r.Counts {
			all[s] += n
		}
		for _, s := range r.Suites {
			for _, c := range s.Cases {
				switch {
				case c.Flaky:
					flaky++
				case c.Status == Failed || c.Status == Errored || c.Status.IsRed() && len(c.Failures()) > 0:
					failed++ // a hung test is listed with the failures
				case c.Status.IsRed():
					undone++
				}
			}
		}
	}
	return []filter{
		{"failed", "Failed", failed},
		{"changed", "Changed", changes},
		{"flaky", "Flaky", flaky},
		{"undone", "Not run", undone},
		{"quarantined", "In quarantine", all[Quarantined]},
		{"skipped", "Skipped", all[Skipped]},
		{"slowest", "Slowest", slow},
		{"all", "All", p.total()},
	}
}

func (p *htmlPage) total() (n int) {
	for _, r := range p.runs {
		n += r.Counts.Total()
	}
	return n
}

func (p *htmlPage) writeFilters() {
	p.put(`<nav aria-label="Show"><a href="#" class="whole" hidden>Overview</a>`)
	for _, f := range p.filters() {
		if f.count > 0 {
			p.put(`<a href="#%">% <span>%</span></a>`, f.id, f.name, grouped(f.count))
		}
	}
	p.put("</nav>\n")
}

// grouped formats a number with thousands separators.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// anchor returns a unique id for an element.
func (p *htmlPage) anchor(id string) string {
	plain := id
	for n := 2; p.ids[id]; n++ {
		id = fmt.Sprintf("%s-%d", plain, n)
	}
	p.ids[id] = true
	return id
}
