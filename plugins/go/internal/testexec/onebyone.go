package testexec

import (
	"cmp"
	"fmt"
	"regexp"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// oneByOne runs each test alone. It gives up, and says why, if that takes too long. It
// runs one at a time: go test never runs tests of a package in two processes at once,
// and they may use the same port or file.
func (m *measurement) oneByOne(names []string, start, together ran) (tests []sdk.TestCoverage, why string, err error) {
	spent := time.Duration(0)
	for done, name := range names {
		if why := m.clock.over(spent, together.took, done, len(names)); why != "" {
			return nil, why, nil
		}
		r, err := m.next([]string{"-test.run=^" + regexp.QuoteMeta(name) + "$"}, m.limit(together.words.took[name]+start.took))
		if err != nil {
			return nil, "", err
		}
		if why := m.clock.over(0, 0, done, len(names)); why != "" && r.timedOut {
			return nil, why, nil
		}
		spent += r.took
		tests = append(tests, test(name, r, start, together))
	}
	return tests, "", nil
}

// test converts the run of one test alone.
func test(name string, r, start, together ran) sdk.TestCoverage {
	t := sdk.TestCoverage{
		Name: name, Blocks: without(r.executed, start.executed), Elapsed: r.took, Reads: r.depends.Reads,
		Alone: r.words.status(name), Together: together.words.status(name),
	}
	if t.Alone == sdk.Passed && !r.ended.Success() && together.ended.Success() {
		t.Alone = sdk.Failed // a check after the tests found something
	}
	if part := cmp.Or(r.words.skipped[name], together.words.skipped[name]); part != "" {
		t.Partial = part + " was skipped, and what it executes otherwise is unknown"
	}
	t.Opaque = opaque(name, r, start)
	if t.Opaque == "" && t.Alone != t.Together && t.Together != "" && t.Together != sdk.Unfinished {
		// It depends on what other tests execute, and nothing shows what it executes
		// after them.
		t.Opaque = "alone it ends differently than with the other tests"
	}
	return t
}

// opaque says why a test's dependencies are unknown, or "" if they are known.
func opaque(name string, r, start ran) string {
	switch {
	case r.timedOut:
		return fmt.Sprintf("alone it did not end within %s", short(r.took))
	case !r.covered:
		return "what it executes alone is unknown: " + r.why
	case r.words.status(name) == "":
		return "it did not run alone"
	case !r.logged:
		return "it left no log of the files that it looked at"
	case r.depends.TooMany:
		return "it looks at too many files"
	}
	return whyOpaque(start, r)
}

// without returns the blocks of a set that are not in another.
func without(set, other sdk.BlockSet) sdk.BlockSet {
	rest := append(sdk.BlockSet{}, set...)
	for i := range min(len(rest), len(other)) {
		rest[i] &^= other[i]
	}
	return rest
}

// union returns the blocks of both sets.
func union(set, other sdk.BlockSet) sdk.BlockSet {
	all := append(sdk.BlockSet{}, set...)
	for len(all) < len(other) {
		all = append(all, 0)
	}
	for i := range other {
		all[i] |= other[i]
	}
	return all
}
