package solidity

import "strings"

// Parse parses a source. It never fails; see the package documentation.
func Parse(src []byte) *File {
	p := &parser{tokens{scanner: scanner{src: src}}}
	p.advance()
	f := &File{}
	for p.tok.kind != end {
		p.fileItem(f)
	}
	f.index()
	return f
}

// appendUpTo appends unless the limit is reached.
func appendUpTo[T any](list []T, item T, limit int) []T {
	if len(list) >= limit {
		return list
	}
	return append(list, item)
}

// parser parses the part of the grammar that a plugin needs.
type parser struct{ tokens }

// tokens reads the tokens of a source with one token of lookahead: tok is not consumed
// yet.
type tokens struct {
	scanner
	tok token
}

func (t *tokens) advance() { t.tok = t.next() }

func (t *tokens) word() string {
	if t.tok.kind != word {
		return ""
	}
	return string(t.src[t.tok.start:t.tok.stop])
}

// take consumes a word and returns it, or "" if the token is not a word.
func (t *tokens) take() string {
	w := t.word()
	if w != "" {
		t.advance()
	}
	return w
}

func (t *tokens) is(c byte) bool { return t.tok.kind == mark && t.tok.mark == c }

func (t *tokens) accept(c byte) bool {
	if !t.is(c) {
		return false
	}
	t.advance()
	return true
}

func (p *parser) fileItem(f *File) {
	start := p.tok.start
	switch w := p.word(); w {
	case "import":
		p.advance()
		p.importItem(f)
	case "abstract", "contract", "interface", "library":
		p.advance()
		if w == "abstract" {
			p.take()
		}
		kind := w
		if w == "abstract" {
			kind = "contract"
		}
		if c, ok := p.contract(kind); ok {
			c.Offset, c.Abstract = start, w == "abstract"
			f.Contracts = appendUpTo(f.Contracts, c, maxContracts)
		}
	case "struct", "enum", "type":
		if t, ok := p.typeItem(w); ok {
			f.Types = appendUpTo(f.Types, t, maxMembers)
		}
	case "pragma":
		p.skipItem()
		f.Pragmas = appendUpTo(f.Pragmas, p.pragma(start), maxMembers)
	case "", "using", "event", "error", "function", "for":
		p.skipItem()
	default:
		if v, ok := p.variable(); ok {
			f.Constants = appendUpTo(f.Constants, v, maxMembers)
		}
		p.accept('}')
	}
}

// pragma returns the directive that began at start and has just been skipped.
func (p *parser) pragma(start int) string {
	directive, _, _ := strings.Cut(string(p.src[start:p.tok.start]), ";")
	return strings.TrimSpace(strings.TrimPrefix(directive, "pragma"))
}

func (p *parser) importItem(f *File) {
	var imp Import
	for p.tok.kind != end && !p.is(';') {
		switch {
		case p.tok.kind == text:
			imp.Path = unquote(p.src[p.tok.start:p.tok.stop])
			p.advance()
		case p.accept('{'):
			for p.tok.kind != end && !p.accept('}') {
				name := p.take()
				if name == "" {
					p.advance()
					continue
				}
				alias := name
				if p.word() == "as" {
					p.advance()
					alias = p.take()
				}
				imp.Symbols = append(imp.Symbols, Symbol{Name: name, Alias: alias})
			}
		case p.word() == "as":
			p.advance()
			imp.Alias = p.take()
		default:
			p.advance()
		}
	}
	p.accept(';')
	if imp.Path != "" {
		f.Imports = appendUpTo(f.Imports, imp, maxMembers)
	}
}

// unquote removes the quotes of a literal. It leaves escapes alone: the paths of real
// imports contain none, and one that does is not found.
func unquote(literal []byte) string {
	if len(literal) < 2 || literal[len(literal)-1] != literal[0] {
		return ""
	}
	return string(literal[1 : len(literal)-1])
}

// skipItem skips past the next semicolon or brace block. It stops at a closing brace of
// an outer block, except at the top of a file, where nothing else would consume it.
func (p *parser) skipItem() {
	for p.tok.kind != end {
		switch {
		case p.accept(';'):
			return
		case p.is('{'):
			p.skipBlock()
			return
		case p.is('}'):
			p.advance()
			return
		case p.is('('), p.is('['):
			p.skipBlock()
		default:
			p.advance()
		}
	}
}

// skipBlock skips past the bracket that closes the current one, and returns the offset
// there. It does not distinguish kinds of brackets, so a source with mismatched brackets
// ends early rather than never.
func (t *tokens) skipBlock() int {
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
