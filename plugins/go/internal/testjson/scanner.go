package testjson

import "bytes"

// Scanner reads events. Its zero value is ready to use. It must not be copied or shared
// between goroutines.
type Scanner struct {
	// scratch holds unescaped names of the current event.
	scratch []byte
}

// Scan parses one line, with or without its line end. It reports whether the line is an
// event: a JSON object with an Action.
func (s *Scanner) Scan(line []byte, ev *Event) bool {
	*ev = Event{}
	s.scratch = s.scratch[:0]
	if s.scanUsual(line, ev) {
		return true
	}
	*ev = Event{}
	s.scratch = s.scratch[:0]
	if s.scanKnown(line, ev) {
		return ev.Action != ActionNone
	}
	return scanAny(line, ev)
}

// Bits for the known keys, to find duplicates.
const (
	keyTime = 1 << iota
	keyAction
	keyPackage
	keyTest
	keyElapsed
	keyOutput
	keyOutputType
	keyFailedBuild
	keyImportPath
	keyKey
	keyValue
	keyPath
	keySource

	// keyNames are the keys whose values are used unescaped.
	keyNames = keyAction | keyPackage | keyTest | keyOutputType | keyFailedBuild | keyImportPath | keyKey | keyValue | keyPath
)

// scanKnown accepts known keys in any order. If it gives up, it returns false, and the
// contents of ev are meaningless.
func (s *Scanner) scanKnown(line []byte, ev *Event) bool {
	line = trimLineEnd(line)
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		return false
	}
	rest := line[1:]
	seen := 0
	for {
		key, after, ok := cutKey(rest)
		if !ok {
			return false
		}
		bit := keyBit(key)
		if bit == 0 || seen&bit != 0 {
			return false
		}
		seen |= bit
		var value []byte
		if bit == keyElapsed {
			ev.Elapsed, rest, ok = cutNumber(after)
		} else {
			value, rest, ok = cutString(after)
			if ok && bit&keyNames != 0 && bytes.IndexByte(value, '\\') >= 0 {
				if value, ok = s.unescapeName(bit, value); !ok {
					return false
				}
			}
		}
		if !ok || len(rest) == 0 {
			return false
		}
		ev.set(bit, value)
		switch rest[0] {
		case ',':
			rest = rest[1:]
		case '}':
			return len(rest) == 1
		default:
			return false
		}
	}
}

func (ev *Event) set(bit int, value []byte) {
	switch bit {
	case keyAction:
		ev.Action = actionOf(value)
	case keyPackage:
		ev.Package = value
	case keyTest:
		ev.Test = value
	case keyOutput:
		ev.Output = value
	case keyOutputType:
		ev.OutputType = outputTypeOf(value)
	case keyFailedBuild:
		ev.FailedBuild = value
	case keyImportPath:
		ev.ImportPath = value
	case keyKey:
		ev.Key = value
	case keyValue:
		ev.Value = value
	case keyPath:
		ev.Path = value
	}
}

// unescapeName resolves escapes in a name. It leaves an escaped Action to
// encoding/json: nothing is known to write one, so the line deserves the slow, careful
// path.
func (s *Scanner) unescapeName(bit int, value []byte) ([]byte, bool) {
	if bit == keyAction {
		return nil, false
	}
	start := len(s.scratch)
	s.scratch = AppendUnescaped(s.scratch, value)
	return s.scratch[start:len(s.scratch):len(s.scratch)], true
}

func keyBit(key []byte) int {
	switch string(key) {
	case "Time":
		return keyTime
	case "Action":
		return keyAction
	case "Package":
		return keyPackage
	case "Test":
		return keyTest
	case "Elapsed":
		return keyElapsed
	case "Output":
		return keyOutput
	case "OutputType":
		return keyOutputType
	case "FailedBuild":
		return keyFailedBuild
	case "ImportPath":
		return keyImportPath
	case "Key":
		return keyKey
	case "Value":
		return keyValue
	case "Path":
		return keyPath
	case "Source":
		return keySource
	}
	return 0
}

func trimLineEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// cutKey cuts `"key":` off the front of b.
func cutKey(b []byte) (key, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, false
	}
	end := bytes.IndexByte(b[1:], '"') + 1
	if end < 1 || end+1 >= len(b) || b[end+1] != ':' {
		return nil, nil, false
	}
	return b[1:end], b[end+2:], true
}

// cutString cuts a string value off the front of b and returns the text between its
// quotes.
func cutString(b []byte) (value, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, false
	}
	end := 1
	for {
		i := bytes.IndexByte(b[end:], '"')
		if i < 0 {
			return nil, nil, false
		}
		end += i
		if !oddBackslashes(b[1:end]) {
			break
		}
		end++
	}
	return b[1:end], b[end+1:], true
}

// oddBackslashes reports whether the byte after b is escaped.
func oddBackslashes(b []byte) bool {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
