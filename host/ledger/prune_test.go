package ledger

import (
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/history"
)

func TestOwnRunsAreInTheOrderInWhichTheyRan(t *testing.T) {
	t.Parallel()
	at := func(hour int) time.Time { return time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC) }
	runs := newestFirst([]history.Run{
		{ID: "first", Order: 1, StartedAt: at(1)}, {ID: "ahead", Order: 2, StartedAt: at(20)}, {ID: "right", Order: 3, StartedAt: at(3)},
		{ID: "imported", Order: 4, Origin: "ci", StartedAt: at(2)}, {ID: "folder", StartedAt: at(4)},
	})
	var ids []string
	for _, run := range runs {
		ids = append(ids, run.ID)
	}
	if want := []string{"folder", "right", "ahead", "imported", "first"}; !slices.Equal(ids, want) {
		t.Errorf("%v, want %v", ids, want)
	}
}

func TestOneRunWithAClockThatIsAheadDoesNotEndTheRecord(t *testing.T) {
	t.Parallel()
	var w weighedRuns
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range score + 5 {
		w.runs = append(w.runs, weighedRun{run: history.Run{StartedAt: now.Add(-time.Duration(i) * time.Hour)}})
	}
	limits := config.History{Runs: 1000, Age: 24 * time.Hour, Bytes: 1 << 40}
	ahead := now.AddDate(5, 0, 0)
	w.runs[0].run.StartedAt = ahead
	if gone := w.beyond(limits, w.today(ahead)); len(gone) != 0 {
		t.Errorf("%d runs are removed", len(gone))
	}
	for i := range w.runs {
		w.runs[i].run.StartedAt = now.AddDate(0, 0, -i)
	}
	if gone := w.beyond(limits, w.today(ahead)); len(gone) != len(w.runs)-score-1 {
		t.Errorf("%d of %d runs are removed", len(gone), len(w.runs))
	}
}
