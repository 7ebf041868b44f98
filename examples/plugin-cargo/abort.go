package cargotest

import (
	"fmt"
	"slices"
	"strings"

	"example.com/proctor-plugin-cargo/internal/libtest"
	"github.com/proctorhq/proctor/sdk"
)

// concludeAborted reports a binary whose tests did not all end, and returns how its suite
// ended.
func (p *parser) concludeAborted(exit sdk.Exit) sdk.SuiteOutcome {
	kind, why := p.stderr.ending(exit)
	left, sure := p.unendedTests()
	for _, name := range left {
		at, _ := p.findDeclaration(name)
		p.sink.Test(sdk.TestResult{TestID: sdk.TestID{Suite: p.suite, Test: name}, Status: sdk.Unfinished, Location: at})
	}
	switch {
	case sure && len(left) > 0:
		for _, name := range left {
			at, _ := p.findDeclaration(name)
			p.blame(sdk.TestID{Suite: p.suite, Test: name}, at, kind, "did not end: "+why)
		}
	case len(left) > 0:
		p.blame(sdk.TestID{Suite: p.suite}, sdk.Location{}, kind, why+"; these tests did not end: "+strings.Join(left, ", "))
	default:
		p.blame(sdk.TestID{Suite: p.suite}, sdk.Location{}, kind, why+describeProgress(p.finished))
	}
	if exit.TimedOut || exit.Cancelled {
		return sdk.SuiteUnfinished
	}
	return sdk.SuiteAborted
}

// unendedTests returns the tests that did not end. sure reports whether each of them was
// running.
func (p *parser) unendedTests() (names []string, sure bool) {
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
	all, unique := p.selectedTests()
	for _, name := range all {
		if !done[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	over := p.stderr.overflowed
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
	// The sources tell which tests did not end only if they declare all of them.
	if !unique || len(all) != b.Announced || len(names) != b.Announced-len(b.Results) {
		return nil, false
	}
	return names, len(names) == 1
}

// selectedTests returns the names of the tests that should have run (those the command
// names, or all that the sources declare), and whether each name is unique.
func (p *parser) selectedTests() ([]string, bool) {
	var names []string
	for _, id := range p.run.Command.Targets {
		if id.Test == "" {
			return p.loadIndex().Names()
		}
		names = append(names, id.Test)
	}
	if len(names) == 0 {
		return p.loadIndex().Names()
	}
	return names, true
}

// describeProgress says how far a binary got before it ended.
func describeProgress(finished []libtest.Block) string {
	if len(finished) == 0 {
		return ", and printed nothing that libtest prints"
	}
	b := finished[len(finished)-1]
	return fmt.Sprintf(" after %d of %d tests; run with `-- -- --test-threads=1` to see which one it was", len(b.Results), b.Announced)
}
