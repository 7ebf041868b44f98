package parse

import (
	"bytes"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// handle handles one event.
func (p *Parser) handle(ev *testjson.Event) {
	switch ev.Action {
	case testjson.ActionBuildOutput:
		p.command.builds.addOutput(ev, &p.output)
		return
	case testjson.ActionBuildFail:
		p.command.builds.markBroken(ev)
		return
	case testjson.ActionOther:
		return
	}
	s := p.suiteOf(ev)
	if s == nil {
		return
	}
	if len(ev.Test) == 0 {
		p.suiteEvent(s, ev)
		return
	}
	p.testEvent(s, ev)
}

// suiteOf finds the suite of an event. It returns nil for late output of a suite that
// has ended.
func (p *Parser) suiteOf(ev *testjson.Event) *suite {
	if p.suites.last != nil && string(ev.Package) == p.suites.last.name {
		return p.suites.last
	}
	s := p.suites.running[string(ev.Package)]
	if s == nil {
		if _, ended := p.suites.ended[string(ev.Package)]; ended && ev.Action == testjson.ActionOutput {
			return nil
		}
		s = newSuite(string(ev.Package))
		if p.tree.source(s).runsTests {
			s.rehearsals = newRehearsals()
		}
		s.patient = p.selection.repeats() || !p.selection.known || s.rehearsals != nil
		s.verbose = p.flags.verbose || p.selection.verbose || !p.selection.known
		p.suites.running[s.name] = s
	}
	p.suites.last = s
	return s
}

func (p *Parser) suiteEvent(s *suite, ev *testjson.Event) {
	switch ev.Action {
	case testjson.ActionOutput:
		p.output.suiteText(s.name, ev.Output)
		if !p.selection.isCoverageNoise(ev) {
			s.ownText(ev)
		}
	case testjson.ActionStart:
		s.announced = true
	case testjson.ActionPass, testjson.ActionFail, testjson.ActionSkip:
		p.endSuite(s, ev)
	}
}

func (p *Parser) testEvent(s *suite, ev *testjson.Event) {
	switch ev.Action {
	case testjson.ActionOutput:
		p.output.testText(s.name, ev.Test, ev.Output)
		t := p.speakingTest(s, ev.Test)
		switch {
		case p.selection.isCoverageNoise(ev):
		case t != nil:
			s.testText(t, ev)
		case !isFraming(ev.Output):
			s.addOwn(ev)
		}
	case testjson.ActionRun:
		if !p.isImitation(s, ev.Test) {
			p.startTest(s, ev.Test)
		}
	case testjson.ActionAttr:
		if t := p.speakingTest(s, ev.Test); t != nil {
			t.setAttribute(string(ev.Key), string(ev.Value))
		}
	case testjson.ActionArtifacts:
		if t := p.speakingTest(s, ev.Test); t != nil {
			t.setAttribute("artifacts", string(ev.Path))
		}
	case testjson.ActionPause, testjson.ActionCont:
		if s.tests[string(ev.Test)] == nil && p.isFramed(s) {
			s.imitated = true
			return
		}
		t := p.liveTest(s, ev.Test)
		if ev.Action == testjson.ActionPause {
			t.paused, t.parallel = true, true
			return
		}
		t.paused, t.started, t.resumedAt = false, p.clock, s.events
	case testjson.ActionPass, testjson.ActionBench, testjson.ActionSkip, testjson.ActionFail:
		t := p.liveTest(s, ev.Test)
		if endsPackage(s, t, ev) {
			t.text.dropLast()
			p.endSuite(s, ev)
			return
		}
		p.settler.endTest(s, t, ev, p.clock)
	}
}

// endSuite handles the end of a suite.
func (p *Parser) endSuite(s *suite, ev *testjson.Event) {
	s.end = &suiteEnd{action: ev.Action, elapsed: ev.Elapsed}
	s.failedBuild = string(ev.FailedBuild)
	s.anyFailed = s.anyFailed || len(s.held) > 0
	delete(p.suites.running, s.name)
	p.suites.last = nil
	p.suites.ended[s.name] = struct{}{}
	p.counts.suites++
	unbuilt := s.started == 0 && (s.buildNote != "" || s.failedBuild != "")
	c := s.dump.crash()
	died := c == nil && ev.Action == testjson.ActionFail && (len(s.tests) > 0 && !s.completed || len(s.tests) == 0 && s.mayHaveBeenStopped())
	if c != nil && c.isSignal() || unbuilt && p.command.builds.someInterrupted() || died {
		if died && s.completed {
			p.settler.settleAll(s) // nothing more explains what failed, which must not wait
		}
		// Whether the host or the user ended it will be known at the end of the run.
		p.suites.waiting = append(p.suites.waiting, s)
		return
	}
	p.ender.conclude(s, sdk.Exit{})
}

// liveTest finds a running test. It starts one whose start was not seen, because its
// text and its end still count.
func (p *Parser) liveTest(s *suite, name []byte) *test {
	if s.last != nil && string(name) == s.last.name {
		return s.last
	}
	t := s.tests[string(name)]
	if t == nil {
		return p.startTest(s, name)
	}
	s.last = t
	return t
}

// startTest records that a test runs. If a test of that name is running already, its
// end was lost, and the new one replaces it.
func (p *Parser) startTest(s *suite, name []byte) *test {
	s.resume()
	t := s.tests[string(name)]
	if t == nil {
		t = p.settler.newTest(string(name))
		s.tests[t.name] = t
		t.order = s.started
		s.started++
		if rootOf(t.name) == t.name {
			s.tops++
			s.noteStarted(t.name)
		}
	}
	t.started = p.clock
	s.adopt(t)
	t.resumedAt = s.events
	s.rehearsals.enter(s, t)
	s.last = t
	return t
}

// isFraming reports whether a line of package testing merely restates an event.
func isFraming(escaped []byte) bool {
	return bytes.HasPrefix(escaped, []byte("=== ")) &&
		(bytes.HasPrefix(escaped[4:], []byte("RUN ")) || bytes.HasPrefix(escaped[4:], []byte("PAUSE ")) ||
			bytes.HasPrefix(escaped[4:], []byte("CONT ")) || bytes.HasPrefix(escaped[4:], []byte("NAME ")))
}

// Package testing marks its framing lines with a control character, ^V. A test may
// print such lines, too, as the tests of tools that read them do. Then test2json emits
// events that did not happen and attributes the following output to another test.
// Impossible events count as text of the running test: a test that has ended prints
// nothing more, and no test starts twice. Ends are always believed, because they may be
// red.

// isFramed reports whether a suite's stream announces each test when it starts, so that
// a test without a start cannot be running.
func (p *Parser) isFramed(s *suite) bool {
	return s.announced && s.started > 0 && !s.verbose && p.unread.damaged.Bytes == 0
}

// isImitation reports whether a test whose start is announced cannot be starting. When all
// tests had their turn, none is there to print that: TestMain has called m.Run again.
func (p *Parser) isImitation(s *suite, name []byte) bool {
	if s.tests[string(name)] != nil || s.patient || !p.isFramed(s) || rootOf(string(name)) != string(name) {
		return false
	}
	_, heard := s.startedNames[s.key(string(name))]
	if heard && s.completed && !s.early && len(s.tests) == 0 {
		s.completed, s.again = false, true
	}
	s.imitated = s.imitated || heard && !s.again
	return heard && !s.again
}

// speakingTest returns the test that printed something: the named one if it is running,
// or else the only one that is. It returns nil if that is ambiguous.
func (p *Parser) speakingTest(s *suite, name []byte) *test {
	if s.tests[string(name)] != nil || !p.isFramed(s) {
		return p.liveTest(s, name)
	}
	s.imitated = true
	if leaves := s.leaves(); len(leaves) == 1 {
		return leaves[0]
	}
	return nil
}

// noteImitation notes that not every event of a suite was believed, or that there are two of
// each test.
func (e *suiteEnder) noteImitation(s *suite) {
	if s.again {
		e.sink.Note(s.name + ": its TestMain calls m.Run more than once, so its tests ran more than once: one that failed has failed, however often it passed")
	}
	if s.imitated {
		e.sink.Note(s.name + ": a test printed lines that look like those of package testing: what they say about other tests is ignored")
	}
}

// endsPackage reports whether the event that ends a test is really the end of the
// package. If the test process exits with code 0 in the middle of a test, test2json
// attributes the go command's last line to that test, and the event that follows, too:
//
//	{"Action":"output","Test":"TestA","Output":"ok  \tpkg\t0.1s\n"}
//	{"Action":"pass","Test":"TestA"}
//
// A test that prints such a line itself has its own "--- PASS" line after it.
func endsPackage(s *suite, t *test, ev *testjson.Event) bool {
	word := ""
	switch ev.Action {
	case testjson.ActionPass:
		word = "ok  \t"
	case testjson.ActionFail:
		word = "FAIL\t"
	case testjson.ActionSkip:
		word = "?   \t"
	default:
		return false
	}
	piece := t.text.lastPiece()
	if len(piece) > 0 && (piece[0] == tagError || piece[0] == tagContinue) {
		piece = piece[1:]
	}
	if !bytes.HasPrefix(piece, []byte(word[:4])) {
		return false
	}
	line := testjson.AppendUnescaped(nil, piece)
	rest, found := bytes.CutPrefix(line, []byte(word+s.name))
	return found && len(rest) > 0 && (rest[0] == '\t' || rest[0] == ' ' || rest[0] == '\n')
}

// gluedMarkers name the test whose output follows. After text without a line feed, and
// with the user's own -v, which makes markers plain text, test2json overlooks them:
//
//	two again === NAME  TestG2
var gluedMarkers = [][]byte{[]byte("=== NAME  "), []byte("=== CONT  ")}

// anyMarker is their common beginning.
var anyMarker = []byte("=== ")

// redirection assigns the text of one test to another, as a glued marker says.
type redirection struct{ from, to string }

// ownerOf returns the test that a piece of output belongs to, given the one that the
// event names.
func (s *suite) ownerOf(t *test, escaped []byte) *test {
	owner := t
	if s.redirect.from == t.name {
		if other := s.tests[s.redirect.to]; other != nil {
			owner = other
		}
	} else {
		s.redirect = redirection{}
	}
	if !bytes.Contains(escaped, anyMarker) {
		return owner
	}
	for _, marker := range gluedMarkers {
		at := bytes.LastIndex(escaped, marker)
		if at <= 0 {
			continue
		}
		name := testjson.AppendUnescaped(nil, escaped[at+len(marker):])
		s.redirect = redirection{from: t.name, to: string(bytes.TrimSpace(name))}
	}
	return owner
}
