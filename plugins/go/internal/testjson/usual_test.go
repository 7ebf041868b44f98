package testjson

import (
	"bytes"
	"testing"
)

const usualHead = `{"Time":"2026-11-21T10:48:45.517184913Z","Action":`

func TestWhatTest2jsonWritesTakesTheShortestPath(t *testing.T) {
	for name, line := range map[string]string{
		"start":        usualHead + `"start","Package":"example.com/p"}`,
		"run":          usualHead + `"run","Package":"example.com/p","Test":"TestA"}`,
		"escaped name": usualHead + `"run","Package":"p","Test":"TestA/a\u003cb\\n"}`,
		"output":       usualHead + `"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: \"x\" \\\n"}`,
		"suite output": usualHead + `"output","Package":"p","Output":"PASS\n"}`,
		"empty output": usualHead + `"output","Package":"p","Output":""}`,
		"pass":         usualHead + `"pass","Package":"p","Test":"TestA","Elapsed":0.12}`,
		"suite end":    usualHead + `"fail","Package":"p","Elapsed":1e-05}`,
		"CRLF":         usualHead + `"run","Package":"p","Test":"TestA"}` + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			var s Scanner
			var ev Event
			if !s.scanUsual([]byte(line), &ev) {
				t.Error("the keys are searched for")
			}
			compareWithJSON(t, line)
		})
	}
}

func TestLinesThatOnlyLookUsualAreReadRight(t *testing.T) {
	for name, line := range map[string]string{
		"quote in the time":       `{"Time":"x\","Action":"run","Package":"p"}`,
		"escape in the action":    usualHead + `"\u0072un","Package":"p"}`,
		"quote in the action":     usualHead + `"run\","Package":"p","Test":"T"}`,
		"quote in the package":    usualHead + `"run","Package":"p\","Test":"T"}`,
		"quote at the name's end": usualHead + `"run","Package":"p","Test":"T\""}`,
		"backslashes at the end":  usualHead + `"run","Package":"p","Test":"T\\"}`,
		"output type":             usualHead + `"output","Package":"p","Test":"T","Output":"x","OutputType":"error"}`,
		"test twice":              usualHead + `"run","Package":"p","Test":"T","Test":"U"}`,
		"test after output":       usualHead + `"output","Package":"p","Output":"x","Test":"T"}`,
		"failed build":            usualHead + `"fail","Package":"p","Elapsed":0,"FailedBuild":"q [q.test]"}`,
		"unknown action":          usualHead + `"frobnicate","Package":"p"}`,
		"no action":               usualHead + `"","Package":"p"}`,
		"text behind":             usualHead + `"run","Package":"p"}}`,
		"no end":                  usualHead + `"run","Package":"p"`,
		"cut in the output":       usualHead + `"output","Package":"p","Output":"x\"}`,
		"bare number":             usualHead + `"pass","Package":"p","Elapsed":}`,
		"attribute":               usualHead + `"attr","Package":"p","Test":"T","Key":"k","Value":"v"}`,
	} {
		t.Run(name, func(t *testing.T) { compareWithJSON(t, line) })
	}
}

// TestTheShortestPathAgreesWithTheNext changes single bytes of usual lines: the next
// path must parse whatever the shortest path accepts in the same way.
func TestTheShortestPathAgreesWithTheNext(t *testing.T) {
	taken := 0
	for _, line := range []string{
		usualHead + `"output","Package":"p","Test":"T/a\\b","Output":"a\"b"}`,
		usualHead + `"pass","Package":"p","Test":"T","Elapsed":0.5}`,
	} {
		for i := range len(line) {
			for _, b := range []byte(`"\{}:,aT0.`) {
				changed := []byte(line)
				changed[i] = b
				var usual, known Scanner
				var one, other Event
				if !usual.scanUsual(changed, &one) {
					continue
				}
				taken++
				if !known.scanKnown(changed, &other) {
					t.Fatalf("only the shortest path takes %q", changed)
				}
				if one.Action != other.Action || one.Elapsed != other.Elapsed || !bytes.Equal(one.Package, other.Package) ||
					!bytes.Equal(one.Test, other.Test) || !bytes.Equal(one.Output, other.Output) {
					t.Fatalf("%q is read as\n%+v and as\n%+v", changed, one, other)
				}
			}
		}
	}
	if taken == 0 {
		t.Error("no line was taken: nothing was compared")
	}
}
