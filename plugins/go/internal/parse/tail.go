package parse

import (
	"bytes"
	"strings"
)

// maxTail bounds what is kept of a text that only matters when nothing else
// explains a failure.
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

// lines are the lines without what the go command only says in passing.
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
