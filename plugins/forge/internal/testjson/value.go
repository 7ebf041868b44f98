package testjson

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// valueState is whether a value goes on.
type valueState int

const (
	valueOpen valueState = iota
	valueEnded
	valueBroken
)

// maxDepth is far deeper than forge nests.
const maxDepth = 1024

// value follows one JSON value to its end. It checks strings and brackets, but not the
// grammar between them.
type value struct {
	depth    int
	brackets [maxDepth / 64]uint64 // a bit for each open bracket; 1 is "["
	inString bool
	escaped  bool
	scalar   bool // a number or a word has begun
}

func (v *value) begin() { v.depth, v.inString, v.escaped, v.scalar = 0, false, false, false }

// Classes of bytes outside of strings.
const (
	classOther = iota
	classQuote
	classOpen
	classClose
)

// class is the class of each byte. It is never modified.
var class = [256]byte{'"': classQuote, '{': classOpen, '[': classOpen, '}': classClose, ']': classClose}

// skip skips bytes of the value.
func (v *value) skip(p []byte) (n int, state valueState) {
	for n < len(p) {
		switch {
		case v.inString:
			k, ended := stringEnd(p[n:], &v.escaped)
			n += k
			if !ended {
				return n, valueOpen
			}
			if v.inString = false; v.depth == 0 {
				return n, valueEnded
			}
		case v.depth == 0:
			if state = v.first(p[n]); state == valueEnded {
				return n, state // the byte is not part of the value
			}
			if n++; state == valueBroken {
				return n, state
			}
		default:
			for n < len(p) && class[p[n]] == classOther {
				n++
			}
			if n == len(p) {
				return n, valueOpen
			}
			if state = v.nested(p[n]); state == valueBroken {
				return n, state
			}
			if n++; state == valueEnded {
				return n, state
			}
		}
	}
	return n, valueOpen
}

// first consumes a byte outside of brackets and strings.
func (v *value) first(c byte) valueState {
	switch {
	case c == ',' || c == '}' || c == ']' || c == ' ' || c == '\t' || c == '\r':
		if v.scalar {
			return valueEnded
		}
		return valueBroken
	case v.scalar:
		if class[c] != classOther || c == ':' {
			return valueBroken
		}
	case c == '"':
		v.inString = true
	case class[c] == classOpen:
		v.push(c)
	default:
		v.scalar = true
	}
	return valueOpen
}

// nested consumes a byte within brackets.
func (v *value) nested(c byte) valueState {
	switch class[c] {
	case classQuote:
		v.inString = true
	case classOpen:
		if !v.push(c) {
			return valueBroken
		}
	case classClose:
		if c != v.closer() {
			return valueBroken
		}
		if v.depth--; v.depth == 0 {
			return valueEnded
		}
	}
	return valueOpen
}

func (v *value) push(c byte) bool {
	if v.depth == maxDepth {
		return false
	}
	word, bit := &v.brackets[v.depth/64], uint64(1)<<(v.depth%64)
	if *word &^= bit; c == '[' {
		*word |= bit
	}
	v.depth++
	return true
}

// closer returns the bracket that closes the innermost open one.
func (v *value) closer() byte { return v.closerAt(v.depth - 1) }

func (v *value) closerAt(i int) byte {
	if v.brackets[i/64]>>(i%64)&1 == 1 {
		return ']'
	}
	return '}'
}

// stringEnd searches for the end of a string from within it. n is the offset after the
// closing quote, or len(p).
func stringEnd(p []byte, escaped *bool) (n int, ended bool) {
	if *escaped && len(p) > 0 {
		*escaped, n = false, 1
	}
	for n < len(p) {
		n += beforeSpecial(p[n:])
		if n == len(p) {
			break
		}
		if p[n] == '"' {
			return n + 1, true
		}
		if n += 2; n > len(p) {
			*escaped = true
		}
	}
	return len(p), false
}

const (
	// ones and tops have the lowest and the highest bit of every byte set.
	ones = 0x0101010101010101
	tops = ones << 7
	// longString is the length from which on searching is faster than examining eight
	// bytes at a time.
	longString = 64
)

// beforeSpecial returns how many bytes precede the first quote or backslash.
func beforeSpecial(p []byte) int {
	n := 0
	for stop := min(len(p)-8, longString); n <= stop; n += 8 {
		// A zero byte in x is a match. The lowest bit set in the result is never a false
		// positive.
		word := binary.LittleEndian.Uint64(p[n:])
		quote, slash := word^ones*'"', word^ones*'\\'
		if found := ((quote-ones)&^quote | (slash-ones)&^slash) & tops; found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	if len(p)-n >= longString {
		end := bytes.IndexByte(p[n:], '"')
		if end < 0 {
			end = len(p) - n
		}
		if slash := bytes.IndexByte(p[n:n+end], '\\'); slash >= 0 {
			end = slash
		}
		return n + end
	}
	for n < len(p) && p[n] != '"' && p[n] != '\\' {
		n++
	}
	return n
}

// parseWhole returns a whole number, which may be in a string, as decimal text.
func parseWhole(raw json.RawMessage) string {
	s := strings.Trim(string(raw), `"`)
	if digits := strings.TrimPrefix(s, "-"); digits != "" && strings.Trim(digits, "0123456789") == "" && len(digits) <= maxDigits {
		return s
	}
	if f, ok := new(big.Float).SetString(s); ok && !f.IsInf() && len(s) < maxDigits && f.MantExp(nil) < 300 {
		i, _ := f.Int(nil)
		return i.String()
	}
	return ""
}

func isDigits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0 && len(s) <= maxDigits
}

// maxDigits is more than a uint256 has.
const maxDigits = 100

func parseInteger(raw json.RawMessage) int64 {
	n, _ := strconv.ParseInt(parseWhole(raw), 10, 64)
	return n
}

func formatDecimal(n int64) string { return strconv.FormatInt(n, 10) }
