package parse

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/wording"
	"github.com/proctorhq/proctor/sdk"
)

// attributor reports why a process or a suite failed, and on which test.
type attributor struct {
	*reporter
	examiner *examiner
	// unknownFlags are the flags that test binaries rejected.
	unknownFlags []unknownFlag
}

// explainCrash reports why a process died after printing a stack dump.
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
	if text := strings.Split(message, "\n"); wording.IsMock(text) {
		f.message, f.diff = wording.ReadMock(text)
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

// testFrame returns the outermost place within the test itself.
func (t *tree) testFrame(s *suite, g goroutine, name string) sdk.Location {
	for _, f := range slices.Backward(g.frames) {
		if top, _ := f.testRoot(s.name); top != "" && top == rootOf(name) {
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

// crashText returns the text that contains the dump, and the line where it starts.
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

// blameFor reports a crash as the failure of one test, or of the suite if name is
// empty.
func (a *attributor) blameFor(s *suite, name, under string, f finding) {
	if under != "" && under != name {
		f.derivedFrom = append(f.derivedFrom, s.id(under))
	}
	s.anyFailed = true
	if name == "" {
		a.report(a.newFailure(s.id(""), f))
		return
	}
	if t := s.takeHeld(name); t != nil {
		a.examiner.attach(s, t, &f)
		a.sink.Test(a.newResult(s, t, sdk.Failed))
	} else if t := s.tests[name]; t != nil {
		a.examiner.attach(s, t, &f)
		a.endBlamed(s, t)
	} else {
		// It had passed before something it left behind crashed the process.
		a.sink.Test(a.newResult(s, &test{name: name}, sdk.Failed))
	}
	a.reportOnce(s, name, f)
}

// attach adds what the test printed before it died.
func (x *examiner) attach(s *suite, t *test, f *finding) {
	own := finding{}
	x.examineBlocks(s, findBlocks(t.text.lines()), &own)
	if !own.own {
		return
	}
	f.also = append(f.also, sdk.Also{Location: own.location, Message: own.message})
	f.also = append(f.also, own.also...)
}

// endBlamed reports a test that died with the process, and the enclosing tests that
// failed because of it.
func (a *attributor) endBlamed(s *suite, t *test) {
	parent := t.parent
	s.drop(t)
	a.counts.add(sdk.Failed)
	a.sink.Test(a.newResult(s, t, sdk.Failed))
	for parent != nil && s.tests[parent.name] == parent {
		outer := parent.parent
		s.drop(parent)
		a.counts.add(sdk.Failed)
		r := a.newResult(s, parent, sdk.Failed)
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

// blame returns the test that crashed the process, or "" for the suite itself.
//
// The text of a dump is filed under the test that spoke last, which is often another
// one. So the message decides first, then the stack, and only then the place of the
// text.
func (s *suite) blame(c *crash, g goroutine) string {
	if name := completedTest(c); name != "" {
		return name
	}
	top, depth := g.testRoot(s.name)
	chain := s.panicChain(c.under)
	if top == "" && g.isOutside() {
		return ""
	}
	if len(chain) > 0 && (top == "" || top == rootOf(chain[0])) {
		return chainLink(chain, top, depth, g)
	}
	if top != "" {
		return s.pickWithin(top, depth, c.under)
	}
	leaves := s.leaves()
	if len(leaves) == 1 {
		return leaves[0].name
	}
	for _, t := range leaves {
		if g.callsMethod(t.name) {
			return t.name
		}
	}
	return c.under
}

// completedTest parses "Fail in goroutine after TestX has completed".
func completedTest(c *crash) string {
	if len(c.head) == 0 {
		return ""
	}
	text := strings.TrimPrefix(c.head[0], "panic: ")
	for _, start := range []string{"Fail in goroutine after ", "Log in goroutine after "} {
		if rest, found := strings.CutPrefix(text, start); found {
			if end := strings.Index(rest, " has completed"); end > 0 {
				return rest[:end]
			}
		}
	}
	return ""
}

// isOutside reports whether the stack is of package initialization or TestMain.
func (g *goroutine) isOutside() bool {
	for _, f := range g.frames {
		_, name := f.split()
		if name == "init" || strings.HasPrefix(name, "init.") || name == "TestMain" || strings.HasPrefix(name, "TestMain.") {
			return true
		}
	}
	return false
}

// panicChain returns the panicking test and the enclosing tests, outermost first, if
// package testing announced their failure before the panic. With test2json it announces
// and ends them from the inside out, and the text is filed under the outermost; with
// the user's own -v it is the other way round.
func (s *suite) panicChain(under string) []string {
	held := s.held
	outer := s.tests[under]
	// The ends of the test and of those around it follow the text.
	for i := len(held) - 1; i >= 0 && (held[i].name == under || isInside(under, held[i].name)); i-- {
		if held[i].name == under {
			outer = held[i]
		}
		held = held[:i]
	}
	if outer == nil || !hasVerdictLine(outer) {
		return nil
	}
	chain := append(s.enclosing(under), under)
	for i := len(held) - 1; i >= 0 && isInside(held[i].name, chain[len(chain)-1]); i-- {
		chain = append(chain, held[i].name)
	}
	return chain
}

// enclosing returns the known tests that enclose a test, outermost first.
func (s *suite) enclosing(name string) []string {
	var outer []string
	for i := range len(name) {
		if name[i] == '/' && (s.tests[name[:i]] != nil || s.isHeld(name[:i])) {
			outer = append(outer, name[:i])
		}
	}
	return outer
}

// hasVerdictLine reports whether a test's text contains its "--- FAIL" line.
func hasVerdictLine(t *test) bool {
	lines := t.text.lines()
	return len(withoutVerdict(lines, t.name)) < len(lines)
}

// chainLink picks the test in a chain whose function died, by how deeply its code is
// nested in closures of the top-level function. If subtests have functions of their
// own, the depth does not show it, and the innermost test is picked.
func chainLink(chain []string, top string, depth int, g goroutine) string {
	last := len(chain) - 1
	if top == "" {
		return chain[last]
	}
	if g.cleanup {
		depth--
	}
	return chain[max(0, min(depth, last))]
}

// pickWithin picks the test that died among the tests of a top-level test.
func (s *suite) pickWithin(top string, depth int, under string) string {
	if depth == 0 || s.tests[top] == nil {
		return top
	}
	var inside []string
	for _, t := range s.leaves() {
		if isInside(t.name, top) {
			inside = append(inside, t.name)
		}
	}
	switch {
	case len(inside) == 1:
		return inside[0]
	case isInside(under, top):
		return under
	}
	return top
}
