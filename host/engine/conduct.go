package engine

import (
	"context"
	"errors"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// Outcome is a run that came to its end, and what it showed beyond what its object
// carries.
type Outcome struct {
	Run     api.Run
	Results []api.Result // of a run of targets
	Tally   *tally.Tally
	// Err is the tool error, if there was one.
	Err error
}

// Conduct takes a run of whatever kind from its plan to its end: it is put on record,
// executed and concluded. An error means that there is no run; all else that happened
// is in the run.
func Conduct(ctx context.Context, h *ledger.Keeper, p *Plan, listeners api.Listeners) (Outcome, error) {
	run := p.Run
	rec, errs := beginRecord(ctx, h, p, &run)
	if len(errs) > 0 && p.isForRecord() {
		rec.withdraw(ctx, run)
		return Outcome{Run: run}, errors.Join(errs...)
	}
	for _, err := range errs {
		noteUnrecorded(&run, err)
	}
	listeners.Listen(&api.RunStarted{Run: run})
	seen := execute(ctx, h, p, rec, &run, listeners)
	c := &conclusion{host: h, plan: p, record: rec, executed: seen, run: &run}
	if err := c.conclude(ctx); err != nil {
		return Outcome{Run: run}, err
	}
	listeners.Listen(&api.RunFinished{Run: run})
	return Outcome{Run: run, Results: seen.first.Results, Tally: seen.first.Col.Tally, Err: seen.err}, nil
}

// noteUnrecorded says that the run is shown but not recorded: that never fails a run.
func noteUnrecorded(run *api.Run, err error) {
	run.Note(api.NoteUnrecorded, "shown but not recorded: "+err.Error())
}

// executed is what was executed of a plan.
type executed struct {
	first *Execution
	// fallback is that of a rerun, or nil.
	fallback *Execution
	// err is a tool error: a runner that cannot start, a plugin that cannot read.
	err error
	// total counts the tests there are; 0 is not known.
	total int
	cover *runCoverage
}

// execute does what a plan says. Whatever goes wrong is for the conclusion to judge.
func execute(ctx context.Context, h *ledger.Keeper, p *Plan, rec *record, run *api.Run, listeners api.Listeners) *executed {
	x := &executed{err: p.Err, total: p.total}
	x.first = newExecution(h, p, rec, listeners, p.newFold)
	x.first.Begin()
	if p.output != nil {
		x.err = x.first.read(ctx, p.output)
		return x
	}
	if p.covers && x.err == nil {
		x.cover = beginCoverage(ctx, h, p.Project, p.runnerArgs(), p.keepsCoverage())
		x.first.Coverage = x.cover
	}
	total := countTotal(ctx, h, p)
	if x.err == nil {
		x.err = x.first.Execute(ctx, p.Commands)
	}
	if n := total(); n > 0 {
		x.total = n
	}
	if p.Run.Kind == api.KindRerun && x.err == nil && ctx.Err() == nil {
		x.executeFallback(ctx, p, rec, run)
	}
	return x
}

// newExecution is one of commands of a plan, on record.
func newExecution(h *ledger.Keeper, p *Plan, rec *record, listeners api.Listeners, newFold func() *outstanding.Fold) *Execution {
	return &Execution{
		Host: h, Project: p.Project, RunID: p.Run.RunID, record: rec, Listeners: listeners, NewFold: newFold, Keep: p.isOfTargets(),
		Deadline: time.Now().Add(time.Duration(p.Run.TimeoutS * float64(time.Second))),
	}
}

// countTotal counts the tests that exist, where a selection leaves some of them out:
// beside the run if it may, else when the result is asked for.
func countTotal(ctx context.Context, h *ledger.Keeper, p *Plan) func() int {
	if p.Err != nil || p.Chosen != nil || !p.Run.Selection.Narrows() {
		return func() int { return 0 }
	}
	l, err := h.Listing(ctx, p.Project, sdk.ListRequest{RunnerArgs: p.runnerArgs()})
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
	if l.Exclusive() {
		return count
	}
	beside := make(chan int, 1)
	go func() { beside <- count() }()
	return func() int { return <-beside }
}
