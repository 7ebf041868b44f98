package testexec

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxWord is how much is kept of an unterminated line. What package testing says is
	// at its end.
	maxWord = 8 << 10
	// maxTests bounds the tests of a binary, maxName the name of one.
	maxTests = 100_000
	maxName  = 1 << 10
)

// testOutput collects what a test binary says about its outermost tests, with -test.v.
type testOutput struct {
	// marked is as in [binary].
	marked bool
	// names are the tests that started, in order.
	names []string
	ended map[string]sdk.Status
	// took is how long each took, according to the binary.
	took map[string]time.Duration
	// skipped maps each test to its first skipped part.
	skipped map[string]string
	// completed reports whether all tests had their turn.
	completed bool

	started map[string]bool
	line    []byte
}

// marker begins the framing lines of package testing; see cmd/test2json.
const marker = 0x16

// Write implements [io.Writer]; it never fails.
func (w *testOutput) Write(data []byte) (int, error) {
	written := len(data)
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			w.line = append(w.line, data[max(0, len(data)-maxWord):]...)
			w.line = append(w.line[:0], w.line[max(0, len(w.line)-maxWord):]...)
			break
		}
		w.line = append(w.line, data[max(0, end-maxWord):end]...)
		w.read(bytes.TrimSuffix(w.line, []byte("\r")))
		w.line = w.line[:0]
		data = data[end+1:]
	}
	return written, nil
}

func (w *testOutput) read(line []byte) {
	if w.marked {
		at := bytes.LastIndexByte(line, marker)
		if at < 0 {
			return
		}
		line = line[at+1:]
	}
	if part, is := bytes.CutPrefix(bytes.TrimLeft(line, " "), []byte("--- SKIP: ")); is {
		name, _, _ := bytes.Cut(part, []byte(" ("))
		w.skip(name)
	}
	if text := string(line); text == "PASS" || text == "FAIL" {
		w.completed = true
		return
	}
	if name, is := bytes.CutPrefix(line, []byte("=== RUN   ")); is {
		w.start(name)
		return
	}
	for _, end := range []struct {
		prefix string
		status sdk.Status
	}{{"--- PASS: ", sdk.Passed}, {"--- FAIL: ", sdk.Failed}, {"--- SKIP: ", sdk.Skipped}} {
		if rest, is := bytes.CutPrefix(line, []byte(end.prefix)); is {
			name, took, _ := bytes.Cut(rest, []byte(" ("))
			w.end(string(name), end.status, string(took))
		}
	}
}

func (w *testOutput) start(name []byte) {
	if len(name) == 0 || len(name) > maxName || len(w.names) >= maxTests || w.started[string(name)] ||
		bytes.IndexByte(name, '/') >= 0 || !utf8.Valid(name) {
		return
	}
	if w.started == nil {
		w.started, w.ended, w.took = map[string]bool{}, map[string]sdk.Status{}, map[string]time.Duration{}
	}
	w.started[string(name)] = true
	w.names = append(w.names, string(name))
}

// end records how a test ended. It may run several times, as with -cpu, and its worst
// end counts.
func (w *testOutput) end(name string, status sdk.Status, took string) {
	if !w.started[name] {
		return
	}
	if took, err := time.ParseDuration(strings.TrimSuffix(took, ")")); err == nil {
		w.took[name] += took
	}
	if before := w.ended[name]; before != sdk.Failed && (before != sdk.Passed || status == sdk.Failed) {
		w.ended[name] = status
	}
}

// skip records that a part of a test was skipped.
func (w *testOutput) skip(part []byte) {
	root, _, is := bytes.Cut(part, []byte("/"))
	if !is || !w.started[string(root)] || w.skipped[string(root)] != "" {
		return
	}
	if w.skipped == nil {
		w.skipped = map[string]string{}
	}
	w.skipped[string(root)] = string(part[:min(len(part), maxName)])
}

// status returns how a test ended, or "" if it did not start.
func (w *testOutput) status(name string) sdk.Status {
	switch status, ended := w.ended[name]; {
	case ended:
		return status
	case w.started[name]:
		return sdk.Unfinished
	}
	return ""
}
