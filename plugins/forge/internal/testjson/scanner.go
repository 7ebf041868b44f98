package testjson

// verdict is what a line turns out to be.
type verdict int

const (
	verdictOpen     verdict = iota
	verdictDocument         // a complete document
	verdictForeign          // well-formed so far, but not a document
	verdictBroken           // not JSON
)

// level is the scanner's place in a document.
type level int

const (
	outside level = iota
	inDocument
	inSuite
	inTests
	inTest
)

// expectation is what may come next in an object.
type expectation int

const (
	wantKeyOrEnd expectation = iota
	wantKey
	wantColon
	wantValue
	wantCommaOrEnd
)

// mode is what the scanner does with the next bytes.
type mode int

const (
	modeStructure mode = iota
	modeKey
	modeSkip
	modeCapture
	modeLogs
)

const (
	// maxKey is far longer than any path or signature.
	maxKey = 1 << 20
	// maxPending bounds what is kept of all tests together, because whether a line is a
	// document is known only at its end. Beyond it only names and results are kept.
	maxPending = 64 << 20
)

// scanner reads one line that begins with "{".
type scanner struct {
	outputSuite, outputTest string
	output                  func([]byte)

	verdict verdict
	// results reports whether any value has "test_results".
	results bool
	// failure reports whether any test failed.
	failure bool
	// suites are those read so far. offset counts the bytes of the line, and complete
	// those up to the end of the last complete test.
	suites           []Suite
	offset, complete int64
	pending          int

	level  level
	expect expectation
	mode   mode
	key    []byte
	// keyText is the key of the value that comes next.
	keyText string
	escaped bool

	suite      Suite
	hasResults bool
	test       Test
	ended      bool // the current test has a status
	whole      bool // a test has just ended

	value   value
	capture capture
	logs    logs
}

func (s *scanner) reset() {
	s.verdict, s.results, s.failure = verdictOpen, false, false
	s.suites, s.offset, s.complete = nil, 0, 0
	s.level, s.expect, s.mode, s.escaped = outside, wantValue, modeStructure, false
	s.suite, s.test, s.whole = Suite{}, Test{}, false
	s.logs.reset()
}

// feed consumes bytes until it reaches a verdict, and returns how many it consumed.
func (s *scanner) feed(p []byte) int {
	if s.verdict == verdictBroken {
		s.offset += int64(len(p))
		return len(p)
	}
	used := 0
	for used < len(p) && s.verdict == verdictOpen {
		n := 0
		switch rest := p[used:]; s.mode {
		case modeStructure:
			n = s.structure(rest)
		case modeKey:
			n = s.readKey(rest)
		case modeSkip:
			n = s.skip(rest)
		case modeCapture:
			n = s.captureValue(rest)
		case modeLogs:
			n = s.readLogs(rest)
		}
		used += n
		s.offset += int64(n)
		if s.whole {
			s.complete, s.whole = s.offset, false
		}
	}
	return used
}

func (s *scanner) enter(l level) int {
	s.level, s.expect = l, wantKeyOrEnd
	return 1
}

func (s *scanner) beginCapture() int {
	s.value.begin()
	s.capture.begin()
	s.mode = modeCapture
	return 0
}

// endObject ends the object at the current level.
func (s *scanner) endObject() {
	s.expect = wantCommaOrEnd
	switch s.level {
	case inTest:
		s.level = inTests
		s.test.Logs = s.logs.text(s.test.Status == Success)
		s.keep(s.test)
	case inTests:
		s.level = inSuite
	case inSuite:
		s.level = inDocument
		if !s.hasResults {
			s.verdict = verdictForeign
			return
		}
		s.suites = append(s.suites, s.suite)
		s.suite = Suite{}
	case inDocument:
		s.level, s.verdict = outside, verdictDocument
	}
}

// keep adds a complete test to its suite.
func (s *scanner) keep(t Test) {
	s.whole = true
	s.pending += t.size()
	if s.pending > maxPending {
		t.shrink()
	}
	s.suite.Tests = append(s.suite.Tests, t)
}

// cut ends a truncated document. It keeps the complete tests of the suite in which the
// document ended.
func (s *scanner) cut() {
	if s.level >= inSuite && s.hasResults {
		s.suite.Cut = true
		s.suites = append(s.suites, s.suite)
	}
}

// skip skips a value.
func (s *scanner) skip(p []byte) int {
	n, state := s.value.skip(p)
	s.endOfValue(state)
	return n
}

// captureValue captures a value, and decodes it at its end.
func (s *scanner) captureValue(p []byte) int {
	n, state := s.capture.take(&s.value, p)
	if state == valueEnded {
		s.decodeField(s.capture.buf)
	}
	s.endOfValue(state)
	return n
}

func (s *scanner) readLogs(p []byte) int {
	n, state := s.logs.take(p)
	s.endOfValue(state)
	return n
}

func (s *scanner) endOfValue(state valueState) {
	switch state {
	case valueEnded:
		s.mode = modeStructure
	case valueBroken:
		s.verdict = verdictBroken
	}
}
