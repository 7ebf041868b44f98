package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
)

// view shows a run while it runs.
type view struct {
	app    *app
	out    *output
	status *status // nil if nothing is redrawn
	// failures are printed at once if somebody watches: otherwise the end says it all,
	// and saying it twice would only cost the reader. results are printed on request.
	failures, results bool
	// place replaces the workspace; empty means the run's own.
	place string
}

// progressInterval is how often a live display changes: often enough to look alive,
// seldom enough to be readable and cheap.
const progressInterval = 200 * time.Millisecond

// maxCommand is how much of a command is shown: a selection of a thousand tests is
// long, and --json and -v print all of it.
const maxCommand = 240

func newView(a *app, out *output) *view {
	v := &view{app: a, out: out}
	if a.live() {
		v.status = newStatus(a.env.Stderr)
	}
	v.failures, v.results = v.status != nil || a.verbose, a.verbose || out.format == "tests"
	return v
}

// Listen displays an event.
func (v *view) Listen(e api.Event) {
	v.out.asides.Listen(e)
	switch e := e.(type) {
	case *api.Waiting:
		v.showWaiting(e.Holder)
	case *api.RunStarted:
		v.showStart(e.Run)
	case *api.Indexing:
		v.showIndexing(e.Index)
	case *api.TestEnded:
		if v.results {
			v.showResult(e.Result)
		}
	case *api.FailureFound:
		if v.failures {
			v.line("FAIL " + render.FailureLine(e.Failure))
		}
	case *api.Progressed:
		if v.status != nil {
			v.status.update(e.Progress)
		}
	case *api.RunFinished:
		v.close()
	}
}

// showWaiting says once for whom it waits: the run may take minutes to begin.
func (v *view) showWaiting(holder api.Holder) {
	if !v.app.quiet {
		v.line(fmt.Sprintf("proctor: waiting for %s (process %d), which this workspace is busy with", prose.Line(holder.String()), holder.PID))
	}
}

func (v *view) showStart(run api.Run) {
	if v.app.quiet {
		return
	}
	if a := run.Affected; a != nil && len(run.Commands)+a.ChosenTests+a.ChosenSuites == 0 {
		return // the end says all there is to say
	}
	if run.Affected != nil {
		v.line("proctor: " + strings.TrimSuffix(render.Affected(run.Affected, render.Style{Verbose: v.app.verbose}), "\n"))
	}
	v.line(fmt.Sprintf("proctor: %s in %s: %s", run.Language, cmp.Or(v.place, run.Workspace), v.commands(run.Commands)))
	if v.status != nil {
		v.status.start()
	}
}

// commands formats what is about to be executed, for a reader or in full.
func (v *view) commands(commands []api.Command) string {
	if len(commands) == 0 {
		return nothingStarts
	}
	var lines []string
	for _, c := range commands {
		line := prose.ShellLine(c.Argv)
		if !v.app.verbose {
			line = cut(prose.CommandLine(c.Argv), maxCommand)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// nothingStarts replaces a command; the end says what prevented it.
const nothingStarts = "there is no command to run"

func (v *view) showResult(r api.Result) {
	line := render.ResultLine(r)
	if v.out.format == "tests" {
		if v.status != nil {
			v.status.clear()
		}
		fmt.Fprintln(v.app.env.Stdout, line)
		return
	}
	v.line(line)
}

// line prints a line above what is redrawn.
func (v *view) line(text string) {
	if v.status != nil {
		v.status.above(prose.Plain(text))
		return
	}
	fmt.Fprintln(v.app.env.Stderr, prose.Plain(text))
}

func (v *view) close() {
	if v.status != nil {
		v.status.stop()
	}
}
