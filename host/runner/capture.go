package runner

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	// Of a stream 500 KiB are kept. The beginning says what ran and why it did not build,
	// the end what happened: each gets half.
	headLimit = 250 * 1024
	tailLimit = 250 * 1024

	// truncationLine replaces what was omitted.
	truncationLine = "[TRUNCATED]"
)

// Capture is a bounded part of a stream: its beginning and its end.
type Capture struct {
	head  []byte
	tail  []byte // a ring once full
	next  int    // where the ring continues
	total int64
}

// isTruncated reports whether something was omitted.
func (c Capture) isTruncated() bool { return c.total > int64(len(c.head)+len(c.tail)) }

// String returns what was kept, in valid UTF-8, with the line [truncationLine] where
// something was omitted.
func (c Capture) String() string {
	if !c.isTruncated() {
		return valid(append(bytes.Clone(c.head), c.end()...))
	}
	var b strings.Builder
	head := valid(withoutCutEnd(c.head))
	b.WriteString(head)
	if !strings.HasSuffix(head, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString(truncationLine + "\n")
	b.WriteString(valid(withoutCutStart(c.end())))
	return b.String()
}

// Tail returns the end of the stream, at most limit bytes, in valid UTF-8. It starts
// with a whole line if there is one.
func (c Capture) Tail(limit int) string {
	kept := c.end()
	if !c.isTruncated() {
		kept = append(bytes.Clone(c.head), kept...)
	}
	if int64(len(kept)) == c.total && len(kept) <= limit {
		return valid(kept)
	}
	// One more byte shows whether the cut is between two lines.
	kept = kept[max(0, len(kept)-limit-1):]
	if _, lines, found := bytes.Cut(kept, []byte("\n")); found && len(lines) > 0 {
		return valid(lines)
	}
	return valid(withoutCutStart(kept[max(0, len(kept)-limit):]))
}

func (c *Capture) write(data []byte) {
	c.total += int64(len(data))
	n := min(len(data), headLimit-len(c.head))
	c.head = append(c.head, data[:n]...)
	data = data[n:]
	if len(data) == 0 {
		return
	}
	if c.tail == nil {
		c.tail = make([]byte, 0, tailLimit)
	}
	data = data[max(0, len(data)-tailLimit):]
	n = min(len(data), tailLimit-len(c.tail))
	c.tail = append(c.tail, data[:n]...)
	for data = data[n:]; len(data) > 0; data = data[n:] {
		n = copy(c.tail[c.next:], data)
		c.next = (c.next + n) % tailLimit
	}
}

// end returns the ring, unrolled.
func (c Capture) end() []byte {
	return append(bytes.Clone(c.tail[c.next:]), c.tail[:c.next]...)
}

// valid repairs text for readers that insist on UTF-8.
func valid(text []byte) string { return strings.ToValidUTF8(string(text), "\uFFFD") }

// withoutCutEnd drops a last character that is incomplete.
func withoutCutEnd(text []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if last := text[len(text)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}

// withoutCutStart drops the rest of a first character that was cut.
func withoutCutStart(text []byte) []byte {
	for i := 0; i < utf8.UTFMax && i < len(text); i++ {
		if utf8.RuneStart(text[i]) {
			return text[i:]
		}
	}
	return text
}

// Write keeps a part of p. It never fails.
func (c *Capture) Write(p []byte) (int, error) {
	c.write(p)
	return len(p), nil
}
