package host

import (
	"context"
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/rerun"
)

// NoRunError says that the session has no run yet.
type NoRunError struct {
	// Language is what was asked for; empty is any.
	Language string
	// Earlier is what other sessions left outstanding; nil is nothing.
	Earlier *Earlier
	// Running is the first run, which goes on; empty is none.
	Running string
}

func (e *NoRunError) Error() string { return report.NoRunYet }

// Earlier is what earlier sessions left outstanding in the workspace.
type Earlier struct {
	// Count is of all that is outstanding, Kinds of each kind apart.
	Count int                      `json:"outstanding"`
	Kinds record.OutstandingCounts `json:"outstanding_counts"`
	// RunID and SessionID are those of the run since which the first of it is
	// outstanding; empty where it is no longer on record.
	RunID     string `json:"since_run_id,omitempty"`
	SessionID string `json:"since_session_id,omitempty"`
	// At is when that run was.
	At time.Time `json:"since,omitzero"`
	// AgeS is how long ago that is, in seconds.
	AgeS float64 `json:"age_s,omitempty"`
	// own: that run was this session's.
	own bool
}

// add counts what is outstanding in another language, too.
func (e *Earlier) add(o Earlier) {
	e.Count += o.Count
	e.Kinds.Add(o.Kinds)
}

// String says it in a sentence.
func (e *Earlier) String() string {
	text := "outstanding from earlier sessions: " + e.Kinds.String()
	switch {
	case e.own:
		text = fmt.Sprintf("outstanding: %s, since run %s of this session, %s ago", e.Kinds, e.RunID, report.Duration(time.Duration(e.AgeS*float64(time.Second))))
	case e.RunID != "":
		text += fmt.Sprintf(", since run %s of session %s, %s ago", e.RunID, e.SessionID, report.Duration(time.Duration(e.AgeS*float64(time.Second))))
	}
	return text
}

// earlier is what other sessions left outstanding, of a language or of all; nil
// is nothing. It never fails: it stands beside an answer.
func (m *memory) earlier(ctx context.Context, language string) *Earlier {
	if m.history == nil {
		return nil
	}
	languages := []string{language}
	if language == "" {
		var err error
		if languages, err = m.languages(ctx); err != nil {
			return nil
		}
	}
	var found *Earlier
	for _, l := range languages {
		set, err := m.outstanding(ctx, l)
		if err != nil || set.Len() == 0 {
			continue
		}
		e := m.since(ctx, set)
		switch {
		case found == nil:
			found = &e
		case !e.At.IsZero() && e.At.Before(found.At):
			e.add(*found)
			found = &e
		default:
			found.add(e)
		}
	}
	return found
}

// since says from when a set is outstanding: its first entry came in first.
func (m *memory) since(ctx context.Context, set rerun.Set) Earlier {
	e := Earlier{Count: set.Len(), Kinds: set.Counts()}
	run, err := m.history.Run(ctx, set.Entries[0].RunID)
	if err != nil {
		return e // it is no longer on record
	}
	e.RunID, e.SessionID, e.At = run.ID, run.SessionID, run.StartedAt
	e.AgeS = max(m.host.cfg.Now().Sub(run.StartedAt), 0).Seconds()
	e.own = run.SessionID == m.store.SessionID()
	return e
}

// foreignSince tells what of a set other sessions made outstanding, and since
// when.
func (m *memory) foreignSince(ctx context.Context, set rerun.Set) (string, bool) {
	var foreign rerun.Set
	theirs := map[string]bool{}
	for _, e := range set.Entries {
		is, known := theirs[e.RunID]
		if !known && len(theirs) < maxSinceRuns {
			run, err := m.history.Run(ctx, e.RunID)
			is = err == nil && run.SessionID != m.store.SessionID()
			theirs[e.RunID] = is
		}
		if is {
			foreign.Entries = append(foreign.Entries, e)
		}
	}
	if foreign.Len() == 0 {
		return "", false
	}
	e := m.since(ctx, foreign)
	return e.String(), true
}

// maxSinceRuns bounds how many runs are looked up to say from when a set is.
const maxSinceRuns = 50

// reread adds what the history knows to a run that is read again: how each of its
// failures stands, and what has changed since. It never fails a read.
func (m *memory) reread(ctx context.Context, run *record.Run) {
	if m.history == nil {
		return
	}
	row, err := m.history.Run(ctx, run.RunID)
	if err != nil || row.ID != run.RunID {
		return // it was not recorded there
	}
	if err := m.annotate(ctx, run, row); err != nil {
		m.host.cfg.Logger.Warn("the history could not be read", "error", err)
	}
	run.Stale = m.stale(ctx, *run)
}
