package classify

import "slices"

// recurringSessions is the number of sessions that must leave something unresolved for
// it to be recurring, and that it must pass in to stop being so.
const recurringSessions = 3

// sessions are how sessions ended for a test or file, ordered by when they last ran it.
type sessions struct{ ends []ending }

type ending struct {
	session string
	how     howEnded
}

// howEnded is how a session ended.
type howEnded int

const (
	endsGood howEnded = iota
	// endsOpen means that something is bad that the session did not run itself, so that
	// the session neither failed nor passed.
	endsOpen
	endsBad
)

// addEnd adds a conclusive result of a session, replacing earlier ones.
func (s *sessions) addEnd(session string, how howEnded) {
	s.ends = slices.DeleteFunc(s.ends, func(e ending) bool { return e.session == session })
	s.ends = append(s.ends, ending{session, how})
}

// countFailed counts the sessions that ended badly.
func (s *sessions) countFailed() int {
	n := 0
	for _, e := range s.ends {
		if e.how == endsBad {
			n++
		}
	}
	return n
}

// isRecurring reports whether enough sessions ended badly and not all of the latest ended
// well.
func (s *sessions) isRecurring() bool {
	if s.countFailed() < recurringSessions {
		return false
	}
	latest := s.ends[len(s.ends)-recurringSessions:]
	return slices.ContainsFunc(latest, func(e ending) bool { return e.how != endsGood })
}
