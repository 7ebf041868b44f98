package solidity

import (
	"bytes"
	"strings"
)

// Item is a top-level declaration or directive: src[Start:Stop].
type Item struct {
	// Kind is its first word, such as "contract" (also for abstract ones), "import" or
	// "function". For a constant it is the first word of its type, and "" if the item
	// does not begin with a word.
	Kind string
	// Name is the declared name or the imported path, or "" if there is none.
	Name        string
	Start, Stop int
}

// Items splits a source into its top-level items. Only space and comments lie between
// two items, and an unclosed one extends to the end of the file.
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
			it.Stop = p.skipBlock()
			if last {
				return it
			}
			continue
		case p.is(';'), p.is('}'):
			p.stop(&it)
			return it
		case p.is('='):
			constant = false // its name precedes
		case constant && p.tok.kind == word:
			it.Name = p.word()
		case it.Kind == "import" && p.tok.kind == text:
			it.Name = unquote(p.src[p.tok.start:p.tok.stop])
		}
		p.stop(&it)
	}
	return it
}

// stop extends an item over a token.
func (t *tokens) stop(it *Item) {
	it.Stop = t.tok.stop
	t.advance()
}

// Meaning returns a source without what the compiler and forge ignore: its tokens, and
// those comments that matter. Sources with equal meaning compile to the same code,
// except for the hash of their text that the compiler appends.
func Meaning(src []byte) []byte {
	s := &scanner{src: src}
	var out []byte
	var before token
	for at := 0; ; {
		tok := s.next()
		gap := src[at:tok.start]
		if c := meaningfulComments(gap); len(c) > 0 {
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

// meaningfulComments returns the comments between two tokens that the compiler or forge
// reads: NatSpec, in which mistakes are errors, tags change the code ("@solidity
// memory-safe-assembly"), and forge finds settings; the license, of which there may be
// only one; and anything that is not ASCII, for which the compiler has rules, too.
func meaningfulComments(gap []byte) []byte {
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

// commentEnd returns the offset after the comment that begins at i.
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
