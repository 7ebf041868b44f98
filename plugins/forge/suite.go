package forge

import (
	"context"
	"time"

	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
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

// declarations finds where tests are declared.
type declarations interface {
	Find(ctx context.Context, suite, signature string) (sdk.Location, bool)
	Tests(ctx context.Context) (tests map[string][]sdk.ListedTest, complete bool, err error)
	Inline(ctx context.Context) map[string][]string
}

// loadTime bounds the search for all declarations: those of failed tests are found one
// by one.
const loadTime = 3 * time.Second

// maxLookups bounds the single lookups of tests that passed.
const maxLookups = 200

// places are the declarations of a workspace's tests. Without a workspace there are
// none.
type places struct {
	finder declarations
	known  map[sdk.TestID]sdk.Location
	// bodies are the known digests.
	bodies map[sdk.TestID]string
	// complete reports whether known has every existing test of the suites.
	complete bool
	// lookups counts the single lookups.
	lookups int
}

func newPlaces(root string, s settings.Settings) places {
	return places{finder: s.Finder(root)}
}

// load looks up the tests of all suites at once.
func (p *places) load(ctx context.Context, suites []*suite) {
	if p.finder == nil || len(suites) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	tests, complete, err := p.finder.Tests(ctx)
	if err != nil {
		return
	}
	p.known, p.bodies, p.complete = map[sdk.TestID]sdk.Location{}, map[sdk.TestID]string{}, complete
	for _, s := range suites {
		for _, t := range tests[s.key] {
			id := sdk.TestID{Suite: s.key, Test: t.Name}
			p.known[id], p.bodies[id] = t.Location, t.Body
		}
	}
}

// locate returns where a test is declared. A test that load did not find is looked up if it
// matters, or while there are few.
func (p *places) locate(ctx context.Context, id sdk.TestID, matters bool) sdk.Location {
	at, known := p.known[id]
	if known || p.finder == nil || !matters && p.lookups == maxLookups {
		return at
	}
	if !matters {
		p.lookups++
	}
	at, _ = p.finder.Find(ctx, id.Suite, id.Test)
	if at == (sdk.Location{}) && id.Test == "constructor()" {
		at, _ = p.finder.Find(ctx, id.Suite, "") // it has no constructor: one of its fields failed
	}
	return at
}
