package standing

import (
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// Recorded output belongs where it was made; our own runs keep their order whatever the
// clock said.
func TestForeignPointsArePlacedByTimeAndOurOwnByOrder(t *testing.T) {
	at := func(minutes int) time.Time { return time.Unix(int64(60*minutes), 0) }
	points := []history.Point{
		{RunID: "a", At: at(10)}, {RunID: "b", At: at(5)}, {RunID: "c", At: at(20)},
		{RunID: "ci", At: at(15), RunKind: api.KindIngest}, {RunID: "new", At: at(30), SessionID: history.ImportedSession + "x"},
	}
	var order []string
	for _, p := range placeForeign(points) {
		order = append(order, p.RunID)
	}
	if want := []string{"a", "b", "ci", "c", "new"}; !slices.Equal(order, want) {
		t.Errorf("%q, want %q", order, want)
	}
}

func TestAStreakThatReachesResultsWithGapsIsAtLeastSoLong(t *testing.T) {
	timeline := func(passed int, kinds ...api.Kind) history.Timeline {
		line := history.Timeline{Cut: true}
		for i := range LeastPoints {
			p := history.Point{RunID: string(rune('a' + i)), SessionID: "s", Outcome: history.Failed, Signature: "x", RunKind: kinds[i%len(kinds)]}
			if i == passed {
				p.Outcome, p.Signature = history.Passed, ""
			}
			line.Points = append(line.Points, p)
		}
		return line
	}
	whole := timeline(-1, api.KindRun)
	whole.Cut = false
	for name, tc := range map[string]struct {
		line   history.Timeline
		failed int
		open   bool
	}{
		"runs":              {timeline(-1, api.KindRun), 25, true},
		"runs and retries":  {timeline(-1, api.KindRun, api.KindRetry, api.KindRetry, api.KindRetry, api.KindRetry), 5, true},
		"since a late pass": {timeline(20, api.KindRun), 4, false},
		"all of them":       {whole, 25, false},
	} {
		s := (&Judge{edits: &edits{}}).Standing(tc.line, "s")
		if s.FailedRuns != tc.failed || s.FailedRunsAtLeast != tc.open || s.SameFailure == nil || s.SameFailure.Run != tc.failed || s.SameFailure.AtLeast != tc.open {
			t.Errorf("%s: failing for %d runs, at least %t, want %+v; the same failure: %+v", name, s.FailedRuns, s.FailedRunsAtLeast, tc, s.SameFailure)
		}
	}
}
