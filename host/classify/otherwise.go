package classify

import (
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// alike are the attempts that the latest one in a session can be compared with.
// Left out is what was made in another setting (arguments, settings, tools) and
// ended otherwise on sources on which the setting of the latest ended the other
// way: there it was the setting and not the sources that made the difference.
// A pass without -race mends no race. otherwise is the newest of what is left out
// that contradicts the latest and was not taken back in its own setting since.
func alike(all []attempt, session string) (kept []attempt, otherwise *api.Otherwise) {
	latest, ok := latestIn(all, session)
	if !ok {
		return all, nil
	}
	setting := latest.first().Setting()
	type ends struct{ passed, bad bool }
	here := map[string]ends{} // by the state of the sources, in the latest's setting
	for _, a := range all {
		if c, known := a.circumstances(); known && a.conclusive() && a.first().Setting() == setting {
			e := here[c.fingerprint]
			here[c.fingerprint] = ends{e.passed || a.passed, e.bad || a.bad}
		}
	}
	left := map[string]*history.Point{} // the newest contradiction of each setting
	for _, a := range all {
		c, known := a.circumstances()
		other := a.first().Setting()
		e := here[c.fingerprint]
		if !known || !a.conclusive() || other == setting || !(a.bad && e.passed && !e.bad || a.passed && e.bad && !e.passed) {
			if a.conclusive() && a.bad == latest.bad {
				delete(left, other) // there, too, it ends as the latest did
			}
			kept = append(kept, a)
			continue
		}
		if p := a.decisive(); a.bad != latest.bad {
			left[other] = &p
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

// latestIn is the last attempt of a session that proves something.
func latestIn(all []attempt, session string) (a attempt, ok bool) {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].session() == session && all[i].conclusive() {
			return all[i], true
		}
	}
	return attempt{}, false
}
