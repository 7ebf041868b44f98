package stream

import (
	"fmt"
	"io"
)

// failuresPerPackage is how many tests a package of AllFail has.
const failuresPerPackage = 500

// AllFail writes the given number of tests, each of which fails with a message of its
// own: diffs, colors, logs before the failure.
func (r *Recording) AllFail(w io.Writer, tests int) (Count, error) {
	p, err := r.find("orders")
	if err != nil {
		return Count{}, err
	}
	names := []string{"TestTotal", "TestInvoice", "TestGreeting", "TestAsserted", "TestRetry"}
	recorded := make([][]template, len(names))
	for i, name := range names {
		recorded[i] = holes(p.part(func(l line) bool { return l.test == name }), name)
	}
	start := holes(p.part(func(l line) bool { return l.action == "start" }), module)
	end := holes(p.part(func(l line) bool { return l.test == "" && l.action != "start" }), module)
	out := &lineWriter{w: w}
	for test := range tests {
		path := fmt.Appendf(nil, "%s-%05d", module, test/failuresPerPackage)
		if test%failuresPerPackage == 0 {
			out.lines(start, path)
		}
		kind := test % len(names)
		name := fmt.Appendf(nil, "%s%06d", names[kind], test)
		for _, t := range recorded[kind] {
			out.line(moveTemplate(t, path), name)
		}
		out.count.Failed++
		out.count.FailEvents++
		if test%failuresPerPackage == failuresPerPackage-1 || test == tests-1 {
			out.lines(end, path)
		}
	}
	return out.count, out.err
}

// moveTemplate returns a template for the same line of a package in another module.
func moveTemplate(t template, path []byte) template {
	parts := make([][]byte, len(t.parts))
	for i, part := range t.parts {
		parts[i] = join(hole(part, module), path)
	}
	return template{parts: parts}
}

func join(t template, filling []byte) []byte {
	b := append([]byte(nil), t.parts[0]...)
	for _, part := range t.parts[1:] {
		b = append(append(b, filling...), part...)
	}
	return b
}

// Live writes one test with the given number of parallel subtests, all of which are
// paused before the first resumes.
func (r *Recording) Live(w io.Writer, subtests int) (Count, error) {
	p, err := r.find("waiting")
	if err != nil {
		return Count{}, err
	}
	const recordedTest, parent = "customer_0", "TestCustomers"
	one := p.part(func(l line) bool { return l.test == parent+"/"+recordedTest })
	paused := 0
	for one[paused].action != "pause" {
		paused++
	}
	of := func(keep func(line) bool) []line {
		return p.part(func(l line) bool { return l.test == parent && keep(l) })
	}
	ending := func(l line) bool { return l.action == "pass" }
	before := of(func(l line) bool { return !ending(l) })
	out := &lineWriter{w: w}
	out.plain(p.part(func(l line) bool { return l.action == "start" }))
	out.plain(before[:2]) // run, "=== RUN"
	for _, phase := range [][]template{holes(one[:paused+1], recordedTest), holes(one[paused+1:], recordedTest)} {
		for i := range subtests {
			out.lines(phase, fmt.Appendf(nil, "customer_%06d", i))
		}
	}
	out.plain(before[2:])
	out.plain(of(ending))
	out.plain(p.part(func(l line) bool { return l.test == "" && l.action != "start" }))
	out.count.Passed = subtests + 1
	return out.count, out.err
}
