package parse

import (
	"bytes"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
)

// crashReader looks for the dump of a dying process in the text of a suite.
//
// A test may print something that looks the same, such as the output of a
// child process. Such a dump is forgotten when the test that printed it goes
// on to its "--- PASS" or "--- FAIL" line: the dead do not.
type crashReader struct {
	// under is the test whose text is being read; reading reports whether any is.
	under   string
	reading bool
	partial []byte
	current *crash
	// earlier is a whole dump that something printed later may replace.
	earlier *crash
}

// read takes a piece of the text of a test; nil is the text of no test.
func (r *crashReader) read(t *test, escaped []byte) {
	name := ""
	if t != nil {
		name = t.name
	}
	starts := startsCrash(escaped)
	if !r.reading && !starts && !startsStack(escaped) {
		return
	}
	if r.reading && name != r.under && !starts {
		return
	}
	if starts && len(r.partial) == 0 && !(r.reading && name == r.under && r.continuesHead(escaped)) {
		r.begin(name)
	} else if !r.reading {
		r.begin(name)
		if t != nil {
			r.current.head = gluedHead(t)
		}
	}
	r.partial = testjson.AppendUnescaped(r.partial, escaped[:min(len(escaped), maxPiece)])
	rest := r.partial
	for {
		text, after, found := bytes.Cut(rest, []byte{'\n'})
		if !found {
			break
		}
		r.current.read(strings.ToValidUTF8(string(text), "\uFFFD"))
		rest = after
	}
	r.partial = r.partial[:copy(r.partial, rest)]
	if len(r.partial) > maxPiece {
		r.partial = r.partial[:0]
	}
}

func (r *crashReader) begin(name string) {
	if r.current != nil && r.current.stacks {
		r.earlier = r.current
	}
	r.under, r.reading = name, true
	r.partial = r.partial[:0]
	r.current = &crash{under: name}
}

// continuesHead: the runtime announces some fatal errors with a line of its
// own before the message.
func (r *crashReader) continuesHead(escaped []byte) bool {
	if r.current.stacks || r.current.state != inHead || len(r.current.head) == 0 || len(r.current.head) > 4 {
		return false
	}
	first := r.current.head[0]
	return bytes.HasPrefix(escaped, []byte("fatal error: ")) && (strings.HasPrefix(first, "runtime: ") || strings.HasPrefix(first, "unexpected fault address"))
}

// forget drops what was read.
func (r *crashReader) forget() {
	if r.reading || r.earlier != nil {
		*r = crashReader{partial: r.partial[:0]}
	}
}

// survived drops the dumps printed by a test that went on to its end.
func (r *crashReader) survived(name string) {
	if r.earlier != nil && r.earlier.under == name {
		r.earlier = nil
	}
	if r.reading && r.under == name {
		earlier := r.earlier
		*r = crashReader{partial: r.partial[:0], earlier: earlier}
	}
}

// crash is the dump that the process died with; nil when there is none.
func (r *crashReader) crash() *crash {
	for _, c := range []*crash{r.current, r.earlier} {
		if c == nil || !c.stacks {
			continue
		}
		c.endStack()
		return c
	}
	return nil
}

// traceless is a dump without stacks, as with GOTRACEBACK=none: the message is
// the last that was said.
func (r *crashReader) traceless() *crash {
	c := r.current
	if c == nil || c.stacks || len(c.head) == 0 || len(c.head) == maxHead {
		return nil
	}
	bare := *c
	bare.head = c.head[:1:1]
	for _, text := range c.head[1:] {
		if _, isExit := exitLine([]byte(text)); isExit || text == "" {
			continue
		}
		if text[0] != '\t' && text[0] != '[' {
			return nil
		}
		bare.head = append(bare.head, text)
	}
	return &bare
}

// startsCrash tells the first line of a dump.
func startsCrash(escaped []byte) bool {
	if len(escaped) < 6 {
		return false
	}
	switch escaped[0] {
	case 'p':
		return bytes.HasPrefix(escaped, []byte("panic: "))
	case 'f':
		return bytes.HasPrefix(escaped, []byte("fatal error: "))
	case 'r':
		return bytes.HasPrefix(escaped, []byte("runtime: goroutine stack exceeds"))
	case 'u':
		return bytes.HasPrefix(escaped, []byte("unexpected fault address"))
	case 'S':
		return bytes.HasPrefix(escaped, []byte("SIG")) && bytes.IndexByte(escaped, ':') > 0 && bytes.IndexByte(escaped, ':') < 12
	}
	return false
}

// startsStack tells the first line of a goroutine.
func startsStack(escaped []byte) bool {
	return len(escaped) > 12 && escaped[0] == 'g' && bytes.HasPrefix(escaped, []byte("goroutine ")) && bytes.Contains(escaped, []byte("]:"))
}

// gluedLines is how far above the stacks a message may stand that does not
// start its line.
const gluedLines = 24

// gluedHead finds the message of a dump that follows other text on its line.
func gluedHead(t *test) []string {
	lines := t.text.lines()
	from := max(0, len(lines)-gluedLines)
	for i := len(lines) - 1; i >= from; i-- {
		for _, start := range []string{"panic: ", "fatal error: "} {
			if at := strings.Index(lines[i].text, start); at >= 0 {
				return texts(lines[i:len(lines)-1], at)
			}
		}
	}
	return nil
}

// texts are the texts of some lines, the first from a position on.
func texts(lines []line, at int) []string {
	all := make([]string, len(lines))
	for i, l := range lines {
		all[i] = l.text
	}
	if len(all) > 0 {
		all[0] = all[0][at:]
	}
	return all
}
