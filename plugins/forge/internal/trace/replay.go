package trace

import "context"

// step is one step of the virtual machine.
type step struct{ pc, op int }

// item is one entry of the order in which a node made steps and calls.
type item struct {
	step, call bool
	number     int
}

// position is an instruction within a function.
type position struct {
	program     *program
	instruction int
	entry       int // the instruction at which its function was entered; -1 for the code around functions
}

// frame is a call within one contract: a jump that the compiler marked so.
type frame struct {
	outer *frame
	call  int // the instruction that jumped
	entry int // the instruction jumped to
	depth int
}

// moment is a state of a replay.
type moment struct {
	step        int
	instruction int
	top         *frame
}

// replay follows the steps of one node through the code it executed. It keeps
// the open calls only, and for each call of another contract what was open.
type replay struct {
	program *program
	wrong   bool // the steps are not of this code
	now     moment
	op      byte
	jump    byte
	steps   int
	last    moment // the last call of another contract
	arena   *arena
	moments []moment // of all calls, while it is not known which one matters
	calls   []int    // of each call that became a node, its moment; -1 is unknown
	ordered int      // the last step in the order
	through int      // the step that made the last call which became a node
	next    int      // the first moment that the order did not reach yet
}

// maxDepth is how deep calls within a contract nest: the machine's own stack
// holds 1,024 values, and each call leaves at least the address to return to.
const maxDepth = 1024

// maxMoments bounds the moments of a transaction. A call costs 100 gas or more,
// so a test within its gas makes fewer.
const maxMoments = 200_000

// Instructions of the virtual machine.
const (
	opJump         = 0x56
	opJumpIf       = 0x57
	opGas          = 0x5a
	opCreate       = 0xf0
	opCall         = 0xf1
	opCallCode     = 0xf2
	opDelegateCall = 0xf4
	opCreate2      = 0xf5
	opStaticCall   = 0xfa
	opRevert       = 0xfd
	opReturn       = 0xf3
	opStop         = 0x00
	opDestroy      = 0xff
)

func newReplay(p *program, a *arena) *replay {
	return &replay{program: p, arena: a, ordered: -1, through: -1, last: moment{step: -1}, now: moment{instruction: -1}}
}

func (r *replay) step(s step) {
	if r.wrong {
		return
	}
	i, ok := r.program.at(s.pc, s.op)
	if !ok || r.jump != 0 && !r.follow(i) {
		r.wrong = true
		return
	}
	if r.op == opGas && !calls(s.op) {
		r.arena.run.measured = true
	}
	r.now.step, r.now.instruction, r.op, r.jump = r.steps, i, byte(s.op), 0
	r.steps++
	switch {
	case s.op == opJump, s.op == opJumpIf:
		if j := r.program.span(i).Jump; j == 'i' || j == 'o' {
			r.jump = j
		}
	case calls(s.op), s.op == opCreate, s.op == opCreate2:
		r.last = r.now
		if r.arena.marking {
			r.moments = append(r.moments, r.now)
			r.spend()
		}
	}
}

// calls reports whether op calls another contract.
func calls(op int) bool {
	return op == opCall || op == opCallCode || op == opDelegateCall || op == opStaticCall
}

// follow makes a marked jump to instruction i.
func (r *replay) follow(i int) bool {
	if r.jump == 'i' {
		depth := 1
		if r.now.top != nil {
			depth = r.now.top.depth + 1
		}
		r.now.top = &frame{outer: r.now.top, call: r.now.instruction, entry: i, depth: depth}
		return depth <= maxDepth
	}
	// A function returns to where it was called from, or the calls were not
	// what the compiler's marks seemed to say.
	if r.now.top == nil || r.now.top.call+1 != i {
		return false
	}
	r.now.top = r.now.top.outer
	return true
}

// order takes the next entry of the node's order of steps and calls.
func (r *replay) order(it item) {
	switch {
	case it.step:
		r.ordered = it.number
	case it.call:
		r.through = r.ordered
		if !r.arena.marking {
			return
		}
		for r.next < len(r.moments) && r.moments[r.next].step < r.ordered {
			r.next++
		}
		at := -1
		if r.next < len(r.moments) && r.moments[r.next].step == r.ordered {
			at = r.next
		}
		r.calls = append(r.calls, at)
		r.spend()
	}
}

func (r *replay) spend() {
	r.arena.budget--
	r.wrong = r.wrong || r.arena.budget < 0
}

// atEnd is the stack at the last step, innermost first, where that step was the
// one that failed.
func (r *replay) atEnd() []position {
	if r.wrong || r.steps == 0 {
		return nil
	}
	switch r.op {
	case opStop, opReturn, opDestroy: // failed afterwards, by forge's judgement
		return nil
	}
	return r.stack(r.now)
}

// atCall is the stack when the node made its k-th call, innermost first.
func (r *replay) atCall(k int) []position {
	if r.wrong || k < 0 || k >= len(r.calls) || r.calls[k] < 0 {
		return nil
	}
	return r.stack(r.moments[r.calls[k]])
}

func (r *replay) stack(m moment) []position {
	var stack []position
	instruction := m.instruction
	for f := m.top; f != nil; f = f.outer {
		stack = append(stack, position{program: r.program, instruction: instruction, entry: f.entry})
		instruction = f.call
	}
	return append(stack, position{program: r.program, instruction: instruction, entry: -1})
}

// passesOn reports whether the last step only passed on what the last call of
// another contract failed with, and whether it copies that.
func (r *replay) passesOn(ctx context.Context) (passes, copies bool) {
	if r.wrong || r.op != opRevert || r.last.step < 0 || r.last.step != r.through {
		return false, false
	}
	return r.program.passesOn(ctx, r.now, r.last)
}
