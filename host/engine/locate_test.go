package engine

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func TestALocationOfAnotherFailureDoesNotCount(t *testing.T) {
	on := api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "t"}, Message: "no", Precision: sdk.PrecisionDeclaration, Attributes: map[string]string{"input": "1", "more": "x"}}}
	id := sdk.TestID{Suite: "s", Test: "t"}
	for name, tc := range map[string]struct {
		again sdk.Failure
		kept  bool
	}{
		"the same":             {sdk.Failure{Message: "no", Attributes: map[string]string{"input": "1"}}, true},
		"no more is known":     {sdk.Failure{}, true},
		"another message":      {sdk.Failure{Message: "other"}, false},
		"another input":        {sdk.Failure{Message: "no", Attributes: map[string]string{"input": "2"}}, false},
		"an input of its own":  {sdk.Failure{Attributes: map[string]string{"seed": "2"}}, false},
		"a place not said":     {sdk.Failure{Message: "no", Precision: sdk.PrecisionDeclaration}, false},
		"a place without line": {sdk.Failure{Message: "no", Location: sdk.Location{File: "a"}}, false},
	} {
		again := tc.again
		again.TestID = id
		if again.Precision == "" {
			again.Precision = sdk.PrecisionExact
		}
		if again.Location.File == "" {
			again.Location = sdk.Location{File: "a", Line: 7}
		}
		found := &locations{failures: map[sdk.TestID]sdk.Failure{}}
		found.Failure(again)
		found.dropOthers([]api.Failure{on})
		if missing := found.countMissing([]sdk.Command{{Targets: []sdk.TestID{id}}}); (missing == 0) != tc.kept {
			t.Errorf("%s: %d missing", name, missing)
		}
		failures := []api.Failure{on, {Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "t"}, Message: "no", Location: sdk.Location{Line: 3}}}}
		if err := new(record).relocate(failures, found); err != nil {
			t.Fatal(err)
		}
		if exact := failures[0].Line == 7 && failures[0].Precision == sdk.PrecisionExact; exact != tc.kept {
			t.Errorf("%s: located %v at %s:%d", name, exact, failures[0].File, failures[0].Line)
		}
		if failures[1].Line != 3 {
			t.Errorf("%s: a place that the runner said was replaced", name)
		}
	}
}
