package screen

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/watch"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// frame is how often the view of a round is redrawn: often enough to look alive.
	frame = 200 * time.Millisecond
	// maxLive is how many failures of a round are shown while it runs, maxRunning how
	// many of the tests that run.
	maxLive    = 5
	maxRunning = 3
)

// Screen is the view of a watch at a terminal.
type Screen struct {
	area
	// restore ends the raw mode, and raw begins it again.
	restore, raw func()
	// why says what is on record of a test.
	why func(t api.OutstandingTest, last watch.Result) string
	// selects reports whether what was typed selects the tests.
	selects bool

	commands chan watch.Command

	mu     sync.Mutex
	closed bool

	// round is the one in progress, or nil; last is the result of the last one, and
	// narrow what the user wants to see.
	round     *watch.Round
	last      *watch.Result
	narrow    watch.Narrow
	prompt    *prompt
	overlay   string
	explained int
	about     string // the test that the overlay is about, if it is about one

	began    time.Time
	ended    time.Time
	queued   string
	stopping bool
	failures []string
	failed   int
	command  string
	language string // of the run in progress
	progress sdk.Progress
	at       time.Time
	ticks    ticks
	names    api.SuiteNames
	known    known
}

// ticks keeps times moving.
type ticks struct{ done chan struct{} }

// start calls tick for each frame until stop.
func (t *ticks) start(tick func()) {
	if t.done != nil {
		return
	}
	done := make(chan struct{})
	t.done = done
	go func() {
		frames := time.NewTicker(frame)
		defer frames.Stop()
		for {
			select {
			case <-done:
				return
			case <-frames.C:
				tick()
			}
		}
	}()
}

func (t *ticks) stop() {
	if t.done != nil {
		close(t.done)
		t.done = nil
	}
}

// Begin shows a round that begins.
func (s *Screen) Begin(r watch.Round) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.keep()
	}
	s.round, s.narrow, s.began = &r, r.Narrow, time.Now()
	s.overlay, s.queued, s.stopping, s.explained = "", "", false, 0
	s.failures, s.failed, s.progress, s.at, s.command = nil, 0, sdk.Progress{}, time.Time{}, ""
	s.ticks.start(func() {
		defer s.guard()
		s.redraw()
	})
	s.draw()
}

// keep leaves a line of the last round above the view.
func (s *Screen) keep() {
	if s.last == nil {
		return
	}
	if len(s.last.Runs) > 0 || s.last.Err != nil || s.last.Stopped {
		s.above(roundLine(*s.last, s.names, s.ended))
	}
	s.last = nil
}

// guard restores the terminal before a panic ends the process.
func (s *Screen) guard() {
	if p := recover(); p != nil {
		s.restore()
		panic(p)
	}
}

// Write prints the output of other code above the view.
func (s *Screen) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		s.Note(strings.TrimSuffix(line, "\n"))
	}
	return len(p), nil
}

// redraw locks the screen and draws the view.
func (s *Screen) redraw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw()
}

// Listen follows the events of a run.
func (s *Screen) Listen(e api.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case *api.Waiting:
		s.command = fmt.Sprintf("waiting for %s (process %d), which this workspace is busy with", prose.Line(e.Holder.String()), e.Holder.PID)
	case *api.RunStarted:
		s.progress, s.at = sdk.Progress{}, time.Time{}
		s.command, s.language = "", e.Run.Language
		s.names.LearnPrefixes(e.SuitePrefixes)
		if s.round == nil || s.round.What == watch.Changed { // else the round is named for what it runs
			s.command = describeStart(e.Run)
		}
	case *api.Retrying:
		s.command = render.Retrying(*e)
	case *api.TestEnded:
		s.names.Learn(e.Result.Suite, e.Result.File)
		s.known.learn(e.Result, s.language)
	case *api.FailureFound:
		if s.stopping {
			return // of what the stop interrupts, or of a round that nobody looks at
		}
		f := e.Failure
		s.names.Learn(f.Suite, f.File)
		f.Suite = s.names.Short(f.Suite)
		line := "✗ " + render.FailureLine(f)
		if slices.Contains(s.failures, line) {
			return // an outstanding test ran again among those that the change can break
		}
		if s.failed++; len(s.failures) < maxLive {
			s.failures = append(s.failures, line)
		}
	case *api.Progressed:
		s.progress, s.at = e.Progress, time.Now()
		s.progress.Running = slices.Clone(e.Running[:min(len(e.Running), maxRunning)])
	}
}

// describeStart says what a run of a round runs.
func describeStart(run api.Run) string {
	a := run.Affected
	switch {
	case run.Kind == api.KindRerun:
		return "what is outstanding"
	case a == nil || a.Everything != "":
		return "everything"
	}
	return "what the change can break"
}

// End shows how a round ended.
func (s *Screen) End(r watch.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.round, s.last, s.ended = nil, &r, time.Now()
	for language, suites := range r.OnRecord {
		for _, on := range suites {
			s.names.Learn(on.Suite, on.File)
			s.known.learn(api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: on.Suite}, Location: sdk.Location{File: on.File}}}, language)
		}
	}
	s.ticks.stop()
	s.draw()
}

// Queue shows what runs next.
func (s *Screen) Queue(what watch.What) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queued = wordFor(what)
	s.draw()
}

// Stopping shows that the round is being stopped.
func (s *Screen) Stopping() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
	s.draw()
}

// Note prints a permanent note above the view.
func (s *Screen) Note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.above(prose.Line(text))
	}
	s.draw()
}

// close leaves the last result and its failures on the terminal, since whoever quits is
// about to mend them, with the cursor below, and stops drawing.
func (s *Screen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.ticks.stop()
	s.prompt, s.overlay = nil, ""
	columns, rows := s.size()
	columns, rows = max(columns-1, 20), max(rows-1, 4)
	lines := s.result()
	if body := s.body(columns); body != "" {
		lines = append(shorten(wrap(body, columns), rows-len(lines), s.whole()), lines...)
	}
	s.replace(lines)
	if len(s.drawn) > 0 {
		io.WriteString(s.out, "\r\n")
	}
	s.closed = true
}

// draw draws the view if it changed.
func (s *Screen) draw() {
	if !s.closed {
		s.replace(s.lines())
	}
}

// lines returns the view, with no more lines than the terminal has rows.
func (s *Screen) lines() []string {
	columns, rows := s.size()
	columns, rows = max(columns-1, 20), max(rows-1, 4)
	foot := s.foot(columns)
	foot = foot[max(0, len(foot)-rows):]
	body := s.body(columns)
	if len(foot) > rows-2 {
		return foot
	}
	lines := wrap(strings.Repeat("─", columns), columns)
	if body != "" {
		lines = append(lines, shorten(wrap(body, columns), rows-len(foot)-len(lines), s.whole())...)
	}
	return append(lines, foot...)
}

// shorten omits the lines that do not fit, from the end: the first causes matter most.
// whole is the command that shows all, if there is one.
func shorten(lines []string, room int, whole string) []string {
	if len(lines) <= room {
		return lines
	}
	room = max(room, 1)
	more := fmt.Sprintf("… %d more lines", len(lines)-room+1)
	if whole != "" {
		more += ": " + whole
	}
	return append(lines[:room-1:room-1], more)
}

// whole returns the command that shows all of the body; empty if there is none.
func (s *Screen) whole() string {
	switch {
	case s.overlay != "" && s.about != "":
		return prose.ShellLine([]string{"proctor", "why", s.about})
	case s.overlay != "":
		return ""
	}
	return "proctor failures"
}

// body returns the text above the verdict.
func (s *Screen) body(columns int) string {
	switch {
	case s.overlay != "":
		return s.overlay
	case s.round != nil:
		lines := slices.Clone(s.failures)
		if more := s.failed - len(lines); more > 0 {
			lines = append(lines, fmt.Sprintf("  %d more", more))
		}
		return s.paint(strings.Join(lines, "\n"))
	case s.last != nil:
		return strings.TrimRight(failuresOf(*s.last, s.names, render.Style{Color: s.color, Columns: columns}), "\n")
	}
	return ""
}

// failuresOf renders the red runs of a round, except those whose failures a later run of
// the round repeats.
func failuresOf(r watch.Result, names api.SuiteNames, style render.Style) string {
	style.Excerpts, style.More = r.Excerpts, "proctor failures -v names them"
	var b strings.Builder
	for i, run := range r.Runs {
		if !isRed(run) {
			continue
		}
		if slices.ContainsFunc(r.Runs[i+1:], func(later api.Run) bool { return isRepeated(run, later) }) {
			continue
		}
		style.Noun = r.Nouns[run.Language]
		reds := render.Reds(run, names, style)
		if reds == "" && run.Verdict != api.NothingRan { // of which the line of the round says why
			reds = prose.InWordsButNames(prose.Plain(run.Reason), style.Noun) + "\n\n"
		}
		b.WriteString(reds)
	}
	return b.String()
}

// isRepeated reports whether a later run has all failures of a run.
func isRepeated(run, later api.Run) bool {
	if run.Language != later.Language || run.FailuresTotal == 0 || run.FailuresTotal > len(run.Failures) || run.Counts.Unfinished+run.Counts.NeverStarted > 0 {
		return false
	}
	return !slices.ContainsFunc(run.Failures, func(f api.Failure) bool {
		return !slices.ContainsFunc(later.Failures, func(g api.Failure) bool { return f.ID == g.ID })
	})
}

// foot returns the verdict or the progress, and the keys.
func (s *Screen) foot(columns int) []string {
	lines := s.result()
	if s.round != nil {
		lines = s.running(columns)
	}
	switch {
	case s.prompt != nil:
		if matches := s.prompt.matches(s.known, s.names); matches != "" {
			lines = append(lines, s.dim(render.Style{}.Cut(matches, columns)))
		}
		what := s.prompt.what + ": "
		return append(lines, what+tail(prose.Line(s.prompt.text), columns-cells(what)))
	case s.round != nil:
		return append(lines, s.dim(keysDuring))
	case columns < cells(keysLong):
		return append(lines, s.dim(keysShort))
	}
	return append(lines, s.dim(keysLong))
}

// result returns the lines that say how the last round ended.
func (s *Screen) result() []string {
	if s.last == nil {
		return nil
	}
	columns, _ := s.size()
	line, still := verdict(*s.last, s.names)
	ok := s.last.Err == nil && !s.last.Stopped && !slices.ContainsFunc(s.last.Runs, isRed) && (len(s.last.Runs) > 0 || s.last.Still.Total == 0)
	text := s.paint(mark(ok, *s.last) + " " + line)
	if still != "" {
		text += "\n" + s.paint("✗ "+still)
	}
	return wrap(text, max(columns-1, 20))
}

// running returns the lines that show the progress of the round.
func (s *Screen) running(columns int) []string {
	head := "… " + occasion(*s.round)
	switch {
	case s.stopping:
		head += " · stopping"
	case s.command != "":
		head += " · " + s.command
	}
	if s.queued != "" {
		head += " · next: " + s.queued
	}
	lines := wrap(head, columns)
	elapsed := time.Since(s.began)
	counts := fmt.Sprintf("  %d:%02d  ", int(elapsed.Minutes()), int(elapsed.Seconds())%60)
	switch p := s.progress; {
	case s.at.IsZero() || p.SuitesDone+p.RunningTotal+len(p.SuitesRunning) == 0:
		counts += "building"
	default:
		counts += soFar(p)
	}
	lines = append(lines, wrap(counts, columns)...)
	for _, r := range s.progress.Running {
		since := r.Elapsed + time.Since(s.at)
		lines = append(lines, wrap(fmt.Sprintf("  %5.1fs  %s", since.Seconds(), shortName(s.names, r.ID.Suite, r.ID.Test)), columns)...)
	}
	return lines
}
