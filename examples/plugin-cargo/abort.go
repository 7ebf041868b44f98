package cargotest

import (
	"fmt"
	"slices"
	"strings"

	"example.com/proctor-plugin-cargo/internal/libtest"
	"github.com/proctorhq/proctor/sdk"
)

// abort reports a binary whose tests did not all end.
func (p *parser) abort(exit sdk.Exit) sdk.SuiteOutcome {
	kind, why := p.told.ending(exit)
	left, sure := p.unended()
	for _, name := range left {
		at, _ := p.declared(name)
		p.sink.Test(sdk.TestResult{TestID: sdk.TestID{Suite: p.suite, Test: name}, Status: sdk.Unfinished, Location: at})
	}
	switch {
	case sure && len(left) > 0:
		for _, name := range left {
			at, _ := p.declared(name)
			p.blame(sdk.TestID{Suite: p.suite, Test: name}, at, kind, "did not end: "+why)
		}
	case len(left) > 0:
		p.blame(sdk.TestID{Suite: p.suite}, sdk.Location{}, kind, why+"; these tests have no end: "+strings.Join(left, ", "))
	default:
		p.blame(sdk.TestID{Suite: p.suite}, sdk.Location{}, kind, why+missing(p.finished))
	}
	if exit.TimedOut || exit.Cancelled {
		return sdk.SuiteUnfinished
	}
	return sdk.SuiteAborted
}

// unended names tests that did not end. sure says that each of them was running.
func (p *parser) unended() (names []string, sure bool) {
	if len(p.finished) == 0 {
		return nil, false
	}
	b := p.finished[len(p.finished)-1]
	done := map[string]bool{}
	for _, r := range b.Results {
		done[r.Name] = true
	}
	if b.Pending != "" {
		return []string{b.Pending}, true
	}
	all, unique := p.selected()
	for _, name := range all {
		if !done[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	over := p.told.overflowed
	if slices.Contains(names, over) {
		return []string{over}, true
	}
	var slow []string
	for _, name := range b.Slow {
		if !done[name] {
			slow = append(slow, name)
		}
	}
	if len(slow) > 0 {
		return slow, true
	}
	// The sources name the tests without an end only if they name all of them.
	if !unique || len(all) != b.Announced || len(names) != b.Announced-len(b.Results) {
		return nil, false
	}
	return names, len(names) == 1
}

// selected are the names of the tests that should have run, and whether no name
// stands for two: those the command asks for, or all that the sources declare.
func (p *parser) selected() ([]string, bool) {
	var names []string
	for _, id := range p.run.Command.Targets {
		if id.Test == "" {
			return p.index().Names()
		}
		names = append(names, id.Test)
	}
	if len(names) == 0 {
		return p.index().Names()
	}
	return names, true
}

// missing says how far a binary got.
func missing(finished []libtest.Block) string {
	if len(finished) == 0 {
		return ", and printed nothing that libtest prints"
	}
	b := finished[len(finished)-1]
	return fmt.Sprintf(" after %d of %d tests; run with `-- -- --test-threads=1` to see which one it was", len(b.Results), b.Announced)
}
