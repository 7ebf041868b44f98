package standing

import (
	"cmp"
	"context"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

// lastRan is a session that ran something, and the newest result it had.
type lastRan struct {
	session string
	last    history.Point
}

// sessionsOf returns the sessions that ran some of the tests, ordered by when they last
// did.
func sessionsOf(timelines []history.Timeline) []lastRan {
	var sessions []lastRan
	at := map[string]int{}
	for _, t := range timelines {
		for _, p := range t.Points {
			if p.RunKind == api.KindTriage || !p.Outcome.Conclusive() {
				continue
			}
			i, ok := at[p.SessionID]
			switch {
			case !ok:
				at[p.SessionID] = len(sessions)
				sessions = append(sessions, lastRan{session: p.SessionID, last: p})
			case p.Order > sessions[i].last.Order:
				sessions[i].last = p
			}
		}
	}
	slices.SortFunc(sessions, func(a, b lastRan) int { return cmp.Compare(a.last.Order, b.last.Order) })
	return sessions
}

// HasSessions reports whether at least so many sessions ran a test.
func HasSessions(points []history.Point, least int) bool {
	var sessions []string
	for i := range points {
		p := &points[i]
		if len(sessions) >= least {
			break
		}
		if p.RunKind != api.KindTriage && p.Outcome.Conclusive() && !slices.Contains(sessions, p.SessionID) {
			sessions = append(sessions, p.SessionID)
		}
	}
	return len(sessions) >= least
}

// fileStanding returns how a file stood at the end of a session.
func (j *judgment) fileStanding(ctx context.Context, at sourceFile, subject classify.FileSubject, session lastRan) (api.Standing, error) {
	subject.SessionID = session.session
	stands := classify.File(subject)
	if stands.Classification != api.Gap {
		return stands, nil
	}
	// Another session may have known a test of it that never failed.
	other, err := j.newestOther(ctx, at.language, session)
	if err != nil {
		return stands, err
	}
	filter := history.TestFilter{Language: at.language, Of: at.file, OwnTo: session.session, Until: other}
	tests, err := j.History.Tests(ctx, filter)
	if err != nil {
		return stands, err
	}
	tests = slices.DeleteFunc(tests, func(t history.Test) bool {
		return slices.ContainsFunc(subject.Suspects, func(s history.Timeline) bool { return s.TestKey == t.TestKey })
	})
	by, known := j.findOlder(ctx, at.file, tests, session)
	if !known {
		if by, known, err = j.findKnownElsewhere(ctx, at, tests, session); err != nil {
			return stands, err
		}
	}
	if subject.Known = known; known && !slices.Contains(j.known, by) {
		j.known = append(j.known, by)
	}
	return classify.File(subject), nil
}

// otherSince asks for the newest run of another session up to a run.
type otherSince struct {
	language, session string
	order             int64
}

// newestOther returns the order of the newest run of another session, up to a session's
// newest result; 0 if there is none.
func (j *judgment) newestOther(ctx context.Context, language string, session lastRan) (int64, error) {
	asked := otherSince{language, session.session, session.last.Order}
	if order, ok := j.others[asked]; ok {
		return order, nil
	}
	filter := history.RunFilter{Language: language, NotSession: session.session, Before: session.last.Order + 1, Limit: 1}
	runs, err := j.History.Runs(ctx, filter)
	if err != nil {
		return 0, err
	}
	if j.others == nil {
		j.others = map[otherSince]int64{}
	}
	j.others[asked] = 0
	for _, r := range runs {
		j.others[asked] = r.Order
	}
	return j.others[asked], nil
}

// findKnownElsewhere finds a test of the file that, before the end of the session, another
// session of ours ran although the session was first to see it.
func (j *judgment) findKnownElsewhere(ctx context.Context, at sourceFile, tests []history.Test, session lastRan) (by sdk.TestID, known bool, err error) {
	var own []sdk.TestID
	for _, t := range tests {
		if t.File == at.file && t.FirstSession == session.session && len(own) < j.extent.Tests {
			own = append(own, t.TestKey.TestID)
		}
	}
	filter := history.TimelineFilter{Language: at.language, Tests: own, Before: session.last.Order + 1, Points: LeastPoints}
	err = Timelines(ctx, j.Ledger, filter, func(t history.Timeline) {
		if !known && slices.ContainsFunc(t.Points, func(p history.Point) bool {
			return p.SessionID != session.session && p.RunKind != api.KindTriage && !p.Foreign()
		}) {
			by, known = t.TestKey.TestID, true
		}
	})
	return by, known, err
}

// findOlder finds a test of a file that another session of ours knew before the end of a
// session. For a run gone from the record, only its time is known.
func (j *judgment) findOlder(ctx context.Context, file string, tests []history.Test, session lastRan) (by sdk.TestID, known bool) {
	j.older = true
	earlier := map[string]bool{}
	i := slices.IndexFunc(tests, func(t history.Test) bool {
		if t.File != file || t.FirstSession == session.session || t.FirstAt.IsZero() {
			return false
		}
		older, asked := earlier[t.FirstRun]
		if !asked {
			older = !t.FirstAt.After(session.last.At)
			if first, err := j.History.Run(ctx, t.FirstRun); err == nil && first.ID == t.FirstRun {
				older = !first.Foreign() && first.Order <= session.last.Order
			}
			earlier[t.FirstRun] = older
		}
		return older
	})
	if i < 0 {
		return by, false
	}
	return tests[i].TestKey.TestID, true
}
