package forge

import (
	"time"

	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// results are the tests of all documents, by suite. A suite may appear in several
// documents, with other tests in each.
type results struct {
	suites []*suite
	index  map[string]*suite
}

// suite is a test contract.
type suite struct {
	key      string
	elapsed  time.Duration
	warnings []string
	tests    []testjson.Test
	index    map[string]int
	// cut reports whether a document ended inside this suite.
	cut bool
}

func (r *results) add(suites []testjson.Suite) {
	if r.index == nil {
		r.index = map[string]*suite{}
	}
	for _, s := range suites {
		known := r.index[s.Key]
		if known == nil {
			known = &suite{key: s.Key, index: map[string]int{}}
			r.index[s.Key] = known
			r.suites = append(r.suites, known)
		}
		known.add(s)
	}
}

func (s *suite) add(more testjson.Suite) {
	s.elapsed += more.Elapsed
	s.warnings = append(s.warnings, more.Warnings...)
	s.cut = s.cut || more.Cut
	for _, t := range more.Tests {
		at, repeated := s.index[t.Name]
		switch {
		case !repeated:
			s.index[t.Name] = len(s.tests)
			s.tests = append(s.tests, t)
		case !s.tests[at].Status.Worse(t.Status): // of equal ones the last
			s.tests[at] = t
		}
	}
}

// outcome returns how the suite ended.
func (s *suite) outcome() sdk.SuiteOutcome {
	failed, aborted, unknown, empty := false, false, false, true
	for i := range s.tests {
		t := &s.tests[i]
		empty = empty && t.Status == testjson.Success && isFixture(t.Name)
		switch {
		case t.Status == 0:
			unknown = true
		case t.Status == testjson.Failure:
			failed = true
			aborted = aborted || isFixture(t.Name) || isRemoved(t)
		}
	}
	switch {
	case s.cut || unknown:
		return sdk.SuiteUnfinished
	case aborted:
		return sdk.SuiteAborted
	case failed:
		return sdk.SuiteFailed
	case empty:
		return sdk.SuiteNoTests
	}
	return sdk.SuitePassed
}
