package render

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func TestSuitesAreShortWhereNoneGotToAResult(t *testing.T) {
	t.Parallel()
	run := api.Run{RunID: "r", Verdict: api.Incomplete, Cancelled: true, NeverStarted: []sdk.TestID{{Suite: "example.com/m/a", Test: "TestA"}}, Counts: api.Counts{NeverStarted: 1}}
	var heard Asides
	heard.Listen(&api.RunStarted{Run: run, Expected: func() []api.ExpectedSuite {
		return []api.ExpectedSuite{{Suite: "example.com/m/a", File: "a/a_test.go"}}
	}})
	heard.Listen(&api.RunFinished{Run: run})
	if got := Ending(run, &heard, Style{}); strings.Contains(got, "example.com") || !strings.Contains(got, "– a TestA ") {
		t.Errorf("got:\n%s", got)
	}
}
