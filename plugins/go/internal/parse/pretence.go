package parse

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
