package host

import (
	"context"
	"time"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

const (
	// suspectTests is how many tests that ever failed are looked at, those that
	// failed last first. A project where more fail has other worries.
	suspectTests = 300
	// suspectsEach is how many of them may be of one file: that one is bad shows
	// with a few.
	suspectsEach = 10
	// suspectsRead is how many are chosen from.
	suspectsRead = 2000
	// suspectPoints is how many results of each are read at most: the end of every
	// run waits for them.
	suspectPoints = 100
)

// entries tell how the files that a finished run had tests of stand in its
// session after it. With that, the note for the next session is known and kept.
func (m *memory) entries(ctx context.Context, run history.Run) ([]record.Entry, error) {
	counts, err := m.history.Files(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	var before int64
	if run.Order > 0 {
		before = run.Order + 1
	}
	files, err := m.suspects(ctx, before)
	if err != nil {
		return nil, err
	}
	deferred, err := m.deferrals(ctx)
	if err != nil {
		return nil, err
	}
	at := run.StartedAt.Add(run.Duration).UTC().Truncate(time.Millisecond)
	entries := make([]record.Entry, 0, len(counts))
	for _, c := range counts {
		if c.File == "" {
			continue
		}
		s := classify.File(classify.FileSubject{
			Count: c, Suspects: files[sourceFile{run.Language, c.File}], SessionID: run.SessionID, Deferred: in(deferred),
		})
		if s.Classification == "" {
			continue // nothing was proved about it
		}
		entries = append(entries, record.Entry{
			File: c.File, Status: s.Resolution, SessionID: run.SessionID, Timestamp: at, Classification: s.Classification,
		})
	}
	spots, err := m.spots(ctx, files, deferred)
	if err != nil {
		return nil, err
	}
	_, err = m.keepSpots(ctx, run.Order, run.Language, deferred, spots)
	return entries, err
}

// in tells whether a test is set aside.
func in(deferred map[history.TestKey]history.Deferral) func(history.TestKey) bool {
	return func(t history.TestKey) bool { _, ok := deferred[t]; return ok }
}

// sourceFile is a file with tests of a language.
type sourceFile struct{ language, file string }

// suspects are the timelines of tests that ever failed, by the file in which they
// are declared. Tests that do not exist any more are left out.
func (m *memory) suspects(ctx context.Context, before int64) (map[sourceFile][]history.Timeline, error) {
	tests, err := m.history.Suspects(ctx, history.SuspectFilter{Limit: suspectsRead})
	if err != nil {
		return nil, err
	}
	named, each, total := map[string][]record.Test{}, map[sourceFile]int{}, 0
	for _, t := range tests {
		at := sourceFile{t.Language, t.File}
		if t.File == "" || each[at] == suspectsEach || total == suspectTests {
			continue
		}
		each[at]++
		total++
		named[t.Language] = append(named[t.Language], t.TestKey.Test)
	}
	files := map[sourceFile][]history.Timeline{}
	for language, tests := range named {
		last, err := m.lastComplete(ctx, language, before)
		if err != nil {
			return nil, err
		}
		timelines := history.TimelineFilter{Language: language, Tests: tests, Before: before, Points: min(pointsEach(total), suspectPoints), Ends: true}
		err = m.timelines(ctx, timelines, func(t history.Timeline) {
			if n := len(t.Points); n > 0 && t.Points[n-1].Order >= last {
				key := sourceFile{language, t.File}
				files[key] = append(files[key], t)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// wholeRuns is how many runs of everything are looked through for one that got to
// every test.
const wholeRuns = 50

// lastComplete is the order of the newest run that got to every test there is: a
// test without a result in it or later does not exist any more. 0 is none.
func (m *memory) lastComplete(ctx context.Context, language string, before int64) (int64, error) {
	runs, err := m.history.Runs(ctx, history.RunFilter{
		Language: language, Whole: true, State: record.StateFinished, Before: before, Limit: wholeRuns,
	})
	for _, r := range runs {
		c := r.Counts
		if (r.Verdict == record.Passed || r.Verdict == record.Failed) && c.Unfinished+c.NeverStarted+c.BuildFailed == 0 {
			return r.Order, err
		}
	}
	return 0, err
}
