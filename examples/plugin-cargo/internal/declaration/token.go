package declaration

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a mark of punctuation or a string literal.
type token struct {
	text    string
	line    int
	literal bool // text is the content of a plain string
}

// scanner splits Rust source into tokens. It skips comments and other literals.
type scanner struct {
	src  string
	pos  int
	line int
}

func (s *scanner) next() (token, bool) {
	for s.pos < len(s.src) {
		line := s.line
		rest := s.src[s.pos:]
		switch c := rest[0]; {
		case c == '\n' || c == ' ' || c == '\t' || c == '\r':
			s.skip(1)
		case strings.HasPrefix(rest, "//"):
			s.skip(indexOf(rest, "\n", len(rest)))
		case strings.HasPrefix(rest, "/*"):
			s.skipComment()
		case c == '"':
			return token{text: s.readString(), line: line, literal: true}, true
		case c == '\'':
			s.skipCharacter()
		case rawPrefix(rest) > 0:
			s.skipRawString(rawPrefix(rest))
		default:
			r, size := utf8.DecodeRuneInString(rest)
			if !isWordRune(r) {
				s.skip(size)
				return token{text: rest[:size], line: line}, true
			}
			end := strings.IndexFunc(rest, func(r rune) bool { return !isWordRune(r) })
			if end < 0 {
				end = len(rest)
			}
			if rest[:end] == "r" && strings.HasPrefix(rest[end:], "#") { // r#type is a name
				after := strings.IndexFunc(rest[end+1:], func(r rune) bool { return !isWordRune(r) })
				end += max(after, 0) + 1
			}
			s.skip(end)
			if text := rest[:end]; !(len(text) == 1 && (text == "b" || text == "c") && s.pos < len(s.src) && s.src[s.pos] == '"') {
				return token{text: text, line: line}, true
			}
		}
	}
	return token{}, false
}

func (s *scanner) skip(n int) {
	n = min(n, len(s.src)-s.pos)
	s.line += strings.Count(s.src[s.pos:s.pos+n], "\n")
	s.pos += n
}

// skipComment skips a block comment; they nest.
func (s *scanner) skipComment() {
	depth := 0
	for s.pos < len(s.src) {
		rest := s.src[s.pos:]
		switch {
		case strings.HasPrefix(rest, "/*"):
			depth++
			s.skip(2)
		case strings.HasPrefix(rest, "*/"):
			depth--
			s.skip(2)
		default:
			s.skip(1)
		}
		if depth == 0 {
			return
		}
	}
}

func (s *scanner) readString() string {
	start := s.pos + 1
	for s.skip(1); s.pos < len(s.src); s.skip(1) {
		switch s.src[s.pos] {
		case '\\':
			s.skip(1)
		case '"':
			text := s.src[start:s.pos]
			s.skip(1)
			return text
		}
	}
	return s.src[min(start, len(s.src)):]
}

// skipCharacter skips a literal such as 'x' or '\n', or the quote of a lifetime.
func (s *scanner) skipCharacter() {
	rest := s.src[s.pos+1:]
	if strings.HasPrefix(rest, "\\") {
		if end := strings.IndexByte(rest[min(2, len(rest)):], '\''); end >= 0 {
			s.skip(end + 4)
			return
		}
	}
	_, size := utf8.DecodeRuneInString(rest)
	if strings.HasPrefix(rest[size:], "'") {
		s.skip(size + 2)
		return
	}
	s.skip(1)
}

// rawPrefix returns the number of bytes before the content of a raw string, or 0 if rest
// does not begin with one.
func rawPrefix(rest string) int {
	marks := strings.TrimPrefix(strings.TrimPrefix(rest, "b"), "c")
	if !strings.HasPrefix(marks, "r") {
		return 0
	}
	hashes := strings.TrimLeft(marks[1:], "#")
	if !strings.HasPrefix(hashes, `"`) {
		return 0
	}
	return len(rest) - len(hashes) + 1
}

func (s *scanner) skipRawString(prefix int) {
	end := `"` + strings.Repeat("#", strings.Count(s.src[s.pos:s.pos+prefix], "#"))
	s.skip(prefix)
	s.skip(indexOf(s.src[s.pos:], end, len(s.src)-s.pos) + len(end))
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func indexOf(s, part string, otherwise int) int {
	if i := strings.Index(s, part); i >= 0 {
		return i
	}
	return otherwise
}
