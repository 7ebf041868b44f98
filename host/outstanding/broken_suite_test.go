package outstanding

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// brokenSuite is the outstanding set after a suite did not build. listed is what
// its sources told; nil is nothing.
func brokenSuite(listed []string) Set {
	f := NewFold("r1", Set{}, Scope{})
	f.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "s", Outcome: sdk.SuiteBuildFailed}})
	if listed != nil {
		f.Knows.Sources = map[string][]string{"s": listed}
	}
	return f.After(Set{}, Partial)
}

func TestABrokenSuiteWithoutTestsIsMendedByBuildingAgain(t *testing.T) {
	for name, c := range map[string]struct {
		listed  []string
		outcome api.Outcome
		left    int
	}{
		"never had tests":     {[]string{}, api.OutcomePassed, 0},
		"lost its tests":      {[]string{"TestA"}, api.OutcomeDidNotRun, 1},
		"nobody knows of any": {nil, api.OutcomeDidNotRun, 1},
	} {
		t.Run(name, func(t *testing.T) {
			set := brokenSuite(c.listed)
			suite := Target{TestID: sdk.TestID{Suite: "s"}}
			f := NewFold("r2", set, Scope{Tests: []Target{suite}})
			f.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "s", Outcome: sdk.SuiteNoTests}})
			if got := Judge(f).Requested[0].Outcome; got != c.outcome {
				t.Errorf("outcome %s, want %s", got, c.outcome)
			}
			if after := f.After(set, Partial); after.Len() != c.left {
				t.Errorf("%d outstanding, want %d", after.Len(), c.left)
			}
		})
	}
}
