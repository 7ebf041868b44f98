package host

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// refs are the runs that "last" and "prev" mean to those who ask for a run.
func (p *past) refs() [2]string {
	p.t.Helper()
	var found [2]string
	for i, ref := range []string{"last", "prev"} {
		id, err := p.host.RunID(p.t.Context(), p.where(), ref)
		if err != nil {
			p.t.Fatal(err)
		}
		shown, _, err := p.host.Show(p.t.Context(), LastRun{Where: p.where(), Ref: ref})
		if err != nil || shown.RunID != id {
			p.t.Errorf("%s: shown %s, found %s, %v", ref, shown.RunID, id, err)
		}
		failures, _, err := p.host.Failures(p.t.Context(), LastRun{Where: p.where(), Ref: ref}, 0)
		if err != nil || failures.RunID != id {
			p.t.Errorf("%s: failures of %s, found %s, %v", ref, failures.RunID, id, err)
		}
		stored, err := p.host.storedRun(p.t.Context(), p.store, ref, "")
		if err != nil || stored.RunID != id {
			p.t.Errorf("%s: stored %s, found %s, %v", ref, stored.RunID, id, err)
		}
		found[i] = id
	}
	return found
}

func TestEverybodyMeansTheSameRunByLastAndPrev(t *testing.T) {
	p := newPast(t)
	run := func(r history.Run) history.Run {
		r.SessionID = "now"
		made := p.runAs(r, failed("a", "A"))
		p.keep(made, nil)
		return made
	}
	first := run(history.Run{})
	// The clock was set back.
	second := run(history.Run{StartedAt: p.now.Add(-100 * time.Hour)})
	run(history.Run{Kind: record.KindTriage})
	run(history.Run{Kind: record.KindIngest, Origin: "ci.json"})
	if got := p.refs(); got != [2]string{second.ID, first.ID} {
		t.Errorf("last and prev are %v", got)
	}
}

// An older run must not stand for one that could not be written into the history.
func TestTheLastRunNeedNotBeInTheHistory(t *testing.T) {
	p := newPast(t)
	first := p.run("now", passed("a", "A"))
	p.keep(first, nil)
	lost := history.Run{ID: "lost000001", SessionID: "now", Kind: record.KindRun, Language: "x", Verdict: record.Failed, StartedAt: p.now}
	p.keep(lost, nil)
	if err := p.store.Finish(t.Context(), record.Run{RunID: lost.ID, Language: "x"}); err != nil {
		t.Fatal(err)
	}
	if got := p.refs(); got != [2]string{lost.ID, first.ID} {
		t.Errorf("last and prev are %v", got)
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
