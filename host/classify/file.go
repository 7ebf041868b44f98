package classify

import (
	"cmp"
	"math"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// FileSubject is a file and what is on record of the tests that are declared in
// it.
type FileSubject struct {
	// Count sums up its tests in a run of the session, the newest that is meant.
	Count history.FileCount
	// Suspects are the timelines of those of its tests that were ever bad, with no
	// point after that run.
	Suspects []history.Timeline
	// Complete are runs that got to every test there is, up to that run.
	Complete []CompleteRun
	// SessionID is the session of the run.
	SessionID string
	// Order is that of the run, where Count is of one.
	Order int64
	// Known reports whether another session knew a test of it that is no suspect. It
	// need not be set where Count and Order tell.
	Known bool
	// Deferred reports whether the user set a test aside, and with it its parts. It
	// may be nil.
	Deferred func(history.TestKey) bool
}

// CompleteRun is a run that got to every test there is in its setting: what it has no
// result of does not exist there.
type CompleteRun struct {
	Order              int64
	SessionID, Setting string
}

// File says how a file stands after a run: badly while one of its tests is bad that
// exists. A test that the session did not run is as it was last, in whichever session
// that was. Of the standing, only classification, resolution, failed sessions,
// recurring and flaky are set; the former two are empty where no test of it had a
// conclusive result in the session. Flaky is set where all that is bad in it is flaky.
//
// Whether it recurs is told by the sessions that ran a suspect that still exists, each
// by what it ran itself. Where other sessions proved nothing of the suspects, it was
// passing if one knew another test of it.
func File(s FileSubject) api.Standing {
	w := newWalk(s)
	for _, e := range s.events() {
		w.take(e)
	}
	w.conclude(s.Count)
	standing := api.Standing{FailedSessions: w.ends.failed(), Recurring: w.ends.recurring()}
	if s.Order > w.when {
		return standing // the run told nothing of it
	}
	standing.Classification, standing.Resolution = w.course.stand(s.aside(w.bad))
	w.judgeFlaky(&standing)
	return standing
}

// BadNow are the suspects of a file that are bad after all that is on record.
func BadNow(s FileSubject) []history.Timeline {
	w := newWalk(s)
	for _, e := range s.events() {
		w.take(e)
	}
	var bad []history.Timeline
	for _, i := range w.badNow() {
		bad = append(bad, s.Suspects[i])
	}
	return bad
}

// event is a run of suspects, or one that got to every test, or both.
type event struct {
	order    int64
	session  string
	attempts []fileAttempt
	// complete reports whether what is of this setting and was seen last before does
	// not exist.
	complete bool
	setting  string
}

// fileAttempt is what a run says of one suspect.
type fileAttempt struct {
	attempt
	suspect int
}

// events are what is on record of the suspects, run by run, the oldest first.
func (s FileSubject) events() []event {
	at := map[int64]int{}
	var all []event
	of := func(order int64, session string) *event {
		i, ok := at[order]
		if !ok {
			i = len(all)
			at[order] = i
			all = append(all, event{order: order, session: session})
		}
		return &all[i]
	}
	for i, t := range s.Suspects {
		for _, a := range attempts(t.Points) {
			e := of(a.first().Order, a.session())
			e.attempts = append(e.attempts, fileAttempt{a, i})
		}
	}
	for _, c := range s.Complete {
		e := of(c.Order, c.SessionID)
		e.complete, e.setting = true, c.Setting
	}
	slices.SortFunc(all, func(a, b event) int { return cmp.Compare(a.order, b.order) })
	return all
}

// aside: all that is bad was set aside.
func (s FileSubject) aside(bad []fileAttempt) bool {
	for _, a := range bad {
		if !a.derived && !s.deferred(s.Suspects[a.suspect].Test) {
			return false
		}
	}
	return len(bad) > 0 && s.Count.Bad <= len(bad)
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
	// state is, by suspect, the last conclusive attempt of whichever session, of those
	// that exist; own is that of each session.
	state map[int]attempt
	own   map[string]map[int]attempt
	// seen is the last attempt of each suspect, whatever it told.
	seen map[int]attempt
	// all are the attempts of each suspect up to now.
	all map[int][]attempt
	// left are suspects that do not exist any more in the end.
	left   map[int]bool
	ends   sessions
	course course
	// bad is what was bad when the session ran the file last, when is that run.
	bad  []fileAttempt
	when int64
	// known: another session knew the file by tests that are no suspects. prior and
	// priorBad tell how it stood when another session ran a suspect last.
	known, prior, priorBad bool
}

func newWalk(s FileSubject) *walk {
	w := &walk{
		session: s.SessionID, state: map[int]attempt{}, own: map[string]map[int]attempt{}, seen: map[int]attempt{},
		all: map[int][]attempt{}, left: map[int]bool{},
		known: s.Known || s.oldSuspects() < s.Count.Passed+s.Count.Bad+s.Count.Skipped+s.Count.Else-s.Count.New,
	}
	for i, t := range s.Suspects {
		if all := attempts(t.Points); len(all) > 0 {
			w.left[i] = slices.ContainsFunc(s.Complete, func(c CompleteRun) bool { return c.ends(all[len(all)-1]) })
		}
	}
	return w
}

// oldSuspects are how many of the counted tests are suspects that another session knew
// first. That it knew them proves nothing of them: what they did there does.
func (s FileSubject) oldSuspects() (n int) {
	for _, t := range s.Suspects {
		counted := slices.ContainsFunc(t.Points, func(p history.Point) bool { return p.Order == s.Order })
		if counted && t.FirstSession != s.SessionID {
			n++
		}
	}
	return n
}

// ends reports whether the run shows that a test does not exist any more of which this
// was the last attempt.
func (c CompleteRun) ends(last attempt) bool {
	return last.first().Order < c.Order && last.first().Setting() == c.Setting
}

// take takes the next run.
func (w *walk) take(e event) {
	told, counts := false, false
	for _, a := range e.attempts {
		w.seen[a.suspect] = a.attempt
		w.all[a.suspect] = append(w.all[a.suspect], a.attempt)
		if !a.conclusive() {
			continue
		}
		told, counts = true, counts || !w.left[a.suspect]
		w.state[a.suspect] = a.attempt
		if w.own[e.session] == nil {
			w.own[e.session] = map[int]attempt{}
		}
		w.own[e.session][a.suspect] = a.attempt
	}
	if e.complete {
		c := CompleteRun{Order: e.order, Setting: e.setting}
		for i := range w.state {
			if c.ends(w.seen[i]) {
				told = told || w.state[i].bad
				w.drop(i)
			}
		}
	}
	if told {
		w.follow(e.session, e.order, false)
	}
	if counts {
		w.end(e.session)
	}
}

// drop forgets what a suspect told that does not exist any more.
func (w *walk) drop(suspect int) {
	delete(w.state, suspect)
	for _, own := range w.own {
		delete(own, suspect)
	}
}

// badNow are the suspects that are bad.
func (w *walk) badNow() []int {
	var bad []int
	for i, a := range w.state {
		if a.bad {
			bad = append(bad, i)
		}
	}
	slices.Sort(bad)
	return bad
}

// follow notes how the file stands after a run of a session. more: something is bad
// beside the suspects.
func (w *walk) follow(session string, order int64, more bool) {
	bad := w.badNow()
	if session != w.session {
		w.prior, w.priorBad = true, len(bad) > 0
		return
	}
	w.course.follow(len(bad) > 0 || more, w.others())
	w.when, w.bad = order, nil
	for _, i := range bad {
		w.bad = append(w.bad, fileAttempt{w.state[i], i})
	}
}

// end notes how a session ends, by those of the existing suspects that it ran itself.
func (w *walk) end(session string) {
	how := endsGood
	for i, a := range w.state {
		if a.bad && !w.left[i] {
			how = max(how, endsOpen)
			if own, ran := w.own[session][i]; ran && own.bad {
				how = endsBad
			}
		}
	}
	w.ends.end(session, how)
}

// others is what other sessions tell by now. Where none of them proved anything of a
// suspect, and one knew another test of the file, it was passing.
func (w *walk) others() before {
	if w.prior {
		return before{seen: true, prior: true, priorBad: w.priorBad}
	}
	return before{seen: w.known, prior: w.known}
}

// conclude takes what the counts of the newest run say of tests that are no suspects.
func (w *walk) conclude(count history.FileCount) {
	if count.Bad+count.Passed == 0 {
		return
	}
	unknown := count.Bad > 0 && len(w.badNow()) == 0
	w.follow(w.session, math.MaxInt64, unknown)
	if unknown {
		w.ends.end(w.session, endsBad)
	}
}

// judgeFlaky lets flaky win where nothing but flaky tests made the file bad, or good
// again.
func (w *walk) judgeFlaky(s *api.Standing) {
	var newest *api.Flaky
	for _, a := range w.bad {
		if a.derived {
			continue
		}
		all := w.until(a.suspect)
		f := flakyNow(all)
		if f == nil || s.Classification == api.Failing && !passedHere(all) {
			return
		}
		newest = f
	}
	switch {
	case newest != nil && w.course.bad:
		s.Flaky = newest
		if s.Classification == api.Regression || s.Classification == api.Failing {
			s.Classification = api.Unsteady
		}
	case s.Classification == api.Fixed && w.recoveredByItself():
		s.Classification, s.Resolution = api.Unsteady, api.StatusPassed
	}
}

// until are the attempts of a suspect up to the session's last run of the file.
func (w *walk) until(suspect int) []attempt {
	all := w.all[suspect]
	for len(all) > 0 && all[len(all)-1].first().Order > w.when {
		all = all[:len(all)-1]
	}
	return all
}

// recoveredByItself reports whether those suspects that were bad last are flaky: that
// they pass now mends nothing.
func (w *walk) recoveredByItself() bool {
	var latest int64
	alone := false
	for i := range w.all {
		all := w.until(i)
		at := lastBad(all)
		if at < 0 || all[at].derived {
			continue
		}
		order := all[at].first().Order
		if order > latest {
			latest, alone = order, true
		}
		if order == latest {
			alone = alone && flakyNow(all) != nil
		}
	}
	return alone
}
