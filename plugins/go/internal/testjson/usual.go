package testjson

import "bytes"

// The texts between values in the lines that test2json writes.
var (
	usualTime    = []byte(`{"Time":"`)
	usualAction  = []byte(`","Action":"`)
	usualPackage = []byte(`","Package":"`)
	usualTest    = []byte(`","Test":"`)
	usualElapsed = []byte(`","Elapsed":`)
	usualOutput  = []byte(`","Output":"`)
	usualEnd     = []byte(`"}`)
)

// scanUsual parses the lines that make up nearly all of a stream: those of test2json
// about tests and their output. Their keys always come in the same order, so there is
// no need to search for them. If it gives up, it returns false, and the contents of ev
// are meaningless.
func (s *Scanner) scanUsual(line []byte, ev *Event) bool {
	line = trimLineEnd(line)
	if !bytes.HasPrefix(line, usualTime) {
		return false
	}
	_, rest := cutPlain(line[len(usualTime):])
	if !bytes.HasPrefix(rest, usualAction) {
		return false
	}
	word, rest := cutPlain(rest[len(usualAction):])
	if !bytes.HasPrefix(rest, usualPackage) {
		return false
	}
	ev.Action = actionOf(word)
	if ev.Action == ActionOther || ev.Action == ActionNone {
		return false
	}
	ev.Package, rest = cutPlain(rest[len(usualPackage):])
	if bytes.IndexByte(ev.Package, '\\') >= 0 {
		return false
	}
	if bytes.HasPrefix(rest, usualTest) {
		ev.Test, rest = cutPlain(rest[len(usualTest):])
		if bytes.IndexByte(ev.Test, '\\') >= 0 {
			ev.Test, _ = s.unescapeName(keyTest, ev.Test)
		}
	}
	switch {
	case bytes.HasPrefix(rest, usualOutput):
		var ok bool
		ev.Output, rest, ok = cutString(rest[len(usualOutput)-1:])
		return ok && string(rest) == "}"
	case bytes.HasPrefix(rest, usualElapsed):
		var ok bool
		ev.Elapsed, rest, ok = cutNumber(rest[len(usualElapsed):])
		return ok && string(rest) == "}"
	}
	return bytes.Equal(rest, usualEnd)
}

// cutPlain cuts a string value off the front of b, up to its closing quote, which stays
// in rest. rest is nil if it is unclear where the value ends.
func cutPlain(b []byte) (value, rest []byte) {
	end := bytes.IndexByte(b, '"')
	if end < 0 || end > 0 && b[end-1] == '\\' {
		return nil, nil
	}
	return b[:end], b[end:]
}
