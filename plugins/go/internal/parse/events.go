package parse

import (
	"bytes"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// handle takes one event.
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

// suiteOf finds the suite of an event. It is nil for the last words of a suite
// that has ended.
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
		s.patient = p.flags.repeats || !p.selection.known || s.rehearsals != nil
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
		if !p.isPretended(s, ev.Test) {
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
			s.pretended = true
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

// endSuite takes the end of a suite.
func (p *Parser) endSuite(s *suite, ev *testjson.Event) {
	s.end = &suiteEnd{action: ev.Action, elapsed: ev.Elapsed}
	s.failedBuild = string(ev.FailedBuild)
	s.anyFailed = s.anyFailed || len(s.held) > 0
	delete(p.suites.running, s.name)
	p.suites.last = nil
	p.suites.ended[s.name] = struct{}{}
	p.counts.suites++
	unbuilt := s.started == 0 && (s.buildNote != "" || s.failedBuild != "")
	if c := s.dump.crash(); c != nil && c.isSignal() || unbuilt && p.command.builds.someInterrupted() || c == nil && ev.Action == testjson.ActionFail && len(s.tests) > 0 && !s.completed {
		// Whether the host or the user ended it is known at the end of the run.
		p.suites.waiting = append(p.suites.waiting, s)
		return
	}
	p.ender.conclude(s, sdk.Exit{})
}

// liveTest finds a test that is running. One whose start was not seen is
// started: its text and its end count all the same.
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

// startTest notes that a test runs. When one of that name is running already,
// the start of an end that was lost, the new one takes its place.
func (p *Parser) startTest(s *suite, name []byte) *test {
	s.resume()
	t := s.tests[string(name)]
	if t == nil {
		t = p.settler.newTest(string(name))
		s.tests[t.name] = t
		t.order = s.started
		s.started++
		if root(t.name) == t.name {
			s.tops++
			s.hear(t.name)
		}
	}
	t.started = p.clock
	s.adopt(t)
	t.resumedAt = s.events
	s.rehearsals.enter(s, t)
	s.last = t
	return t
}

// isFraming tells the lines of package testing that only restate an event.
func isFraming(escaped []byte) bool {
	return bytes.HasPrefix(escaped, []byte("=== ")) &&
		(bytes.HasPrefix(escaped[4:], []byte("RUN ")) || bytes.HasPrefix(escaped[4:], []byte("PAUSE ")) ||
			bytes.HasPrefix(escaped[4:], []byte("CONT ")) || bytes.HasPrefix(escaped[4:], []byte("NAME ")))
}

// The lines with which package testing tells of its tests begin with a control
// character, ^V. A test may print such lines as well, as tests of tools that read
// them do, and then test2json tells of events that did not happen and gives what
// follows to another test. What cannot be so is text of the test that runs: a test
// that has ended says nothing any more, and starts once. An end is believed
// whatever speaks against it: it may be red.

// isFramed reports whether a suite's stream tells of each test when it starts, so that
// one that was not told of does not run.
func (p *Parser) isFramed(s *suite) bool {
	return s.announced && s.started > 0 && !s.verbose && p.unread.damaged.Bytes == 0
}

// isPretended reports whether a test that is told to start cannot.
func (p *Parser) isPretended(s *suite, name []byte) bool {
	if s.tests[string(name)] != nil || s.patient || !p.isFramed(s) || root(string(name)) != string(name) {
		return false
	}
	_, heard := s.heard[s.key(string(name))]
	s.pretended = s.pretended || heard
	return heard
}

// speakingTest finds the test that printed something: the one that is named if it
// runs, else the only one that does; nil where that cannot be told.
func (p *Parser) speakingTest(s *suite, name []byte) *test {
	if s.tests[string(name)] != nil || !p.isFramed(s) {
		return p.liveTest(s, name)
	}
	s.pretended = true
	if leaves := s.leaves(); len(leaves) == 1 {
		return leaves[0]
	}
	return nil
}

// notePretence says that not every event of a suite was believed.
func (e *suiteEnder) notePretence(s *suite) {
	if s.pretended {
		e.sink.Note(s.name + ": a test printed lines that look as if package testing had: what they say of other tests does not count")
	}
}

// endsPackage reports whether the event that ends a test is really the end of the
// package. When the process of the tests ends with code 0 in the middle of one,
// test2json takes the last words of the go command for output of that test, and
// so is the event that follows:
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

// gluedMarkers name the test whose output follows. Where a test has printed
// text without a line feed and the user has given -v, so that markers are plain
// text, test2json overlooks them:
//
//	two again === NAME  TestG2
var gluedMarkers = [][]byte{[]byte("=== NAME  "), []byte("=== CONT  ")}

// anyMarker is what both begin with.
var anyMarker = []byte("=== ")

// redirection gives the text of one test to another, as a glued marker says.
type redirection struct{ from, to string }

// speaker is the test that a piece of output is of, given the one that the
// event names.
func (s *suite) speaker(t *test, escaped []byte) *test {
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
