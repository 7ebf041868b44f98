package testjson

// structure consumes bytes between keys and values.
func (s *scanner) structure(p []byte) int {
	for i, c := range p {
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			continue
		case s.expect == wantValue:
			return i + s.beginValue(c)
		case s.expect == wantColon && c == ':':
			s.expect = wantValue
		case s.expect == wantCommaOrEnd && c == ',':
			s.expect = wantKey
		case (s.expect == wantCommaOrEnd || s.expect == wantKeyOrEnd) && c == '}':
			s.endObject()
			return i + 1
		case (s.expect == wantKey || s.expect == wantKeyOrEnd) && c == '"':
			s.key, s.mode, s.escaped = append(s.key[:0], '"'), modeKey, false
			return i + 1
		default:
			s.verdict = verdictBroken
			return i
		}
	}
	return len(p)
}

// readKey consumes the bytes of a key after its opening quote.
func (s *scanner) readKey(p []byte) int {
	n, ended := stringEnd(p, &s.escaped)
	if len(s.key)+n > maxKey {
		s.verdict = verdictBroken
		return n
	}
	s.key = append(s.key, p[:n]...)
	if !ended {
		return n
	}
	s.keyText = s.name()
	s.mode, s.expect = modeStructure, wantColon
	return n
}

// fields are the keys that every test has, so that their texts need not be allocated.
var fields = [...]string{
	"status", "reason", "counterexample", "logs", "decoded_logs", "kind", "traces", "labeled_addresses", "duration", "breakpoints", "gas_snapshots",
}

// name returns the text of the key.
func (s *scanner) name() string {
	if s.level == inTest {
		for _, field := range fields {
			if string(s.key[1:len(s.key)-1]) == field {
				return field
			}
		}
	}
	return decodeString(s.key)
}

// beginValue decides what to do with the value that begins with c, and returns how many
// of its bytes it consumed.
func (s *scanner) beginValue(c byte) int {
	s.expect = wantCommaOrEnd
	object := c == '{'
	switch s.level {
	case outside:
		return s.enter(inDocument)
	case inDocument:
		if !object {
			s.verdict = verdictForeign
			return 0
		}
		s.suite, s.hasResults = Suite{Key: s.keyText}, false
		return s.enter(inSuite)
	case inSuite:
		switch s.keyText {
		case "test_results":
			if !object {
				s.verdict = verdictForeign
				return 0
			}
			s.results, s.hasResults = true, true
			return s.enter(inTests)
		case "duration", "warnings":
			return s.beginCapture()
		}
	case inTests:
		if object {
			s.test, s.ended = Test{Name: s.keyText}, false
			s.logs.reset()
			if s.output != nil && s.suite.Key == s.outputSuite && (s.outputTest == "" || s.test.Name == s.outputTest) {
				s.logs.output = s.output
			}
			return s.enter(inTest)
		}
		// The entry says nothing about its test, so how that ended is unknown.
		s.keep(Test{Name: s.keyText})
	case inTest:
		if s.keyText == "decoded_logs" && c == '[' {
			s.mode = modeLogs
			s.logs.begin()
			return 1
		}
		if isCaptured(s.keyText) {
			return s.beginCapture()
		}
	}
	s.value.begin()
	s.mode = modeSkip
	return 0
}
