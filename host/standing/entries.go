package standing

import (
	"context"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
)

// Entries returns the standing, in its session, of the files tested by a finished run. It
// also computes and stores the note for the next session.
func Entries(ctx context.Context, led *ledger.Ledger, run history.Run) ([]api.Entry, error) {
	if run.Foreign() {
		return nil, nil // it says nothing about this workspace
	}
	counts, err := led.History.Files(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	declared := make([]sourceFile, 0, len(counts))
	for _, c := range counts {
		declared = append(declared, sourceFile{run.Language, c.File})
	}
	j, err := judgeFiles(ctx, led, run.Order, declared)
	if err != nil {
		return nil, err
	}
	files, whole, err := j.asOf(ctx, run, declared)
	if err != nil {
		return nil, err
	}
	ran := lastRan{run.SessionID, history.Point{Order: run.Order, At: run.StartedAt}}
	other, err := j.newestOther(ctx, run.Language, ran)
	if err != nil {
		return nil, err
	}
	end := run.StartedAt.Add(run.Duration).UTC().Truncate(time.Millisecond)
	entries := make([]api.Entry, 0, len(counts))
	for _, c := range counts {
		if c.File == "" {
			continue
		}
		at := sourceFile{run.Language, c.File}
		subject := classify.FileSubject{Count: c, Suspects: files[at], Complete: whole, SessionID: run.SessionID, Order: run.Order, Deferred: in(j.deferred)}
		s := classify.File(subject)
		switch {
		case s.Classification == api.Gap && other > 0:
			// An earlier session may have known a test of it that this run lacks.
			if s, err = j.fileStanding(ctx, at, subject, ran); err != nil {
				return nil, err
			}
		case s.Classification == api.Regression:
			// The counts take a test that was only seen elsewhere for a known one.
			subject.Count.New = c.Passed + c.Bad + c.Skipped + c.Else
			if s, err = j.fileStanding(ctx, at, subject, ran); err != nil {
				return nil, err
			}
		}
		if s.Classification == "" {
			continue // nothing was proved about it
		}
		entries = append(entries, api.Entry{
			File: c.File, Status: s.Resolution, SessionID: run.SessionID, Timestamp: end, Classification: s.Classification,
		})
	}
	_, err = j.keep(ctx, run.Order, run.Language)
	return entries, err
}

// in returns a function that reports whether a test is deferred.
func in(deferred map[history.TestKey]history.Deferral) func(history.TestKey) bool {
	return func(t history.TestKey) bool { _, ok := deferred[t]; return ok }
}

// sourceFile is a file with tests in a language.
type sourceFile struct{ language, file string }
