package parse

import (
	"bytes"
	"fmt"

	"github.com/proctorhq/proctor/sdk"
)

// rehearsals tracks which tests of a suite were run by another test, with
// testing.RunTests to check that they fail, rather than by package testing. Their
// events look like those of any other test.
//
// A failed subtest fails its parent. So a test that failed inside of one that passed
// was rehearsed: it is up to the outer test whether that was as expected. This is only
// examined if a test file of the package calls testing.RunTests; otherwise rehearsals
// is nil.
type rehearsals struct {
	// within is the test that each test ran in, by name.
	within map[string]string
	// ended is how each test ended, by name. A failure is never undone.
	ended map[string]sdk.Status
	// real are the tests that failed by themselves, whatever ran them later.
	real map[string]bool
	// count is the number of rehearsed failures.
	count int
}

// callsRunTests is what a test file that rehearses contains.
var callsRunTests = []byte("testing.RunTests(")

func runsTests(src []byte) bool { return bytes.Contains(src, callsRunTests) }

func newRehearsals() *rehearsals {
	return &rehearsals{within: map[string]string{}, ended: map[string]sdk.Status{}, real: map[string]bool{}}
}

// enter records in which test another one starts. While a test runs, package testing
// starts only its subtests. So a test that is not a subtest was started by the running
// test, if there is just one.
func (r *rehearsals) enter(s *suite, t *test) {
	if r == nil {
		return
	}
	delete(r.within, t.name)
	if r.ended[t.name] != sdk.Failed {
		delete(r.ended, t.name) // it runs again, and the new result counts
	}
	if t.parent != nil {
		r.within[t.name] = t.parent.name
		return
	}
	host := ""
	for _, other := range s.tests {
		if other == t || !other.isLeaf() {
			continue
		}
		if host != "" {
			return
		}
		host = other.name
	}
	if host != "" {
		r.within[t.name] = host
	}
}

// leave records how a test ended.
func (r *rehearsals) leave(name string, status sdk.Status) {
	if r == nil {
		return
	}
	if _, inside := r.within[name]; !inside && status == sdk.Failed {
		r.real[name] = true
	}
	if r.ended[name] != sdk.Failed {
		r.ended[name] = status
	}
}

// maxWithin bounds how far out tests are followed.
const maxWithin = 32

// isRehearsed reports whether a failed test was rehearsed: going outwards, the first test that
// did not fail has passed.
func (r *rehearsals) isRehearsed(name string) bool {
	for range maxWithin {
		host, known := r.within[name]
		if !known || r.real[name] {
			return false
		}
		if r.ended[host] != sdk.Failed {
			return r.ended[host] == sdk.Passed
		}
		name = host
	}
	return false
}

// dropRehearsed removes the failures that turn out to be rehearsed from those held
// back.
func (st *settler) dropRehearsed(s *suite) {
	if s.rehearsals == nil {
		return
	}
	held := s.held[:0]
	for _, t := range s.held {
		if s.rehearsals.isRehearsed(t.name) {
			s.rehearsals.count++
			delete(s.attempts, s.key(t.name))
			st.forget(t)
			continue
		}
		held = append(held, t)
	}
	clear(s.held[len(held):])
	s.held = held
}

// noteRehearsals notes what was left out.
func (e *suiteEnder) noteRehearsals(s *suite) {
	if s.rehearsals == nil || s.rehearsals.count == 0 {
		return
	}
	failed := "1 failed test does"
	if n := s.rehearsals.count; n > 1 {
		failed = fmt.Sprintf("%d failed tests do", n)
	}
	e.sink.Note(s.name + ": " + failed + " not count: tests that passed ran them, with testing.RunTests")
}
