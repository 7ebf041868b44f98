package classify

import (
	"cmp"
	"slices"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// FileSubject is a file and what is on record of the tests that are declared in
// it.
type FileSubject struct {
	// Count sums up its tests in a run of the session, the newest that is meant.
	Count history.FileCount
	// Suspects are the timelines of those of its tests that were ever bad, with no
	// point after that run. Tests that do not exist any more are to be left out.
	Suspects []history.Timeline
	// SessionID is the session of the run.
	SessionID string
	// Known: an earlier session knew the file. It need not be set where the file
	// has a test that is not new, or a suspect with an older point.
	Known bool
	// Deferred tells whether the user set a test aside, and with it its parts. It
	// may be nil.
	Deferred func(history.TestKey) bool
}

// File says how a file stands after a run: badly while the last conclusive result
// of any of its tests in the session is bad. Of the standing, only classification,
// resolution, failed sessions and recurring are set; the former two are empty
// where no test of it had a conclusive result in the session.
//
// Sessions that ran none of the suspects are not seen: they say nothing of those.
// Where no suspect ran before the session and the file was known, it was passing.
func File(s FileSubject) record.Standing {
	w := walk{session: s.SessionID, state: map[string]map[int]attempt{}}
	w.known = s.Known || s.Count.New < s.Count.Passed+s.Count.Bad+s.Count.Skipped+s.Count.Else
	for _, run := range s.runs() {
		w.take(run)
	}
	w.conclude(s.Count)

	standing := record.Standing{FailedSessions: w.ends.failed(), Recurring: w.ends.recurring()}
	standing.Classification, standing.Resolution = w.course.stand(s.aside(w.state[s.SessionID]))
	return standing
}

// fileAttempt is what a run says of one suspect.
type fileAttempt struct {
	attempt
	suspect int
}

// runs gathers the attempts of all suspects by their runs, the oldest first.
func (s FileSubject) runs() [][]fileAttempt {
	var all []fileAttempt
	for i, t := range s.Suspects {
		for _, a := range attempts(t.Points) {
			all = append(all, fileAttempt{a, i})
		}
	}
	slices.SortStableFunc(all, func(a, b fileAttempt) int { return cmp.Compare(a.first().Order, b.first().Order) })
	var runs [][]fileAttempt
	for _, a := range all {
		if n := len(runs); n == 0 || runs[n-1][0].run() != a.run() {
			runs = append(runs, nil)
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], a)
	}
	return runs
}

// aside: all that is bad in the session was set aside.
func (s FileSubject) aside(state map[int]attempt) bool {
	known := 0
	for i, a := range state {
		if !a.bad {
			continue
		}
		if !a.derived && !s.deferred(s.Suspects[i].Test) {
			return false
		}
		known++
	}
	return known > 0 && s.Count.Bad <= known
}

func (s FileSubject) deferred(t history.Test) bool {
	if s.Deferred == nil {
		return false
	}
	whole := t.TestKey
	whole.Test.Test = t.Root
	return s.Deferred(t.TestKey) || t.Root != "" && s.Deferred(whole)
}

// walk follows a file through its runs.
type walk struct {
	session string
	// state is, by session and suspect, the last conclusive attempt.
	state  map[string]map[int]attempt
	ends   sessions
	course course
	// known: an earlier session knew the file, perhaps by other tests.
	known bool
}

// take takes the next run.
func (w *walk) take(run []fileAttempt) {
	session := run[0].session()
	w.known = w.known || session != w.session
	conclusive := false
	for _, a := range run {
		if !a.conclusive() {
			continue
		}
		conclusive = true
		if w.state[session] == nil {
			w.state[session] = map[int]attempt{}
		}
		w.state[session][a.suspect] = a.attempt
	}
	if conclusive {
		w.end(session, w.bad(session))
	}
}

func (w *walk) bad(session string) bool {
	for _, a := range w.state[session] {
		if a.bad {
			return true
		}
	}
	return false
}

func (w *walk) end(session string, bad bool) {
	w.ends.end(session, bad)
	if session == w.session {
		w.course.follow(bad, w.others())
	}
}

// others is what other sessions tell by now. Where none of them ran a suspect, and
// one knew the file, it was passing.
func (w *walk) others() before {
	b := before{seen: w.known, prior: w.known}
	for _, e := range w.ends.ends {
		if e.session != w.session {
			b.prior, b.priorBad = true, e.bad
		}
	}
	return b
}

// conclude takes what the counts say of tests that are no suspects.
func (w *walk) conclude(count history.FileCount) {
	if count.Bad > 0 && !w.course.bad || count.Passed > 0 && !w.course.ran {
		w.end(w.session, count.Bad > 0)
	}
}
