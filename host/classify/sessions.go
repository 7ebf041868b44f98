package classify

import "slices"

// recurringSessions is the number of sessions that must leave something unresolved for
// it to be recurring, and that it must pass in to stop being so.
const recurringSessions = 3

// sessions are how sessions ended for a test or file, ordered by when they last ran it.
type sessions struct {
	ends []ending
	// at is where each session stands in ends.
	at map[string]int
}

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

// newSessions returns no sessions, with room for so many.
func newSessions(most int) sessions {
	return sessions{ends: make([]ending, 0, most), at: make(map[string]int, most)}
}

// addEnd adds a conclusive result of a session, replacing earlier ones. Mostly these are of the
// last session or of none: a test may have been run in a thousand.
func (s *sessions) addEnd(session string, how howEnded) {
	if s.at == nil {
		s.at = map[string]int{}
	}
	if i, ok := s.at[session]; ok {
		s.ends = slices.Delete(s.ends, i, i+1)
		for j, e := range s.ends[i:] {
			s.at[e.session] = i + j
		}
	}
	s.at[session] = len(s.ends)
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
