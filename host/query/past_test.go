package query

import (
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

func TestAStripHasAPointForEachRun(t *testing.T) {
	t.Parallel()
	point := func(run, state string, o history.Outcome) history.Point {
		return history.Point{RunID: run, Fingerprint: state, Outcome: o, RunKind: api.KindRun}
	}
	triage := point("t", "x", history.Failed)
	triage.RunKind = api.KindTriage
	strip := stripOf([]history.Point{
		point("a", "1", history.Passed), point("b", "2", history.Passed), point("b", "2", history.Failed), triage,
		point("c", "2", history.Skipped), point("d", "", history.Failed),
	})
	var marks string
	for _, p := range strip {
		marks += string(p.Status) + map[bool]string{true: "|"}[p.Changed] + map[bool]string{true: "~"}[p.Flaky] + " "
	}
	if want := "passed failed|~ skipped failed "; marks != want {
		t.Errorf("%q, want %q", marks, want)
	}
	var many []history.Point
	for i := range 50 {
		many = append(many, point(string(rune('A'+i)), "1", history.Passed))
	}
	if n := len(stripOf(many)); n != stripRuns {
		t.Errorf("%d points", n)
	}
}

func TestWhatATestUsuallyTakesNeedsThreePasses(t *testing.T) {
	t.Parallel()
	pass := func(run string, took time.Duration) history.Point {
		return history.Point{RunID: run, Outcome: history.Passed, Duration: took}
	}
	points := []history.Point{pass("a", 1), pass("b", 9), pass("now", 100)}
	if got := usualDuration(points, "now"); got != 0 {
		t.Errorf("two passes: %v", got)
	}
	if got := usualDuration(append(points, pass("c", 2)), "now"); got != 2 {
		t.Errorf("three passes: %v", got)
	}
}
