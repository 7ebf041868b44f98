package solidity

import "bytes"

// maxHeader bounds how much of a declaration is read: far more than the parameters of a
// real function, yet little enough that a source full of unclosed comments costs
// nothing.
const maxHeader = 64 << 10

// FunctionAt parses the function that begins at offset. ok is false if no named
// function begins there.
func FunctionAt(src []byte, offset int) (f Function, ok bool) {
	const keyword = "function"
	if offset < 0 || offset >= len(src) || !bytes.HasPrefix(src[offset:], []byte(keyword)) {
		return f, false
	}
	p := &parser{tokens{scanner: scanner{src: src[:min(len(src), offset+maxHeader)], at: offset}}}
	p.advance()
	if p.take() != keyword {
		return f, false
	}
	name := p.take()
	if name == "" || !p.is('(') {
		return f, false
	}
	return Function{Name: name, Offset: offset, Params: p.parameters()}, true
}

// VariableAt parses the state variable declared by src[offset:stop].
func VariableAt(src []byte, offset, stop int) (v Variable, ok bool) {
	if offset < 0 || offset >= stop || stop > len(src) {
		return v, false
	}
	p := &parser{tokens{scanner: scanner{src: append(bytes.Clone(src[offset:min(stop, offset+maxHeader)]), ';')}}}
	p.advance()
	switch p.word() {
	case "", "struct", "enum", "modifier", "event", "error", "using", "constructor":
		return v, false
	}
	v, ok = p.variable()
	v.Offset += offset
	return v, ok
}
