package parse

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// suite is one package whose tests are running.
type suite struct {
	name  string
	tests map[string]*test
	// last is the test of the previous event.
	last *test
	// own is the text of no test.
	own transcript
	// started counts tests that ran, tops the outermost ones among them, events
	// the starts and ends of tests.
	started, tops, events int
	// heard are the outermost tests that started, by the hash of the name; announced:
	// the suite's own start was, which is so since Go 1.20. What package testing says
	// is found within a line since then.
	heard     map[uint64]struct{}
	announced bool
	// anyFailed: a test failed or was blamed.
	anyFailed bool
	// held are failed tests in the order in which they ended. What is printed
	// next may tell why; see settle.go.
	held []*test
	// patient: hold failed tests until the suite ends, because they may run
	// again.
	patient bool
	// rehearsals are the tests that tests run; nil where none does.
	rehearsals *rehearsals
	// verbose: the user has given -v, so markers are plain text.
	verbose  bool
	redirect redirection
	// attempts counts, by the hash of the name, how often a test ended, where
	// it may run more than once.
	attempts map[uint64]attempt
	seed     maphash.Seed
	// completed: package testing said PASS or FAIL, so every selected test had
	// its turn.
	completed bool
	// early: it said so while tests were running, so it was one of them that did.
	early bool
	// pretended: a test printed what package testing prints.
	pretended bool
	// typed: Go says which output is an error, since 1.27.
	typed bool
	// goexit: a subtest ended its parent; tests may not have had their turn.
	// goexitIn are the outermost tests in which that happened.
	goexit   bool
	goexitIn map[string]bool
	failfast failfast
	// dump is the stack dump that a dying process prints.
	dump crashReader
	// races are the data races reported so far.
	races raceReader
	// toldOfRace: package testing said that there was one.
	toldOfRace bool
	// failedBuild and buildNote are what the fail event and the last line say
	// about a suite that was not built.
	failedBuild, buildNote string
	// exitText is the last line of the process: "exit status 2".
	exitText string
	end      *suiteEnd
	source   *packageSource
}

// suiteEnd is the event that ended a suite.
type suiteEnd struct {
	action  testjson.Action
	elapsed float64
}

func newSuite(name string) *suite {
	return &suite{name: name, tests: map[string]*test{}, seed: maphash.MakeSeed()}
}

// adopt makes a new test the child of the one it is inside of. Names of
// subtests may contain slashes, so the nearest running prefix is its parent.
func (s *suite) adopt(t *test) {
	s.events++
	if t.parent != nil {
		return
	}
	for i := len(t.name) - 1; i > 0; i-- {
		if t.name[i] != '/' {
			continue
		}
		if parent := s.tests[t.name[:i]]; parent != nil {
			t.parent = parent
			parent.container = true
			parent.liveChildren++
			return
		}
	}
}

// resume notes that a test starts: a process that starts a test is alive, so
// what looked like its death outside of all tests was only text.
func (s *suite) resume() {
	if s.dump.under == "" {
		s.dump.forget()
	}
}

// testText keeps what a test printed.
func (s *suite) testText(t *test, ev *testjson.Event) {
	s.typed = s.typed || ev.OutputType != testjson.OutputPlain
	if isFraming(ev.Output) {
		return
	}
	if s.verbose {
		t = s.speaker(t, ev.Output)
	}
	t.text.add(ev.Output, ev.OutputType)
	s.races.read(t.name, ev.Output)
	s.dump.read(t, ev.Output)
}

var (
	finalPass = []byte(`PASS\n`)
	finalFail = []byte(`FAIL\n`)
)

// ownText keeps what was printed outside of tests.
func (s *suite) ownText(ev *testjson.Event) {
	switch {
	case bytes.Equal(ev.Output, finalPass), bytes.Equal(ev.Output, finalFail):
		s.completed = true
		s.early = s.early || slices.ContainsFunc(s.live(), func(t *test) bool { return source.KindOf(t.name) != source.Benchmark })
		s.resume()
		return
	case bytes.HasPrefix(ev.Output, []byte(`FAIL\t`)):
		s.buildNote = buildNote(ev.Output)
		return
	}
	if text, ok := exitLine(ev.Output); ok {
		s.exitText = text
		return
	}
	s.addOwn(ev)
}

// addOwn keeps a text that is of no test.
func (s *suite) addOwn(ev *testjson.Event) {
	s.own.add(ev.Output, ev.OutputType)
	s.races.read("", ev.Output)
	s.dump.read(nil, ev.Output)
}

// buildNote reads the bracket of "FAIL\tpkg [build failed]".
func buildNote(escaped []byte) string {
	for _, note := range []string{noteBuildFailed, noteSetupFailed} {
		if bytes.Contains(escaped, []byte("["+note+"]")) {
			return note
		}
	}
	return ""
}

// The two notes of cmd/go on a package whose tests could not run.
const (
	noteBuildFailed = "build failed"
	noteSetupFailed = "setup failed"
)

// id is the test of a name, or the suite itself.
func (s *suite) id(name string) sdk.TestID { return sdk.TestID{Suite: s.name, Test: name} }

// live are the running tests in the order in which they started.
func (s *suite) live() []*test {
	all := make([]*test, 0, len(s.tests))
	for _, t := range s.tests {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *test) int { return a.order - b.order })
	return all
}

// leaves are the running tests that do not wait, in order.
func (s *suite) leaves() []*test {
	var leaves []*test
	for _, t := range s.live() {
		if t.isLeaf() {
			leaves = append(leaves, t)
		}
	}
	return leaves
}

// suites are those that the events told of.
type suites struct {
	// running have started and not ended.
	running map[string]*suite
	// last is the suite of the previous event.
	last *suite
	// ended holds the names of suites that have ended.
	ended map[string]struct{}
	// waiting are suites whose process may have been ended from outside: whether
	// it was the host's time-out is known at the end.
	waiting []*suite
}

// unfinished are the suites whose end was not seen, by name.
func (ss *suites) unfinished() []*suite {
	all := make([]*suite, 0, len(ss.running))
	for _, s := range ss.running {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *suite) int { return strings.Compare(a.name, b.name) })
	return all
}

// isWaiting reports whether a suite has ended and is reported at the end of the run.
func (ss *suites) isWaiting(name string) bool {
	return slices.ContainsFunc(ss.waiting, func(s *suite) bool { return s.name == name })
}

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
