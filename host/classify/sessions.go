package classify

import "slices"

// recurringSessions is in how many sessions something must have been left
// unresolved to be recurring, and in how many it must pass to be no longer.
const recurringSessions = 3

// sessions are how sessions ended for a test or file, those that ran it last at
// the end.
type sessions struct{ ends []ending }

type ending struct {
	session string
	how     howEnded
}

// howEnded is how a session ended.
type howEnded int

const (
	endsGood howEnded = iota
	// endsOpen: something is bad that the session did not run itself. It is no
	// session that failed, nor one that passed.
	endsOpen
	endsBad
)

// end takes a conclusive result of a session: the last one counts.
func (s *sessions) end(session string, how howEnded) {
	s.ends = slices.DeleteFunc(s.ends, func(e ending) bool { return e.session == session })
	s.ends = append(s.ends, ending{session, how})
}

// failed counts the sessions that ended badly.
func (s *sessions) failed() int {
	n := 0
	for _, e := range s.ends {
		if e.how == endsBad {
			n++
		}
	}
	return n
}

// recurring: bad in enough sessions, and not good in all of the latest.
func (s *sessions) recurring() bool {
	if s.failed() < recurringSessions {
		return false
	}
	latest := s.ends[len(s.ends)-recurringSessions:]
	return slices.ContainsFunc(latest, func(e ending) bool { return e.how != endsGood })
}
