package terminal

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

// Config says where and how a view shows what happens.
type Config struct {
	// Out is for the default form, Asked for a requested one.
	Out, Asked io.Writer
	// Size returns the columns and rows of Out.
	Size func() (columns, rows int)
	// Live enables redrawing.
	Live bool
	// Repeated reports whether the end of the run names the failures again on the same
	// terminal.
	Repeated bool
	// Format is one of [Formats], or another form that shows nothing on the way.
	Format string
	Style  render.Style
}

// View shows runs while they run.
type View struct {
	cfg Config
	// Silent leaves out tests and failures: they prove nothing, or are told otherwise.
	Silent bool
	// Place replaces the workspace; empty means the run's own.
	Place string

	area *area // nil if nothing is redrawn
	form form

	mu       sync.Mutex
	began    time.Time
	progress sdk.Progress
	at       time.Time // of progress
	index    indexing  // what is awaited of an index; nothing of a run
	names    api.SuiteNames
	failures failures
	tests    suite // of the run, without subtests
	suites   int   // how many there will be, as far as known
	awaited  awaited
	noun     string // for a suite
	beat     *heart
}

// New returns a view.
func New(cfg Config) *View {
	v := &View{cfg: cfg, noun: "suite"}
	if cfg.Live && formatOf(cfg.Format).redrawn {
		v.area = &area{w: cfg.Out, live: v.live}
	}
	v.form = formatOf(cfg.Format).make(v)
	return v
}

// Listen displays an event.
func (v *View) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.Waiting:
		// Said once for each holder: the run may take minutes to begin.
		v.note(fmt.Sprintf("proctor: waiting for %s (process %d) in this workspace", prose.Line(e.Holder.String()), e.Holder.PID))
	case *api.RunStarted:
		v.showStart(e)
	case *api.Indexing:
		v.showIndexing(e.Index)
	case *api.Retrying:
		v.note("proctor: " + render.Retrying(*e))
	case *api.TestEnded:
		v.lock(func() {
			v.names.Learn(e.Suite, e.File)
			v.tests.add(e.Result)
		})
		if v.cfg.Style.Verbose && !v.Silent && v.cfg.Format != byTestName { // which prints them itself
			v.note(v.resultLine(e.Result))
		}
	case *api.FailureFound:
		v.lock(func() {
			v.names.Learn(e.Suite, e.File)
			v.failures.add(e.Failure)
		})
	case *api.SuiteEnded:
		v.lock(func() { v.awaited.end(e.Suite) })
	case *api.Progressed:
		v.lock(func() {
			v.progress, v.at = e.Progress, time.Now()
			v.awaited.tellsRunning = v.awaited.tellsRunning || len(e.SuitesRunning) > 0
		})
	}
	if !v.Silent {
		v.form.Listen(e)
	}
	if _, over := e.(*api.RunFinished); over {
		v.Close()
	}
}

func (v *View) lock(change func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	change()
}

// Close takes away what is redrawn.
func (v *View) Close() {
	if v.area != nil {
		v.area.stop(!v.cfg.Repeated)
	}
	if v.beat != nil {
		v.beat.stop()
	}
}

// maxCommand is how much of a command is shown: a selection of a thousand tests is
// long, and --json and -v print all of it.
const maxCommand = 240

func (v *View) showStart(e *api.RunStarted) {
	run := e.Run
	v.lock(func() {
		v.began, v.progress, v.at, v.failures, v.tests, v.suites = time.Now(), sdk.Progress{}, time.Time{}, failures{}, suite{}, e.Suites
		v.noun, v.awaited = cmp.Or(e.SuiteNoun, "suite"), awaited{learn: e.Expected}
		v.names.LearnPrefixes(e.SuitePrefixes)
	})
	if v.cfg.Style.Quiet {
		return
	}
	if a := run.Affected; a != nil && len(run.Commands)+a.ChosenTests+a.ChosenSuites == 0 {
		return // the end says all there is to say
	}
	if run.Affected != nil {
		style := v.cfg.Style
		style.Noun = v.noun
		v.lock(func() { style.Names.Join(v.names) })
		v.note("proctor: " + strings.TrimSuffix(render.Affected(run.Affected, style), "\n"))
	}
	commands := formatCommands(run.Commands, v.cfg.Style.Verbose)
	if v.area == nil {
		v.note(fmt.Sprintf("proctor: %s in %s: %s", run.Language, cmp.Or(v.Place, run.Workspace), commands))
		return
	}
	line := prose.Line(cmp.Or(v.Place, filepath.Base(run.Workspace))) + v.cfg.Style.Symbols(" · ") + prose.Line(run.Language) + v.cfg.Style.Symbols(" · ") + commands
	columns, _ := v.cfg.Size()
	if v.cfg.Style.Verbose {
		columns = 0
	}
	v.area.above(v.cfg.Style.Dim(v.cfg.Style.Cut(prose.Line(line), columns-1)) + "\n")
	v.area.start()
}

// formatCommands formats what is about to be executed, for a reader or in full.
func formatCommands(commands []api.Command, verbose bool) string {
	if len(commands) == 0 {
		return "there is no command to run" // the end of the run says why
	}
	var lines []string
	for _, c := range commands {
		line := prose.ShellLine(c.Argv)
		if !verbose {
			line = render.Style{}.Cut(prose.CommandLine(c.Argv), maxCommand)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// note prints a line that stays, unless the format is quiet.
func (v *View) note(text string) {
	if !v.cfg.Style.Quiet {
		v.print(v.cfg.Out, v.cfg.Style.Fold(prose.Plain(text))+"\n")
	}
}

// print prints finished lines, above what is redrawn.
func (v *View) print(w io.Writer, text string) {
	if v.beat != nil {
		v.beat.reset()
	}
	if v.area == nil {
		_, _ = io.WriteString(w, text)
		return
	}
	if w == v.cfg.Out {
		v.area.above(text)
		return
	}
	v.area.above("")
	_, _ = io.WriteString(w, text)
}

// testName names a test in short.
func (v *View) testName(suite, test string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.short(suite, test)
}

// resultLine says how a test ended.
func (v *View) resultLine(r api.Result) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return render.Style{Names: v.names}.ResultLine(r)
}

// short is testName for callers that hold the lock.
func (v *View) short(suite, test string) string {
	return prose.Line(prose.Joined(v.names.Short(suite), " ", test))
}
