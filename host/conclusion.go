package host

import (
	"context"
	"errors"
	"maps"
	"slices"

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
	// What runner arguments leave out is only known to the runner.
	whole := f.sel == nil && f.reach(*run) >= rerun.Ended && len(f.runnerArgs) == 0
	return errors.Join(saved, f.chronicle.finish(ctx, *run, whole, f.sound()))
}

// sound are the suites whose tests came to their ends, and nothing beside them
// failed.
func (f *finisher) sound() []string {
	ends := maps.Clone(f.run.col.tally.suites)
	unsound := f.run.col.tally.unsound()
	if f.widened != nil {
		maps.Copy(ends, f.widened.col.tally.suites)
		maps.Copy(unsound, f.widened.col.tally.unsound())
	}
	var suites []string
	for _, suite := range slices.Sorted(maps.Keys(ends)) {
		if (ends[suite] == sdk.SuitePassed || ends[suite] == sdk.SuiteFailed) && !unsound[suite] {
			suites = append(suites, suite)
		}
	}
	return suites
}

// unsound are the suites in which something failed beside the tests: a fixture, or
// the suite itself. Where not every failure was kept, any that failed may be one.
func (t *tally) unsound() map[string]bool {
	unsound := map[string]bool{}
	for suite, status := range t.fixtures {
		unsound[suite] = status == sdk.Failed
	}
	for _, f := range t.failures {
		if f.Test == "" {
			unsound[f.Suite] = true
		}
	}
	for suite, end := range t.suites {
		if end == sdk.SuiteFailed && t.unlisted() > 0 {
			unsound[suite] = true
		}
	}
	return unsound
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
	found, uncompared, err := m.integrity(ctx, row)
	if err != nil {
		return err
	}
	if run.Integrity = found; uncompared {
		run.Warnings = append(run.Warnings, notCompared)
	}
	if leavesNothing(run.Kind) {
		return nil
	}
	standing, err := m.entries(ctx, row)
	if err != nil {
		return err
	}
	return m.history.PutEntries(ctx, standing, entries)
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
		if f.Suite == "" && f.Test == "" && saysNoMore(f.Kind) {
			continue // that a run was cut off says nothing about one before
		}
		if run.Cancelled && saysNoMore(f.Kind) && slices.Contains(run.Unfinished, record.Test{Suite: f.Suite, Test: f.Test}) {
			continue // the user broke it off: that says nothing about it
		}
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

// sign names the causes of a run's failures. totals counts by signature what the
// run had of each, of which its object may carry less; it may be nil.
func sign(run *record.Run, totals map[string]int) {
	for i := range run.Failures {
		run.Failures[i].Signature = classify.Signature(run.Failures[i])
	}
	run.Causes = classify.Causes(run.Failures, totals)
}

// renewCauses gives the causes of a run that an earlier proctor recorded the names
// that their failures have now, as far as it carries these.
func renewCauses(run *record.Run) {
	if !slices.ContainsFunc(run.Causes, func(c record.Cause) bool { return !classify.IsCurrent(c.Signature) }) {
		return
	}
	names := make(map[string]string, len(run.Failures))
	for _, f := range run.Failures {
		names[f.ID] = classify.Signature(f)
	}
	for i, c := range run.Causes {
		for _, id := range c.Failures {
			if name, ok := names[id]; ok && !classify.IsCurrent(c.Signature) {
				run.Causes[i].Signature = name
				break
			}
		}
	}
}

// totalsOf are the counts that a run has of its causes.
func totalsOf(causes []record.Cause) map[string]int {
	totals := make(map[string]int, len(causes))
	for _, c := range causes {
		totals[c.Signature] += c.Total
	}
	return totals
}
