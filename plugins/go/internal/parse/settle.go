package parse

import (
	"fmt"
	"hash/maphash"
	"time"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// settledAfter is the number of starts and ends of tests after which a
	// failed test is reported. A panic is printed right after the end of the
	// test that panicked; others can only slip in between within microseconds.
	settledAfter = 8
	// settledIn is the time after which one is reported to a user who watches,
	// where a long test follows: a process that dies prints why at once.
	settledIn = 2 * time.Second
	// maxHeld bounds the failed tests of a suite that are held back.
	maxHeld = 32
)

// attempt counts the runs of one test, which -count multiplies.
type attempt struct {
	ran, failed int32
	// reported: its failure is. One record stands for all attempts.
	reported bool
}

// settler holds failed tests back until nothing can change any more what they are
// reported as.
type settler struct {
	*reporter
	examiner *examiner
	// idle are tests to use again.
	idle []*test
}

// endTest takes the end of a test. A failed one is held: it may have panicked,
// and then the reason is printed after its end.
func (st *settler) endTest(s *suite, t *test, ev *testjson.Event, now time.Time) {
	s.events++
	if ev.Action != testjson.ActionFail || t.isFramed() {
		s.dump.survived(t.name)
	}
	t.elapsed = seconds(ev.Elapsed)
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
	tried := s.try(t, status)
	if status != sdk.Failed {
		st.counts.add(status)
		st.dropRehearsed(s)
		// A later attempt does not undo a failure.
		if tried.failed == 0 {
			st.sink.Test(st.result(s, t, status))
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

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// drop takes an ended test out of the running ones.
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

// try counts an attempt. Names are kept where tests may run again, and of
// tests that failed.
func (s *suite) try(t *test, status sdk.Status) attempt {
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

// settleOld reports the held tests that nothing can change any more.
func (st *settler) settleOld(s *suite) {
	n := 0
	for n < len(s.held) && (len(s.held)-n > maxHeld || !s.patient && s.held[n].endedAt+settledAfter <= s.events) {
		st.settle(s, s.held[n])
		n++
	}
	s.held = append(s.held[:0], s.held[n:]...)
}

// settleAged reports the held tests for which nothing has come for a while.
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
	r := st.result(s, t, sdk.Failed)
	if s.rehearsals != nil {
		st.counts.add(sdk.Failed)
	}
	if f.goexit {
		s.noteGoexit(t.name)
	}
	derived := f.victim || t.childFailed && (!f.own || f.unread)
	if derived && r.Root == "" && s.rehearsals == nil && mayHide(st.tree, s, t.name) {
		// It failed by its parts, and may have others that nobody heard of.
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

// reportOnce reports the failure of a test, unless that of an earlier attempt
// was.
func (r *reporter) reportOnce(s *suite, name string, f finding) {
	tried := s.attempts[s.key(name)]
	if tried.reported {
		return
	}
	tried.reported = true
	if s.attempts == nil {
		s.attempts = map[uint64]attempt{}
	}
	s.attempts[s.key(name)] = tried
	if s.patient && tried.ran > 1 {
		f.set("attempts", fmt.Sprintf("failed %d of %d", tried.failed, tried.ran))
	}
	r.report(r.failure(s.id(name), f))
}
