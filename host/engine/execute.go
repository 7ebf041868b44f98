package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
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

// execution executes a plan, and has what that showed.
type execution struct {
	keeper *ledger.Keeper
	plan   *Plan
	record *record
	run    *api.Run

	first *Batch
	// fallback is that of a rerun, or nil.
	fallback *Batch
	// err is a tool error: a runner that cannot start, a plugin that cannot read.
	err error
	// total counts the tests that exist; 0 if unknown. meant are those with a name like the
	// selected one, if no test ran.
	total int
	meant []string
	cover *runCoverage
	// check is what the check before the tests said; nil if there was none.
	check *precheck.Check
}

// execute executes the plan. Whatever goes wrong is for the conclusion to judge. The first
// command starts in the group.
func (x *execution) execute(ctx context.Context, group *procgroup.Prepared, listeners api.Listeners) {
	p := x.plan
	x.err, x.total = p.Err, p.total
	if p.check != nil && p.Chosen == nil {
		x.check = precheck.New()
		listeners = append(slices.Clone(listeners), x.check)
	}
	x.first = x.newBatch(listeners, p.newFold)
	x.first.group = group
	x.first.begin()
	switch {
	case p.output != nil:
		x.err = x.first.read(ctx, p.output)
		return
	case p.merged != nil:
		x.first.replay(p.merged)
		return
	}
	if p.covers && x.err == nil {
		x.cover = beginCoverage(ctx, x.keeper, p.Project, p.runnerArgs(), p.keepsCoverage())
		x.first.Coverage = x.cover
	}
	list := listExisting(ctx, x.keeper, p)
	if x.err == nil && x.check != nil {
		x.check.Execute(ctx, x.keeper.Host, p.Project, *p.check, x.first.Deadline, listeners)
	}
	if x.err == nil {
		x.err = x.first.Execute(ctx, p.Commands)
	}
	x.executeUntrusted(ctx)
	c := x.first.Col.Tally.Counted()
	nothing := c.Suites == c.SuitesWithoutTests
	limit := countDeadline
	if nothing {
		limit = project.ListDeadline
	}
	if existing := list(limit); len(existing) > 0 {
		x.total = len(existing)
		if nothing {
			x.meant = findMeant(existing, p.Run.Selection.Filter, ledger.SuiteNames(ctx, p.Ledger))
		}
	}
	if p.Run.Kind == api.KindRerun && x.err == nil && ctx.Err() == nil {
		x.executeFallback(ctx)
	}
}

// newBatch returns a batch of commands of the plan, which is on record.
func (x *execution) newBatch(listeners api.Listeners, newFold func() *outstanding.Fold) *Batch {
	p := x.plan
	b := &Batch{
		Keeper: x.keeper, Project: p.Project, RunID: p.Run.RunID, within: p.Run.RetryOf, record: x.record, Listeners: listeners, NewFold: newFold, Keep: p.isOfTargets(), trusts: p.trusts, newJudge: p.newJudge,
	}
	if p.output != nil && p.Project.ID.Cached {
		b.trusts, b.recorded = func(string) bool { return true }, true
	}
	if p.Run.TimeoutS > 0 {
		b.Deadline = time.Now().Add(time.Duration(p.Run.TimeoutS * float64(time.Second)))
	}
	return b
}

// timeLeft returns the time until the deadline, 0 without one. ok reports whether it
// suffices for something that takes at least this long.
func (b *Batch) timeLeft(least time.Duration) (left time.Duration, ok bool) {
	if b.Deadline.IsZero() {
		return 0, true
	}
	left = time.Until(b.Deadline)
	return left, left > 0 && left >= least
}

// countDeadline is how long a listing may hold up the answer of a run for the number of the
// other tests alone. Where they are built, it takes a part of that; else it builds them, from
// which a selection was to keep.
const countDeadline = 2 * time.Second

// listExisting lists the tests that exist if a selection leaves some out, else none: during
// the run if the plugin allows, else when the returned function is called, which takes no
// longer than a limit.
func listExisting(ctx context.Context, k *ledger.Keeper, p *Plan) func(limit time.Duration) []sdk.TestID {
	none := func(time.Duration) []sdk.TestID { return nil }
	if p.Err != nil || p.Chosen != nil || !p.Run.Selection.Narrows() {
		return none
	}
	l, err := k.PlanListing(ctx, p.Project, sdk.ListRequest{RunnerArgs: p.runnerArgs()})
	if err != nil {
		return none
	}
	list := func(ctx context.Context, limit time.Duration) (existing []sdk.TestID) {
		if inv, ok := l.Read(ctx, limit); ok && inv.Complete {
			for suite, tests := range inv.Tests {
				for _, test := range tests {
					existing = append(existing, sdk.TestID{Suite: suite, Test: test})
				}
			}
		}
		return existing
	}
	if l.IsExclusive() {
		return func(limit time.Duration) []sdk.TestID { return list(ctx, limit) }
	}
	ctx, stop := context.WithCancel(ctx)
	beside := make(chan []sdk.TestID, 1)
	go func() { beside <- list(ctx, project.ListDeadline) }()
	return func(limit time.Duration) []sdk.TestID {
		defer time.AfterFunc(limit, stop).Stop()
		defer stop()
		return <-beside
	}
}

// findMeant returns the tests whose names are most like that of a filter which selects one
// test, or something inside one.
func findMeant(existing []sdk.TestID, filter string, suites api.SuiteNames) []string {
	test, _, _ := strings.Cut(filter, "/")
	test = strings.TrimSuffix(strings.TrimPrefix(test, "^"), "$")
	if test == "" || regexp.QuoteMeta(test) != test {
		return nil
	}
	return api.Nearest(existing, test, func(t sdk.TestID) string {
		if t.Test == test {
			return suites.Call(t) // it exists elsewhere
		}
		return t.Test // as a filter takes it
	})
}

// Batch executes some commands of one run, one after the other, and gathers what they show.
type Batch struct {
	Keeper  *ledger.Keeper
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
	// before is how many commands of the run came before this batch's, which number
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
	// streams are the records of both streams; nil if there is none.
	streams [2]*artifacts.Stream
}

// Execute runs the commands one after the other. Its error is a tool error: a
// runner that cannot start, a plugin that cannot read.
func (b *Batch) Execute(ctx context.Context, commands []sdk.Command) error {
	if b.Col == nil {
		b.begin()
	}
	defer func() { b.Col.EndCommand() }() // evaluated late: a second reading replaces the collector
	for _, cmd := range commands {
		b.Col.EndCommand()
		if _, ok := b.timeLeft(0); ctx.Err() != nil || !ok {
			// Not started, which counts as interrupted at once.
			b.Done = append(b.Done, endedCommand{command: cmd, exit: sdk.Exit{
				Code: -1, Cancelled: ctx.Err() != nil, TimedOut: ctx.Err() == nil,
			}})
			continue
		}
		if err := b.executeCommand(ctx, cmd); err != nil {
			return err
		}
		if cmd.Prepares && !isCleanExit(b.Done[len(b.Done)-1].exit) {
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
func (b *Batch) begin() {
	b.listen()
	b.Col.AddListener(b.Listeners)
}

// listen makes a new collector, to which everything that records the run listens.
func (b *Batch) listen() {
	b.fold, b.Results = nil, nil
	var listeners api.Listeners
	if b.NewFold != nil {
		b.fold = b.NewFold()
	}
	if b.fold != nil {
		listeners = append(listeners, b.fold)
	}
	if b.record != nil {
		listeners = append(listeners, b.record.listeners()...)
	}
	if b.Keep {
		listeners = append(listeners, api.ListenerFunc(func(e api.Event) {
			if e, ok := e.(*api.TestEnded); ok {
				b.Results = append(b.Results, e.Result)
			}
		}))
	}
	b.Col = tally.NewCollector(listeners...)
	b.Col.Trusts, b.Col.Recorded = b.trusts, b.recorded
	if b.record != nil {
		b.Col.Portable = b.Project.Portable
	}
	if b.newJudge != nil {
		b.Col.Tally.Quarantine = b.newJudge()
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
		Args: p.argsKey(), Way: p.way, Again: p.again,
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

func (b *Batch) executeCommand(ctx context.Context, cmd sdk.Command) error {
	ready, err := b.Keeper.Prepare(b.Project, cmd, b.Deadline)
	if err != nil {
		return err
	}
	defer ready.Cleanup()
	// The parser outlives a cancelled run: it still has to read the rest.
	parsing := context.WithoutCancel(ctx)
	stream, err := b.Project.Plugin.Parse(parsing, b.runInfo(cmd), client.ParseOptions{ProgressInterval: progressInterval}, b.Col)
	if err != nil {
		return err
	}
	done := endedCommand{command: cmd}
	ready.Env = workspace.Setenv(ready.Env, ledger.RunVariable, strings.TrimSpace(workspace.Getenv(b.Keeper.Cfg.Env, ledger.RunVariable)+" "+b.runIDs()))
	ready.Sink = project.SinkTo(stream)
	b.openRecord(&done, &ready.Config)
	ready.Group = b.group
	result, err := runner.Run(ctx, ready.Config)
	if err != nil {
		stream.Cancel()
		if !errors.Is(err, context.Canceled) {
			return err
		}
		// Stopped while it was starting: that is no fault of a tool.
		done.exit = sdk.Exit{Code: -1, Cancelled: true}
		b.Done = append(b.Done, done)
		return nil
	}
	done.exit, done.stdout, done.stderr = result.Exit, result.Stdout, result.Stderr
	b.Done = append(b.Done, done)
	err = stream.Close(done.exit)
	if err == nil {
		err = result.SinkErr // otherwise the same fault, as seen by the sender
	}
	if err != nil {
		return b.readAgain(parsing, err)
	}
	b.Done[len(b.Done)-1].hasRed = b.Col.HasRed()
	b.noteCapture(result)
	b.readCoverage(ctx, cmd, ready.Scratch, done.exit)
	return nil
}

// afterCancel is how long coverage is still read after the user has interrupted.
const afterCancel = 5 * time.Second

// readCoverage has the plugin read what a command measured, before its scratch directory
// is removed. Results do not depend on it.
func (b *Batch) readCoverage(ctx context.Context, cmd sdk.Command, scratch string, exit sdk.Exit) {
	if b.Coverage == nil || !cmd.Covers {
		return
	}
	if ctx.Err() != nil {
		// Even an interrupted measurement is worth a moment.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), afterCancel)
		defer cancel()
	}
	err := b.Project.Plugin.ParseCoverage(ctx, sdk.CoverageRequest{
		Workspace: b.Project.Ws, Command: cmd, Scratch: scratch, Exit: exit,
	}, b.Coverage)
	if err != nil {
		b.Coverage.Error(err.Error())
	}
}

// noteCapture notes what a reader should know about how the output was captured.
func (b *Batch) noteCapture(result runner.Result) {
	if result.HeldOpen {
		b.Col.Note("a process that the tests left behind kept their output open and was killed; any further output of it is lost")
	}
	if result.RecordErr != nil {
		b.Col.Note("the recorded output is incomplete: " + result.RecordErr.Error())
	}
	if result.Unguarded != nil {
		b.Keeper.Cfg.Logger.Warn("the tests would survive a killed proctor", "because", result.Unguarded)
	}
}

// openRecord has the output recorded, if that is possible. If not, the run goes on without.
func (b *Batch) openRecord(done *endedCommand, cfg *runner.Config) {
	if b.record == nil || b.record.artifacts == nil {
		return
	}
	n := b.before + len(b.Done)
	for i, name := range artifacts.StreamNames {
		st, err := b.record.artifacts.Stream(n, name)
		if err != nil {
			b.Col.Note("the output is not recorded: " + err.Error())
			return
		}
		done.streams[i] = st
	}
	cfg.RecordStdout, cfg.RecordStderr = done.streams[0], done.streams[1]
}

// read parses recorded output instead of the output of commands.
func (b *Batch) read(ctx context.Context, o *recordedOutput) error {
	b.Done = []endedCommand{{exit: o.exit}}
	defer b.Col.EndCommand()
	err := ledger.Feed(ctx, b.Project.Plugin, sdk.RunInfo{Workspace: b.Project.Ws}, o.paths, o.exit, b.Col)
	b.Done[0].hasRed = b.Col.HasRed()
	return err
}

// readAgain has the recorded output parsed a second time after the plugin crashed or hung
// with err, which may have been an accident. The plugin host restarts the plugin. If it
// refuses, or the plugin fails again, that is a tool error.
func (b *Batch) readAgain(ctx context.Context, err error) error {
	var crashed *plugin.CrashedError
	var hung *plugin.HungError
	if !errors.As(err, &crashed) && !errors.As(err, &hung) {
		return err
	}
	if b.before > 0 || b.record == nil || b.record.artifacts == nil {
		return err
	}
	for _, d := range b.Done {
		if d.streams[0] == nil || d.streams[1] == nil || !d.streams[0].Whole() || !d.streams[1].Whole() {
			return err
		}
	}
	if b.record.restart(ctx) != nil {
		return err
	}
	b.listen() // without b.Listeners, who have heard it already
	for i, d := range b.Done {
		files := [2]string{d.streams[0].Path(), d.streams[1].Path()}
		if ferr := ledger.Feed(ctx, b.Project.Plugin, b.runInfo(d.command), files, d.exit, b.Col); ferr != nil {
			return ferr
		}
		b.Done[i].hasRed = b.Col.HasRed()
		b.Col.EndCommand()
	}
	b.Col.AddListener(b.Listeners) // for later commands
	b.Col.Note(fmt.Sprintf("the plugin failed once and read the recorded output again: %v", err))
	return nil
}

// runIDs returns the value of [ledger.RunVariable]: this run, after one that contains it.
func (b *Batch) runIDs() string { return strings.TrimSpace(b.within + " " + b.RunID) }

func (b *Batch) runInfo(cmd sdk.Command) sdk.RunInfo {
	return sdk.RunInfo{Workspace: b.Project.Ws, Command: cmd}
}

// Exit returns how the commands ended, taken together: the first that did not end cleanly
// counts, and before it one whose exit says more than that tests failed.
func (b *Batch) Exit() sdk.Exit {
	var counts sdk.Exit
	for _, d := range b.Done {
		switch {
		case !isCleanExit(d.exit) && !saysTestsFailed(b.Project, d.exit):
			return d.exit
		case isCleanExit(counts):
			counts = d.exit
		}
	}
	return counts
}

// hasUnexplainedExit reports whether a command failed and reported nothing that is red: what
// others reported does not explain that.
func (b *Batch) hasUnexplainedExit() bool {
	return slices.ContainsFunc(b.Done, func(d endedCommand) bool {
		return !d.exit.Unknown && !wasCut(d.exit) && d.exit.Code != 0 && !d.hasRed
	})
}

// readTail returns the end of what the commands printed, to explain an exit that no event
// explains: of standard error, or of standard output if that is empty.
func (b *Batch) readTail() string {
	for i := len(b.Done) - 1; i >= 0; i-- {
		for _, c := range []runner.Capture{b.Done[i].stderr, b.Done[i].stdout} {
			if text := strings.TrimSpace(c.Tail(project.MaxTailBytes)); text != "" {
				return lastLines(text)
			}
		}
	}
	return ""
}

// lastLines returns as much of the end of a text as a reason quotes.
func lastLines(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-project.MaxTailLines):], "\n")
}
