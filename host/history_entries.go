package host

import (
	"context"
	"maps"
	"slices"
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
	// suspectPoints is how many results of each are read: the end of every run waits
	// for them. Of the first so many, all sessions are looked at beside these.
	suspectPoints = 50
	fullSuspects  = 25
)

// entries tell how the files that a finished run had tests of stand in its
// session after it. With that, the note for the next session is known and kept.
func (m *memory) entries(ctx context.Context, run history.Run) ([]record.Entry, error) {
	if run.Foreign() {
		return nil, nil // it says nothing of the workspace as it is here
	}
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
	whole, err := m.completeRuns(ctx, run.Language, before)
	if err != nil {
		return nil, err
	}
	deferred, err := m.deferrals(ctx)
	if err != nil {
		return nil, err
	}
	end := run.StartedAt.Add(run.Duration).UTC().Truncate(time.Millisecond)
	entries := make([]record.Entry, 0, len(counts))
	for _, c := range counts {
		if c.File == "" {
			continue
		}
		at := sourceFile{run.Language, c.File}
		subject := classify.FileSubject{Count: c, Suspects: files[at], Complete: whole, SessionID: run.SessionID, Deferred: in(deferred)}
		s := classify.File(subject)
		if s.Classification == record.Regression {
			// The counts take a test for an old one that was only seen elsewhere.
			subject.Count.New = c.Passed + c.Bad + c.Skipped + c.Else
			last := history.Point{Order: run.Order, At: run.StartedAt}
			if s, err = m.fileStanding(ctx, at, subject, ran{run.SessionID, last}); err != nil {
				return nil, err
			}
		}
		if s.Classification == "" {
			continue // nothing was proved about it
		}
		entries = append(entries, record.Entry{
			File: c.File, Status: s.Resolution, SessionID: run.SessionID, Timestamp: end, Classification: s.Classification,
		})
	}
	spots, err := m.spots(ctx, files, before, deferred)
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

// suspects are the timelines, of our own runs alone, of tests that ever failed in
// one, by the file in which they are declared, also of tests that do not exist any more.
func (m *memory) suspects(ctx context.Context, before int64) (map[sourceFile][]history.Timeline, error) {
	tests, err := m.history.Suspects(ctx, history.SuspectFilter{Limit: suspectsRead})
	if err != nil {
		return nil, err
	}
	files, each, total := map[sourceFile][]history.Timeline{}, map[sourceFile]int{}, 0
	// What failed only elsewhere takes no place from what failed here.
	var hidden []history.Test
	for again := true; again; {
		most, whole := suspectTests-total, len(hidden) > 0
		if total < fullSuspects {
			most, whole = fullSuspects-total, true
		}
		again, tests, hidden = whole, slices.Concat(hidden, tests), nil
		var named map[string][]record.Test
		if named, tests = choose(tests, maps.Clone(each), most); len(named) == 0 {
			break
		}
		for language, chosen := range named {
			timelines := history.TimelineFilter{
				Language: language, Tests: chosen, Before: before, Points: suspectPoints, Ends: whole,
			}
			err := m.timelines(ctx, timelines, func(t history.Timeline) {
				at := sourceFile{language, t.File}
				own, foreign := apart(t.Points)
				if t.Cut && !whole && len(foreign) > 0 {
					hidden, again = append(hidden, t.Test), true // behind what was made elsewhere
					return
				}
				if len(own) == 0 || anyBad(foreign) && !anyBad(own) {
					again = true
					return
				}
				each[at]++
				total++
				t.Points = own
				files[at] = append(files[at], t)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// choose takes at most so many tests, and of each file only some; left are the
// others.
func choose(tests []history.Test, each map[sourceFile]int, most int) (named map[string][]record.Test, left []history.Test) {
	named = map[string][]record.Test{}
	for _, t := range tests {
		at := sourceFile{t.Language, t.File}
		switch {
		case t.File == "":
		case each[at] == suspectsEach || most == 0:
			left = append(left, t)
		default:
			each[at]++
			most--
			named[t.Language] = append(named[t.Language], t.TestKey.Test)
		}
	}
	return named, left
}

func anyBad(points []history.Point) bool {
	return slices.ContainsFunc(points, func(p history.Point) bool { return p.Outcome.Bad() })
}
