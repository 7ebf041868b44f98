package solidity

// kind is the kind of a token.
type kind byte

const (
	end kind = iota
	word
	text
	number
	mark // one byte of punctuation
)

// token is a piece of the source: src[start:stop].
type token struct {
	kind        kind
	mark        byte
	start, stop int
}

// scanner splits a source into tokens, skipping comments and space.
type scanner struct {
	src []byte
	at  int
}

func (s *scanner) next() token {
	s.at = skipSpace(s.src, s.at)
	start := s.at
	if start >= len(s.src) {
		return token{kind: end, start: start, stop: start}
	}
	c := s.src[start]
	switch {
	case isLetter(c):
		s.at = wordEnd(s.src, start)
		return token{kind: word, start: start, stop: s.at}
	case isDigit(c):
		s.at = wordEnd(s.src, start)
		return token{kind: number, start: start, stop: s.at}
	case c == '"' || c == '\'':
		s.at = textEnd(s.src, start)
		return token{kind: text, start: start, stop: s.at}
	}
	s.at++
	return token{kind: mark, mark: c, start: start, stop: s.at}
}

// skipSpace returns the first offset from i on that is neither space nor comment. An
// unclosed comment extends to the end.
func skipSpace(src []byte, i int) int {
	for i < len(src) {
		switch c := src[i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
			i++
		case c == '/' && i+1 < len(src) && src[i+1] == '/':
			for i < len(src) && src[i] != '\n' && src[i] != '\r' {
				i++
			}
		case c == '/' && i+1 < len(src) && src[i+1] == '*':
			i += 2
			for i < len(src) && (src[i] != '*' || i+1 >= len(src) || src[i+1] != '/') {
				i++
			}
			i = min(i+2, len(src))
		default:
			return i
		}
	}
	return i
}

// textEnd returns the offset after a string literal. Literals in Solidity never span
// lines, so an unclosed one hides only the rest of its line.
func textEnd(src []byte, i int) int {
	quote := src[i]
	for i++; i < len(src); i++ {
		switch src[i] {
		case quote:
			return i + 1
		case '\n', '\r':
			return i
		case '\\':
			i++
		}
	}
	return len(src)
}

func wordEnd(src []byte, i int) int {
	for i < len(src) && (isLetter(src[i]) || isDigit(src[i])) {
		i++
	}
	return i
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
