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
	// own is the text outside of tests, and behind their verdicts. outside is without the latter.
	own, outside transcript
	// late is the test behind whose verdict the newest text was shown, if it was.
	late string
	// started counts tests that ran, tops the top-level ones among them, and events the
	// starts and ends of tests.
	started, tops, events int
	// startedNames are the top-level tests that started, by the hash of the name.
	startedNames map[uint64]struct{}
	// announced reports whether the suite's own start was announced, as it is since Go
	// 1.20. Since then markers of package testing are found even within a line.
	announced bool
	// benchmarked means that a benchmark started.
	benchmarked bool
	// anyFailed reports whether a test failed or was blamed.
	anyFailed bool
	// held are failed tests in the order in which they ended. What is printed next may
	// explain them; see settle.go.
	held []*test
	// patient reports whether failed tests are held until the suite ends, because they
	// may run again.
	patient bool
	// rehearsals tracks the tests that tests run; nil if none does.
	rehearsals *rehearsals
	// verbose reports whether the user passed -v, which makes markers plain text.
	verbose  bool
	redirect redirection
	// attempts counts how often each test ended, by the hash of the name, if tests may
	// run more than once.
	attempts map[uint64]attempt
	seed     maphash.Seed
	// completed reports whether package testing said PASS or FAIL, so that every
	// selected test had its turn.
	completed bool
	// early reports whether that was while tests were running, in which case one of them
	// printed it.
	early bool
	// imitated reports whether a test printed lines like those of package testing.
	imitated bool
	// again reports whether TestMain ran the tests again after all had their turn.
	again bool
	// typed reports whether Go marks errors in the output, as it does since 1.27.
	typed bool
	// goexit reports whether a subtest ended its parent, so that tests may have missed
	// their turn. goexitIn are the top-level tests in which that happened.
	goexit   bool
	goexitIn map[string]bool
	failfast failfast
	// dump is the stack dump that a dying process prints.
	dump crashReader
	// races are the data races reported so far.
	races raceReader
	// raceDetected reports whether package testing said that there was a race.
	raceDetected bool
	// failedBuild and buildNote are what the fail event and the last line say about a
	// suite that was not built.
	failedBuild, buildNote string
	// exitText is the last line of the process: "exit status 2".
	exitText string
	// cached reports whether the go command's last line says that the suite is from its
	// cache.
	cached bool
	end    *suiteEnd
	source *packageSource
}

// suiteEnd is the event that ended a suite.
type suiteEnd struct {
	action  testjson.Action
	elapsed float64
}

func newSuite(name string) *suite {
	return &suite{name: name, tests: map[string]*test{}, seed: maphash.MakeSeed()}
}

// adopt makes a new test a child of the enclosing one. Names of subtests may contain
// slashes, so the nearest running prefix is the parent.
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

// resume records that a test starts. A process that starts a test is alive, so what
// looked like its death outside of tests was mere text.
func (s *suite) resume() {
	if s.dump.under == "" {
		s.dump.reset()
	}
}

// testText keeps what a test printed.
func (s *suite) testText(t *test, ev *testjson.Event) {
	s.typed = s.typed || ev.OutputType != testjson.OutputPlain
	if isFraming(ev.Output) {
		return
	}
	if s.verbose {
		t = s.ownerOf(t, ev.Output)
	}
	t.text.add(ev.Output, ev.OutputType)
	if s.late = ""; t.verdict != "" {
		s.late = t.name
		if s.lateText(t, ev) {
			return
		}
	} else {
		t.verdict = readVerdict(ev.Output, t.name)
	}
	s.raceDetected = s.raceDetected || len(s.races.races) > 0 && bytes.Contains(ev.Output, []byte(raceDetected))
	s.races.read(t.name, ev.Output)
	s.dump.read(t, ev.Output)
}

// readVerdict reads a test's own "--- PASS", "--- SKIP" or "--- FAIL" line; "" for any other.
func readVerdict(escaped []byte, name string) string {
	rest, found := bytes.CutPrefix(bytes.TrimLeft(escaped, " "), []byte("--- "))
	if !found || len(rest) < len("PASS: ") {
		return ""
	}
	word, rest := rest[:len("PASS: ")], rest[len("PASS: "):]
	if bytes.IndexByte(rest, '\\') < len(rest)-len(`\n`) {
		rest = testjson.AppendUnescaped(nil, rest) // the line feed is not all that is escaped
	}
	if len(rest) <= len(name) || string(rest[:len(name)]) != name || !bytes.HasPrefix(rest[len(name):], []byte(" (")) {
		return ""
	}
	for _, verdict := range []string{"PASS", "SKIP", "FAIL"} {
		if string(word) == verdict+": " {
			return verdict
		}
	}
	return ""
}

// lateText keeps what the stream shows for a test behind its verdict: until another one is
// named, that is what the process prints, such as why it dies while others run. It reports
// whether the text cannot be of the test itself, as a panic of one that failed.
func (s *suite) lateText(t *test, ev *testjson.Event) bool {
	if text, ok := exitLine(ev.Output); ok {
		s.exitText = text
		return true
	}
	s.own.add(ev.Output, ev.OutputType)
	if t.verdict == "FAIL" {
		return false
	}
	s.races.read(t.name, ev.Output) // only a race outside of tests needs no other sign
	s.dump.read(nil, ev.Output)
	return true
}

var (
	finalPass = []byte(`PASS\n`)
	finalFail = []byte(`FAIL\n`)
)

// ownText keeps what was printed outside of tests.
func (s *suite) ownText(ev *testjson.Event) {
	switch {
	case bytes.Equal(ev.Output, finalPass), bytes.Equal(ev.Output, finalFail):
		s.completed, s.exitText = true, ""
		s.early = s.early || slices.ContainsFunc(s.runningTests(), func(t *test) bool { return source.KindOf(t.name) != source.Benchmark })
		s.resume()
		return
	case bytes.HasPrefix(ev.Output, []byte(`FAIL\t`)):
		s.buildNote = buildNote(ev.Output)
		return
	}
	s.cached = s.saysCached(ev.Output)
	if text, ok := exitLine(ev.Output); ok {
		s.exitText = text
		return
	}
	if s.completed {
		s.exitText = exitWithin(ev.Output)
	}
	s.outside.add(ev.Output, ev.OutputType)
	s.addOwn(ev)
}

// saysCached reports whether a line is the go command's about a suite from its cache:
//
//	ok  	example.com/m	(cached)	coverage: 50.0% of statements
//
// A test that prints such a line last only makes its suite prove less.
func (s *suite) saysCached(escaped []byte) bool {
	return bytes.HasPrefix(escaped, []byte("ok  ")) &&
		bytes.HasPrefix(testjson.AppendUnescaped(nil, escaped), []byte("ok  \t"+s.name+"\t(cached)"))
}

// addOwn keeps a text outside of tests.
func (s *suite) addOwn(ev *testjson.Event) {
	s.own.add(ev.Output, ev.OutputType)
	s.races.read("", ev.Output)
	s.dump.read(nil, ev.Output)
}

// buildNote parses the bracket in "FAIL\tpkg [build failed]".
func buildNote(escaped []byte) string {
	for _, note := range []string{noteBuildFailed, noteSetupFailed} {
		if bytes.Contains(escaped, []byte("["+note+"]")) {
			return note
		}
	}
	return ""
}

// cmd/go's two notes on a package whose tests could not run.
const (
	noteBuildFailed = "build failed"
	noteSetupFailed = "setup failed"
)

// id returns the ID of a test, or of the suite itself if name is empty.
func (s *suite) id(name string) sdk.TestID { return sdk.TestID{Suite: s.name, Test: name} }

// runningTests returns the running tests in the order in which they started.
func (s *suite) runningTests() []*test {
	all := make([]*test, 0, len(s.tests))
	for _, t := range s.tests {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *test) int { return a.order - b.order })
	return all
}

// leaves returns the running tests that do not wait, in order.
func (s *suite) leaves() []*test {
	var leaves []*test
	for _, t := range s.runningTests() {
		if t.isLeaf() {
			leaves = append(leaves, t)
		}
	}
	return leaves
}

// suites tracks the suites in the stream.
type suites struct {
	// running are the suites that have started and not ended.
	running map[string]*suite
	// last is the suite of the previous event.
	last *suite
	// ended holds the names of the suites that have ended.
	ended map[string]struct{}
	// waiting are suites whose process may have been ended from outside: whether the
	// host's timeout did it is known at the end.
	waiting []*suite
}

// unfinished returns the suites whose end was not seen, by name.
func (ss *suites) unfinished() []*suite {
	all := make([]*suite, 0, len(ss.running))
	for _, s := range ss.running {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *suite) int { return strings.Compare(a.name, b.name) })
	return all
}

// isWaiting reports whether a suite has ended and will be reported at the end of the
// run.
func (ss *suites) isWaiting(name string) bool {
	return slices.ContainsFunc(ss.waiting, func(s *suite) bool { return s.name == name })
}

// test is a test that is running, or that failed and is not reported yet.
type test struct {
	name    string
	text    transcript
	started time.Time
	// order is the test's number in the order of starts within the suite.
	order int
	// paused reports whether it waits in t.Parallel.
	paused bool
	// verdict is the word in its own line about its end, if that was read.
	verdict string
	// parent is the running test that encloses this one.
	parent *test
	// liveChildren counts the running subtests.
	liveChildren int
	// container reports whether it has subtests, and childFailed whether one of them
	// failed.
	container, childFailed bool
	// attributes are those of t.Attr, and the directory of its artifacts.
	attributes map[string]string
	elapsed    time.Duration
	// endedAt is the suite's event count when the test ended, topsThen its number of
	// top-level tests then, and failed the time if it ended with a failure.
	endedAt, topsThen int
	failed            time.Time
	// resumedAt is the suite's event count when the test started or resumed after a
	// pause. parallel reports whether it was paused.
	resumedAt int
	parallel  bool
}

// Bounds of a test's attributes, which it sets itself.
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

// rootOf returns the name of the top-level test.
func rootOf(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}

// isInside reports whether a test is a subtest of another, at any depth.
func isInside(name, outer string) bool {
	return len(name) > len(outer) && name[len(outer)] == '/' && name[:len(outer)] == outer
}

// isLeaf reports whether it is running itself rather than waiting for a subtest or its
// turn.
func (t *test) isLeaf() bool { return !t.paused && t.liveChildren == 0 }

// isFramed reports whether the newest text is the test's own "--- FAIL" line.
func (t *test) isFramed() bool {
	piece := string(t.text.lastPiece())
	_, rest, found := strings.Cut(piece, "--- ")
	return found && (strings.HasPrefix(rest, "FAIL: ") || strings.HasPrefix(rest, "PASS: ") || strings.HasPrefix(rest, "SKIP: "))
}
