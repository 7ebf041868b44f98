package trace

import (
	"bytes"
	"context"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
)

// program is one code of a contract, the deployed or the creating one, with its source
// map.
type program struct {
	contract     *artifact.Contract
	texts        *texts
	code         []byte
	spans        []artifact.Span
	instructions []int32 // by byte of code; -1 within an operand
	gas          answer  // whether it measures gas
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

// at returns the instruction at pc if it is op and has a span.
func (p *program) at(pc, op int) (int, bool) {
	if pc < 0 || pc >= len(p.code) || int(p.code[pc]) != op {
		return 0, false
	}
	i := int(p.instructions[pc])
	return i, i >= 0 && i < len(p.spans)
}

func (p *program) span(instruction int) artifact.Span { return p.spans[instruction] }

// text returns the source text of an instruction if it is in the project's files.
func (p *program) text(ctx context.Context, instruction int) []byte {
	s := p.span(instruction)
	return p.texts.span(ctx, p.contract.Sources[s.Source], s.Start, s.Length)
}

// passesOn reports whether the revert at now merely propagates the failure of the call.
// copies reports whether it does so by hand, in which case it may propagate another
// one.
func (p *program) passesOn(ctx context.Context, now, call moment) (passes, copies bool) {
	a, b := p.span(now.instruction), p.span(call.instruction)
	if a.Source == b.Source && a.Start == b.Start && a.Length == b.Length {
		// The compiler's own check: its span is the whole call expression, and without a
		// jump after the call it handles the failure of that call.
		return now.step > call.step && now.step-call.step == now.instruction-call.instruction, false
	}
	text := p.text(ctx, now.instruction)
	switch {
	case bytes.HasPrefix(text, []byte("try ")): // no catch clause for this kind of failure
		return now.instruction > call.instruction, false
	case bytes.HasPrefix(text, []byte("revert(")): // as in libraries and proxies
		return bytes.Contains(text, []byte("mload(")) || bytes.Contains(text, []byte("returndatasize(")), true
	}
	return false, false
}

// measuresGas reports whether the code reads how much gas is left, other than to pass it
// on with a call.
func (p *program) measuresGas() bool {
	if p.gas == unknown {
		p.gas = no
		asked := false
		for pc := 0; pc < len(p.code) && int(p.instructions[pc]) < len(p.spans); pc += 1 + artifact.PushSize(p.code[pc]) {
			if asked && !isCall(int(p.code[pc])) {
				p.gas = yes
				break
			}
			asked = p.code[pc] == opGas
		}
	}
	return p.gas == yes
}

// answer is the answer to a question that is computed when first needed.
type answer byte

const (
	unknown answer = iota
	no
	yes
)
