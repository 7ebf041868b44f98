package trace

import "bytes"

// skip skips part of an unwanted object or array.
func (l *lexer) skip(data []byte) int {
	for i, c := range data {
		switch c {
		case '"':
			l.state = skippingString
			return i + 1
		case '{', '[':
			l.depth++
		case '}', ']':
			if l.depth--; l.depth == 0 {
				l.state = wantComma
				return i + 1
			}
		case '\n':
			l.fail(c)
			return i + 1
		}
	}
	return len(data)
}

func (l *lexer) skipString(data []byte) int {
	for i, c := range data {
		switch c {
		case '"':
			l.state = skipping
			if l.depth == 0 {
				l.state = wantComma
			}
			return i + 1
		case '\\':
			l.state = skippingEscape
			return i + 1
		case '\n':
			l.fail(c)
			return i + 1
		}
		if i == 32 { // a long one, which is rare
			if n := indexSpecial(data[i+1:]); n >= 0 {
				return i + 1 + n
			}
			return len(data)
		}
	}
	return len(data)
}

// indexSpecial finds the first character with a meaning within a string. It searches window
// by window, so that having many of them costs no more than having few.
func indexSpecial(data []byte) int {
	const window = 512
	for from := 0; from < len(data); from += window {
		b := data[from:min(from+window, len(data))]
		for _, c := range [...]byte{'"', '\\', '\n'} {
			if n := bytes.IndexByte(b, c); n >= 0 {
				b = b[:n+1]
			}
		}
		if c := b[len(b)-1]; c == '"' || c == '\\' || c == '\n' {
			return from + len(b) - 1
		}
	}
	return -1
}
