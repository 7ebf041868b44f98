package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/precheck"
	"github.com/proctorhq/proctor/host/procgroup"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/quarantine"
	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// executed is what was executed of a plan.
type executed struct {
	first *Execution
	// fallback is that of a rerun, or nil.
	fallback *Execution
	// err is a tool error: a runner that cannot start, a plugin that cannot read.
	err error
	// total counts the tests that exist; 0 if unknown.
	total int
	cover *runCoverage
	// check is what the check before the tests said; nil if there was none.
	check *precheck.Check
}

// execute executes a plan. Whatever goes wrong is for the conclusion to judge.
func execute(ctx context.Context, h *ledger.Keeper, p *Plan, rec *record, group *procgroup.Prepared, run *api.Run, listeners api.Listeners) *executed {
	x := &executed{err: p.Err, total: p.total}
	if p.check != nil && p.Chosen == nil {
		x.check = precheck.New()
		listeners = append(slices.Clone(listeners), x.check)
	}
	x.first = newExecution(h, p, rec, listeners, p.newFold)
	x.first.group = group
	x.first.begin()
	switch {
	case p.output != nil:
		x.err = x.first.read(ctx, p.output)
		return x
	case p.merged != nil:
		x.first.replay(p.merged)
		return x
	}
	if p.covers && x.err == nil {
		x.cover = beginCoverage(ctx, h, p.Project, p.runnerArgs(), p.keepsCoverage())
		x.first.Coverage = x.cover
	}
	total := countTotal(ctx, h, p)
	if x.err == nil && x.check != nil {
		x.check.Execute(ctx, h.Host, p.Project, *p.check, x.first.Deadline, listeners)
	}
	if x.err == nil {
		x.err = x.first.Execute(ctx, p.Commands)
	}
	x.executeUntrusted(ctx, p, run)
	if n := total(); n > 0 {
		x.total = n
	}
	if p.Run.Kind == api.KindRerun && x.err == nil && ctx.Err() == nil {
		x.executeFallback(ctx, p, rec, run)
	}
	return x
}

// newExecution returns an execution of a plan's commands, which is on record.
func newExecution(h *ledger.Keeper, p *Plan, rec *record, listeners api.Listeners, newFold func() *outstanding.Fold) *Execution {
	x := &Execution{
		Host: h, Project: p.Project, RunID: p.Run.RunID, within: p.Run.RetryOf, record: rec, Listeners: listeners, NewFold: newFold, Keep: p.isOfTargets(), trusts: p.trusts, newJudge: p.newJudge,
	}
	if p.output != nil && p.Project.ID.Cached {
		x.trusts, x.recorded = func(string) bool { return true }, true
	}
	if p.Run.TimeoutS > 0 {
		x.Deadline = time.Now().Add(time.Duration(p.Run.TimeoutS * float64(time.Second)))
	}
	return x
}

// timeLeft returns the time until the deadline, 0 without one. ok reports whether it
// suffices for something that takes at least this long.
func (x *Execution) timeLeft(least time.Duration) (left time.Duration, ok bool) {
	if x.Deadline.IsZero() {
		return 0, true
	}
	left = time.Until(x.Deadline)
	return left, left > 0 && left >= least
}

// countTotal counts the tests that exist if a selection leaves some out, else 0: during the
// run if the plugin allows, else when the returned function is called.
func countTotal(ctx context.Context, h *ledger.Keeper, p *Plan) func() int {
	if p.Err != nil || p.Chosen != nil || !p.Run.Selection.Narrows() {
		return func() int { return 0 }
	}
	l, err := h.PlanListing(ctx, p.Project, sdk.ListRequest{RunnerArgs: p.runnerArgs()})
	if err != nil {
		return func() int { return 0 }
	}
	count := func() int {
		n := 0
		if inv, ok := l.Read(ctx, project.ListDeadline); ok && inv.Complete {
			for _, tests := range inv.Tests {
				n += len(tests)
			}
		}
		return n
	}
	if l.IsExclusive() {
		return count
	}
	beside := make(chan int, 1)
	go func() { beside <- count() }()
	return func() int { return <-beside }
}

// Execution runs some commands of one run and gathers what they show.
type Execution struct {
	Host    *ledger.Keeper
	Project project.Project
	RunID   string
	// within is the id of the run that a retry belongs to.
	within string
	// Deadline is the zero time if there is none.
	Deadline  time.Time
	Listeners api.Listeners
	// NewFold makes the fold that follows the results; it may be nil, or return nil.
	NewFold func() *outstanding.Fold
	// Keep has Results retained, for a rerun whose second command may overrule them. A
	// rerun is bounded; a run is not.
	Keep bool
	// Coverage receives what commands measured; it may be nil.
	Coverage sdk.CoverageSink

	// trusts is as in [Plan].
	trusts   func(suite string) bool
	recorded bool
	// newJudge makes the judge of what is in quarantine; nil if nothing is.
	newJudge func() *quarantine.Judge

	record *record // nil when nothing is recorded
	// group is what the first command starts in; nil means in a new one.
	group *procgroup.Prepared
	// before is how many commands of the run came before this execution's, which number
	// their records.
	before int

	fold *outstanding.Fold // nil without NewFold
	Col  *tally.Collector
	// Results are retained if Keep is set.
	Results []api.Result
	Done    []endedCommand
}

// endedCommand is a command that has ended.
type endedCommand struct {
	command sdk.Command
	exit    sdk.Exit
	// hasRed reports whether anything that it reported is red, and so may explain the exit.
	hasRed         bool
	stdout, stderr runner.Capture
	// record holds the records of both streams; nil if there is none.
	record [2]*artifacts.Stream
}

// Execute runs the commands one after the other. Its error is a tool error: a
// runner that cannot start, a plugin that cannot read.
func (x *Execution) Execute(ctx context.Context, commands []sdk.Command) error {
	if x.Col == nil {
		x.begin()
	}
	defer func() { x.Col.EndCommand() }() // evaluated late: a second reading replaces the collector
	for _, cmd := range commands {
		x.Col.EndCommand()
		if _, ok := x.timeLeft(0); ctx.Err() != nil || !ok {
			// Not started, which counts as interrupted at once.
			x.Done = append(x.Done, endedCommand{command: cmd, exit: sdk.Exit{
				Code: -1, Cancelled: ctx.Err() != nil, TimedOut: ctx.Err() == nil,
			}})
			continue
		}
		if err := x.executeCommand(ctx, cmd); err != nil {
			return err
		}
		if cmd.Prepares && !isCleanExit(x.Done[len(x.Done)-1].exit) {
			return nil
		}
	}
	return nil
}

func isCleanExit(e sdk.Exit) bool {
	return e.Code == 0 && e.Signal == "" && !e.TimedOut && !e.Cancelled
}

func wasCut(exit sdk.Exit) bool { return exit.Signal != "" || exit.TimedOut || exit.Cancelled }

// begin connects the collector to everything that records or shows the run.
func (x *Execution) begin() {
	x.listen()
	x.Col.AddListener(x.Listeners)
}

// listen makes a new collector, to which everything that records the run listens.
func (x *Execution) listen() {
	x.fold, x.Results = nil, nil
	var listeners api.Listeners
	if x.NewFold != nil {
		x.fold = x.NewFold()
	}
	if x.fold != nil {
		listeners = append(listeners, x.fold)
	}
	if x.record != nil {
		listeners = append(listeners, x.record.listeners()...)
	}
	if x.Keep {
		listeners = append(listeners, api.ListenerFunc(func(e api.Event) {
			if e, ok := e.(*api.TestEnded); ok {
				x.Results = append(x.Results, e.Result)
			}
		}))
	}
	x.Col = tally.NewCollector(listeners...)
	x.Col.Trusts, x.Col.Recorded = x.trusts, x.recorded
	if x.newJudge != nil {
		x.Col.Tally.Quarantine = x.newJudge()
	}
}

// newFold returns the fold that follows what the run proves about what is outstanding; nil
// if it is unknown what should run.
func (p *Plan) newFold() *outstanding.Fold {
	if p.output != nil {
		return nil
	}
	s := p.Run.Selection
	scope := outstanding.Scope{
		SomeTests: s.Filter != "" || s.MatchPath != "" || s.MatchContract != "",
		// The enclosing tests run whole in a triage and a retry.
		Widened: p.Run.Kind == api.KindTriage || p.Run.Kind == api.KindRetry, InsideTests: p.Run.Kind == api.KindRerun,
		Args: p.argsKey(), Way: p.way,
	}
	if p.Chosen != nil {
		scope.Tests = p.Chosen.Requested
	}
	for _, c := range p.Commands {
		scope.InsideTests = scope.InsideTests || c.SelectsInsideTests
	}
	return outstanding.NewFold(p.Run.RunID, p.before, scope)
}

// progressInterval is how often a plugin reports progress and results are flushed: often
// enough for a display to look alive.
const progressInterval = 200 * time.Millisecond

func (x *Execution) executeCommand(ctx context.Context, cmd sdk.Command) error {
	ready, err := x.Host.Prepare(x.Project, cmd, x.Deadline)
	if err != nil {
		return err
	}
	defer ready.Cleanup()
	// The parser outlives a cancelled run: it still has to read the rest.
	parsing := context.WithoutCancel(ctx)
	stream, err := x.Project.Plugin.Parse(parsing, x.runInfo(cmd), client.ParseOptions{ProgressInterval: progressInterval}, x.Col)
	if err != nil {
		return err
	}
	done := endedCommand{command: cmd}
	ready.Env = workspace.Setenv(ready.Env, ledger.RunVariable, strings.TrimSpace(workspace.Getenv(x.Host.Cfg.Env, ledger.RunVariable)+" "+x.runIDs()))
	ready.Sink = project.SinkTo(stream)
	x.openRecord(&done, &ready.Config)
	ready.Group = x.group
	result, err := runner.Run(ctx, ready.Config)
	if err != nil {
		stream.Cancel()
		if !errors.Is(err, context.Canceled) {
			return err
		}
		// Stopped while it was starting: that is no fault of a tool.
		done.exit = sdk.Exit{Code: -1, Cancelled: true}
		x.Done = append(x.Done, done)
		return nil
	}
	done.exit, done.stdout, done.stderr = result.Exit, result.Stdout, result.Stderr
	x.Done = append(x.Done, done)
	err = stream.Close(done.exit)
	if err == nil {
		err = result.SinkErr // otherwise the same fault, as seen by the sender
	}
	if err != nil {
		return x.readAgain(parsing, err)
	}
	x.Done[len(x.Done)-1].hasRed = x.Col.HasRed()
	x.noteCapture(result)
	x.readCoverage(ctx, cmd, ready.Scratch, done.exit)
	return nil
}

// afterCancel is how long coverage is still read after the user has interrupted.
const afterCancel = 5 * time.Second

// readCoverage has the plugin read what a command measured, before its scratch directory
// is removed. Results do not depend on it.
func (x *Execution) readCoverage(ctx context.Context, cmd sdk.Command, scratch string, exit sdk.Exit) {
	if x.Coverage == nil || !cmd.Covers {
		return
	}
	if ctx.Err() != nil {
		// Even an interrupted measurement is worth a moment.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), afterCancel)
		defer cancel()
	}
	err := x.Project.Plugin.ParseCoverage(ctx, sdk.CoverageRequest{
		Workspace: x.Project.Ws, Command: cmd, Scratch: scratch, Exit: exit,
	}, x.Coverage)
	if err != nil {
		x.Coverage.Error(err.Error())
	}
}

// noteCapture notes what a reader should know about how the output was captured.
func (x *Execution) noteCapture(result runner.Result) {
	if result.HeldOpen {
		x.Col.Note("a process that the tests left behind kept their output open and was killed; any further output of it is lost")
	}
	if result.RecordErr != nil {
		x.Col.Note("the recorded output is incomplete: " + result.RecordErr.Error())
	}
	if result.Unguarded != nil {
		x.Host.Cfg.Logger.Warn("the tests would survive a killed proctor", "because", result.Unguarded)
	}
}

// openRecord has the output recorded, if that is possible. If not, the run goes on without.
func (x *Execution) openRecord(done *endedCommand, cfg *runner.Config) {
	if x.record == nil || x.record.artifacts == nil {
		return
	}
	n := x.before + len(x.Done)
	for i, name := range artifacts.StreamNames {
		st, err := x.record.artifacts.Stream(n, name)
		if err != nil {
			x.Col.Note("the output is not recorded: " + err.Error())
			return
		}
		done.record[i] = st
	}
	cfg.RecordStdout, cfg.RecordStderr = done.record[0], done.record[1]
}

// read parses recorded output instead of the output of commands.
func (x *Execution) read(ctx context.Context, o *recordedOutput) error {
	x.Done = []endedCommand{{exit: o.exit}}
	defer x.Col.EndCommand()
	err := ledger.Feed(ctx, x.Project.Plugin, sdk.RunInfo{Workspace: x.Project.Ws}, o.paths, o.exit, x.Col)
	x.Done[0].hasRed = x.Col.HasRed()
	return err
}

// readAgain has the recorded output parsed a second time after the plugin crashed or hung
// with err, which may have been an accident. The plugin host restarts the plugin. If it
// refuses, or the plugin fails again, that is a tool error.
func (x *Execution) readAgain(ctx context.Context, err error) error {
	var crashed *plugin.CrashedError
	var hung *plugin.HungError
	if !errors.As(err, &crashed) && !errors.As(err, &hung) {
		return err
	}
	if x.before > 0 || x.record == nil || x.record.artifacts == nil {
		return err
	}
	for _, d := range x.Done {
		if d.record[0] == nil || d.record[1] == nil || !d.record[0].Whole() || !d.record[1].Whole() {
			return err
		}
	}
	if x.record.restart(ctx) != nil {
		return err
	}
	x.listen() // without x.Listeners, who have heard it already
	for i, d := range x.Done {
		files := [2]string{d.record[0].Path(), d.record[1].Path()}
		if ferr := ledger.Feed(ctx, x.Project.Plugin, x.runInfo(d.command), files, d.exit, x.Col); ferr != nil {
			return ferr
		}
		x.Done[i].hasRed = x.Col.HasRed()
		x.Col.EndCommand()
	}
	x.Col.AddListener(x.Listeners) // for later commands
	x.Col.Note(fmt.Sprintf("the plugin failed once and read the recorded output again: %v", err))
	return nil
}

// runIDs returns the value of [ledger.RunVariable]: this run, after one that contains it.
func (x *Execution) runIDs() string { return strings.TrimSpace(x.within + " " + x.RunID) }

func (x *Execution) runInfo(cmd sdk.Command) sdk.RunInfo {
	return sdk.RunInfo{Workspace: x.Project.Ws, Command: cmd}
}

// Exit returns how the commands ended, taken together: the first that did not end cleanly
// counts, and before it one whose exit says more than that tests failed.
func (x *Execution) Exit() sdk.Exit {
	var counts sdk.Exit
	for _, d := range x.Done {
		switch {
		case !isCleanExit(d.exit) && !saysTestsFailed(x.Project, d.exit):
			return d.exit
		case isCleanExit(counts):
			counts = d.exit
		}
	}
	return counts
}

// hasUnexplainedExit reports whether a command failed and reported nothing that is red: what
// others reported does not explain that.
func (x *Execution) hasUnexplainedExit() bool {
	return slices.ContainsFunc(x.Done, func(d endedCommand) bool {
		return !d.exit.Unknown && !wasCut(d.exit) && d.exit.Code != 0 && !d.hasRed
	})
}

// readTail returns the end of what the commands printed, to explain an exit that no event
// explains: of standard error, or of standard output if that is empty.
func (x *Execution) readTail() string {
	for i := len(x.Done) - 1; i >= 0; i-- {
		for _, c := range []runner.Capture{x.Done[i].stderr, x.Done[i].stdout} {
			if text := strings.TrimSpace(c.Tail(project.MaxTailBytes)); text != "" {
				return lastLines(text, project.MaxTailLines)
			}
		}
	}
	return ""
}

func lastLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
