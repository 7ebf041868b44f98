package trace

import "github.com/proctorhq/proctor/sdk"

// begin asks for what the current test needs.
func (d *document) begin(key []byte, s shape) (wish, int) {
	if len(d.places) == 0 {
		d.places = append(d.places, inSuites)
	}
	d.what = noField
	switch d.places[len(d.places)-1] {
	case inSuites:
		if s == object && len(key) < maxKey {
			d.suite = unquoteKey(key)
			return d.enter(inSuite)
		}
	case inSuite:
		if s == object && string(key) == "test_results" {
			return d.enter(inTests)
		}
	case inTests:
		if s == object && len(key) < maxKey && d.beginTest(unquoteKey(key)) {
			return d.enter(inTest)
		}
	case inTest:
		return d.beginInTest(key, s)
	case inKind:
		d.kind.invariant = d.kind.invariant || string(key) == "Invariant"
		if s == object {
			return d.enter(inUnit)
		}
	case inUnit:
		if s == literal && string(key) == "gas" {
			return d.take(gasField, 0)
		}
	case inTraces:
		if s == array {
			return d.enter(inPair)
		}
	case inPair:
		switch s {
		case text:
			return d.take(pairField, maxWord)
		case object:
			return d.enter(inArenaBox)
		}
	case inArenaBox:
		if s == array && string(key) == "arena" && d.arena != nil {
			return d.enter(inArena)
		}
	default:
		return d.beginInArena(key, s)
	}
	return skip, 0
}

func (d *document) beginTest(name string) bool {
	d.test = sdk.TestID{Suite: d.suite, Test: name}
	d.status, d.skip, d.kind, d.arena, d.node = "", false, kind{}, nil, nil
	d.run = nil
	return d.pending(d.test)
}

func (d *document) beginInTest(key []byte, s shape) (wish, int) {
	switch {
	case s == text && string(key) == "status":
		return d.take(statusField, maxWord)
	case s == text && string(key) == "reason":
		return d.take(reasonField, maxReason)
	case s == object && string(key) == "kind":
		return d.enter(inKind)
	case s == array && string(key) == "traces" && d.status == "Failure" && !d.skip:
		return d.beginTraces()
	}
	return skip, 0
}

func (d *document) beginTraces() (wish, int) {
	if !d.opened {
		d.opened, d.library = true, d.open()
	}
	if d.library == nil {
		return skip, 0
	}
	d.run = newRun(d.ctx, d.library, d.test, d.kind)
	return d.enter(inTraces)
}

func (d *document) beginInArena(key []byte, s shape) (wish, int) {
	switch d.places[len(d.places)-1] {
	case inArena:
		if s == object && !d.arena.dead {
			d.node = &node{parent: -1, index: -1, lastChild: -1}
			return d.enter(inNode)
		}
	case inNode:
		switch {
		case s == literal && string(key) == "parent":
			return d.take(parentField, 0)
		case s == literal && string(key) == "idx":
			return d.take(indexField, 0)
		case s == array && string(key) == "children":
			return d.enter(inChildren)
		case s == object && string(key) == "trace":
			return d.enter(inTrace)
		case s == array && string(key) == "ordering" && d.node.replay != nil:
			return d.enter(inOrdering)
		}
	case inChildren:
		if s == literal {
			return d.take(childField, 0)
		}
	case inTrace:
		return d.beginInTrace(key, s)
	case inSteps:
		if s == object && !d.node.replay.wrong {
			d.step = step{pc: -1, op: -1}
			return d.enter(inStep)
		}
	case inStep:
		switch {
		case s == literal && string(key) == "pc":
			return d.take(pcField, 0)
		case s == literal && string(key) == "op":
			return d.take(opField, 0)
		}
	case inOrdering:
		if s == object {
			d.item = item{}
			return d.enter(inOrder)
		}
	case inOrder:
		switch {
		case s == literal && string(key) == "Step":
			return d.take(stepOrderField, 0)
		case s == literal && string(key) == "Call":
			return d.take(callOrderField, 0)
		}
	}
	return skip, 0
}

func (d *document) beginInTrace(key []byte, s shape) (wish, int) {
	n := d.node
	switch {
	case s == literal && string(key) == "success":
		return d.take(successField, 0)
	case s == text && string(key) == "address":
		return d.take(addressField, maxWord)
	case s == text && string(key) == "kind":
		return d.take(callKindField, maxWord)
	case s == text && string(key) == "status":
		return d.take(endField, maxWord)
	case s == text && string(key) == "data":
		if n.created && !n.success {
			return d.take(codeField, maxCode)
		}
		return d.take(dataField, len(markData))
	case s == text && string(key) == "output":
		if n.created && n.success {
			return d.take(codeField, maxCode)
		}
		d.what = outputField
		return measure, 0
	case s == literal && string(key) == "gas_used":
		return d.take(gasUsedField, 0)
	case s == array && string(key) == "steps":
		d.arena.beginSteps(n)
		if n.replay != nil {
			return d.enter(inSteps)
		}
	}
	return skip, 0
}

func (d *document) enter(p place) (wish, int) {
	d.places = append(d.places, p)
	return enter, 0
}

func (d *document) take(f field, limit int) (wish, int) {
	d.what = f
	return take, limit
}
