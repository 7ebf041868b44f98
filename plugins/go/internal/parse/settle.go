package parse

import (
	"hash/maphash"
	"time"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// settledAfter is the number of starts and ends of tests after which a failed test
	// is reported. A panic is printed right after the end of the test that panicked;
	// others can only slip in between within microseconds.
	settledAfter = 8
	// settledIn is the time after which one is reported to a watching user while a long
	// test follows: a dying process prints why at once.
	settledIn = 2 * time.Second
	// maxHeld bounds the failed tests of a suite that are held back.
	maxHeld = 32
)

// attempt counts the runs of one test; -count multiplies them.
type attempt struct {
	ran, failed int32
	// reported reports whether its failure was reported. One record stands for all
	// attempts, and another for a data race that a later one had. raced reports whether that
	// was reported.
	reported, raced bool
}

// maxIdle bounds the ended tests kept for reuse of their buffers. Few suites have more
// running at once.
const maxIdle = 64

// settler holds failed tests back until nothing can change how they are reported.
type settler struct {
	*reporter
	examiner *examiner
	// idle are tests to reuse.
	idle []*test
}

// endTest handles the end of a test. It holds a failed one back: after a panic the
// reason is printed after the end.
func (st *settler) endTest(s *suite, t *test, ev *testjson.Event, now time.Time) {
	s.events++
	if ev.Action != testjson.ActionFail || t.isFramed() {
		s.dump.dropSurvived(t.name)
	}
	t.elapsed = toDuration(ev.Elapsed)
	if ev.Action == testjson.ActionFail && t.parent != nil {
		t.parent.childFailed = true
	}
	if st.selection.failfast {
		s.failfast.end(s, t, ev.Action == testjson.ActionFail)
	}
	s.drop(t)
	status := sdk.Passed
	switch ev.Action {
	case testjson.ActionFail:
		status = sdk.Failed
	case testjson.ActionSkip:
		status = sdk.Skipped
	}
	s.rehearsals.leave(t.name, status)
	tried := s.countAttempt(t, status)
	if status != sdk.Failed {
		st.counts.add(status)
		st.dropRehearsed(s)
		// A later attempt does not undo a failure.
		if tried.failed == 0 {
			st.sink.Test(st.newResult(s, t, status))
		}
		st.forget(t)
		st.settleOld(s)
		return
	}
	if s.rehearsals == nil {
		st.counts.add(status)
		s.anyFailed = true
	}
	t.endedAt, t.topsThen, t.failed = s.events, s.tops, now
	if tried.failed > 1 && s.isHeld(t.name) {
		st.forget(t)
	} else {
		s.held = append(s.held, t)
	}
	st.settleOld(s)
}

func toDuration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// drop removes an ended test from the running ones.
func (s *suite) drop(t *test) {
	if s.tests[t.name] == t {
		delete(s.tests, t.name)
	}
	if s.last == t {
		s.last = nil
	}
	if t.parent != nil {
		t.parent.liveChildren--
		t.parent = nil
	}
}

func (s *suite) key(name string) uint64 { return maphash.String(s.seed, name) }

// countAttempt counts an attempt. Names are kept if tests may run again, and of tests that
// failed.
func (s *suite) countAttempt(t *test, status sdk.Status) attempt {
	key := s.key(t.name)
	tried, known := s.attempts[key]
	tried.ran++
	if status == sdk.Failed {
		tried.failed++
	}
	if known || status == sdk.Failed || s.patient {
		if s.attempts == nil {
			s.attempts = map[uint64]attempt{}
		}
		s.attempts[key] = tried
	}
	return tried
}

func (s *suite) isHeld(name string) bool {
	for _, t := range s.held {
		if t.name == name {
			return true
		}
	}
	return false
}

// settleOld reports the held tests that nothing can change now.
func (st *settler) settleOld(s *suite) {
	n := 0
	for n < len(s.held) && (len(s.held)-n > maxHeld || !s.patient && s.held[n].endedAt+settledAfter <= s.events) {
		st.settle(s, s.held[n])
		n++
	}
	s.held = append(s.held[:0], s.held[n:]...)
}

// settleAged reports the held tests that have been quiet for a while.
func (st *settler) settleAged(s *suite, now time.Time) {
	n := 0
	for n < len(s.held) && !s.patient && now.Sub(s.held[n].failed) >= settledIn {
		st.settle(s, s.held[n])
		n++
	}
	s.held = append(s.held[:0], s.held[n:]...)
}

// settleAll reports all held tests.
func (st *settler) settleAll(s *suite) {
	for _, t := range s.held {
		st.settle(s, t)
	}
	s.held = nil
}

// settle reports a failed test.
func (st *settler) settle(s *suite, t *test) {
	f := st.examiner.examineTest(s, t)
	r := st.newResult(s, t, sdk.Failed)
	if s.rehearsals != nil {
		st.counts.add(sdk.Failed)
	}
	if f.goexit {
		s.noteGoexit(t.name)
	}
	derived := f.victim || t.childFailed && (!f.own || f.unread)
	if derived && r.Root == "" && s.rehearsals == nil && mayHideSubtests(st.tree, s, t.name) {
		// It failed because of its parts, and may have others that were never announced.
		r.Status, r.Container = sdk.Unfinished, true
	} else {
		r.Derived = derived
		r.Ended = derived && st.hasEnded(s, t)
	}
	st.sink.Test(r)
	for key, value := range t.attributes {
		f.set(key, value)
	}
	if !derived {
		st.reportOnce(s, t.name, f)
	}
	st.forget(t)
}

func (st *settler) newTest(name string) *test {
	if n := len(st.idle); n > 0 {
		t := st.idle[n-1]
		st.idle = st.idle[:n-1]
		t.name = name
		return t
	}
	return &test{name: name}
}

// forget hands a test's buffers to the next one. If subtests outlive the test, as in a
// damaged stream, they keep it.
func (st *settler) forget(t *test) {
	if t.liveChildren > 0 {
		return
	}
	text := t.text
	text.reset()
	*t = test{text: text}
	if len(st.idle) < maxIdle {
		st.idle = append(st.idle, t)
	}
}

// hasEnded reports whether a test that failed because of a subtest came to its own end,
// so that all of its subtests had their turn. Its "fail" event is no proof: a panic in
// a subtest causes one for every enclosing test, and the process dies.
//
// After such a death the runner starts no further top-level test, and those that run in
// parallel have all started before. So a later start is the proof.
func (st *settler) hasEnded(s *suite, t *test) bool {
	top := rootOf(t.name)
	return (s.completed && !s.early || s.tops > t.topsThen) && !s.goexitIn[top] && !st.selection.failfast
}

// mayHideSubtests reports whether a top-level test may have skipped some of its parts after one
// failed, although it came to its end, because it looks at how its parts end. That
// shows in its function, or in functions of the workspace that this one names directly
// or indirectly. If the sources cannot be read, nothing is known.
func mayHideSubtests(tree *tree, s *suite, top string) bool {
	conducts := tree.conducts(tree.source(s))
	pending, seen := []string{top}, map[string]bool{top: true}
	for len(pending) > 0 {
		name := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, c := range conducts[name] {
			if c.ChecksOutcome {
				return true
			}
			for mentioned := range c.Mentions {
				if _, declared := conducts[mentioned]; declared && !seen[mentioned] {
					seen[mentioned] = true
					pending = append(pending, mentioned)
				}
			}
		}
	}
	return false
}

// noteGoexit handles a subtest that ended its parent, so that the parent's other
// subtests did not run.
func (s *suite) noteGoexit(name string) {
	s.goexit = true
	if s.goexitIn == nil {
		s.goexitIn = map[string]bool{}
	}
	s.goexitIn[rootOf(name)] = true
}

// failfast tracks what -failfast may have kept from starting. After a failure no
// subtest starts, and a test that would have started one passes without it. That can
// only happen to tests that ran beside the failed one; the runner starts no others.
type failfast struct {
	// failed reports whether a test failed, and since is when the first of these last
	// resumed.
	failed bool
	since  int
	// passed are top-level tests that did not fail and may have run beside others.
	passed []passedBeside
}

// passedBeside is a test that ended without a failure.
type passedBeside struct {
	result sdk.TestResult
	at     int
}

// end records the end of a test.
func (f *failfast) end(s *suite, t *test, failed bool) {
	outer := t
	for outer.parent != nil {
		outer = outer.parent
	}
	switch {
	case failed && (!f.failed || outer.resumedAt < f.since):
		f.failed, f.since = true, outer.resumedAt
	case !failed && outer == t && t.parallel:
		f.passed = append(f.passed, passedBeside{sdk.TestResult{TestID: s.id(t.name), Status: sdk.Unfinished, Elapsed: t.elapsed, Container: true}, s.events})
	}
}

// endFailfast reports tests that passed beside a failed one as unfinished: their
// subtests may have been left out.
func (e *suiteEnder) endFailfast(s *suite) {
	if !s.failfast.failed {
		return
	}
	for _, passed := range s.failfast.passed {
		if passed.at > s.failfast.since {
			passed.result.Location, passed.result.Body = e.tree.resultPlace(s, passed.result.Test)
			e.sink.Test(passed.result)
		}
	}
}
