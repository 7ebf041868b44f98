package ledger

import (
	"context"
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// Earlier is what other sessions left outstanding, of a language or of all; nil
// is nothing. It never fails: it stands beside an answer.
func (m *Ledger) Earlier(ctx context.Context, language string) *api.Earlier {
	if m.History == nil {
		return nil
	}
	languages := []string{language}
	if language == "" {
		var err error
		if languages, err = m.Languages(ctx); err != nil {
			return nil
		}
	}
	var found *api.Earlier
	for _, l := range languages {
		set, err := m.Outstanding(ctx, l)
		if err != nil || set.Len() == 0 {
			continue
		}
		e := m.since(ctx, set)
		switch {
		case found == nil:
			found = &e
		case !e.At.IsZero() && e.At.Before(found.At):
			e.Add(*found)
			found = &e
		default:
			found.Add(e)
		}
	}
	return found
}

// since says from when a set is outstanding: its first entry came in first.
func (m *Ledger) since(ctx context.Context, set outstanding.Set) api.Earlier {
	e := api.Earlier{Count: set.Len(), Kinds: set.Counts()}
	run, err := m.History.Run(ctx, set.Entries[0].RunID)
	if err != nil {
		return e // it is no longer on record
	}
	e.RunID, e.SessionID, e.At = run.ID, run.SessionID, run.StartedAt
	e.AgeS = max(m.Keeper.Cfg.Now().Sub(run.StartedAt), 0).Seconds()
	e.Own = run.SessionID == m.Artifacts.SessionID()
	return e
}

// ForeignSince tells what of a set other sessions made outstanding, and since
// when.
func (m *Ledger) ForeignSince(ctx context.Context, set outstanding.Set) (string, bool) {
	var foreign outstanding.Set
	theirs := map[string]bool{}
	for _, e := range set.Entries {
		is, known := theirs[e.RunID]
		if !known && len(theirs) < maxSinceRuns {
			run, err := m.History.Run(ctx, e.RunID)
			is = err == nil && run.SessionID != m.Artifacts.SessionID()
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

// SlipFix is what to do about a suite that a rerun could not set up: it may never have
// been one. Empty where there is none.
func SlipFix(run api.Run, requested []outstanding.Target) string {
	for _, failure := range run.Failures {
		whole := func(t outstanding.Target) bool { return t.Test == api.Test{Suite: failure.Suite} && t.Suite != "" }
		if failure.Kind == sdk.KindSetup && slices.ContainsFunc(requested, whole) {
			return fmt.Sprintf("`proctor outstanding --drop %s` takes this suite off if it was a slip", prose.ShellLine([]string{failure.Suite}))
		}
	}
	return ""
}
