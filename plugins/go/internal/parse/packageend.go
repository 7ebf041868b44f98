package parse

import (
	"bytes"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
)

// endsPackage reports whether the event that ends a test is really the end of the
// package. When the process of the tests ends with code 0 in the middle of one,
// test2json takes the last words of the go command for output of that test, and
// so is the event that follows:
//
//	{"Action":"output","Test":"TestA","Output":"ok  \tpkg\t0.1s\n"}
//	{"Action":"pass","Test":"TestA"}
//
// A test that prints such a line itself has its own "--- PASS" line after it.
func endsPackage(s *suite, t *test, ev *testjson.Event) bool {
	word := ""
	switch ev.Action {
	case testjson.ActionPass:
		word = "ok  \t"
	case testjson.ActionFail:
		word = "FAIL\t"
	case testjson.ActionSkip:
		word = "?   \t"
	default:
		return false
	}
	piece := t.text.lastPiece()
	if len(piece) > 0 && (piece[0] == tagError || piece[0] == tagContinue) {
		piece = piece[1:]
	}
	if !bytes.HasPrefix(piece, []byte(word[:4])) {
		return false
	}
	line := testjson.AppendUnescaped(nil, piece)
	rest, found := bytes.CutPrefix(line, []byte(word+s.name))
	return found && len(rest) > 0 && (rest[0] == '\t' || rest[0] == ' ' || rest[0] == '\n')
}
