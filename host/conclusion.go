package host

import (
	"context"
	"errors"
	"maps"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/sdk"
)

// conclude ends the run in the history, and completes the run's object by what
// the history knows. It never fails a run.
func (f *finisher) conclude(ctx context.Context, run *record.Run) {
	if f.chronicle == nil {
		return
	}
	err := f.finishChronicle(ctx, run)
	if err == nil {
		err = f.memory.complete(ctx, run, f.settings.Entries)
	}
	if err != nil {
		f.warn(run, err)
	}
}

func (f *finisher) finishChronicle(ctx context.Context, run *record.Run) error {
	var saved error
	if f.seen.source != nil {
		saved = f.memory.history.SaveState(ctx, f.seen.state)
	}
	whole := f.sel == nil && f.reach(*run) >= rerun.Ended
	return errors.Join(saved, f.chronicle.finish(ctx, *run, whole, f.sound()))
}

// sound are the suites whose tests came to their ends, and nothing beside them
// failed.
func (f *finisher) sound() []string {
	ends := maps.Clone(f.run.col.tally.suites)
	if f.widened != nil {
		maps.Copy(ends, f.widened.col.tally.suites)
	}
	var suites []string
	for _, suite := range sortedKeys(ends) {
		if (ends[suite] == sdk.SuitePassed || ends[suite] == sdk.SuiteFailed) && f.run.col.tally.fixtures[suite] != sdk.Failed {
			suites = append(suites, suite)
		}
	}
	return suites
}

// complete adds to a run that is on record what the history knows, and notes how
// its files stand now.
func (m *memory) complete(ctx context.Context, run *record.Run, entries int) error {
	row, err := m.history.Run(ctx, run.RunID)
	if err != nil {
		return err
	}
	if err := m.annotate(ctx, run, row); err != nil {
		return err
	}
	if run.Integrity, err = m.integrity(ctx, *run, row); err != nil {
		return err
	}
	if leavesNothing(run.Kind) && run.Kind != record.KindIngest {
		return nil
	}
	found, err := m.entries(ctx, row)
	if err != nil {
		return err
	}
	return m.history.PutEntries(ctx, found, entries)
}

// annotate gives the failures of a run their standing, as of that run.
func (m *memory) annotate(ctx context.Context, run *record.Run, row history.Run) error {
	if len(run.Failures) == 0 || run.Kind == record.KindTriage {
		return nil
	}
	var tests []record.Test
	asked := map[record.Test]bool{}
	ask := func(t record.Test) {
		if !asked[t] {
			asked[t] = true
			tests = append(tests, t)
		}
	}
	for _, f := range run.Failures {
		ask(record.Test{Suite: f.Suite, Test: f.Test})
		ask(record.Test{Suite: f.Suite}) // what a fixture's failure stands for
	}
	standings, err := m.standings(ctx, run.Language, tests, row.SessionID, row.Order+1)
	if err != nil {
		return err
	}
	for i := range run.Failures {
		f := &run.Failures[i]
		s, ok := standings[record.Test{Suite: f.Suite, Test: f.Test}]
		if !ok || s.Classification == "" {
			s, ok = standings[record.Test{Suite: f.Suite}]
		}
		if ok && s.Classification != "" {
			f.Standing = &s
		}
	}
	return nil
}

// integrity tells what vanished or became skipped since the session began. It
// only compares runs of everything, in one environment.
func (m *memory) integrity(ctx context.Context, run record.Run, row history.Run) (*record.Integrity, error) {
	if !row.Whole || run.Counts.BuildFailed > 0 || run.Counts.NeverStarted > 0 || run.Counts.Unfinished > 0 {
		return nil, nil
	}
	reference, ok, err := m.reference(ctx, row)
	if err != nil || !ok {
		return nil, err
	}
	changes := func(yield func(history.Change) bool) { err = m.history.Compare(ctx, reference.ID, row.ID, yield) }
	found := classify.Integrity(reference.ID, changes)
	return found, err
}

// reference is the run that a session began with: the last one of everything
// before it, or else the first one in it.
func (m *memory) reference(ctx context.Context, row history.Run) (history.Run, bool, error) {
	like := history.RunFilter{Language: row.Language, Whole: true, Environment: row.Environment, Before: row.Order}
	own := like
	own.SessionID = row.SessionID
	inSession, err := m.history.Runs(ctx, own)
	if err != nil {
		return history.Run{}, false, err
	}
	earlier := like
	earlier.NotSession, earlier.Limit = row.SessionID, 1
	if len(inSession) > 0 {
		earlier.Before = inSession[len(inSession)-1].Order
	}
	before, err := m.history.Runs(ctx, earlier)
	switch {
	case err != nil:
		return history.Run{}, false, err
	case len(before) > 0:
		return before[0], true, nil
	case len(inSession) > 0:
		return inSession[len(inSession)-1], true, nil
	}
	return history.Run{}, false, nil
}

// sign names the causes of a run's failures.
func sign(run *record.Run) {
	for i := range run.Failures {
		run.Failures[i].Signature = classify.Signature(run.Failures[i])
	}
	run.Causes = classify.Causes(run.Failures)
}
