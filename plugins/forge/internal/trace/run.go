package trace

import (
	"context"

	"github.com/proctorhq/proctor/sdk"
)

// run is what is known about one failed test.
type run struct {
	ctx     context.Context // of the parse, since a parser's methods take none
	library *library
	test    sdk.TestID
	kind    kind
	codes   map[string]*program // by address
	before  *arena              // the last call read
	result  *arena              // the call that shows why the test failed
	handler bool                // result is not a call of the test
	// measured reports whether the test's course may depend on how much gas it used.
	measured bool
	// reworded reports whether the test caught a failure that forge put into words, and
	// so may have taken another path than without them.
	reworded bool
}

// kind is what matters of how a test was run and ended.
type kind struct {
	invariant bool // random calls, then the test, until it fails
	invalid   bool // ended by an invalid instruction
}

func newRun(ctx context.Context, l *library, test sdk.TestID, k kind) *run {
	l.trim()
	return &run{ctx: ctx, library: l, test: test, kind: k, codes: map[string]*program{}}
}

// arena begins a transaction. Forge records no steps before the test itself.
func (r *run) arena(kind string) *arena {
	return &arena{run: r, execution: kind == "Execution", budget: maxMoments}
}

// end handles a completely read transaction. For an invariant test forge prints the
// calls before it, some of which may fail legitimately, and other invariants after it.
// If the test itself comes last and did not fail, the call before it failed and should
// not have.
func (r *run) end(a *arena) {
	if !a.execution {
		return
	}
	if r.handler {
		r.result, r.handler = nil, false
	}
	switch {
	case a.own && (r.result == nil || len(a.stack) > 0):
		r.result = a
		if r.kind.invariant && len(a.stack) == 0 && r.before != nil && !r.before.own {
			r.result, r.handler = r.before, true
		}
	}
	r.before = a
}

// isOwnCall reports whether a node is a call of the test function, or of the function that
// forge calls at the end of an invariant test.
func (r *run) isOwnCall(n *node) bool {
	p := r.codes[n.address]
	if p == nil || p.contract.Source+":"+p.contract.Name != r.test.Suite || len(n.data) < len("0x01234567") {
		return false
	}
	selector := n.data[2:10]
	return selector == p.contract.MethodIDs[r.test.Test] ||
		r.kind.invariant && selector == p.contract.MethodIDs["afterInvariant()"]
}

// recordCode records the code at an address. If the address had other code before, that
// may come back when the creation is reverted. The creation with which forge itself
// begins is that of the suite.
func (r *run) recordCode(n *node, forges bool) {
	var p *program
	if forges {
		p = r.library.suiteProgram(r.ctx, n.code, r.test.Suite)
	}
	if p == nil {
		p = r.library.findProgram(r.ctx, n.code, r.test.Suite)
	}
	old, ok := r.codes[n.address]
	switch {
	case ok && old != p:
		r.codes[n.address] = nil
	case !ok && len(r.codes) < maxCodes:
		r.codes[n.address] = p
	}
}

// forget drops what is known of an address for the rest of the test.
func (r *run) forget(address string) {
	if _, ok := r.codes[address]; ok {
		r.codes[address] = nil
	}
}

// mayMeasureGas reports whether a node may measure gas.
func (r *run) mayMeasureGas(n *node) bool {
	p := r.codes[n.address]
	return p != nil && !n.created && p.measuresGas()
}

// maxCodes bounds how many contracts a test may create.
const maxCodes = 10_000

// program returns the code that the node executes, if known. A failed creation is
// included where it may show why the test failed.
func (r *run) program(n *node, marking bool) *program {
	switch {
	case !n.created:
		return r.codes[n.address]
	case !n.success && !marking:
		return r.library.findCreating(r.ctx, n.code, r.test.Suite)
	}
	return nil
}
