package parse

import (
	"strings"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// maxIdle is how many ended tests are kept for their buffers. More are not
// live at once in most suites.
const maxIdle = 64

// test is one test that is running, or that failed and is not reported yet.
type test struct {
	name    string
	text    transcript
	started time.Time
	// order counts the tests of a suite as they start.
	order int
	// paused in t.Parallel.
	paused bool
	// parent is the running test this one is inside of.
	parent *test
	// liveChildren counts the subtests that are running.
	liveChildren int
	// container: it has subtests. childFailed: one of them failed.
	container, childFailed bool
	// attributes are those of t.Attr, and where its artifacts are.
	attributes map[string]string
	elapsed    time.Duration
	// endedAt is the suite's count of events when it ended, topsThen that of its
	// outermost tests, failed the time when it did so with a failure.
	endedAt, topsThen int
	failed            time.Time
	// resumedAt is the suite's count of events when it started or, after a pause,
	// went on; parallel: it was paused.
	resumedAt int
	parallel  bool
}

// Bounds of the attributes of a test, which it sets itself.
const (
	maxAttributes = 16
	maxAttribute  = 1 << 10
)

func (t *test) setAttribute(key, value string) {
	if t.attributes == nil {
		t.attributes = map[string]string{}
	}
	if len(t.attributes) < maxAttributes {
		t.attributes[runeStart(key, maxAttribute)] = runeStart(value, maxAttribute)
	}
}

// root is the name of the top-level test.
func root(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}

// isInside reports whether a test is a subtest of another, at any depth.
func isInside(name, outer string) bool {
	return len(name) > len(outer) && name[len(outer)] == '/' && name[:len(outer)] == outer
}

// isLeaf: it is running itself, not waiting for a subtest or for its turn.
func (t *test) isLeaf() bool { return !t.paused && t.liveChildren == 0 }

// isFramed reports whether the newest text is the test's own "--- FAIL" line.
func (t *test) isFramed() bool {
	piece := string(t.text.lastPiece())
	_, rest, found := strings.Cut(piece, "--- ")
	return found && (strings.HasPrefix(rest, "FAIL: ") || strings.HasPrefix(rest, "PASS: ") || strings.HasPrefix(rest, "SKIP: "))
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

// forget gives a test's buffers to the next one. One that its subtests outlive,
// as a damaged stream may show, is left to them.
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

// result is what the sink learns of a test.
func (r *reporter) result(s *suite, t *test, status sdk.Status) sdk.TestResult {
	result := sdk.TestResult{
		TestID:    sdk.TestID{Suite: s.name, Test: t.name},
		Status:    status,
		Elapsed:   t.elapsed,
		Container: t.container,
	}
	result.Location, result.Body = r.tree.resultPlace(s, t.name)
	if top := root(t.name); top != t.name {
		result.Root = top
	}
	return result
}
