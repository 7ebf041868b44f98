package testexec

import (
	"cmp"
	"fmt"
	"regexp"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// runOneByOne runs each test alone. It gives up, and says why, if that takes too long; then
// it returns those that were measured if more time would help. It runs one at a time: go test
// never runs tests of a package in two processes at once, and they may use the same port or
// file.
func (m *measurement) runOneByOne(names []string, start, together ran) (tests []sdk.TestCoverage, why string, err error) {
	spent := time.Duration(0)
	for done, name := range names {
		if why := m.clock.overBudget(spent, together.took, done, len(names)); why != "" {
			return m.keepMeasured(tests), why, nil
		}
		r, err := m.runAgain([]string{"-test.run=^" + regexp.QuoteMeta(name) + "$"}, m.limit(together.output.took[name]+start.took))
		if err != nil {
			return nil, "", err
		}
		if why := m.clock.overBudget(0, 0, done, len(names)); why != "" && r.timedOut {
			return m.keepMeasured(tests), why, nil
		}
		spent += r.took
		tests = append(tests, toTestCoverage(name, r, start, together))
	}
	return tests, "", nil
}

// keepMeasured returns the tests that were measured before the time ran out; nil if that was
// the budget of their package, with which they always end like this.
func (m *measurement) keepMeasured(tests []sdk.TestCoverage) []sdk.TestCoverage {
	if m.clock.left(0) >= 0 {
		return nil
	}
	return tests
}

// toTestCoverage converts the run of one test alone.
func toTestCoverage(name string, r, start, together ran) sdk.TestCoverage {
	t := sdk.TestCoverage{
		Name: name, Blocks: subtractBlocks(r.executed, start.executed), Elapsed: r.took, Reads: r.depends.Reads,
		Alone: r.output.status(name), Together: together.output.status(name),
	}
	if t.Alone == sdk.Passed && !r.ended.Success() && together.ended.Success() {
		t.Alone = sdk.Failed // a check after the tests found something
	}
	if part := cmp.Or(r.output.skipped[name], together.output.skipped[name]); part != "" {
		t.Partial = part + " was skipped, and what it executes otherwise is unknown"
	}
	t.Opaque = explainOpaque(name, r, start)
	if t.Opaque == "" && t.Alone != t.Together && t.Together != "" && t.Together != sdk.Unfinished {
		// It depends on what other tests execute, and nothing shows what it executes
		// after them.
		t.Opaque = "alone it ends differently than with the other tests"
	}
	return t
}

// explainOpaque says why a test's dependencies are unknown, or "" if they are known.
func explainOpaque(name string, r, start ran) string {
	switch {
	case r.timedOut:
		return fmt.Sprintf("alone it did not end within %s", roundTime(r.took))
	case !r.covered:
		return "what it executes alone is unknown: " + r.why
	case r.output.status(name) == "":
		return "it did not run alone"
	case !r.logged:
		return "it left no log of the files that it looked at"
	case r.depends.TooMany:
		return "it looks at too many files"
	}
	return explainCalls(start, r)
}

// subtractBlocks returns the blocks of a set that are not in another.
func subtractBlocks(set, other sdk.BlockSet) sdk.BlockSet {
	rest := append(sdk.BlockSet{}, set...)
	for i := range min(len(rest), len(other)) {
		rest[i] &^= other[i]
	}
	return rest
}

// uniteBlocks returns the blocks of both sets.
func uniteBlocks(set, other sdk.BlockSet) sdk.BlockSet {
	all := append(sdk.BlockSet{}, set...)
	for len(all) < len(other) {
		all = append(all, 0)
	}
	for i := range other {
		all[i] |= other[i]
	}
	return all
}
