package classify

import (
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// keepComparable returns the attempts that a session's latest one can be compared with. It
// drops attempts of another setting (arguments, settings, tools) that ended differently on
// the same sources, because the setting made the difference: a pass without -race does not
// fix a race. otherwise is the newest dropped attempt that ended differently from the
// latest one, unless its setting has ended like the latest one since.
func keepComparable(all []attempt, session string) (kept []attempt, otherwise *api.Otherwise) {
	latest, ok := latestIn(all, session)
	if !ok {
		return all, nil
	}
	setting := latest.first().Setting()
	if !slices.ContainsFunc(all, func(a attempt) bool { return a.first().Environment != latest.first().Environment }) {
		return all, nil // mostly there is one
	}
	type ends struct{ passed, bad bool }
	here := map[string]ends{} // by source state, in the latest attempt's setting
	for _, a := range all {
		if c, known := a.circumstances(); known && a.isConclusive() && a.first().Setting() == setting {
			e := here[c.fingerprint]
			here[c.fingerprint] = ends{e.passed || a.passed, e.bad || a.bad}
		}
	}
	left := map[string]*history.Point{} // the newest contradiction of each setting
	for _, a := range all {
		c, known := a.circumstances()
		other := a.first().Setting()
		e := here[c.fingerprint]
		if !known || !a.isConclusive() || other == setting || !(a.bad && e.passed && !e.bad || a.passed && e.bad && !e.passed) {
			if a.isConclusive() && a.bad == latest.bad {
				delete(left, other) // that setting now ends like the latest, too
			}
			kept = append(kept, a)
			continue
		}
		if a.bad != latest.bad {
			left[other] = a.decisivePoint()
		} else {
			delete(left, other)
		}
	}
	var newest *history.Point
	for _, p := range left {
		if newest == nil || p.Order > newest.Order {
			newest = p
		}
	}
	if newest == nil {
		return kept, nil
	}
	return kept, &api.Otherwise{RunID: newest.RunID, At: newest.At, Failed: newest.Outcome.Bad()}
}

// latestIn returns a session's last conclusive attempt.
func latestIn(all []attempt, session string) (a attempt, ok bool) {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].session() == session && all[i].isConclusive() {
			return all[i], true
		}
	}
	return attempt{}, false
}
