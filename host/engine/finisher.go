package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/host/verdict"
	"github.com/proctorhq/proctor/sdk"
)

// Finisher brings a run to its end: what never started, the verdict, the
// outstanding set, the record.
type Finisher struct {
	Host    *ledger.Keeper
	Project project.Project
	Store   *artifacts.Store
	// Memory is the workspace's history; nil where it cannot be had.
	Memory *ledger.Ledger
	// settings bound what is kept on record.
	settings  config.History
	selection sdk.Selection
	Listeners api.Listeners
	// RunnerArgs change what exists, as build tags do.
	RunnerArgs []string
	// NarrowedBy are settings that leave tests out; see [sdk.Plan].
	NarrowedBy []string
	// way is in which way the tests run; nil is not known.
	way *outstanding.Way
	// next is in which ways the rerun goes on after this run.
	next []*outstanding.Way
	// precise asks for the lines that failed.
	precise bool

	// began is when the run was put on record, by a clock that nobody sets.
	began time.Time

	Rec *artifacts.Recorder // nil when nothing can be recorded
	// lastLanguage is that of the session's last run before this one.
	lastLanguage string
	// Chronicle writes the run into the history, and watch finds out what sources
	// it sees; nil without a history.
	Chronicle *ledger.Chronicle
	watch     *ledger.StateWatch
	Seen      ledger.Seen
	ToolErr   error
	totals    int

	// left is what is outstanding after the run.
	left outstanding.Set
	// Run is the execution; widened is the fallback of a rerun, or nil.
	Run, widened *Execution
	// Sel is what a rerun chose; for those of it that are uncomposed the plugin has no
	// command.
	Sel        *outstanding.Selection
	uncomposed map[api.Test]bool
	// absent are outstanding tests that do not exist any more, as a rerun found.
	absent outstanding.Absences
}

// FinishLimit bounds what follows the last command: a listing, a few files.
const FinishLimit = 45 * time.Second

// begin puts the run on record.
func (f *Finisher) begin(ctx context.Context, run *api.Run) {
	f.began, f.lastLanguage = f.Host.Cfg.Now(), f.Store.LastLanguage()
	rec, err := f.Store.Record(*run)
	if err == nil {
		f.Rec = rec
		err = f.Store.Begin(ctx, *run)
	}
	if err != nil {
		f.Warn(run, errors.Join(err, f.Store.Disown()))
	}
	if f.Memory != nil {
		run.Environment = f.Environment()
		if f.Rec != nil {
			if err := f.Rec.Surroundings(f.surroundings()); err != nil {
				f.Warn(run, err)
			}
		}
		if f.Chronicle, err = f.Memory.Chronicle(ctx, *run); err != nil {
			f.Warn(run, err)
		}
		f.watch = f.Memory.WatchSource(ctx)
	}
	f.Listeners.Listen(&api.RunStarted{Run: *run})
}

// Warn says that the run is shown but not recorded: that never fails a run.
func (f *Finisher) Warn(run *api.Run, err error) {
	run.Note(api.NoteUnrecorded, "shown but not recorded: "+err.Error())
}

func (f *Finisher) Execution(run *api.Run, newFold func() *outstanding.Fold) *Execution {
	return &Execution{
		Host: f.Host, Project: f.Project, RunID: run.RunID, rec: f.Rec, chronicle: f.Chronicle, Listeners: f.Listeners, NewFold: newFold,
		Deadline: time.Now().Add(time.Duration(run.TimeoutS * float64(time.Second))),
	}
}

// finish decides and records. ctx may have been cancelled: that is one of the
// ways in which a run ends.
func (f *Finisher) finish(ctx context.Context, run api.Run) api.Run {
	if f.Run.fold == nil {
		f.Run.Begin() // nothing was executed
	}
	f.see(ctx, &run)
	t, exit := f.Run.Col.Tally, f.Run.Exit()
	if f.widened != nil {
		t, exit = f.merged(context.WithoutCancel(ctx))
	}
	if f.precise {
		f.locate(ctx, &run, t)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), FinishLimit)
	defer cancel()
	f.unask()
	f.neverStarted(ctx, t, exit)
	if run.Affected != nil && f.Sel != nil {
		f.unstarted()
	}
	f.Fill(&run, t, exit)
	if run.TimedOut && run.TimeoutS < api.DefaultTimeout.Seconds() && run.Environment != "" {
		// Whoever gives tests less time than usual must not make those flaky that
		// passed when they had enough.
		run.Environment = history.ShortOf(run.Environment)
	}
	f.Judge(&run, t, exit)
	f.keep(ctx, &run)
	f.Listeners.Listen(&api.RunFinished{Run: run})
	return run
}

// everything reports whether all that the selection selects was meant to run, and
// not only some outstanding tests.
func (f *Finisher) everything() bool { return f.Sel == nil || f.Sel.Everything }

// ArgsKey reports whether two runs were of the same tests, as far as runner
// arguments, settings and the environment that the plugin looks at decide about
// that.
func (f *Finisher) ArgsKey() string {
	return f.Project.ArgsKey(slices.Concat(f.RunnerArgs, f.NarrowedBy))
}

// duration is how long the run took. What came before it was on record is a few
// milliseconds: if the clock was set meanwhile, it counts for nothing.
func (f *Finisher) duration(started time.Time) time.Duration {
	now := f.Host.Cfg.Now()
	if f.began.IsZero() {
		f.began = started
	}
	return max(f.began.Sub(started), 0) + max(now.Sub(f.began), 0)
}

// Fill copies what the run showed into its object.
func (f *Finisher) Fill(run *api.Run, t *tally.Tally, exit sdk.Exit) {
	run.State = api.StateFinished
	run.DurationS = f.duration(run.StartedAt).Seconds()
	run.ExitCode, run.Signal, run.Cancelled = exit.Code, exit.Signal, exit.Cancelled
	run.TimedOut = exit.TimedOut || t.TimedOut
	if run.TimedOut {
		run.ExitCode = exitTimedOut
	}
	if len(f.Run.Done) == 0 || exit.Unknown {
		run.ExitCode = -1
	}
	run.Counts = t.Ended()
	run.Failures = append(run.Failures, t.Failures...)
	ledger.SortFailures(run.Failures)
	ledger.Sign(run, t.Causes)
	run.FailuresTotal = t.FailuresTotal
	run.Unfinished = append(run.Unfinished, t.Unfinished...)
	run.NeverStarted = append(run.NeverStarted, t.Never...)
	run.RunError = t.RunErrorText()
	run.Conditions = t.Conditions
	if note := t.PartsUnknown(); note != "" {
		run.Note(api.NotePartly, note)
	}
	run.Note(api.NoteOutput, t.Notes...)
	if n := t.Counts.ParseSkippedBytes; n > 0 {
		run.Note(api.NoteOutput, unreadWarning(n, t.Samples))
	}
	// A selection may reach beyond the workspace; the figures mean nothing then.
	if f.totals > 0 && f.totals >= f.Run.fold.Listed() {
		run.Selection.Selected, run.Selection.Total = f.Run.fold.Listed(), f.totals
	}
	if f.ToolErr != nil {
		run.RunError = f.ToolErr.Error()
		var detailed interface{ Detail() string }
		if errors.As(f.ToolErr, &detailed) && detailed.Detail() != "" {
			run.RunError += "\n" + detailed.Detail()
		}
	}
}

// exitTimedOut is the exit code of a run whose time ran out, as timeout(1) has
// it.
const exitTimedOut = 124

// Judge reaches the verdict.
func (f *Finisher) Judge(run *api.Run, t *tally.Tally, exit sdk.Exit) {
	e := t.Evidence()
	e.Exited = len(f.Run.Done) > 0 && !exit.Unknown
	e.ExitCode, e.Signal, e.Cancelled = exit.Code, exit.Signal, exit.Cancelled
	e.TimedOut = run.TimedOut
	if exit.TimedOut {
		e.DeadlineS = run.TimeoutS
	}
	e.Untold = wasCut(exit) && t.IsUntold()
	e.OutputTail = f.Run.tail()
	e.Filtered = run.Kind == api.KindRun && run.Selection.Narrows()
	for _, d := range f.Run.Done {
		e.OnlyInside = e.OnlyInside || f.Sel == nil && d.command.SelectsOnlyInsideTests
	}
	e.SomeParts = strings.Contains(run.Selection.Filter, "/")
	e.RunnerArgs = prose.ShellLine(run.Selection.RunnerArgs)
	if run.Kind == api.KindRun {
		e.Configured = strings.Join(run.Selection.Configured, ", ")
	}
	e.Selected, e.Total = run.Selection.Selected, run.Selection.Total
	if f.ToolErr != nil {
		e.ToolError = f.ToolErr.Error()
	}
	d := verdict.Decide(e)
	run.Verdict, run.Reason = d.Verdict, d.Reason
	if f.Sel != nil && run.Affected != nil && d.Verdict == api.NothingRan && run.Affected.ChosenTests+run.Affected.ChosenSuites == 0 {
		run.Reason = unaffected(*run.Affected)
	}
	for i := range run.Requested {
		if r := &run.Requested[i]; r.Suite == "" && r.Test == "" {
			r.Outcome, r.Why = outcomeOfAll(run.Verdict)
		}
	}
	f.sayUncomposed(run.Requested)
}

// outcomeOfAll is what became of a rerun of everything.
func outcomeOfAll(v api.Verdict) (api.Outcome, string) {
	switch v {
	case api.Passed:
		return api.OutcomePassed, ""
	case api.NothingRan:
		return api.OutcomeDidNotRun, "no test ran"
	}
	return api.OutcomeFailed, ""
}

func unreadWarning(n int64, samples []string) string {
	w := fmt.Sprintf("%d bytes of output were not understood", n)
	if len(samples) > 0 {
		w += fmt.Sprintf(", such as %q", samples[0])
	}
	return w
}

// see finds out what state of the sources the run saw, now that its commands have
// ended.
func (f *Finisher) see(ctx context.Context, run *api.Run) {
	if f.watch == nil {
		return
	}
	f.Seen = f.watch.End(context.WithoutCancel(ctx))
	switch {
	case f.Seen.Err != nil:
		run.Note(api.NoteSources, "the state of the sources is not known: "+f.Seen.Err.Error())
	case len(f.Seen.Changed) > 0:
		run.MixedState = true
		run.Note(api.NoteSources, ledger.MixedWarning(f.Seen.Changed))
	}
	run.Source = f.Seen.Source
}
