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
		end     sdk.SuiteOutcome
		outcome api.Outcome
		left    int
	}{
		"never had tests":                  {[]string{}, sdk.SuiteNoTests, api.OutcomePassed, 0},
		"lost its tests":                   {[]string{"TestA"}, sdk.SuiteNoTests, api.OutcomeDidNotRun, 1},
		"nobody knows of any":              {nil, sdk.SuiteNoTests, api.OutcomeDidNotRun, 1},
		"never had tests, and ended early": {[]string{}, sdk.SuiteAborted, api.OutcomeFailed, 1},
		"never had tests, and has no end":  {[]string{}, 0, api.OutcomeDidNotRun, 1},
	} {
		t.Run(name, func(t *testing.T) {
			set := brokenSuite(c.listed)
			suite := Target{TestID: sdk.TestID{Suite: "s"}}
			f := NewFold("r2", set, Scope{Tests: []Target{suite}})
			if c.end != 0 {
				f.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "s", Outcome: c.end}})
			}
			if got := Judge(f).Requested[0].Outcome; got != c.outcome {
				t.Errorf("outcome %s, want %s", got, c.outcome)
			}
			if after := f.After(set, Partial); after.Len() != c.left {
				t.Errorf("%d outstanding, want %d", after.Len(), c.left)
			}
		})
	}
}
