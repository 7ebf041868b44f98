package tally

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// missing finds what a plugin reports as red without a failure that says so: lists of
// failures would not name it. Failures may come before or after what they explain, so it
// is only known when a command has ended.
type missing struct {
	// blamed are hashes of the tests with a failure, and failed the failed tests without one
	// so far, at most maxOrdinals of each; beyond that, full is set and nothing is missing.
	blamed map[uint64]bool
	failed map[uint64]sdk.TestID
	seed   maphash.Seed
	full   bool
	// reds reports whether anything of the command is red, and so may explain its exit.
	reds bool
	// refused is what the runner rejected.
	refused string
}

// told is what a plugin has told of a suite.
type told struct {
	// derived is a test that failed because of others; "" if there is none.
	derived string
	// hasCause reports whether something says why the suite is red.
	hasCause bool
	// outcome is its worst end, and reason what the plugin says of that.
	outcome sdk.SuiteOutcome
	reason  string
}

// red returns what is told of a suite in which something is red.
func (s *suiteState) red() *told {
	if s.told == nil {
		s.told = &told{}
	}
	return s.told
}

// newMissing returns one that has heard nothing.
func newMissing() missing {
	return missing{blamed: map[uint64]bool{}, failed: map[uint64]sdk.TestID{}, seed: maphash.MakeSeed()}
}

// test and the others keep copies of names: what arrives lies in large buffers.
func (m *missing) test(s *suiteState, r *api.Result) {
	switch {
	case r.Status == sdk.Unfinished:
		s.red().hasCause = true
	case r.Status != sdk.Failed:
	case r.Derived:
		if t := s.red(); t.derived == "" {
			t.derived = strings.Clone(r.Test)
		}
	default:
		if key := maphash.Comparable(m.seed, r.TestID); !m.full && !m.blamed[key] {
			m.failed[key] = sdk.TestID{Suite: strings.Clone(r.Suite), Test: strings.Clone(r.Test)}
			m.full = len(m.failed) > maxOrdinals
		}
	}
}

func (m *missing) failure(c *Collector, f *sdk.Failure) {
	m.reds = true
	for _, id := range append([]sdk.TestID{f.TestID}, f.DerivedFrom...) {
		if m.full = m.full || len(m.blamed) >= maxOrdinals; m.full {
			break
		}
		key := maphash.Comparable(m.seed, id)
		m.blamed[key] = true
		delete(m.failed, key)
	}
	for _, suite := range append([]string{f.Suite}, f.Blocks...) {
		c.suite(suite).red().hasCause = true
	}
}

func (m *missing) suite(s *suiteState, r *sdk.SuiteResult) {
	if r.Outcome == sdk.SuitePassed || r.Outcome == sdk.SuiteNoTests {
		return
	}
	m.reds = true
	if t := s.red(); badness(r.Outcome) >= badness(t.outcome) {
		t.outcome, t.reason = r.Outcome, strings.Clone(r.Reason)
	}
}

// tellMissing reports the failures that the plugin did not, without a message: there is none.
func (c *Collector) tellMissing() {
	m := &c.missing
	if m.refused != "" && !m.reds {
		c.RunError(m.refused)
	}
	if !m.full {
		for _, id := range slices.SortedFunc(maps.Values(m.failed), func(a, b sdk.TestID) int {
			return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
		}) {
			c.Failure(sdk.Failure{TestID: id, Kind: sdk.KindAssertion})
		}
		for _, suite := range slices.Sorted(maps.Keys(c.suites)) {
			if t := c.suites[suite].told; t != nil && !t.hasCause {
				c.tellMissingOf(suite, t)
			}
		}
	}
	c.missing = newMissing()
}

// tellMissingOf reports the failure of a suite that is red without a cause.
func (c *Collector) tellMissingOf(suite string, t *told) {
	f := sdk.Failure{TestID: sdk.TestID{Suite: suite}, Kind: sdk.KindAssertion}
	switch t.outcome {
	case sdk.SuiteBuildFailed:
		// Another suite's failure, or the runner's error, may be why.
		if c.Tally.buildFailures > 0 || len(c.Tally.runErrors) > 0 {
			return
		}
		f.Kind, f.Message = sdk.KindBuild, t.reason
	case sdk.SuiteAborted, sdk.SuiteUnfinished: // which is named as such
		return
	default:
		if f.Test = t.derived; f.Test == "" && t.outcome != sdk.SuiteFailed && t.outcome != sdk.SuiteFailedOutsideTests {
			return
		}
	}
	c.Failure(f)
}
