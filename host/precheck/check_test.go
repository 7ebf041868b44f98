package precheck

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func TestACheckThatTheTestsContradictIsTold(t *testing.T) {
	t.Parallel()
	c := &Check{denied: map[string]string{}, foretold: map[string]string{"p/a": "a.go:1:2: undefined: x", "p/b": "b.go:1:2: undefined: x", "p/c": "", "p/d": "d.go:1:1: y"}}
	c.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "p/a", Outcome: sdk.SuiteBuildFailed}})
	c.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "p/b", Outcome: sdk.SuitePassed}})
	c.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p/d"}, Kind: sdk.KindVet}}})
	if notes := c.Notes(true, false); len(notes) != 2 || notes[0] != "the check before the tests said of 1 suite that the run did not get to what does not build: p/c" || !strings.HasSuffix(notes[1], "did not: p/b: b.go:1:2: undefined: x") {
		t.Error(notes)
	}
	if notes := c.Notes(false, false); len(notes) != 1 || notes[0] != "the check before the tests said of 2 suites what the run itself did not: p/b: b.go:1:2: undefined: x, p/c" {
		t.Error(notes)
	}
	if notes := (&Check{}).Notes(false, false); notes != nil {
		t.Error(notes)
	}
	failed := &Check{failed: "no such program"}
	if notes := failed.Notes(false, false); len(notes) != 1 || !strings.Contains(notes[0], "told nothing: no such program") {
		t.Error(notes)
	}
	if notes := failed.Notes(false, true); notes != nil {
		t.Error("what does not build is told by the run:", notes)
	}
	if notes := (*Check)(nil).Notes(false, false); notes != nil {
		t.Error(notes)
	}
}
