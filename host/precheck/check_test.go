package precheck

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func TestACheckThatTheTestsContradictIsTold(t *testing.T) {
	t.Parallel()
	c := &Check{foretold: map[string]string{"p/a": "a.go:1:2: undefined: x", "p/b": "b.go:1:2: undefined: x", "p/c": "", "p/d": "d.go:1:1: y"}}
	c.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "p/a", Outcome: sdk.SuiteBuildFailed}})
	c.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "p/b", Outcome: sdk.SuitePassed}})
	c.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p/d"}, Kind: sdk.KindVet}}})
	if note := c.Note(); note != "the check before the tests said of 2 suites what the run itself did not: p/b: b.go:1:2: undefined: x, p/c" {
		t.Error(note)
	}
	if note := (&Check{}).Note(); note != "" {
		t.Error(note)
	}
	if note := (&Check{failed: "no such program"}).Note(); !strings.Contains(note, "told nothing: no such program") {
		t.Error(note)
	}
	if note := (*Check)(nil).Note(); note != "" {
		t.Error(note)
	}
}
