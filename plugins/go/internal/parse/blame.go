package parse

import "strings"

// blame names the test that took the process down; empty is the suite itself.
//
// The text of a dump stands under the test that spoke last, which is often
// another one. In this order: what the message says, what the stack says, and
// only then where the text stands.
func (s *suite) blame(c *crash, g goroutine) string {
	if name := completedTest(c); name != "" {
		return name
	}
	top, depth := g.testRoot(s.name)
	chain := s.panicChain(c.under)
	if top == "" && g.isOutside() {
		return ""
	}
	if len(chain) > 0 && (top == "" || top == root(chain[0])) {
		return chainLink(chain, top, depth, g)
	}
	if top != "" {
		return s.within(top, depth, c.under)
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

// completedTest reads "Fail in goroutine after TestX has completed".
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

// isOutside tells stacks of package initialisation and of TestMain.
func (g *goroutine) isOutside() bool {
	for _, f := range g.frames {
		_, name := f.split()
		if name == "init" || strings.HasPrefix(name, "init.") || name == "TestMain" || strings.HasPrefix(name, "TestMain.") {
			return true
		}
	}
	return false
}

// panicChain is the panicking test and the tests around it, outermost first,
// when package testing announced their failure before the panic. In the mode
// for machines it announces and ends them from the inside out, and the text
// stands under the outermost; with -v of the user it is the other way round.
func (s *suite) panicChain(under string) []string {
	held := s.held
	outer := s.tests[under]
	// Its own end and that of the tests around it follow the text.
	for i := len(held) - 1; i >= 0 && (held[i].name == under || isInside(under, held[i].name)); i-- {
		if held[i].name == under {
			outer = held[i]
		}
		held = held[:i]
	}
	if outer == nil || !announced(outer) {
		return nil
	}
	chain := append(s.around(under), under)
	for i := len(held) - 1; i >= 0 && isInside(held[i].name, chain[len(chain)-1]); i-- {
		chain = append(chain, held[i].name)
	}
	return chain
}

// around are the known tests that a test is inside of, outermost first.
func (s *suite) around(name string) []string {
	var outer []string
	for i := range len(name) {
		if name[i] == '/' && (s.tests[name[:i]] != nil || s.isHeld(name[:i])) {
			outer = append(outer, name[:i])
		}
	}
	return outer
}

// announced reports whether a test's text has its "--- FAIL" line.
func announced(t *test) bool {
	lines := t.text.lines()
	return len(withoutVerdict(lines, t.name)) < len(lines)
}

// chainLink picks the test of a chain whose function died, by how deep in
// closures of the top-level function its code is. Subtests with functions of
// their own do not show that; then it is the innermost.
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

// within picks the test that died among those of a top-level test.
func (s *suite) within(top string, depth int, under string) string {
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
