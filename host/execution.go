package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// execution runs some commands of one run and gathers what they show.
type execution struct {
	host    *Host
	project project
	runID   string
	rec     *session.Recorder // nil when nothing can be recorded
	// chronicle is nil where the history cannot be written.
	chronicle *chronicle
	// first counts the run's commands before this execution's, so that their
	// records have names of their own.
	first    int
	deadline time.Time
	observer Observer
	newFold  func() *rerun.Fold
	keep     bool
	// coverage takes what commands measured; nil where nobody wants it.
	coverage sdk.CoverageSink

	fold *rerun.Fold
	col  *collector
	done []executed
}

// executed is a command that has ended.
type executed struct {
	command        sdk.Command
	exit           sdk.Exit
	stdout, stderr runner.Capture
	// record holds both streams' records; nil when there is none.
	record [2]*session.Stream
}

// execute runs the commands one after the other. Its error is a tool error: a
// runner that cannot start, a plugin that cannot read.
func (x *execution) execute(ctx context.Context, commands []sdk.Command) error {
	x.begin(x.observer)
	defer func() { x.col.endCommand() }() // not of the collector that a second reading replaces
	for _, cmd := range commands {
		x.col.endCommand()
		if ctx.Err() != nil || time.Until(x.deadline) <= 0 {
			// Not even started: as if it had been interrupted at once.
			x.done = append(x.done, executed{command: cmd, exit: sdk.Exit{
				Code: -1, Cancelled: ctx.Err() != nil, TimedOut: ctx.Err() == nil,
			}})
			continue
		}
		if err := x.command(ctx, cmd); err != nil {
			return err
		}
		if cmd.Prepares && !endedWell(x.done[len(x.done)-1].exit) {
			return nil
		}
	}
	return nil
}

func endedWell(e sdk.Exit) bool {
	return e.Code == 0 && e.Signal == "" && !e.TimedOut && !e.Cancelled
}

// begin starts listening, or starts anew.
func (x *execution) begin(observer Observer) {
	x.fold = x.newFold()
	var recs []recorder
	if x.rec != nil {
		recs = append(recs, x.rec)
	}
	if x.chronicle != nil {
		recs = append(recs, x.chronicle)
	}
	x.col = newCollector(x.fold, recs, observer)
	x.col.keep = x.keep
}

// quietInterval is how often a plugin tells how far it is where nobody watches: by
// then, what it knows is on record.
const quietInterval = time.Second

func (x *execution) command(ctx context.Context, cmd sdk.Command) error {
	ready, err := x.host.prepare(x.project, cmd, x.deadline)
	if err != nil {
		return err
	}
	defer ready.cleanup()
	// The parser outlives a cancelled run: it still has to read the rest.
	parsing := context.WithoutCancel(ctx)
	stream, err := x.project.plugin.Parse(parsing, x.runInfo(cmd), client.ParseOptions{ProgressInterval: cmp.Or(x.observer.ProgressInterval, quietInterval)}, x.col)
	if err != nil {
		return err
	}
	done := executed{command: cmd}
	ready.Env = workspace.Setenv(ready.Env, runVariable, strings.TrimSpace(workspace.Getenv(x.host.cfg.Env, runVariable)+" "+x.runID))
	ready.Sink = sinkTo(stream)
	x.openRecord(&done, &ready.Config)
	result, err := runner.Run(ctx, ready.Config)
	if err != nil {
		stream.Cancel()
		return err
	}
	done.exit, done.stdout, done.stderr = result.Exit, result.Stdout, result.Stderr
	x.done = append(x.done, done)
	err = stream.Close(done.exit)
	if err == nil {
		err = result.SinkErr // else the same fault, as seen by the sender
	}
	if err != nil {
		return x.again(parsing, err)
	}
	x.remark(result)
	x.readCoverage(ctx, cmd, ready.scratch, done.exit)
	return nil
}

// afterCancel is how long what was measured is read after the user gave up.
const afterCancel = 5 * time.Second

// readCoverage has read what a command measured, before that is removed. Results do
// not depend on it.
func (x *execution) readCoverage(ctx context.Context, cmd sdk.Command, scratch string, exit sdk.Exit) {
	if x.coverage == nil || !cmd.Covers {
		return
	}
	if ctx.Err() != nil {
		// What there is is worth a moment to somebody who wants to leave.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), afterCancel)
		defer cancel()
	}
	err := x.project.plugin.ParseCoverage(ctx, sdk.CoverageRequest{
		Workspace: x.project.ws, Command: cmd, Scratch: scratch, Exit: exit,
	}, x.coverage)
	if err != nil {
		x.coverage.Error(err.Error())
	}
}

// remark notes what a reader should know about how the output was taken.
func (x *execution) remark(result runner.Result) {
	if result.HeldOpen {
		x.col.Note("a process that the tests left behind held their output open and was killed; what it had yet to write is lost")
	}
	if result.RecordErr != nil {
		x.col.Note("the record of the output is not whole: " + result.RecordErr.Error())
	}
	if result.Unguarded != nil {
		x.host.cfg.Logger.Warn("the tests would outlive a killed proctor", "because", result.Unguarded)
	}
}

// sinkTo sends output to a parser. When the runner gives up on a parser that
// takes too long for what is left of a killed command, the stream is cancelled.
func sinkTo(stream *plugin.ParseStream) runner.Sink {
	return func(ctx context.Context, which sdk.Stream, data []byte) error {
		defer context.AfterFunc(ctx, stream.Cancel)()
		return stream.Send(which, data)
	}
}

// openRecord has the output recorded, if that is possible. A run goes on
// without: it is shown but not recorded.
func (x *execution) openRecord(done *executed, cfg *runner.Config) {
	if x.rec == nil {
		return
	}
	n := x.first + len(x.done)
	for i, name := range session.StreamNames {
		st, err := x.rec.Stream(n, name)
		if err != nil {
			x.col.Note("the output is not recorded: " + err.Error())
			return
		}
		done.record[i] = st
	}
	cfg.RecordStdout, cfg.RecordStderr = done.record[0], done.record[1]
}

// again reads the record of everything so far a second time, after the plugin
// failed with err: it may have been an accident. The restart is the plugin
// host's; when it refuses, or the same happens again, that is a tool error.
func (x *execution) again(ctx context.Context, err error) error {
	var crashed *plugin.CrashedError
	var hung *plugin.HungError
	if !errors.As(err, &crashed) && !errors.As(err, &hung) {
		return err
	}
	if x.first > 0 || x.rec == nil {
		return err
	}
	for _, d := range x.done {
		if d.record[0] == nil || d.record[1] == nil || !d.record[0].Whole() || !d.record[1].Whole() {
			return err
		}
	}
	if rerr := x.rec.Rewrite(
		func(record.Result) bool { return false }, func(record.Failure) bool { return false }); rerr != nil {
		return err
	}
	if x.chronicle != nil {
		if rerr := x.chronicle.restart(ctx); rerr != nil {
			return err
		}
	}
	x.begin(Observer{}) // the reader has been told once already
	for _, d := range x.done {
		files := [2]string{d.record[0].Path(), d.record[1].Path()}
		if ferr := feed(ctx, x.project.plugin, x.runInfo(d.command), files, d.exit, x.col); ferr != nil {
			return ferr
		}
		x.col.endCommand()
	}
	x.col.observer = x.observer // what later commands show is new to the reader
	x.col.Note(fmt.Sprintf("the plugin failed once and read the recorded output again: %v", err))
	return nil
}

func (x *execution) runInfo(cmd sdk.Command) sdk.RunInfo {
	return sdk.RunInfo{Workspace: x.project.ws, Command: cmd}
}

// exit is how the execution's commands ended, taken together: the first that
// did not end well counts.
func (x *execution) exit() sdk.Exit {
	var last sdk.Exit
	for _, d := range x.done {
		last = d.exit
		if !endedWell(d.exit) {
			return d.exit
		}
	}
	return last
}

// tail is the end of what the commands printed, to explain an exit that no
// event explains: of standard error if there is any, else of standard output.
func (x *execution) tail() string {
	for i := len(x.done) - 1; i >= 0; i-- {
		for _, c := range []runner.Capture{x.done[i].stderr, x.done[i].stdout} {
			if text := strings.TrimSpace(c.Tail(maxTailBytes)); text != "" {
				return lastLines(text, maxTailLines)
			}
		}
	}
	return ""
}

// maxTailLines is how much of the output's end stands in a reason: a screen's
// worth would bury the verdict.
const (
	maxTailLines = 10
	maxTailBytes = 2 << 10
)

func lastLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
