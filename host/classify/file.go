package classify

import (
	"cmp"
	"math"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// FileSubject is a file and what is on record of the tests declared in it.
type FileSubject struct {
	// Count sums up its tests in the session's run in question.
	Count history.FileCount
	// Suspects are the timelines of its tests that were ever bad, without points after
	// that run.
	Suspects []history.Timeline
	// Complete are the runs up to that run that got to every existing test.
	Complete []CompleteRun
	// SessionID is the session of the run.
	SessionID string
	// Order is the run's order if Count covers one.
	Order int64
	// Known reports whether another session knew a test of the file that is not a
	// suspect. It need not be set if Count and Order show it.
	Known bool
	// Deferred reports whether the user deferred a test, and so its parts. It may be
	// nil.
	Deferred func(history.TestKey) bool
}

// CompleteRun is a run that got to every existing test of its setting: a test without a
// result in it does not exist there.
type CompleteRun struct {
	Order              int64
	SessionID, Setting string
}

// File returns how a file stands after a run: it is bad while one of its existing tests
// is. A test that the session did not run stands as in the last session that ran it.
// Only classification, resolution, failed sessions, recurring and flaky are set; the
// first two are empty if the session has no conclusive result for the file. Flaky is
// set if everything bad in it is flaky.
//
// Recurring follows from the sessions that ran an existing suspect, each judged by
// what it ran itself. If no other session proved anything about the suspects, the file
// was passing if one knew another test of it.
func File(s FileSubject) api.Standing {
	w := newWalk(s)
	for _, e := range s.events() {
		w.processRun(e)
	}
	w.applyCount(s.Count)
	standing := api.Standing{FailedSessions: w.ends.countFailed(), Recurring: w.ends.isRecurring()}
	if s.Order > w.when {
		return standing // the run says nothing about it
	}
	standing.Classification, standing.Resolution = w.course.standing(s.isSetAside(w.bad))
	w.judgeFlaky(&standing)
	return standing
}

// BadNow returns the suspects of a file that are bad according to the whole record.
func BadNow(s FileSubject) []history.Timeline {
	w := newWalk(s)
	for _, e := range s.events() {
		w.processRun(e)
	}
	var bad []history.Timeline
	for _, i := range w.badNow() {
		bad = append(bad, s.Suspects[i])
	}
	return bad
}

// event is a run of suspects, a run that got to every test, or both.
type event struct {
	order    int64
	session  string
	attempts []fileAttempt
	// complete reports whether tests of this setting that were last seen earlier do not
	// exist.
	complete bool
	setting  string
}

// fileAttempt is what a run says about one suspect.
type fileAttempt struct {
	attempt
	suspect int
}

// events returns what is on record of the suspects, run by run, oldest first.
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
		for _, a := range groupAttempts(t.Points) {
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

// isSetAside reports whether everything bad was deferred.
func (s FileSubject) isSetAside(bad []fileAttempt) bool {
	for _, a := range bad {
		if !a.derived && !s.isDeferred(s.Suspects[a.suspect].Test) {
			return false
		}
	}
	return len(bad) > 0 && s.Count.Bad <= len(bad)
}

func (s FileSubject) isDeferred(t history.Test) bool {
	if s.Deferred == nil {
		return false
	}
	whole := t.TestKey
	whole.Test = t.Root
	return s.Deferred(t.TestKey) || t.Root != "" && s.Deferred(whole)
}

// walk follows a file through its runs.
type walk struct {
	session string
	// state maps each existing suspect to its last conclusive attempt in any session;
	// own does the same for each session.
	state map[int]attempt
	own   map[string]map[int]attempt
	// seen is the last attempt of each suspect, conclusive or not.
	seen map[int]attempt
	// all are the attempts of each suspect so far.
	all map[int][]attempt
	// left are suspects that no longer existed at the end.
	left   map[int]bool
	ends   sessions
	course course
	// bad is what was bad when the session last ran the file, in run when.
	bad  []fileAttempt
	when int64
	// known reports whether another session knew tests of the file that are not
	// suspects. prior and priorBad say how the file stood when another session last ran
	// a suspect.
	known, prior, priorBad bool
}

func newWalk(s FileSubject) *walk {
	w := &walk{
		session: s.SessionID, state: map[int]attempt{}, own: map[string]map[int]attempt{}, seen: map[int]attempt{},
		all: map[int][]attempt{}, left: map[int]bool{},
		known: s.Known || s.oldSuspects() < s.Count.Passed+s.Count.Bad+s.Count.Skipped+s.Count.Else-s.Count.New,
	}
	for i, t := range s.Suspects {
		if all := groupAttempts(t.Points); len(all) > 0 {
			w.left[i] = slices.ContainsFunc(s.Complete, func(c CompleteRun) bool { return c.endsWith(all[len(all)-1]) })
		}
	}
	return w
}

// oldSuspects counts the suspects among the counted tests that another session saw first.
// They do not make the file known: only their results there do.
func (s FileSubject) oldSuspects() (n int) {
	for _, t := range s.Suspects {
		counted := slices.ContainsFunc(t.Points, func(p history.Point) bool { return p.Order == s.Order })
		if counted && t.FirstSession != s.SessionID {
			n++
		}
	}
	return n
}

// endsWith reports whether the run shows that the test of this last attempt no longer
// exists.
func (c CompleteRun) endsWith(last attempt) bool {
	return last.first().Order < c.Order && last.first().Setting() == c.Setting
}

// processRun processes the next run.
func (w *walk) processRun(e event) {
	told, counts := false, false
	for _, a := range e.attempts {
		w.seen[a.suspect] = a.attempt
		w.all[a.suspect] = append(w.all[a.suspect], a.attempt)
		if !a.isConclusive() {
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
			if c.endsWith(w.seen[i]) {
				told = told || w.state[i].bad
				w.dropSuspect(i)
			}
		}
	}
	if told {
		w.follow(e.session, e.order, false)
	}
	if counts {
		w.endSession(e.session)
	}
}

// dropSuspect forgets a suspect that no longer exists.
func (w *walk) dropSuspect(suspect int) {
	delete(w.state, suspect)
	for _, own := range w.own {
		delete(own, suspect)
	}
}

// badNow returns the bad suspects.
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

// follow records how the file stands after a run. more reports whether anything besides
// the suspects is bad.
func (w *walk) follow(session string, order int64, more bool) {
	bad := w.badNow()
	if session != w.session {
		w.prior, w.priorBad = true, len(bad) > 0
		return
	}
	w.course.addResult(len(bad) > 0 || more, w.otherSessions())
	w.when, w.bad = order, nil
	for _, i := range bad {
		w.bad = append(w.bad, fileAttempt{w.state[i], i})
	}
}

// endSession records how a session ends, judged by the existing suspects that it ran itself.
func (w *walk) endSession(session string) {
	how := endsGood
	for i, a := range w.state {
		if a.bad && !w.left[i] {
			how = max(how, endsOpen)
			if own, ran := w.own[session][i]; ran && own.bad {
				how = endsBad
			}
		}
	}
	w.ends.addEnd(session, how)
}

// otherSessions returns what other sessions have recorded so far. If none has a conclusive
// result of a suspect, but one knew another test of the file, the file was passing.
func (w *walk) otherSessions() before {
	if w.prior {
		return before{seen: true, prior: true, priorBad: w.priorBad}
	}
	return before{seen: w.known, prior: w.known}
}

// applyCount applies what the counts of the newest run say about tests that are not
// suspects.
func (w *walk) applyCount(count history.FileCount) {
	if count.Bad+count.Passed == 0 {
		return
	}
	unknown := count.Bad > 0 && len(w.badNow()) == 0
	w.follow(w.session, math.MaxInt64, unknown)
	if unknown {
		w.ends.addEnd(w.session, endsBad)
	}
}

// judgeFlaky classifies the file as flaky if only flaky tests made it bad, or good again.
func (w *walk) judgeFlaky(s *api.Standing) {
	var newest *api.Flaky
	for _, a := range w.bad {
		if a.derived {
			continue
		}
		all := w.attemptsUntil(a.suspect)
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

// attemptsUntil returns the attempts of a suspect up to the session's last run of the file.
func (w *walk) attemptsUntil(suspect int) []attempt {
	all := w.all[suspect]
	for len(all) > 0 && all[len(all)-1].first().Order > w.when {
		all = all[:len(all)-1]
	}
	return all
}

// recoveredByItself reports whether the suspects that were last bad are flaky, so that
// their passing now fixes nothing.
func (w *walk) recoveredByItself() bool {
	var latest int64
	alone := false
	for i := range w.all {
		all := w.attemptsUntil(i)
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
