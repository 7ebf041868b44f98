package tally

import (
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// missing finds what a plugin reports as red without a failure that says so: lists of
// failures would not name it. Failures may come before or after what they explain, so it
// is only known when a command has ended.
type missing struct {
	// blamed are the tests with a failure, at most maxOrdinals; beyond that, full is set and
	// nothing is missing.
	blamed map[sdk.TestID]bool
	full   bool
	// reds reports whether anything of the command is red, and so may explain its exit.
	reds bool
	// refused is what the runner rejected.
	refused string
}

// told is what a plugin has told of a suite.
type told struct {
	// failed are failed tests; derived, if it has a name, failed because of others.
	failed  []sdk.TestID
	derived sdk.TestID
	// hasCause reports whether something says why the suite is red.
	hasCause bool
	end      sdk.SuiteResult
}

// red returns what is told of a suite in which something is red.
func (s *suiteState) red() *told {
	if s.told == nil {
		s.told = &told{}
	}
	return s.told
}

func (m *missing) test(s *suiteState, r *api.Result) {
	id := sdk.TestID{Suite: r.Suite, Test: r.Test}
	switch {
	case r.Status == sdk.Unfinished:
		s.red().hasCause = true
	case r.Status != sdk.Failed:
	case r.Derived:
		if t := s.red(); t.derived.Test == "" {
			t.derived = id
		}
	default:
		t := s.red()
		if t.hasCause = true; !m.blamed[id] && len(t.failed) < maxOrdinals {
			t.failed = append(t.failed, id)
		}
	}
}

func (m *missing) failure(c *Collector, f *sdk.Failure) {
	m.reds = true
	for _, id := range append([]sdk.TestID{f.TestID}, f.DerivedFrom...) {
		if m.full = m.full || len(m.blamed) >= maxOrdinals; m.full {
			break
		}
		if m.blamed == nil {
			m.blamed = map[sdk.TestID]bool{}
		}
		m.blamed[id] = true
	}
	for _, suite := range append([]string{f.Suite}, f.Blocks...) {
		if suite != "" {
			c.suite(suite).red().hasCause = true
		}
	}
}

func (m *missing) suite(s *suiteState, r *sdk.SuiteResult) {
	if r.Outcome == sdk.SuitePassed || r.Outcome == sdk.SuiteNoTests {
		return
	}
	m.reds = true
	if t := s.red(); badness(r.Outcome) >= badness(t.end.Outcome) {
		t.end = *r
	}
}

// tellMissing reports the failures that the plugin did not, without a message: there is none.
func (c *Collector) tellMissing() {
	m := &c.missing
	if m.refused != "" && !m.reds {
		c.RunError(m.refused)
	}
	if !m.full {
		for _, suite := range slices.Sorted(maps.Keys(c.suites)) {
			if t := c.suites[suite].told; t != nil {
				for _, f := range c.findMissing(suite, t) {
					c.Failure(f)
				}
			}
		}
	}
	c.missing = missing{}
}

// findMissing returns the failures of a suite that should have been reported.
func (c *Collector) findMissing(suite string, t *told) (lacking []sdk.Failure) {
	for _, id := range t.failed {
		if !c.missing.blamed[id] && !slices.ContainsFunc(lacking, func(f sdk.Failure) bool { return f.TestID == id }) {
			lacking = append(lacking, sdk.Failure{TestID: id, Kind: sdk.KindAssertion})
		}
	}
	if t.hasCause {
		return lacking
	}
	switch t.end.Outcome {
	case sdk.SuiteBuildFailed:
		// Another suite's failure, or the runner's error, may be why.
		if c.Tally.buildFailures == 0 && len(c.Tally.runErrors) == 0 {
			lacking = append(lacking, sdk.Failure{TestID: sdk.TestID{Suite: suite}, Kind: sdk.KindBuild, Message: t.end.Reason})
		}
		return lacking
	case sdk.SuiteAborted, sdk.SuiteUnfinished: // which is named as such
		return nil
	}
	if t.derived.Test != "" {
		return []sdk.Failure{{TestID: t.derived, Kind: sdk.KindAssertion}}
	}
	if t.end.Outcome == sdk.SuiteFailed || t.end.Outcome == sdk.SuiteFailedOutsideTests {
		return []sdk.Failure{{TestID: sdk.TestID{Suite: suite}, Kind: sdk.KindAssertion}}
	}
	return nil
}
