package testjson

import (
	"unicode/utf8"

	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxValue bounds a captured value, maxText a value that is a string, and maxNested
	// a string within a value.
	maxValue  = 1 << 20
	maxText   = sdk.MaxText + 4<<10
	maxNested = 16 << 10
)

// capture keeps a bounded part of a value. What it keeps of a larger value is still
// valid JSON: it truncates long strings and ends long lists early.
type capture struct {
	buf []byte
	// full reports whether nothing more of the value is kept.
	full bool
	// inString is the length of the current string, and stringCut reports whether it was
	// truncated.
	inString  int
	stringCut bool
	// digits is how many digits of a \u escape are missing.
	digits int
	// mark is the last length of buf at which the value could be closed, and markDepth
	// the number of brackets open there.
	mark, markDepth int
}

func (c *capture) begin() {
	*c = capture{buf: c.buf[:0]}
}

// take consumes bytes of the value, in step with v.
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

// stringByte consumes a byte of a string and reports whether the string ended.
func (c *capture) stringByte(v *value, b byte) (ended bool) {
	limit := maxNested
	if v.depth == 0 {
		limit = maxText
	}
	between := !v.escaped && c.digits == 0 // outside of an escape
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

// overflow closes the kept part at the last possible place.
func (c *capture) overflow(v *value) {
	c.buf = c.buf[:c.mark]
	for i := c.markDepth - 1; i >= 0; i-- {
		c.buf = append(c.buf, v.closerAt(i))
	}
	c.full = true
}
