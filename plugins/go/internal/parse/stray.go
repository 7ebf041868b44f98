package parse

// examineStray looks for the message of a silent test among the text of no
// test: a child process that prints markers of its own makes test2json forget
// which test is running. The function around the place that a message names
// tells whose it is.
func (x *examiner) examineStray(s *suite, t *test, f *finding) {
	if t.container || root(t.name) != t.name {
		return // the functions of subtests have no names
	}
	lines := s.own.lines()
	var own []block
	for _, b := range blocks(lines) {
		at := x.tree.locate(s, b.file, b.line)
		if b.fromTesting() || at.File != x.tree.source(s).tests[t.name].File || at.File == "" {
			continue
		}
		if syntax := x.tree.parsed.file(x.tree.absolute(at)); syntax != nil && syntax.functionAt(b.line) == t.name {
			own = append(own, b)
		}
	}
	if len(own) == 0 {
		return
	}
	x.examineBlocks(s, own, f)
	if f.message != "" {
		f.lines = lines
	}
}
