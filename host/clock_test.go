package host

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

func TestARunTakesAsLongAsAClockSaysThatNobodySets(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for name, started := range map[string]time.Time{
		"before it was set forward": began.UTC(), "before it was set back": began.Add(5 * time.Hour).UTC(),
	} {
		f := &finisher{host: &Host{base: &base{cfg: Config{Now: func() time.Time { return began.Add(2 * time.Second) }}}}, began: began}
		if got := f.duration(started); got != 2*time.Second {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestOurOwnRunsAreInTheOrderInWhichTheyWereMade(t *testing.T) {
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
	limits := retention{Runs: 1000, Age: 24 * time.Hour, Bytes: 1 << 40}
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

// Where a run could not be put on record, the green one before it is not the last.
func TestWhatCouldNotBePutOnRecordIsStillTheLast(t *testing.T) {
	for name, damage := range map[string]func(*past, history.Run) error{
		"its folder is gone": func(p *past, last history.Run) error {
			return os.RemoveAll(filepath.Join(p.store.Dir(), "runs", last.ID))
		},
		"it could not even be begun": func(p *past, _ history.Run) error { return p.store.Disown() },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPast(t)
			p.keep(p.run("now", passed("a", "A")), nil)
			lost := history.Run{ID: "lost000001", SessionID: "now", Kind: record.KindRun, Language: "x", Verdict: record.Failed, StartedAt: p.now}
			p.keep(lost, nil)
			if err := p.store.Finish(t.Context(), record.Run{RunID: lost.ID, Language: "x"}); err != nil {
				t.Fatal(err)
			}
			if err := damage(p, lost); err != nil {
				t.Fatal(err)
			}
			h := New(p.host.cfg) // what this process remembers is not asked
			defer h.Close(t.Context())
			if id, err := h.RunID(t.Context(), p.where(), "last"); err == nil {
				t.Errorf("the last run is %s", id)
			}
		})
	}
}
