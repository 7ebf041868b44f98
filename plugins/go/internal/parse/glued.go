package parse

import (
	"bytes"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
)

// gluedMarkers name the test whose output follows. Where a test has printed
// text without a line feed and the user has given -v, so that markers are plain
// text, test2json overlooks them:
//
//	two again === NAME  TestG2
var gluedMarkers = [][]byte{[]byte("=== NAME  "), []byte("=== CONT  ")}

// anyMarker is what both begin with.
var anyMarker = []byte("=== ")

// redirection gives the text of one test to another, as a glued marker says.
type redirection struct{ from, to string }

// speaker is the test that a piece of output is of, given the one that the
// event names.
func (s *suite) speaker(t *test, escaped []byte) *test {
	owner := t
	if s.redirect.from == t.name {
		if other := s.tests[s.redirect.to]; other != nil {
			owner = other
		}
	} else {
		s.redirect = redirection{}
	}
	if !bytes.Contains(escaped, anyMarker) {
		return owner
	}
	for _, marker := range gluedMarkers {
		at := bytes.LastIndex(escaped, marker)
		if at <= 0 {
			continue
		}
		name := testjson.AppendUnescaped(nil, escaped[at+len(marker):])
		s.redirect = redirection{from: t.name, to: string(bytes.TrimSpace(name))}
	}
	return owner
}
