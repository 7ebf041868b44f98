package artifact

import (
	"math"
	"strings"
)

// Span is the piece of a source that an instruction comes from.
type Span struct {
	// Start and Length are in bytes of the source with that number; Source is
	// -1 for code that the compiler made up.
	Start, Length, Source int
	// Jump is 'i' into a function, 'o' out of one, '-' neither.
	Jump byte
}

// parseSourceMap reads solc's compressed source map, "s:l:f:j:m;…": an entry or
// a field left empty is that of the instruction before. It takes no more
// entries than there are instructions.
func parseSourceMap(text string, instructions int) []Span {
	if text == "" {
		return nil
	}
	spans := make([]Span, 0, min(instructions, len(text)))
	last := Span{Source: -1, Jump: '-'}
	for len(spans) < instructions {
		entry, rest, more := strings.Cut(text, ";")
		last = last.next(entry)
		spans = append(spans, last)
		if !more {
			break
		}
		text = rest
	}
	return spans
}

func (s Span) next(entry string) Span {
	for n := 0; entry != "" && n < 4; n++ {
		var value string
		value, entry, _ = strings.Cut(entry, ":")
		if value == "" {
			continue
		}
		switch n {
		case 0:
			s.Start = number(value)
		case 1:
			s.Length = number(value)
		case 2:
			s.Source = number(value)
		case 3:
			s.Jump = value[0]
		}
	}
	return s
}

// number is a decimal number, -1 where it is none or too large for a place in
// a file.
func number(text string) int {
	n := 0
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' {
			return -1
		}
		if n = n*10 + int(c-'0'); n > math.MaxInt32 {
			return -1
		}
	}
	return n
}
