package testjson

import (
	"unicode/utf8"

	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxValue bounds one captured value, maxText a string that is a value of
	// its own, maxNested a string within a value.
	maxValue  = 1 << 20
	maxText   = sdk.MaxText + 4<<10
	maxNested = 16 << 10
)

// capture keeps the bytes of a value, bounded. What it kept of a value that is
// too large is a valid value all the same: long strings are cut and long lists
// end early.
type capture struct {
	buf []byte
	// full reports whether the value goes on and nothing more is kept.
	full bool
	// inString is the length of the current string, stringCut that it was cut.
	inString  int
	stringCut bool
	// digits is how many digits of a \u escape are still to come.
	digits int
	// mark is a length of buf at which the brackets open there, markDepth of
	// them, can be closed.
	mark, markDepth int
}

func (c *capture) begin() {
	*c = capture{buf: c.buf[:0]}
}

// take takes bytes of the value that v follows.
func (c *capture) take(v *value, p []byte) (n int, state valueState) {
	for n < len(p) {
		if c.full {
			k, state := v.skip(p[n:])
			return n + k, state
		}
		b := p[n]
		if v.inString {
			n++
			if c.stringByte(v, b) && v.depth == 0 {
				return n, valueEnded
			}
			continue
		}
		before := v.depth
		if before == 0 {
			if state = v.first(b); state == valueEnded {
				return n, state
			}
		} else {
			state = v.nested(b)
		}
		if n++; state == valueBroken {
			return n, state
		}
		if before > 0 && b == ',' {
			c.mark, c.markDepth = len(c.buf), before
		}
		c.buf = append(c.buf, b)
		c.inString, c.stringCut, c.digits = 0, false, 0
		if v.depth != before {
			c.mark, c.markDepth = len(c.buf), v.depth
		}
		if state == valueEnded {
			return n, state
		}
		if len(c.buf) > maxValue {
			c.overflow(v)
		}
	}
	return n, valueOpen
}

// stringByte takes a byte of a string and reports whether it ended.
func (c *capture) stringByte(v *value, b byte) (ended bool) {
	limit := maxNested
	if v.depth == 0 {
		limit = maxText
	}
	between := !v.escaped && c.digits == 0 // no escape has begun
	switch {
	case v.escaped:
		if v.escaped = false; b == 'u' {
			c.digits = 4
		}
	case b == '\\':
		v.escaped, c.digits = true, 0
	case b == '"':
		v.inString, ended = false, true
	default:
		c.digits = max(0, c.digits-1)
	}
	if !c.stringCut && !ended && between && c.inString >= limit && utf8.RuneStart(b) {
		c.stringCut = true
		c.buf = append(c.buf, sdk.TruncationMark...)
	}
	if ended || !c.stringCut {
		c.buf = append(c.buf, b)
		c.inString++
	}
	return ended
}

// overflow closes what was kept at the last place where that is possible.
func (c *capture) overflow(v *value) {
	c.buf = c.buf[:c.mark]
	for i := c.markDepth - 1; i >= 0; i-- {
		c.buf = append(c.buf, v.closerAt(i))
	}
	c.full = true
}
