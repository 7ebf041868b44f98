package trace

import (
	"bytes"
	"context"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
)

// program is a code of one contract, deployed or creating it, with the
// compiler's map of it.
type program struct {
	contract     *artifact.Contract
	texts        *texts
	code         []byte
	spans        []artifact.Span
	instructions []int32 // of each byte of code; -1 within an operand
}

func newProgram(c *artifact.Contract, t *texts, code []byte, spans []artifact.Span) *program {
	p := &program{contract: c, texts: t, code: code, spans: spans, instructions: make([]int32, len(code))}
	n := int32(0)
	for pc := 0; pc < len(code); n++ {
		p.instructions[pc] = n
		operand := artifact.PushSize(code[pc])
		for pc++; operand > 0 && pc < len(code); operand-- {
			p.instructions[pc] = -1
			pc++
		}
	}
	return p
}

// at is the instruction at pc, if it is op and has a span.
func (p *program) at(pc, op int) (int, bool) {
	if pc < 0 || pc >= len(p.code) || int(p.code[pc]) != op {
		return 0, false
	}
	i := int(p.instructions[pc])
	return i, i >= 0 && i < len(p.spans)
}

func (p *program) span(instruction int) artifact.Span { return p.spans[instruction] }

// text is the source text of an instruction, if it is of the project's files.
func (p *program) text(ctx context.Context, instruction int) []byte {
	s := p.span(instruction)
	return p.texts.span(ctx, p.contract.Sources[s.Source], s.Start, s.Length)
}

// passesOn tells whether the revert at instruction now only passes on the
// failure of the call at instruction call.
func (p *program) passesOn(ctx context.Context, now, call int) bool {
	a, b := p.span(now), p.span(call)
	if a.Source == b.Source && a.Start == b.Start && a.Length == b.Length {
		return true // the compiler's own: the whole expression is the call
	}
	text := p.text(ctx, now)
	switch {
	case bytes.HasPrefix(text, []byte("try ")): // no catch for this kind of failure
		return true
	case bytes.HasPrefix(text, []byte("revert(")): // as libraries and proxies do by hand
		return bytes.Contains(text, []byte("mload(")) || bytes.Contains(text, []byte("returndatasize("))
	}
	return false
}
