package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"github.com/proctorhq/proctor/sdk"
)

// place is the lexer's place in forge's document.
type place byte

const (
	inSuites   place = iota // {"test/C.t.sol:CTest": SUITE}
	inSuite                 // {"test_results": TESTS}
	inTests                 // {"testX()": TEST}
	inTest                  // {"status", "reason", "kind", "traces"}
	inKind                  // {"Unit": {"gas": 1}}
	inUnit                  //
	inTraces                // [PAIR]
	inPair                  // ["Execution", {"arena": ARENA}]
	inArenaBox              //
	inArena                 // [NODE]
	inNode                  // {"parent", "children", "idx", "trace", "ordering"}
	inChildren              // [1, 2]
	inTrace                 // {"success", "address", "kind", "data", "output", "gas_used", "status", "steps"}
	inSteps                 // [STEP]
	inStep                  // {"pc", "op"}
	inOrdering              // [{"Step": 0}, {"Call": 0}]
	inOrder                 //
)

// Bounds of what is collected.
const (
	maxWord   = 128     // statuses, addresses and the like
	maxReason = 64      // a reason is only examined, not shown
	maxCode   = 4 << 20 // hex digits of a deployed contract; tests may exceed the limit of the chain
	// maxGas is the gas of a test up to which its steps are worth reading. Unbounded
	// loops exceed it; ordinary tests come nowhere near.
	maxGas = 5_000_000
)

// document follows forge's result document and keeps what it needs of the current test.
type document struct {
	ctx     context.Context // of the parse, since a parser's methods take none
	places  []place
	pending func(id sdk.TestID) bool // whether a test is worth reading
	open    func() *library
	found   func(sdk.Failure)
	library *library
	opened  bool

	suite  string
	test   sdk.TestID
	skip   bool // nothing can be found out about the test
	kind   kind
	status string
	run    *run
	arena  *arena
	node   *node
	step   step
	item   item
	what   field
}

// field is the object member whose value is being read.
type field byte

const (
	noField field = iota
	statusField
	reasonField
	gasField
	pairField
	parentField
	indexField
	childField
	successField
	addressField
	callKindField
	dataField
	outputField
	codeField
	gasUsedField
	endField
	pcField
	opField
	stepOrderField
	callOrderField
)

func (d *document) piece(b []byte) {
	if d.what == outputField {
		d.node.output.write(b)
		if !d.node.success {
			d.node.failed = append(d.node.failed, b[:min(len(b), maxFailed-len(d.node.failed))]...)
		}
	}
}

func (d *document) value(b []byte, cut bool) {
	n := d.node
	switch d.what {
	case statusField:
		d.status = string(b)
	case reasonField:
		// The test ran until it was out of gas, so its last step means nothing.
		d.skip = d.skip || bytes.HasPrefix(b, []byte("EvmError: OutOfGas")) || bytes.HasPrefix(b, []byte("EvmError: Memory"))
		d.kind.invalid = bytes.HasPrefix(b, []byte("EvmError: Invalid"))
	case gasField:
		// An invalid instruction consumes all gas at once.
		d.skip = d.skip || !d.kind.invalid && (parseNumber(b) > maxGas || parseNumber(b) < 0)
	case pairField:
		d.arena = d.run.arena(string(b))
	case parentField:
		n.parent = parseNumber(b)
	case indexField:
		n.index = parseNumber(b)
	case childField:
		n.lastChild = parseNumber(b)
	case successField:
		n.success = string(b) == "true"
	case addressField:
		n.address = string(b)
	case callKindField:
		n.created = bytes.HasPrefix(b, []byte("CREATE"))
		n.delegated = string(b) == "DELEGATECALL"
	case dataField:
		n.data = string(b)
	case codeField:
		if !cut {
			n.code = bytes.Clone(b)
		}
	case gasUsedField:
		n.gas = parseNumber(b)
	case endField: // how much gas a call needs depends on how its code was compiled
		d.run.measured = d.run.measured || string(b) == "OutOfGas" || bytes.HasSuffix(b, []byte("OOG"))
	case pcField:
		d.step.pc = parseNumber(b)
	case opField:
		d.step.op = parseNumber(b)
	case stepOrderField:
		d.item = item{step: true, number: parseNumber(b)}
	case callOrderField:
		d.item = item{call: true, number: parseNumber(b)}
	}
}

// canSkipRest ends a step as soon as its place is known: the other members of steps make up
// most of the document.
func (d *document) canSkipRest() bool {
	if d.places[len(d.places)-1] != inStep || d.step.pc < 0 || d.step.op < 0 {
		return false
	}
	d.leave()
	return true
}

func (d *document) leave() {
	p := d.places[len(d.places)-1]
	d.places = d.places[:len(d.places)-1]
	switch p {
	case inStep:
		d.node.replay.step(d.step)
	case inOrder:
		d.node.replay.order(d.item)
	case inNode:
		d.arena.add(d.node)
		d.node = nil
	case inPair:
		if d.arena != nil {
			d.run.end(d.arena)
		}
		d.arena = nil
	case inTest:
		if d.run != nil {
			if failure, ok := d.run.failure(); ok {
				d.found(failure)
			}
		}
		d.run = nil
	}
}

func (d *document) reset() {
	d.places = d.places[:0]
	d.run, d.arena, d.node = nil, nil, nil
}

// parseNumber parses a number in the relevant range, and returns -1 for anything else.
func parseNumber(b []byte) int {
	n, err := strconv.Atoi(string(b))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// unquoteKey decodes a key.
func unquoteKey(key []byte) string {
	if bytes.IndexByte(key, '\\') < 0 {
		return string(key)
	}
	var s string
	if json.Unmarshal(append(append([]byte{'"'}, key...), '"'), &s) != nil {
		return ""
	}
	return s
}
