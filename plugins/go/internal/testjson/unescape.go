package testjson

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendUnescaped appends the text inside a JSON string, unescaped. It accepts
// anything: it copies unknown escapes.
func AppendUnescaped(dst, escaped []byte) []byte {
	for len(escaped) > 0 {
		i := bytes.IndexByte(escaped, '\\')
		if i < 0 || i+1 == len(escaped) {
			return append(dst, escaped...)
		}
		dst = append(dst, escaped[:i]...)
		var n int
		dst, n = appendEscape(dst, escaped[i:])
		escaped = escaped[i+n:]
	}
	return dst
}

// appendEscape resolves the escape at the front of b, which has at least two bytes, and
// returns its length.
func appendEscape(dst, b []byte) ([]byte, int) {
	switch b[1] {
	case 'n':
		return append(dst, '\n'), 2
	case 't':
		return append(dst, '\t'), 2
	case '"', '\\', '/':
		return append(dst, b[1]), 2
	case 'r':
		return append(dst, '\r'), 2
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'u':
		r := parseHex4(b)
		if r < 0 {
			return append(dst, '\\'), 1
		}
		if !utf16.IsSurrogate(r) {
			return utf8.AppendRune(dst, r), 6
		}
		if pair := utf16.DecodeRune(r, parseHex4(b[6:])); pair != utf8.RuneError {
			return utf8.AppendRune(dst, pair), 12
		}
		return utf8.AppendRune(dst, utf8.RuneError), 6
	}
	return append(dst, '\\'), 1
}

// parseHex4 parses \uXXXX; it returns -1 if there is none.
func parseHex4(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
