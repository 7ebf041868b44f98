package host

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
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
			note.Outstanding += earlier.Count
			note.OutstandingCounts.Add(earlier.Kinds)
		}
		if set, err := m.outstanding(ctx, language); err == nil {
			first := set.Entries[:min(len(set.Entries), max(spotTests-len(note.OutstandingTests), 0))]
			note.OutstandingTests = append(note.OutstandingTests, m.namedTests(ctx, language, first)...)
		}
	}
	m.findMissing(&note)
	classify.Tell(&note)
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
		spot.Regressed = c == record.Regression || c == record.Unsteady
	}
	spot.Regressed = spot.Regressed || spot.Classification == record.Regression
	for _, t := range classify.BadNow(subject) {
		if p, ok := classify.Latest(t.Points); ok && !p.Derived && len(spot.Tests) < spotTests {
			spot.Tests = append(spot.Tests, t.TestKey.Test)
			if spot.Failing == nil && !isFlaky(t) {
				if spot.Failing, err = m.failingSince(ctx, t); err != nil {
					return spot, 0, err
				}
			}
		}
	}
	for _, t := range subject.Suspects {
		if len(spot.Flaky) < spotTests && isFlaky(t) && !complete(subject.Complete).lack(t.Points) {
			spot.Flaky = append(spot.Flaky, t.TestKey.Test)
		}
	}
	if spot.Resolution != record.StatusPassed && spot.Resolution != record.StatusFixed && len(spot.Tests) == 0 {
		spot.Classification, spot.Regressed = "", false // what was bad in it does not exist any more
	}
	return spot, latest.last.Order, nil
}

// isFlaky reports whether a test stands as flaky after all that is on record of it.
func isFlaky(t history.Timeline) bool {
	p, ok := classify.Latest(t.Points)
	if !ok {
		return false
	}
	s := classify.Test(classify.Subject{Timeline: t, SessionID: p.SessionID})
	return s.IsFlaky()
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
	// Perhaps another session knew a test of it that never failed.
	tests, err := m.history.Tests(ctx, history.TestFilter{Language: at.language, File: at.file})
	if err != nil {
		return stands, err
	}
	tests = slices.DeleteFunc(tests, func(t history.Test) bool {
		return slices.ContainsFunc(subject.Suspects, func(s history.Timeline) bool { return s.TestKey == t.TestKey })
	})
	if subject.Known = m.anyOlder(ctx, at.file, tests, session); !subject.Known {
		if subject.Known, err = m.knownElsewhere(ctx, at, tests, session); err != nil {
			return stands, err
		}
	}
	return classify.File(subject), nil
}

// knownElsewhere tells whether another session of ours ran a test of a file that the
// session knew first, before the end of that.
func (m *judgement) knownElsewhere(ctx context.Context, at sourceFile, tests []history.Test, session ran) (known bool, err error) {
	var own []record.Test
	for _, t := range tests {
		if t.File == at.file && t.FirstSession == session.session && len(own) < m.extent.tests {
			own = append(own, t.TestKey.Test)
		}
	}
	filter := history.TimelineFilter{Language: at.language, Tests: own, Before: session.last.Order + 1, Points: leastPoints}
	err = m.timelines(ctx, filter, func(t history.Timeline) {
		known = known || slices.ContainsFunc(t.Points, func(p history.Point) bool {
			return p.SessionID != session.session && p.RunKind != record.KindTriage && !p.Foreign()
		})
	})
	return known, err
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

// failingSince says since when a test fails, and what had changed by then.
func (m *memory) failingSince(ctx context.Context, t history.Timeline) (*record.SpotTest, error) {
	passed, failed := classify.FailingSince(t.Points)
	if failed == nil {
		return nil, nil
	}
	since := &record.SpotTest{Test: t.TestKey.Test, SinceRunID: failed.RunID, SinceAt: failed.At}
	if passed == nil {
		return since, nil
	}
	changed, err := m.changes(ctx, passed.Fingerprint, failed.Fingerprint)
	changed.Files = changed.Files[:min(len(changed.Files), spotTests)]
	since.Changed = &changed
	return since, err
}

// maxTestFile is how much of a test's file is looked at for its name.
const maxTestFile = 4 << 20

// findMissing finds those failing tests whose names do not stand in their files any
// more, as far as these are named.
func (m *memory) findMissing(note *record.Context) {
	for _, spots := range [][]record.Spot{note.Recurring, note.Regressions, note.Flaky} {
		for i := range spots[:min(len(spots), spotTests)] {
			s := &spots[i]
			if s.Failing == nil || !filepath.IsLocal(filepath.FromSlash(s.File)) {
				continue
			}
			told := *s.Failing
			told.Missing = m.lacksName(s.File, told.Test.Test)
			s.Failing = &told
		}
	}
}

// namedTests are outstanding tests, and whether their names still stand in their files.
func (m *memory) namedTests(ctx context.Context, language string, entries []rerun.Entry) []record.NamedTest {
	var ids []record.Test
	for _, e := range entries {
		ids = append(ids, e.Test)
	}
	files := map[record.Test]string{}
	if len(ids) > 0 {
		_ = m.timelines(ctx, history.TimelineFilter{Language: language, Tests: ids, Points: 1}, func(t history.Timeline) {
			files[t.TestKey.Test] = t.File
		}) // without it nothing is known to be missing
	}
	var named []record.NamedTest
	for _, e := range entries {
		file := files[e.Test]
		local := file != "" && filepath.IsLocal(filepath.FromSlash(file))
		named = append(named, record.NamedTest{Test: e.Test, Missing: local && e.Test.Test != "" && m.lacksName(file, rootOf(e))})
	}
	return named
}

// lacksName tells whether a file of the workspace is gone, or has no line with a test's
// name.
func (m *memory) lacksName(file, test string) bool {
	path := filepath.Join(m.store.Workspace(), filepath.FromSlash(file))
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxTestFile {
		return errors.Is(err, fs.ErrNotExist)
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxTestFile))
	name := plainTestName(test)
	return err == nil && name != "" && !hasWord(string(text), name)
}
