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
		"a failure before many passes":      {[]did{{session: "a", results: "P"}, {session: "a", results: "FPPPPPPPPPPP"}}, "run02", true},
		"a failure before many skips":       {[]did{{session: "a", results: "F"}, {session: "a", results: "SSSSSSSSSSSS"}}, "run01", true},
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

func TestARetryIsAnAttemptAtTheRunBeforeIt(t *testing.T) {
	run := func(results string) did { return did{session: "a", results: results, cause: "1"} }
	retry := func(results string) did { return did{session: "a", results: results, cause: "1", kind: api.KindRetry} }
	for name, tc := range map[string]struct {
		runs                    []did
		failing, same, all, bad int
	}{
		"retries that fail":             {[]did{run("F"), retry("F"), retry("F"), run("F"), retry("F")}, 2, 2, 2, 2},
		"the only run":                  {[]did{run("F"), retry("F")}, 1, 0, 1, 1},
		"one that did not run":          {[]did{run("F"), retry("S"), retry("F")}, 1, 0, 1, 1},
		"a retry that passes":           {[]did{run("F"), retry("P"), run("P"), run("F")}, 1, 0, 3, 2},
		"an attempt beside a merge":     {[]did{run("P"), retry("F")}, 1, 0, 2, 1},
		"runs that fail without retry":  {[]did{run("F"), run("F"), run("F")}, 3, 3, 3, 3},
		"several results of one of two": {[]did{run("FF"), retry("FF"), run("F")}, 2, 2, 2, 2},
	} {
		line := timeline("A", tc.runs...)
		s := classify.Test(classify.Subject{Timeline: line, SessionID: "a"})
		same := 0
		if s.SameFailure != nil {
			same = s.SameFailure.Run
		}
		all, bad := classify.CountRuns(line.Points, 40)
		if s.FailedRuns != tc.failing || same != tc.same || all != tc.all || bad != tc.bad {
			t.Errorf("%s: failing for %d runs, the same failure in %d, bad in %d of %d; want %+v", name, s.FailedRuns, same, bad, all, tc)
		}
	}
}
