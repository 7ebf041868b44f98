package parse

import (
	"bytes"
	"fmt"

	"github.com/proctorhq/proctor/sdk"
)

// rehearsals tell which tests of a suite were run by another test and not by
// package testing: with testing.RunTests, to see that they fail. Their events look
// like those of any other test.
//
// A failed subtest fails the test that it is a part of. So a test that failed
// inside of one that passed was rehearsed: whether it did as it should is for that
// one to say. This is only looked at where a test file of the package calls
// testing.RunTests; a nil rehearsals is for all others.
type rehearsals struct {
	// within is the test that a test ran in, by name.
	within map[string]string
	// ended is how a test did, by name: a failure is not undone.
	ended map[string]sdk.Status
	// real are those that failed by themselves, whatever ran them later.
	real map[string]bool
	// count is that of the failures that were rehearsed.
	count int
}

// callsRunTests finds in a test file what rehearses.
var callsRunTests = []byte("testing.RunTests(")

func runsTests(src []byte) bool { return bytes.Contains(src, callsRunTests) }

func newRehearsals() *rehearsals {
	return &rehearsals{within: map[string]string{}, ended: map[string]sdk.Status{}, real: map[string]bool{}}
}

// enter notes which test one starts in. While a test runs, package testing starts
// none but its subtests: so one that is no part of any was started by the one that
// runs, if that is one.
func (r *rehearsals) enter(s *suite, t *test) {
	if r == nil {
		return
	}
	delete(r.within, t.name)
	if r.ended[t.name] != sdk.Failed {
		delete(r.ended, t.name) // it runs again, and how it does now counts
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

// leave notes how a test ended.
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

// maxWithin is how deep tests are followed outwards.
const maxWithin = 32

// has reports whether a failed test was rehearsed: going outwards, the first test that
// did not fail has passed.
func (r *rehearsals) has(name string) bool {
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

// dropRehearsed takes the failures that turn out to be rehearsed from those that are
// held back.
func (st *settler) dropRehearsed(s *suite) {
	if s.rehearsals == nil {
		return
	}
	held := s.held[:0]
	for _, t := range s.held {
		if s.rehearsals.has(t.name) {
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

// noteRehearsals says what was left out.
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
