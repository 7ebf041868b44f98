package solidity

import (
	"bytes"
	"strings"
)

// Item is a declaration or a directive at the top of a file: src[Start:Stop].
type Item struct {
	// Kind is its first word, such as "contract" (of abstract ones too), "import" or
	// "function"; "" of what begins with none, and of a constant the first word of its
	// type.
	Kind string
	// Name is that which it declares, and the path of an import; "" where it has none.
	Name        string
	Start, Stop int
}

// Items cuts a source into what stands at its top. Nothing but space and comments
// lies between two items, and one that has no end reaches to that of the file.
func Items(src []byte) []Item {
	p := &parser{tokens{scanner: scanner{src: src}}}
	p.advance()
	var items []Item
	for p.tok.kind != end {
		items = append(items, p.item())
	}
	return items
}

func (p *parser) item() Item {
	it := Item{Kind: p.word(), Start: p.tok.start}
	block, named, constant := false, false, false
	switch it.Kind {
	case "abstract", "contract", "interface", "library", "struct", "enum", "function":
		block, named = true, true
	case "event", "error", "type":
		named = true
	case "", "import", "pragma", "using":
	default:
		constant = true
	}
	p.stop(&it)
	if it.Kind == "abstract" && p.word() == "contract" {
		it.Kind = "contract"
		p.stop(&it)
	}
	if named {
		it.Name = p.word()
	}
	for p.tok.kind != end {
		switch {
		case p.is('{'), p.is('('), p.is('['):
			last := p.is('{') && block
			it.Stop = p.skipTo()
			if last {
				return it
			}
			continue
		case p.is(';'), p.is('}'):
			p.stop(&it)
			return it
		case p.is('='):
			constant = false // its name stands in front
		case constant && p.tok.kind == word:
			it.Name = p.word()
		case it.Kind == "import" && p.tok.kind == text:
			it.Name = unquote(p.src[p.tok.start:p.tok.stop])
		}
		p.stop(&it)
	}
	return it
}

// stop takes a token into an item.
func (t *tokens) stop(it *Item) {
	it.Stop = t.tok.stop
	t.advance()
}

// skipTo goes behind the bracket that closes the one at hand, as skipBlock does, and
// returns the place there.
func (t *tokens) skipTo() int {
	depth, stop := 0, t.tok.stop
	for t.tok.kind != end {
		if t.tok.kind == mark {
			switch t.tok.mark {
			case '{', '(', '[':
				depth++
			case '}', ')', ']':
				depth--
			}
		}
		stop = t.tok.stop
		t.advance()
		if depth <= 0 {
			break
		}
	}
	return stop
}

// Meaning is a source without what the compiler and forge do not look at: its tokens,
// and comments that are more than that. Two sources with one meaning are compiled to
// the same code, but for the hash of their text that the compiler adds to it.
func Meaning(src []byte) []byte {
	s := &scanner{src: src}
	var out []byte
	var before token
	for at := 0; ; {
		tok := s.next()
		gap := src[at:tok.start]
		if c := meaningful(gap); len(c) > 0 {
			out = append(append(out, 0), c...)
		}
		if tok.kind == end {
			return out
		}
		// "- -" is not "--".
		if len(gap) > 0 || !isOperator(before) || !isOperator(tok) {
			out = append(out, 0)
		}
		out = append(out, src[tok.start:tok.stop]...)
		at, before = tok.stop, tok
	}
}

func isOperator(t token) bool {
	return t.kind == mark && strings.IndexByte("+-*/%&|^<>=!~?:", t.mark) >= 0
}

// meaningful are the comments of a gap between tokens that somebody reads: NatSpec,
// in which a mistake is an error, tags change the code ("@solidity memory-safe-assembly")
// and forge has settings; the licence, of which there may be one; and whatever is no
// ASCII, for which the compiler has rules too.
func meaningful(gap []byte) []byte {
	var kept []byte
	for at := 0; at < len(gap); {
		start := bytes.IndexByte(gap[at:], '/')
		if start < 0 {
			break
		}
		start += at
		at = commentEnd(gap, start)
		comment := gap[start:at]
		if isNatSpec(comment) || bytes.Contains(comment, []byte("SPDX")) || bytes.ContainsFunc(comment, func(r rune) bool { return r >= 0x80 }) {
			kept = append(append(kept, comment...), '\n')
		}
	}
	return kept
}

// commentEnd is the place behind the comment that begins at i.
func commentEnd(src []byte, i int) int {
	if i+1 < len(src) && src[i+1] == '*' {
		if n := bytes.Index(src[i+2:], []byte("*/")); n >= 0 {
			return i + 2 + n + 2
		}
		return len(src)
	}
	if n := bytes.IndexAny(src[i:], "\n\r"); n >= 0 {
		return i + n
	}
	return len(src)
}

func isNatSpec(comment []byte) bool {
	return bytes.HasPrefix(comment, []byte("///")) || bytes.HasPrefix(comment, []byte("/**"))
}
