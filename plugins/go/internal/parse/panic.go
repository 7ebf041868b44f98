package parse

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// attributor reports why a process or a suite failed, and on which test.
type attributor struct {
	*reporter
	examiner *examiner
	// unknownFlags are those that test binaries did not take.
	unknownFlags []unknownFlag
}

// explainCrash reports why a process died that printed a stack dump.
func (a *attributor) explainCrash(s *suite, c *crash, exit sdk.Exit) {
	switch {
	case c.isTimeout(), c.isSignal() && (exit.TimedOut || strings.HasPrefix(s.lastExit(), killedByGo)):
		a.explainTimeout(s, c)
		return
	case c.isSignal():
		a.explainSignal(s, c)
		return
	}
	kind, message := c.message()
	g := c.first()
	if strings.Contains(message, asleep) {
		g = c.stuck()
	}
	name := s.blame(c, g)
	f := crashFinding(a.tree, s, c, g, name)
	f.kind, f.message = kind, message
	if text := strings.Split(message, "\n"); isMock(text) {
		f.message, f.diff = readMock(text)
	}
	a.blameFor(s, name, c.under, f)
}

// crashFinding describes a dead process by one of its goroutines.
func crashFinding(tree *tree, s *suite, c *crash, g goroutine, name string) finding {
	f := finding{own: true, stack: tree.frames(s, g.frames)}
	if len(f.stack) > 0 {
		f.location = f.stack[0].Location
		f.testFrame = tree.testFrame(s, g, name)
	} else if g.created.isUser() {
		f.location = tree.locate(s, g.created.file, g.created.line)
	}
	f.lines, f.anchor = s.crashText(c)
	return f
}

// testFrame is the outermost place within the test itself.
func (t *tree) testFrame(s *suite, g goroutine, name string) sdk.Location {
	for _, f := range slices.Backward(g.frames) {
		if top, _ := f.testRoot(s.name); top != "" && top == root(name) {
			return t.locate(s, f.file, f.line)
		}
	}
	for _, f := range slices.Backward(g.frames) {
		if strings.HasSuffix(f.file, "_test.go") {
			return t.locate(s, f.file, f.line)
		}
	}
	return sdk.Location{}
}

// crashText is the text that holds the dump, and the line where it starts.
func (s *suite) crashText(c *crash) (lines []line, anchor int) {
	text := &s.own
	for _, t := range s.held {
		if t.name == c.under {
			text = &t.text
		}
	}
	if t := s.tests[c.under]; t != nil {
		text = &t.text
	}
	lines = text.lines()
	if len(c.head) > 0 {
		for i, l := range lines {
			if strings.HasSuffix(l.text, c.head[0]) {
				anchor = i
			}
		}
	}
	return lines, anchor
}

// blameFor reports a crash as the failure of one test, or of the suite when
// the name is empty.
func (a *attributor) blameFor(s *suite, name, under string, f finding) {
	if under != "" && under != name {
		f.derivedFrom = append(f.derivedFrom, s.id(under))
	}
	s.anyFailed = true
	if name == "" {
		a.report(a.failure(s.id(""), f))
		return
	}
	if t := s.takeHeld(name); t != nil {
		a.examiner.attach(s, t, &f)
		a.sink.Test(a.result(s, t, sdk.Failed))
	} else if t := s.tests[name]; t != nil {
		a.examiner.attach(s, t, &f)
		a.endBlamed(s, t)
	} else {
		// It had passed before what it left behind took the process down.
		a.sink.Test(a.result(s, &test{name: name}, sdk.Failed))
	}
	a.reportOnce(s, name, f)
}

// attach adds the messages that the test printed before it died.
func (x *examiner) attach(s *suite, t *test, f *finding) {
	own := finding{}
	x.examineBlocks(s, blocks(t.text.lines()), &own)
	if !own.own {
		return
	}
	f.also = append(f.also, sdk.Also{Location: own.location, Message: own.message})
	f.also = append(f.also, own.also...)
}

// endBlamed reports a test that died with the process, and the tests around it
// that failed because of it.
func (a *attributor) endBlamed(s *suite, t *test) {
	parent := t.parent
	s.drop(t)
	a.counts.add(sdk.Failed)
	a.sink.Test(a.result(s, t, sdk.Failed))
	for parent != nil && s.tests[parent.name] == parent {
		outer := parent.parent
		s.drop(parent)
		a.counts.add(sdk.Failed)
		r := a.result(s, parent, sdk.Failed)
		r.Derived = true
		a.sink.Test(r)
		parent = outer
	}
}

func (s *suite) takeHeld(name string) *test {
	for i, t := range s.held {
		if t.name == name {
			s.held = slices.Delete(s.held, i, i+1)
			return t
		}
	}
	return nil
}
