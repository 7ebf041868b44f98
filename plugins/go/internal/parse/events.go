package parse

import (
	"bytes"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
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
