package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/host/verdict"
	"github.com/proctorhq/proctor/sdk"
)

// finisher brings a run to its end: what never started, the verdict, the
// outstanding set, the record.
type finisher struct {
	host    *Host
	project project
	store   *session.Store
	// memory is the workspace's history; nil where it cannot be had.
	memory *memory
	// settings bound what is kept on record.
	settings  config.History
	selection sdk.Selection
	observer  Observer
	// runnerArgs change what exists, as build tags do.
	runnerArgs []string
	// narrowedBy are settings that leave tests out; see [sdk.Plan].
	narrowedBy []string
	// way is in which way the tests run; nil is not known.
	way *rerun.Way
	// next is in which ways the rerun goes on after this run.
	next []*rerun.Way
	// precise asks for the lines that failed.
	precise bool

	// began is when the run was put on record, by a clock that nobody sets.
	began time.Time

	rec *session.Recorder // nil when nothing can be recorded
	// lastLanguage is that of the session's last run before this one.
	lastLanguage string
	// chronicle writes the run into the history, and watch finds out what sources
	// it sees; nil without a history.
	chronicle *chronicle
	watch     *sourceWatch
	seen      seen
	toolErr   error
	totals    int

	// left is what is outstanding after the run.
	left rerun.Set
	// run is the execution; widened is the fallback of a rerun, or nil.
	run, widened *execution
	// sel is what a rerun chose; for those of it that are uncomposed the plugin has no
	// command.
	sel        *rerun.Selection
	uncomposed map[record.Test]bool
	// absent are outstanding tests that do not exist any more, as a rerun found.
	absent rerun.Absences
}

// finishLimit bounds what follows the last command: a listing, a few files.
const finishLimit = 45 * time.Second

// begin puts the run on record.
func (f *finisher) begin(ctx context.Context, run *record.Run) {
	f.began, f.lastLanguage = f.host.cfg.Now(), f.store.LastLanguage()
	rec, err := f.store.Record(*run)
	if err == nil {
		f.rec = rec
		err = f.store.Begin(ctx, *run)
	}
	if err != nil {
		f.warn(run, errors.Join(err, f.store.Disown()))
	}
	if f.memory != nil {
		run.Environment = f.environment()
		if f.rec != nil {
			if err := f.rec.Surroundings(f.surroundings()); err != nil {
				f.warn(run, err)
			}
		}
		if f.chronicle, err = f.memory.chronicle(ctx, *run); err != nil {
			f.warn(run, err)
		}
		f.watch = f.memory.watchSource(ctx)
	}
	f.observer.started(*run)
}

// warn says that the run is shown but not recorded: that never fails a run.
func (f *finisher) warn(run *record.Run, err error) {
	run.Warnings = append(run.Warnings, "shown but not recorded: "+err.Error())
}

func (f *finisher) execution(run *record.Run, newFold func() *rerun.Fold) *execution {
	return &execution{
		host: f.host, project: f.project, runID: run.RunID, rec: f.rec, chronicle: f.chronicle, observer: f.observer, newFold: newFold,
		deadline: time.Now().Add(time.Duration(run.TimeoutS * float64(time.Second))),
	}
}

// finish decides and records. ctx may have been cancelled: that is one of the
// ways in which a run ends.
func (f *finisher) finish(ctx context.Context, run record.Run) record.Run {
	if f.run.fold == nil {
		f.run.begin(f.observer) // nothing was executed
	}
	f.see(ctx, &run)
	t, exit := f.run.col.tally, f.run.exit()
	if f.widened != nil {
		t, exit = f.merged(context.WithoutCancel(ctx))
	}
	if f.precise {
		f.locate(ctx, &run, t)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	f.unask()
	f.neverStarted(ctx, t, exit)
	if run.Affected != nil && f.sel != nil {
		f.unstarted()
	}
	f.fill(&run, t, exit)
	if run.TimedOut && run.TimeoutS < DefaultTimeout.Seconds() && run.Environment != "" {
		// Whoever gives tests less time than usual must not make those flaky that
		// passed when they had enough.
		run.Environment = history.ShortOf(run.Environment)
	}
	f.judge(&run, t, exit)
	f.keep(ctx, &run)
	f.observer.finished(run)
	return run
}

// everything tells whether all that the selection selects was meant to run, and
// not only some outstanding tests.
func (f *finisher) everything() bool { return f.sel == nil || f.sel.Everything }

// argsKey tells whether two runs were of the same tests, as far as runner
// arguments, settings and the environment that the plugin looks at decide about
// that.
func (f *finisher) argsKey() string {
	return f.project.argsKey(slices.Concat(f.runnerArgs, f.narrowedBy))
}

func (p project) argsKey(args []string) string {
	key := strings.Join(args, "\x00") + rerun.EnvMark
	deciding := p.deciding()
	for _, name := range slices.Sorted(maps.Keys(deciding)) {
		key += "\x00" + name + "=" + deciding[name]
	}
	return key
}

// duration is how long the run took. What came before it was on record is a few
// milliseconds: if the clock was set meanwhile, it counts for nothing.
func (f *finisher) duration(started time.Time) time.Duration {
	now := f.host.cfg.Now()
	if f.began.IsZero() {
		f.began = started
	}
	return max(f.began.Sub(started), 0) + max(now.Sub(f.began), 0)
}

// fill copies what the run showed into its object.
func (f *finisher) fill(run *record.Run, t *tally, exit sdk.Exit) {
	run.State = record.StateFinished
	run.DurationS = f.duration(run.StartedAt).Seconds()
	run.ExitCode, run.Signal, run.Cancelled = exit.Code, exit.Signal, exit.Cancelled
	run.TimedOut = exit.TimedOut || t.timedOut
	if run.TimedOut {
		run.ExitCode = exitTimedOut
	}
	if len(f.run.done) == 0 || exit.Unknown {
		run.ExitCode = -1
	}
	run.Counts = t.ended()
	run.Failures = append(run.Failures, t.failures...)
	sortFailures(run.Failures)
	sign(run, t.causes)
	run.FailuresTotal = t.failuresTotal
	run.Unfinished = append(run.Unfinished, t.unfinished...)
	run.NeverStarted = append(run.NeverStarted, t.never...)
	run.RunError = t.runErrorText()
	run.Conditions = t.conditions
	if note := t.partsUnknown(); note != "" {
		run.Warnings = append(run.Warnings, note)
	}
	run.Warnings = append(run.Warnings, t.notes...)
	if n := t.counts.ParseSkippedBytes; n > 0 {
		run.Warnings = append(run.Warnings, unreadWarning(n, t.samples))
	}
	// A selection may reach beyond the workspace; the figures mean nothing then.
	if f.totals > 0 && f.totals >= f.run.fold.Listed() {
		run.Selection.Selected, run.Selection.Total = f.run.fold.Listed(), f.totals
	}
	if f.toolErr != nil {
		run.RunError = f.toolErr.Error()
		var detailed interface{ Detail() string }
		if errors.As(f.toolErr, &detailed) && detailed.Detail() != "" {
			run.RunError += "\n" + detailed.Detail()
		}
	}
}

// exitTimedOut is the exit code of a run whose time ran out, as timeout(1) has
// it.
const exitTimedOut = 124

// judge reaches the verdict.
func (f *finisher) judge(run *record.Run, t *tally, exit sdk.Exit) {
	e := t.evidence()
	e.Exited = len(f.run.done) > 0 && !exit.Unknown
	e.ExitCode, e.Signal, e.Cancelled = exit.Code, exit.Signal, exit.Cancelled
	e.TimedOut = run.TimedOut
	if exit.TimedOut {
		e.DeadlineS = run.TimeoutS
	}
	e.Untold = wasCut(exit) && t.isUntold()
	e.OutputTail = f.run.tail()
	e.Filtered = run.Kind == record.KindRun && run.Selection.Narrows()
	for _, d := range f.run.done {
		e.OnlyInside = e.OnlyInside || f.sel == nil && d.command.SelectsOnlyInsideTests
	}
	e.SomeParts = strings.Contains(run.Selection.Filter, "/")
	e.RunnerArgs = report.ShellLine(run.Selection.RunnerArgs)
	if run.Kind == record.KindRun {
		e.Configured = strings.Join(run.Selection.Configured, ", ")
	}
	e.Selected, e.Total = run.Selection.Selected, run.Selection.Total
	if f.toolErr != nil {
		e.ToolError = f.toolErr.Error()
	}
	d := verdict.Decide(e)
	run.Verdict, run.Reason = d.Verdict, d.Reason
	if f.sel != nil && run.Affected != nil && d.Verdict == record.NothingRan && run.Affected.ChosenTests+run.Affected.ChosenSuites == 0 {
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
func outcomeOfAll(v record.Verdict) (record.Outcome, string) {
	switch v {
	case record.Passed:
		return record.OutcomePassed, ""
	case record.NothingRan:
		return record.OutcomeDidNotRun, "no test ran"
	}
	return record.OutcomeFailed, ""
}

// sortFailures puts failures into the order of their suites, which run side by
// side: two equal runs then read the same. Within a suite the order stays.
func sortFailures(failures []record.Failure) {
	slices.SortStableFunc(failures, func(a, b record.Failure) int { return strings.Compare(a.Suite, b.Suite) })
}

func unreadWarning(n int64, samples []string) string {
	w := fmt.Sprintf("%d bytes of output were not understood", n)
	if len(samples) > 0 {
		w += fmt.Sprintf(", such as %q", samples[0])
	}
	return w
}
