package host

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// spotTests is how many failing tests of a file are named.
const spotTests = 5

// Context says what to know at the start of a session: the files that keep
// failing, and those that regressed. It never starts a plugin. Without any record
// there is nothing to know.
func (h *Host) Context(ctx context.Context, where Where) (record.Context, error) {
	m, err := h.recallSets(ctx, where)
	var none *NoRunError
	if errors.As(err, &none) {
		return classify.Context(nil, nil), nil
	}
	if err != nil {
		return record.Context{}, err
	}
	now, err := m.currentSpots(ctx)
	if err != nil {
		return record.Context{}, err
	}
	note := classify.Context(now.spots(), now.Namesakes)
	languages := now.Languages
	if len(languages) == 0 { // no run is on record, or not any more
		if languages, err = m.languages(ctx); err != nil {
			return record.Context{}, err
		}
	}
	for _, language := range languages {
		if earlier := m.earlier(ctx, language); earlier != nil {
			note.Outstanding += earlier.Tests
		}
	}
	return note, ctx.Err()
}

// currentSpots are the files that give trouble now.
func (m *memory) currentSpots(ctx context.Context) (now keptSpots, err error) {
	j, err := m.judgeFiles(ctx, 0, nil)
	if err != nil || j.same || len(j.finished) == 0 {
		return j.kept(), err
	}
	last, ok, err := m.lastOwn(ctx)
	if err != nil || !ok {
		return now, err
	}
	if now, err = j.keep(ctx, last.Order, ""); err != nil {
		m.host.cfg.Logger.Warn("the note was not kept", "error", err) // it is found again
	}
	return now, nil
}

// lastOwn is our own newest finished run.
func (m *memory) lastOwn(ctx context.Context) (last history.Run, ok bool, err error) {
	filter := history.RunFilter{State: record.StateFinished, Kinds: []record.Kind{record.KindRun, record.KindRerun}, Limit: 8}
	for {
		runs, err := m.history.Runs(ctx, filter)
		if err != nil || len(runs) == 0 {
			return last, false, err
		}
		if i := slices.IndexFunc(runs, func(r history.Run) bool { return !r.Foreign() }); i >= 0 {
			return runs[i], true, nil
		}
		filter.Before, filter.Limit = runs[len(runs)-1].Order, 1000 // beyond an archive
	}
}

// spot says how a file stood when it was run last. order is that of the run.
func (m *judgement) spot(ctx context.Context, at sourceFile, subject classify.FileSubject) (spot record.Spot, order int64, err error) {
	sessions := sessionsOf(subject.Suspects)
	if len(sessions) == 0 {
		return spot, 0, nil
	}
	latest := sessions[len(sessions)-1]
	stands, err := m.fileStanding(ctx, at, subject, latest)
	if err != nil {
		return spot, 0, err
	}
	spot = record.Spot{
		File: at.file, Classification: stands.Classification, Resolution: stands.Resolution,
		FailedSessions: stands.FailedSessions, Recurring: stands.Recurring,
	}
	// A regression that the next session left as it was is still a recent one,
	// until it recurs.
	if c := stands.Classification; c == record.Failing && !stands.Recurring {
		for _, s := range slices.Backward(sessions[:len(sessions)-1]) {
			before, err := m.fileStanding(ctx, at, subject, s)
			if err != nil {
				return spot, 0, err
			}
			if c = before.Classification; c != record.Failing {
				break
			}
		}
		if c == record.Regression || c == record.Unsteady {
			spot.Classification = c
		}
	}
	if spot.Classification == record.Regression && stands.Flaky != nil {
		spot.Classification = record.Unsteady
	}
	for _, t := range classify.BadNow(subject) {
		if p, ok := classify.Latest(t.Points); ok && !p.Derived && len(spot.Tests) < spotTests {
			spot.Tests = append(spot.Tests, t.TestKey.Test)
		}
	}
	if spot.Resolution != record.StatusPassed && spot.Resolution != record.StatusFixed && len(spot.Tests) == 0 {
		spot.Classification = "" // what was bad in it does not exist any more
	}
	return spot, latest.last.Order, nil
}

// ran is a session that ran something, last the newest result that it had.
type ran struct {
	session string
	last    history.Point
}

// sessionsOf are the sessions that ran some tests, those that did so last at the
// end.
func sessionsOf(timelines []history.Timeline) []ran {
	var sessions []ran
	for _, t := range timelines {
		for _, p := range t.Points {
			if p.RunKind == record.KindTriage || !p.Outcome.Conclusive() {
				continue
			}
			i := slices.IndexFunc(sessions, func(r ran) bool { return r.session == p.SessionID })
			switch {
			case i < 0:
				sessions = append(sessions, ran{session: p.SessionID, last: p})
			case p.Order > sessions[i].last.Order:
				sessions[i].last = p
			}
		}
	}
	slices.SortFunc(sessions, func(a, b ran) int { return cmp.Compare(a.last.Order, b.last.Order) })
	return sessions
}

// fileStanding says how a file stood at the end of a session.
func (m *judgement) fileStanding(ctx context.Context, at sourceFile, subject classify.FileSubject, session ran) (record.Standing, error) {
	subject.SessionID = session.session
	stands := classify.File(subject)
	if stands.Classification != record.Gap {
		return stands, nil
	}
	older := func(tests []history.Test) bool { return m.anyOlder(ctx, at.file, tests, session) }
	suspects := make([]history.Test, 0, len(subject.Suspects))
	for _, t := range subject.Suspects {
		suspects = append(suspects, t.Test)
	}
	if subject.Known = older(suspects); !subject.Known {
		// Perhaps a test of it that never failed is an older one.
		tests, err := m.history.Tests(ctx, history.TestFilter{Language: at.language, File: at.file})
		if err != nil {
			return stands, err
		}
		subject.Known = older(tests)
	}
	return classify.File(subject), nil
}

// anyOlder tells whether another session of ours knew a test of a file before the
// end of a session. Of a run that is gone from the record only the time is known.
func (m *judgement) anyOlder(ctx context.Context, file string, tests []history.Test, session ran) bool {
	m.older = true
	earlier := map[string]bool{}
	return slices.ContainsFunc(tests, func(t history.Test) bool {
		if t.File != file || t.FirstSession == session.session || t.FirstAt.IsZero() {
			return false
		}
		older, asked := earlier[t.FirstRun]
		if !asked {
			older = !t.FirstAt.After(session.last.At)
			if first, err := m.history.Run(ctx, t.FirstRun); err == nil && first.ID == t.FirstRun {
				older = !first.Foreign() && first.Order <= session.last.Order
			}
			earlier[t.FirstRun] = older
		}
		return older
	})
}
