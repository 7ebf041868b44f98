package trace

import (
	"context"
	"slices"
)

// node is one call between contracts.
type node struct {
	parent, index, lastChild int // -1 if none
	children                 int // read so far
	success, created         bool
	delegated                bool // the code runs for its caller, like that of a proxy
	address                  string
	gas                      int
	data                     string // beginning of the call data
	code                     []byte // in hex: what a creation deployed, or what it ran if it failed
	output                   digest
	failed                   []byte // beginning of the output of a failed call
	explains                 bool   // its failure is that of the preceding node
	copies                   bool   // it failed with data of its choice, not simply with that of its last call
	repeated                 bool   // a call before its last one failed with the same data
	replay                   *replay
}

// digest identifies outputs without keeping them (FNV-1a).
type digest struct {
	sum  uint64
	size int
}

func (d *digest) write(b []byte) {
	const offset, prime = 14695981039346656037, 1099511628211
	if d.size == 0 {
		d.sum = offset
	}
	for _, c := range b {
		d.sum = (d.sum ^ uint64(c)) * prime
	}
	d.size += len(b)
}

// empty reports whether the output is at most "0x".
func (d digest) empty() bool { return d.size <= 2 }

// arena follows the calls of one transaction. A call arrives after all earlier ones,
// before those it makes itself, and with all its steps. So when a call arrives, what
// its caller was doing is known.
type arena struct {
	run       *run
	execution bool // steps were recorded
	dead      bool // not understood, or too large
	marking   bool // the test did not revert: look for what marked it as failed
	marked    bool
	own       bool    // it is a call of the test itself
	path      []*node // from the first call to the one read last
	tip       *node   // the failed call that its last call may explain
	stack     []position
	budget    int // how many more moments may be kept
}

// maxPath is deeper than the EVM lets calls nest.
const maxPath = 1100

// beginSteps decides whether to read the steps of n.
func (a *arena) beginSteps(n *node) {
	if !a.execution || a.dead || a.marked || n.replay != nil {
		return
	}
	first := len(a.path) == 0
	if first {
		a.dead = n.gas > maxGas && !a.run.kind.invalid
		a.marking = n.success
	}
	switch {
	case a.dead:
	case first, a.marking:
	case a.explained(n):
		n.explains = true
	case !a.run.mayMeasureGas(n): // cannot tell why the test failed
		return
	}
	if a.dead {
		return
	}
	if p := a.run.program(n, a.marking); p != nil {
		n.replay = newReplay(p, a)
	}
}

// explained reports whether the tip failed because of n: n is its last call and failed
// with the same data. If code copies the data of failures, this is uncertain when two
// calls failed in the same way.
func (a *arena) explained(n *node) bool {
	switch {
	case !a.failedAlike(n), n.index != a.tip.lastChild:
		return false
	case a.tip.replay == nil: // a proxy, or it fails by itself
		return n.delegated && !a.tip.repeated
	}
	return !a.tip.copies || !a.tip.repeated
}

// explainsTest reports whether the failure of n is that of the test.
func (a *arena) explainsTest(n *node) bool {
	return a.execution && !a.marking && (len(a.path) == 1 || n.explains)
}

// failedAlike reports whether n is a call of the tip that failed with the same data.
func (a *arena) failedAlike(n *node) bool {
	return a.tip != nil && n.parent == a.tip.index && !n.success && n.output == a.tip.output
}

// add adds a completely read node.
func (a *arena) add(n *node) {
	if a.dead || !a.enter(n) {
		a.dead = true
		return
	}
	if n.created && n.success {
		a.run.recordCode(n, !a.execution && n.parent < 0)
	}
	if n.address == cheatcodes {
		a.run.handleCheat(n.data)
	}
	if n.reworded() && !a.explainsTest(n) {
		a.run.reworded = true
	}
	if a.failedAlike(n) && n.index != a.tip.lastChild {
		a.tip.repeated = true
	}
	if len(a.path) == 1 {
		a.own = a.run.isOwnCall(n)
	}
	switch {
	case !a.execution:
	case a.marking:
		if n.data == markData && n.address == cheatcodes && !a.marked && a.isEffective() {
			a.marked = true
			a.stack = a.callStack()
		}
	case a.explainsTest(n):
		a.stack = append(n.ending(), a.stack...)
		a.tip = nil
		if n.passesOn(a.run.ctx) {
			a.tip = n
		}
	}
	n.code = nil
}

// enter appends n to the path.
func (a *arena) enter(n *node) bool {
	if n.parent < 0 {
		if len(a.path) > 0 {
			return false
		}
	} else {
		for len(a.path) > 0 && a.path[len(a.path)-1].index != n.parent {
			a.path = a.path[:len(a.path)-1]
		}
		if len(a.path) == 0 {
			return false
		}
		a.path[len(a.path)-1].children++
	}
	a.path = append(a.path, n)
	return len(a.path) <= maxPath
}

// isEffective reports whether the effects of the last call were not reverted by an enclosing
// call.
func (a *arena) isEffective() bool {
	return !slices.ContainsFunc(a.path, func(n *node) bool { return !n.success })
}

// callStack returns the stack at the last call, innermost first.
func (a *arena) callStack() []position {
	var stack []position
	for i := len(a.path) - 2; i >= 0; i-- {
		n := a.path[i]
		if n.replay != nil {
			stack = append(stack, n.replay.atCall(n.children-1)...)
		}
	}
	return stack
}

// ending returns the stack at the last step of the node.
func (n *node) ending() []position {
	if n.replay == nil {
		return nil
	}
	return n.replay.atEnd()
}

// passesOn reports whether a failed node merely propagated the failure of its last
// call. If its code is unknown, the data decides.
func (n *node) passesOn(ctx context.Context) bool {
	switch {
	case n.success || n.lastChild < 0:
		return false
	case n.replay == nil:
		return !n.created && !n.output.empty()
	}
	passes, copies := n.replay.passesOn(ctx)
	n.copies = copies
	return passes
}
