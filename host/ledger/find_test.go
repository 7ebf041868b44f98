package ledger_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/query"
)

// refs are the runs that "last" and "prev" mean to those who ask for a run.
func refs(p *ledgertest.Workspace) [2]string {
	p.T.Helper()
	var found [2]string
	for i, ref := range []string{"last", "prev"} {
		id, err := ledger.FindRunID(p.T.Context(), p.Keeper, p.Where(), ref)
		if err != nil {
			p.T.Fatal(err)
		}
		shown, _, err := query.Show(p.T.Context(), p.Keeper, api.LastRun{Where: p.Where(), Ref: ref})
		if err != nil || shown.RunID != id {
			p.T.Errorf("%s: shown %s, found %s, %v", ref, shown.RunID, id, err)
		}
		failures, _, err := query.Failures(p.T.Context(), p.Keeper, api.LastRun{Where: p.Where(), Ref: ref}, 0)
		if err != nil || failures.RunID != id {
			p.T.Errorf("%s: failures of %s, found %s, %v", ref, failures.RunID, id, err)
		}
		stored, err := ledger.StoredRun(p.T.Context(), p.Keeper, p.Artifacts, ref, "")
		if err != nil || stored.RunID != id {
			p.T.Errorf("%s: stored %s, found %s, %v", ref, stored.RunID, id, err)
		}
		found[i] = id
	}
	return found
}

func TestLastAndPrevMeanTheSameRunEverywhere(t *testing.T) {
	p := ledgertest.New(t)
	run := func(r history.Run) history.Run {
		r.SessionID = "now"
		made := p.RunAs(r, historytest.Failed("a", "A"))
		p.Keep(made, nil)
		return made
	}
	first := run(history.Run{})
	// The clock was set back.
	second := run(history.Run{StartedAt: p.Now.Add(-100 * time.Hour)})
	run(history.Run{Kind: api.KindTriage})
	run(history.Run{Kind: api.KindIngest, Origin: "ci.json"})
	if got := refs(p); got != [2]string{second.ID, first.ID} {
		t.Errorf("last and prev are %v", got)
	}
}

// An older run must not stand for one that could not be written into the history.
func TestTheLastRunNeedNotBeInTheHistory(t *testing.T) {
	p := ledgertest.New(t)
	first := p.Run("now", historytest.Passed("a", "A"))
	p.Keep(first, nil)
	lost := history.Run{ID: "lost000001", SessionID: "now", Kind: api.KindRun, Language: "x", Verdict: api.Failed, StartedAt: p.Now}
	p.Keep(lost, nil)
	if err := p.Artifacts.Finish(t.Context(), api.Run{RunID: lost.ID, Language: "x"}); err != nil {
		t.Fatal(err)
	}
	if got := refs(p); got != [2]string{lost.ID, first.ID} {
		t.Errorf("last and prev are %v", got)
	}
}

// Where a run could not be put on record, the green one before it is not the last.
func TestARunThatCouldNotBeRecordedIsStillTheLast(t *testing.T) {
	for name, damage := range map[string]func(*ledgertest.Workspace, history.Run) error{
		"its folder is gone": func(p *ledgertest.Workspace, last history.Run) error {
			return os.RemoveAll(filepath.Join(p.Artifacts.Dir(), "runs", last.ID))
		},
		"it could not even be begun": func(p *ledgertest.Workspace, _ history.Run) error { return artifacts.Disown(p.Artifacts) },
	} {
		t.Run(name, func(t *testing.T) {
			p := ledgertest.New(t)
			p.Keep(p.Run("now", historytest.Passed("a", "A")), nil)
			lost := history.Run{ID: "lost000001", SessionID: "now", Kind: api.KindRun, Language: "x", Verdict: api.Failed, StartedAt: p.Now}
			p.Keep(lost, nil)
			if err := p.Artifacts.Finish(t.Context(), api.Run{RunID: lost.ID, Language: "x"}); err != nil {
				t.Fatal(err)
			}
			if err := damage(p, lost); err != nil {
				t.Fatal(err)
			}
			k := ledger.New(p.Keeper.Cfg) // what this process remembers is not asked
			defer k.Close(t.Context())
			if id, err := ledger.FindRunID(t.Context(), k, p.Where(), "last"); err == nil {
				t.Errorf("the last run is %s", id)
			}
		})
	}
}

func TestTheSuitesToExpectAreThoseOfTheLastRunThatGotToAll(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	expect := func(want int) {
		t.Helper()
		if count, _ := ledger.ExpectedSuites(t.Context(), p.Ledger, "x"); count != want {
			t.Errorf("%d suites, want %d", count, want)
		}
	}
	expect(0)
	cut := history.Run{Whole: true, Counts: api.Counts{Suites: 1, NeverStarted: 5}} // as with -failfast
	p.RunAs(cut, historytest.Failed("a", "A"))
	expect(1)
	p.RunAs(history.Run{Whole: true, Counts: api.Counts{Suites: 3}}, historytest.Failed("a", "A"))
	expect(3)
	p.RunAs(cut, historytest.Failed("a", "A"))
	expect(3)
	p.RunAs(history.Run{Whole: true, Counts: api.Counts{Suites: 2}}, historytest.Passed("a", "A"))
	expect(2)
}
