package parse

import (
	"bytes"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// maxSample bounds the sample of unread output.
const maxSample = 512

// unread counts lines of standard output that are not events: damaged ones; red ones,
// which say that something failed; and other foreign ones. redWords are the red lines
// of standard error.
type unread struct{ damaged, red, foreign, redWords sdk.Unread }

// add counts a line of standard output. What looks like an event, or part of one, is
// damage, because a result may be lost with it.
func (u *unread) add(line []byte, excess int) {
	switch {
	case len(bytes.TrimSpace(line)) == 0:
	case looksLikeEvent(line):
		countUnread(&u.damaged, line, excess)
	case isRed(line):
		countUnread(&u.red, line, excess)
	default:
		countUnread(&u.foreign, line, excess)
	}
}

// addRed counts a line of standard error if it is red. The other lines are the go
// command's own and contain no results.
func (u *unread) addRed(line []byte) {
	if isRed(line) {
		countUnread(&u.redWords, line, 0)
	}
}

func countUnread(kind *sdk.Unread, line []byte, excess int) {
	if kind.Bytes == 0 {
		kind.Sample = string(bytes.ToValidUTF8(line[:min(len(line), maxSample)], []byte("\uFFFD")))
	}
	kind.Bytes += int64(len(line) + excess)
}

// report reports what was not read. doubtful means that only the text shows whether the
// run is red: red lines then count as missing results. cut means that the text ends within
// a line, whose contents are unknown.
func (u *unread) report(sink sdk.Sink, doubtful, cut bool) {
	if cut {
		addUnread(&u.damaged, u.foreign)
		u.foreign = sdk.Unread{}
	}
	if doubtful {
		addUnread(&u.damaged, u.red)
		addUnread(&u.damaged, u.redWords)
	} else {
		addUnread(&u.foreign, u.red)
	}
	u.damaged.Damaged = true
	for _, kind := range []sdk.Unread{u.damaged, u.foreign} {
		if kind.Bytes > 0 {
			sink.Unread(kind)
		}
	}
}

func addUnread(to *sdk.Unread, from sdk.Unread) {
	if to.Bytes == 0 {
		to.Sample = from.Sample
	}
	to.Bytes += from.Bytes
}

var (
	eventStarts = [][]byte{[]byte(`{"Time":"`), []byte(`{"Action":"`), []byte(`{"ImportPath":"`)}
	eventParts  = [][]byte{[]byte(`"Action":`), []byte(`"Package":"`), []byte(`"Output":"`), []byte(`"Elapsed":`)}
)

func looksLikeEvent(line []byte) bool {
	for _, start := range eventStarts {
		// A stream cut within the first key still shows its beginning.
		if bytes.Contains(line, start) || len(line) < len(start) && bytes.HasPrefix(start, bytes.TrimRight(line, "\r\n")) {
			return true
		}
	}
	for _, part := range eventParts {
		if bytes.Contains(line, part) {
			return true
		}
	}
	return false
}

// progressWords are words with which the go command comments on its work. Any other line
// that begins with its name says why it gives up.
var progressWords = []string{"warning:", "downloading", "finding", "found", "extracting", "added", "upgraded", "downgraded", "removed", "creating", "using"}

// redStarts begin the lines with which tools report that something failed.
var redStarts = [][]byte{
	[]byte("--- FAIL: "), []byte("FAIL\t"), []byte("FAIL "), []byte("panic: "), []byte("fatal error: "),
	[]byte("exit status "), []byte("signal: "), []byte("make: *** "), []byte("gmake: *** "),
}

// isRed reports whether a line that is not an event says that something failed. A known
// exit code decides instead; without one this is all there is.
func isRed(line []byte) bool {
	line = bytes.TrimRight(line, "\r\n")
	if bytes.Equal(line, []byte("FAIL")) {
		return true
	}
	if said, found := bytes.CutPrefix(line, []byte("go: ")); found {
		word, _, _ := bytes.Cut(said, []byte(" "))
		return !slices.Contains(progressWords, string(word))
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

// maxTail bounds what is kept of a text that matters only if nothing else explains a
// failure.
const maxTail = 16 << 10

// tail keeps the end of a text, in whole lines.
type tail struct {
	text    []byte
	dropped bool
}

func (t *tail) add(line []byte) {
	if len(line) > maxTail {
		line = line[:maxTail]
	}
	t.text = append(t.text, line...)
	if len(t.text) <= 2*maxTail {
		return
	}
	from := len(t.text) - maxTail
	if end := bytes.IndexByte(t.text[from:], '\n'); end >= 0 && from+end+1 < len(t.text) {
		from += end + 1
	}
	t.text = t.text[:copy(t.text, t.text[from:])]
	t.dropped = true
}

// lines returns the lines without mere progress messages of the go command.
func (t *tail) lines() []string {
	var kept []string
	for l := range strings.Lines(strings.ToValidUTF8(string(t.text), "\uFFFD")) {
		l = strings.TrimRight(l, "\r\n")
		if strings.HasPrefix(l, "go: downloading ") || strings.HasPrefix(l, "go: finding ") || strings.HasPrefix(l, "go: found ") ||
			strings.HasPrefix(l, "go: extracting ") || strings.TrimSpace(l) == "" {
			continue
		}
		kept = append(kept, l)
	}
	return kept
}
