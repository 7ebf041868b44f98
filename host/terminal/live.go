package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxRunning is how many running tests are shown: the longest-running ones are those
	// somebody waits for. From shownFrom on a test is worth waiting for.
	maxRunning = 3
	shownFrom  = 500 * time.Millisecond
	// liveLines is the height of the changing lines and the rows that stay free.
	liveLines = 8
)

// failures are the failures of a run so far, one entry a cause as far as it shows yet.
type failures struct {
	causes []liveCause
	at     map[string]int
}

type liveCause struct {
	first api.Failure
	// more counts those like it; told is how many of them were printed.
	more, told int
}

// add adds a failure, and reports whether it is the first of its kind.
func (f *failures) add(failure api.Failure) bool {
	key := failure.Kind + "\x00" + failure.Headline()
	if i, known := f.at[key]; known {
		f.causes[i].more++
		return false
	}
	if f.at == nil {
		f.at = map[string]int{}
	}
	f.at[key] = len(f.causes)
	f.causes = append(f.causes, liveCause{first: failure})
	return true
}

// live returns the lines that are redrawn: the failures so far, and the progress.
func (v *View) live(now time.Time) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	columns, rows := v.cfg.Size()
	if v.index.suites > 0 {
		lines := v.index.lines(v.progress, now.Sub(v.began))
		for i, l := range lines {
			lines[i] = v.cfg.Style.Cut(l, max(columns-1, 1))
		}
		return lines
	}
	lines := v.failureLines(columns, rows-liveLines)
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	lines = append(lines, v.countLine(now, columns-1))
	p := v.progress
	if now.Sub(v.began) >= shownFrom {
		v.askExpected()
	}
	if len(p.SuitesRunning)+p.RunningTotal == 0 {
		if line := v.nextLine(columns - 1); line != "" {
			lines = append(lines, line)
		}
	}
	for _, r := range p.Running[:min(len(p.Running), maxRunning)] {
		if elapsed := r.Elapsed + now.Sub(v.at); elapsed >= shownFrom {
			took := fmt.Sprintf("%5.0fs  ", elapsed.Seconds())
			// The end of a name is what distinguishes it, and the time must not be cut.
			lines = append(lines, v.cfg.Style.Yellow(took)+v.cfg.Style.Cut(v.short(r.ID.Suite, r.ID.Test), columns-len(took)-1))
		}
	}
	return lines
}

// failureLines shows the first causes, and counts what has no room.
func (v *View) failureLines(columns, room int) []string {
	if v.Silent {
		return nil
	}
	var lines []string
	style := v.cfg.Style
	for i, c := range v.failures.causes {
		own := v.causeLines(c, columns)
		if len(lines)+len(own) > max(room, 3) {
			left := len(v.failures.causes) - i
			return append(lines, style.Dim("  "+api.Plural(left, "more cause")+" below, when the run ends"))
		}
		lines = append(lines, own...)
	}
	return lines
}

// causeLines names a failure in one line, or in two where the terminal is narrow.
func (v *View) causeLines(c liveCause, columns int) []string {
	style, f := v.cfg.Style, c.first
	name := v.short(f.Suite, f.Test)
	if name == "" {
		name = "the run"
	}
	at := prose.Line(f.File)
	if f.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, f.Line)
	}
	text := prose.Line(f.Headline())
	mark := style.Symbols("✗") + " "
	var lines []string
	if line := strings.TrimRight(name+"  "+at+"  "+text, " "); len(mark)+render.Cells(line) < columns {
		lines = []string{style.Red(mark) + line}
	} else {
		first := style.Cut(strings.TrimRight(name+"  "+at, " "), columns-3)
		lines = []string{style.Red(mark) + first, "  " + style.Cut(text, columns-3)}
	}
	if c.more > 0 {
		lines = append(lines, style.Dim(fmt.Sprintf("  %d more like it", c.more)))
	}
	return lines
}

// countLine counts what is done. What has no room is left out from the right.
func (v *View) countLine(now time.Time, columns int) string {
	p, style := v.progress, v.cfg.Style
	elapsed := now.Sub(v.began)
	line := fmt.Sprintf("%2d:%02d  ", int(elapsed.Minutes()), int(elapsed.Seconds())%60)
	done := v.tests // without subtests, as at the end of the run
	ended := done.passed + done.failed + done.skipped
	var parts, painted []string
	add := func(text, shown string) { parts, painted = append(parts, text), append(painted, shown) }
	// What runners do before tests. Later it is known only if the plugin says which suites run.
	begun := ended+p.RunningTotal+p.SuitesDone+len(p.SuitesRunning) > 0
	if !begun || v.awaited.tellsRunning && p.RunningTotal+len(p.SuitesRunning) == 0 && p.SuitesDone < v.suites {
		add("building", "building")
	}
	if begun || v.suites > 0 {
		text := api.Plural(p.SuitesDone, v.noun) + " done"
		if v.suites > 0 && p.SuitesDone+len(p.SuitesRunning) <= v.suites {
			text = fmt.Sprintf("%d of %s done", p.SuitesDone, api.Plural(v.suites, v.noun))
		}
		add(text, text)
	}
	if n := max(done.failed, v.failed()); n > 0 {
		text := fmt.Sprintf("%d failed", n)
		add(text, style.Red(text))
	}
	for _, c := range []struct {
		n    int
		what string
	}{{done.passed, "passed"}, {p.RunningTotal, "running"}, {done.skipped, "skipped"}} {
		if c.n > 0 {
			text := fmt.Sprintf("%d %s", c.n, c.what)
			add(text, text)
		}
	}
	dot := style.Symbols(" · ")
	for len(parts) > 1 && render.Cells(line+strings.Join(parts, dot)) > columns {
		parts, painted = parts[:len(parts)-1], painted[:len(painted)-1]
	}
	if plain := line + strings.Join(parts, dot); render.Cells(plain) > columns {
		return style.Cut(plain, max(columns, 1))
	}
	return style.Dim(line) + strings.Join(painted, dot)
}

// awaited are the suites that a run of everything will have, as far as known, and have
// not ended.
type awaited struct {
	// learn asks for them, which takes a while; it is nil once somebody did.
	learn  func() []api.ExpectedSuite
	suites []api.ExpectedSuite
	// done are those that have ended, by name.
	done map[string]bool
	// tellsRunning reports whether the plugin says which suites run.
	tellsRunning bool
}

func (a *awaited) end(suite string) {
	if a.done == nil {
		a.done = map[string]bool{}
	}
	a.done[suite] = true
}

// maxNext is how many of the suites to come are named.
const maxNext = 3

// nextLine names the suites that are still to come, for a moment in which none runs: what
// most runners do then is to build them. It is empty as long as none is known.
func (v *View) nextLine(columns int) string {
	var left []string
	for _, s := range v.awaited.suites {
		if !v.awaited.done[s.Suite] {
			left = append(left, v.names.Short(s.Suite))
		}
	}
	if len(left) == 0 {
		return ""
	}
	const indent = "       " // below what follows the time
	text := indent + "next: " + prose.Listed(left, len(left), maxNext, prose.Line)
	return v.cfg.Style.Dim(v.cfg.Style.Cut(text, max(columns, 1)))
}

// askExpected asks which suites there will be, once: their names are known in short then.
func (v *View) askExpected() {
	if learn := v.awaited.learn; learn != nil {
		v.awaited.learn = nil
		go func() {
			suites := learn()
			v.lock(func() {
				v.awaited.suites = suites
				for _, s := range suites {
					v.names.Learn(s.Suite, s.File)
				}
			})
		}()
	}
}

// failed counts the failures that were told: those of suites that do not build are no
// failed tests.
func (v *View) failed() int {
	n := 0
	for _, c := range v.failures.causes {
		n += 1 + c.more
	}
	return n
}

// indexing is the work of an index: this many suites, in at most this many seconds.
type indexing struct {
	suites int
	noun   string
	budget float64
}

// showIndexing says what is about to be measured.
func (v *View) showIndexing(ix api.Index) {
	awaited := 0
	for _, s := range ix.Suites {
		if s.State == "" {
			awaited++
		}
	}
	v.note(fmt.Sprintf("proctor: %s in %s: %d of %s to be measured, in at most %gs", prose.Line(ix.Language), prose.Line(ix.Workspace), awaited, api.Plural(len(ix.Suites), cmp.Or(ix.SuiteNoun, "suite")), ix.BudgetS))
	if v.area != nil {
		v.lock(func() {
			v.began, v.index = time.Now(), indexing{suites: awaited, noun: cmp.Or(ix.SuiteNoun, "suite"), budget: ix.BudgetS}
		})
		v.area.start()
	}
}

// lines returns the status of an index. Test events come from a suite that runs
// together; while each test runs alone, the last of them has no end yet. So suites are
// shown, and no test looks as if it hung.
func (x indexing) lines(p sdk.Progress, elapsed time.Duration) []string {
	first := fmt.Sprintf("%5.1fs of at most %gs  %d of %s done", elapsed.Seconds(), x.budget, p.SuitesDone, api.Plural(x.suites, x.noun))
	var running []string
	for _, r := range p.Running {
		if suite := r.ID.Suite; !slices.Contains(running, suite) {
			running = append(running, suite)
		}
	}
	if len(running) == 0 && p.SuitesDone >= x.suites {
		return []string{first + ": keeping what was measured"}
	}
	if len(running) == 0 {
		return []string{first + ", no test is running: building"}
	}
	lines := []string{first}
	for _, suite := range running[:min(len(running), maxRunning)] {
		lines = append(lines, "        "+prose.Line(suite)+": its tests run together, then one by one")
	}
	return lines
}
