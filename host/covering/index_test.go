package covering

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	coveragestore "github.com/proctorhq/proctor/host/coverage/store"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
)

func TestLessTimeDoesNotLoseWhatWasMeasured(t *testing.T) {
	t.Parallel()
	one, two := make([]coverage.Test, 1), make([]coverage.Test, 2)
	for name, c := range map[string]struct {
		now, before *coverage.Suite
		current     bool
		earlier     bool
	}{
		"fewer tests":                {&coverage.Suite{Cut: true, Tests: one}, &coverage.Suite{Cut: true, Tests: two}, true, true},
		"no longer any":              {&coverage.Suite{Cut: true}, &coverage.Suite{Tests: two}, true, true},
		"more tests":                 {&coverage.Suite{Cut: true, Tests: two}, &coverage.Suite{Cut: true, Tests: one}, true, false},
		"fewer, but of new sources":  {&coverage.Suite{Cut: true, Tests: one}, &coverage.Suite{Tests: two}, false, false},
		"fewer, because it has less": {&coverage.Suite{Tests: one}, &coverage.Suite{Tests: two}, true, false},
		"the first":                  {&coverage.Suite{Cut: true}, nil, true, false},
	} {
		got := pickFuller(c.now, c.before, func() bool { return c.current })
		if (got == c.before) != c.earlier {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// An index that ran out of time says so, even if an earlier one of more tests stays.
func TestAnIndexCountsWhatItMeasuredItself(t *testing.T) {
	t.Parallel()
	graph := coverage.NewGraph()
	graph.Suite(sdk.ListedSuite{Suite: "s", Tests: []sdk.ListedTest{{Name: "TestA"}, {Name: "TestB"}, {Name: "TestC"}}})
	before := &coverage.Suite{Language: "go", Suite: "s", Granularity: api.GranularityTest, Tests: []coverage.Test{{Name: "TestA"}, {Name: "TestB"}}}
	x := indexing{
		project: project.Project{}, graph: graph, known: map[string]*coverage.Suite{"s": before},
		kept: coveragestore.New(coveragestore.Config{Dir: t.TempDir()}),
	}
	now := &coverage.Suite{Language: "go", Suite: "s", Granularity: api.GranularityTest, Cut: true, Why: "the time ran out", Tests: before.Tests[:1]}
	if err := x.store(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	s := x.index.Suites[0]
	if s.Tests != 2 || s.State != api.IndexCut || s.Why != "the time ran out" || x.index.Ran != 1 {
		t.Errorf("%d tests ran; got %+v", x.index.Ran, s)
	}
}

// The process that measures a suite fails where no time is left: go says that it could not be
// set up, and the index exited as if it did not build.
func TestASuiteForWhichNoTimeWasLeftIsNotBroken(t *testing.T) {
	t.Parallel()
	x := indexing{}
	fails := func(suite, kind string) api.Failure {
		return api.Failure{ID: suite, Failure: sdk.Failure{TestID: sdk.TestID{Suite: suite}, Kind: kind}}
	}
	x.noteBroken([]api.Failure{fails("late", sdk.KindSetup), fails("broken", sdk.KindBuild), fails("missing", sdk.KindSetup)},
		map[string]sdk.SuiteCoverage{"late": {Suite: "late", Cut: true}, "broken": {Suite: "broken", Cut: true}})
	var got []string
	for _, f := range x.index.Failures {
		got = append(got, f.Suite)
	}
	if want := []string{"broken", "missing"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
