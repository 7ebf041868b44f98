package testjson

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	// logsHead and logsTail bound what is kept of a test's log, and logsPassed what is
	// kept if the test passed.
	logsHead   = 32 << 10
	logsTail   = 96 << 10
	logsPassed = 4 << 10
	// logsPiece is how much of an entry is decoded at once.
	logsPiece = 16 << 10
)

// logs reads "decoded_logs", a list of strings, and keeps the beginning and the end.
type logs struct {
	output func([]byte)

	state   logsState
	raw     []byte // encoded bytes of the current entry, after its quote
	entries int
	escaped bool
	value   value

	head []byte
	tail []byte // a ring buffer once it is full
	next int    // where the ring buffer continues
	size int64
}

type logsState int

const (
	logsElement logsState = iota // an element or the end
	logsString
	logsOther // an element that is not a string
	logsComma // a comma or the end
)

func (l *logs) reset() {
	l.output = nil
	l.head, l.tail, l.next, l.size, l.entries = l.head[:0], l.tail[:0], 0, 0, 0
}

// begin starts a list after its bracket. If there are two lists, the last one counts.
func (l *logs) begin() {
	output := l.output
	l.reset()
	l.output, l.state = output, logsElement
}

// take consumes bytes of the list.
func (l *logs) take(p []byte) (n int, state valueState) {
	for n < len(p) {
		switch c := p[n]; l.state {
		case logsString:
			k, ended := stringEnd(p[n:min(len(p), n+logsPiece)], &l.escaped)
			l.raw = append(l.raw, p[n:n+k]...)
			n += k
			if ended {
				l.flush(len(l.raw) - 1)
				l.state = logsComma
			} else if len(l.raw) > logsPiece {
				l.flush(wholeEscapes(l.raw))
			}
		case logsOther:
			k, state := l.value.skip(p[n:])
			if n += k; state == valueBroken {
				return n, state
			}
			if state == valueEnded {
				l.state = logsComma
			}
		default:
			if n++; c == ' ' || c == '\t' || c == '\r' {
				continue
			}
			switch {
			case c == ']':
				if l.output != nil && l.entries > 0 {
					l.output([]byte{'\n'}) // another test of the suite follows
				}
				return n, valueEnded
			case l.state == logsComma && c == ',':
				l.state = logsElement
			case l.state == logsComma || c == ',' || c == '}':
				return n, valueBroken
			case c == '"':
				if l.entries++; l.entries > 1 {
					l.write([]byte{'\n'})
				}
				l.raw, l.state, l.escaped = l.raw[:0], logsString, false
			default:
				n--
				l.value.begin()
				l.state = logsOther
			}
		}
	}
	return n, valueOpen
}

// flush decodes the first n encoded bytes.
func (l *logs) flush(n int) {
	if n > 0 {
		quoted := make([]byte, 0, n+2)
		quoted = append(append(append(quoted, '"'), l.raw[:n]...), '"')
		l.write([]byte(decodeString(quoted)))
	}
	l.raw = l.raw[:copy(l.raw, l.raw[n:])]
}

// wholeEscapes returns the length of the longest prefix of raw that cuts neither an
// escape nor a rune. raw starts at a rune.
func wholeEscapes(raw []byte) int {
	from := 0
	for {
		slash := bytes.IndexByte(raw[from:], '\\')
		if slash < 0 {
			break
		}
		at := from + slash
		size := escapeSize(raw[at:])
		if at+size > len(raw) {
			return at
		}
		from = at + size
	}
	// The last rune may be incomplete.
	for end := len(raw) - 1; end > max(from, len(raw)-utf8.UTFMax); end-- {
		if utf8.RuneStart(raw[end]) {
			return end
		}
	}
	return from
}

// escapeSize returns how many bytes decoding an escape takes. The first half of a
// surrogate pair takes those of the second half, too.
func escapeSize(raw []byte) int {
	switch {
	case len(raw) < 2 || raw[1] != 'u':
		return 2
	case len(raw) < 4 || (raw[2] == 'd' || raw[2] == 'D') && strings.IndexByte("89abAB", raw[3]) >= 0:
		return 12
	}
	return 6
}

// write stores decoded bytes.
func (l *logs) write(p []byte) {
	if l.output != nil {
		l.output(p)
	}
	l.size += int64(len(p))
	n := min(len(p), logsHead-len(l.head))
	l.head, p = append(l.head, p[:n]...), p[n:]
	if n = min(len(p), logsTail-len(l.tail)); n > 0 {
		l.tail, p = append(l.tail, p[:n]...), p[n:]
	}
	if len(p) > logsTail {
		p = p[len(p)-logsTail:]
	}
	for len(p) > 0 {
		n = copy(l.tail[l.next:], p)
		l.next, p = (l.next+n)%logsTail, p[n:]
	}
}

// text returns what was kept, or less if the test passed.
func (l *logs) text(passed bool) Logs {
	tail := string(l.tail[l.next:]) + string(l.tail[:l.next])
	kept := Logs{Head: string(l.head), Tail: tail, Omitted: l.size - int64(len(l.head)+len(l.tail))}
	if passed && l.size > logsPassed {
		end := wholeRunes(l.head, logsPassed)
		kept = Logs{Head: string(l.head[:end]), Omitted: l.size - int64(end)}
	}
	return kept
}

// wholeRunes returns the length of the longest prefix of b that has at most limit bytes
// and ends with a complete rune.
func wholeRunes(b []byte, limit int) int {
	limit = min(limit, len(b))
	for back := limit; limit < len(b) && back > limit-4 && back > 0; back-- {
		if b[back]&0xC0 != 0x80 {
			return back
		}
	}
	return limit
}
