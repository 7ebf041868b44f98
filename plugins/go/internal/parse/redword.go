package parse

import (
	"bytes"
	"slices"
)

// inPassing are words with which the go command says what it does. Everything else
// that begins with its name says why it gives up.
var inPassing = []string{"warning:", "downloading", "finding", "found", "extracting", "added", "upgraded", "downgraded", "removed", "creating", "using"}

// redStarts begin the lines with which tools say that something failed.
var redStarts = [][]byte{
	[]byte("--- FAIL: "), []byte("FAIL\t"), []byte("FAIL "), []byte("panic: "), []byte("fatal error: "),
	[]byte("exit status "), []byte("signal: "), []byte("make: *** "), []byte("gmake: *** "),
}

// isRed reports whether a line that is no event says that something failed. Where
// the exit code is known it decides; where it is not, this is all there is.
func isRed(line []byte) bool {
	line = bytes.TrimRight(line, "\r\n")
	if bytes.Equal(line, []byte("FAIL")) {
		return true
	}
	if said, found := bytes.CutPrefix(line, []byte("go: ")); found {
		word, _, _ := bytes.Cut(said, []byte(" "))
		return !slices.Contains(inPassing, string(word))
	}
	if rest, found := bytes.CutPrefix(line, []byte("make[")); found {
		_, rest, _ = bytes.Cut(rest, []byte("]: "))
		return bytes.HasPrefix(rest, []byte("*** "))
	}
	line = bytes.TrimLeft(line, " ")
	for _, start := range redStarts {
		if bytes.HasPrefix(line, start) {
			return !bytes.Equal(line, []byte("exit status 0"))
		}
	}
	return false
}
