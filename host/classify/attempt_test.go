package classify_test

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
)

func TestTheLatestResultIsTheWorstOfTheNewestRunThatProvesSomething(t *testing.T) {
	for name, tc := range map[string]struct {
		runs []did
		run  string
		bad  bool
	}{
		"a pass after a failure in one run": {[]did{{session: "a", results: "P"}, {session: "a", results: "FP"}}, "run02", true},
		"a failure after a pass in one run": {[]did{{session: "a", results: "PF"}}, "run01", true},
		"a pass in a later run":             {[]did{{session: "a", results: "F"}, {session: "a", results: "P"}}, "run02", false},
		"a skip proves nothing":             {[]did{{session: "a", results: "F"}, {session: "a", results: "SN"}}, "run01", true},
		"nor does a triage":                 {[]did{{session: "a", results: "F"}, {session: "a", results: "P", kind: api.KindTriage}}, "run01", true},
	} {
		p, ok := classify.Latest(timeline("A", tc.runs...).Points)
		if !ok || p.RunID != tc.run || p.Outcome.Bad() != tc.bad {
			t.Errorf("%s: %+v, %t", name, p, ok)
		}
	}
	if _, ok := classify.Latest(timeline("A", did{session: "a", results: "S"}).Points); ok {
		t.Error("a skip proves something")
	}
	points := []history.Point{{RunID: "r", Outcome: history.Failed}, {RunID: "r", Outcome: history.Failed, Derived: true}}
	if p, _ := classify.Latest(points); p.Derived {
		t.Error("a derived failure counts before one of the test itself")
	}
}
