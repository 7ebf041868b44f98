package trace

import "context"

// step is one step of the EVM.
type step struct{ pc, op int }

// item is one entry in the order of a node's steps and calls.
type item struct {
	step, call bool
	number     int
}

// position is an instruction within a function.
type position struct {
	program     *program
	instruction int
	entry       int // where its function was entered; -1 for code outside of functions
}

// frame is a call within one contract: a jump that the compiler marked as one.
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

// replay follows the steps of one node through the code it executed. It keeps only the
// open calls, and for each call of another contract those open at that time.
type replay struct {
	program *program
	wrong   bool // the steps do not belong to this code
	now     moment
	op      byte
	jump    byte
	steps   int
	last    moment // the last call of another contract
	arena   *arena
	moments []moment // of all calls, while it is unknown which one matters
	calls   []int    // the moment of each call that became a node, -1 if unknown
	ordered int      // the last step in the order
	through int      // the step of the last call that became a node
	next    int      // the first moment that the order has not reached
}

// maxDepth bounds how deeply calls within a contract nest: the EVM's stack holds 1,024
// values, and each call puts at least the return address on it.
const maxDepth = 1024

// maxMoments bounds the moments of a transaction. A call costs at least 100 gas, so a
// test within its gas limit makes fewer.
const maxMoments = 200_000

// Instructions of the EVM.
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
	if r.op == opGas && !isCall(s.op) {
		r.arena.run.measured = true
	}
	r.now.step, r.now.instruction, r.op, r.jump = r.steps, i, byte(s.op), 0
	r.steps++
	switch {
	case s.op == opJump, s.op == opJumpIf:
		if j := r.program.span(i).Jump; j == 'i' || j == 'o' {
			r.jump = j
		}
	case isCall(s.op), s.op == opCreate, s.op == opCreate2:
		r.last = r.now
		if r.arena.marking {
			r.moments = append(r.moments, r.now)
			r.spend()
		}
	}
}

// isCall reports whether op calls another contract.
func isCall(op int) bool {
	return op == opCall || op == opCallCode || op == opDelegateCall || op == opStaticCall
}

// follow follows a marked jump to instruction i.
func (r *replay) follow(i int) bool {
	if r.jump == 'i' {
		depth := 1
		if r.now.top != nil {
			depth = r.now.top.depth + 1
		}
		r.now.top = &frame{outer: r.now.top, call: r.now.instruction, entry: i, depth: depth}
		return depth <= maxDepth
	}
	// A function must return to its caller. Otherwise the compiler's marks did not mean
	// what they seemed to.
	if r.now.top == nil || r.now.top.call+1 != i {
		return false
	}
	r.now.top = r.now.top.outer
	return true
}

// order handles the next entry in the node's order of steps and calls.
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

// atEnd returns the stack at the last step, innermost first, if that step is the one
// that failed.
func (r *replay) atEnd() []position {
	if r.wrong || r.steps == 0 {
		return nil
	}
	switch r.op {
	case opStop, opReturn, opDestroy: // forge made it fail afterwards
		return nil
	}
	return r.stack(r.now)
}

// atCall returns the stack when the node made its k-th call, innermost first.
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

// passesOn reports whether the last step merely propagated the failure of the last call
// of another contract, and whether it copies the data to do so.
func (r *replay) passesOn(ctx context.Context) (passes, copies bool) {
	if r.wrong || r.op != opRevert || r.last.step < 0 || r.last.step != r.through {
		return false, false
	}
	return r.program.passesOn(ctx, r.now, r.last)
}
