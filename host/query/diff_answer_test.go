package query

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/render"
)

func TestADifferenceNamesTheFilesThatDiffer(t *testing.T) {
	p := ledgertest.New(t)
	ok := historytest.Passed("a", "A")
	p.WriteFile("a.x", "1")
	p.WriteFile("sub/b.x", "1")
	one := p.Snap()
	p.WriteFile("a.x", "2")
	p.WriteFile("c.x", "new")
	two := p.Snap()
	p.RunAs(history.Run{SessionID: "now", Fingerprint: one}, ok)
	p.RunAs(history.Run{SessionID: "now", Fingerprint: two}, ok)
	p.RunAs(history.Run{SessionID: "now", Fingerprint: two}, ok)
	p.RunAs(history.Run{SessionID: "now"}, ok)
	p.RunAs(history.Run{SessionID: "now", Fingerprint: "feedfeedfeedfeedfeedfeed"}, ok)
	for _, tc := range []struct{ before, now, want string }{
		{"run0000001", "run0000002", "true 2 [{a.x modified} {c.x added}] "},
		{"run0000002", "run0000001", "true 2 [{a.x modified} {c.x deleted}] "},
		{"run0000002", "run0000003", "true 0 [] "},
		{"run0000003", "run0000004", "false 0 [] the state of the sources is not known of both runs"},
		{"run0000003", "run0000005", "false 0 [] the source state feedfeedfeedfeedfeedfeed is not on record any more"},
	} {
		d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Before: tc.before, Now: tc.now})
		s := d.Sources
		if got := fmt.Sprintf("%t %d %v %s", s.Known, s.Total, s.Files, s.Why); err != nil || got != tc.want {
			t.Errorf("%s %s: %s, %v; want %s", tc.before, tc.now, got, err, tc.want)
		}
	}
}

func TestALongListIsBoundedAndCounted(t *testing.T) {
	p := ledgertest.New(t)
	var before, now []history.Result
	const tests = api.MaxNames + 50
	for i := range tests {
		before = append(before, historytest.Passed("a", fmt.Sprintf("T%05d", i)))
		now = append(now, historytest.Failed("a", fmt.Sprintf("T%05d", i)))
	}
	p.Run("now", before...)
	p.Run("now", now...)
	d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where()})
	if err != nil || len(d.NewFailures) != api.MaxNames || d.Counts.NewFailures != tests || d.NewFailures[0].Test != "T00000" {
		t.Errorf("%d of %d, %v", len(d.NewFailures), d.Counts.NewFailures, err)
	}
}

func TestADifferenceSaysHowTheTestsStand(t *testing.T) {
	p := ledgertest.New(t)
	for _, session := range []string{"one", "two"} {
		p.Run(session, historytest.Failed("a", "Old"), historytest.Failed("a", "Fixed"))
	}
	state := history.Run{SessionID: "now", Fingerprint: "f", Environment: "e"}
	p.RunAs(state, historytest.Failed("a", "Old"), historytest.Failed("a", "Fixed"), historytest.Passed("a", "Flaky"))
	p.RunAs(state, historytest.Failed("a", "Old"), historytest.Passed("a", "Fixed"), historytest.Failed("a", "Flaky"))
	d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where()})
	if err != nil || sections(d) != "new failures: Flaky; passed and flaky: Fixed; still failing: Old" {
		t.Fatalf("%s, %v", sections(d), err)
	}
	old, fixed, flaky := d.StillFailing[0].Standing, d.PassedFlaky[0].Standing, d.NewFailures[0].Standing
	if old == nil || old.Classification != api.Failing || !old.Recurring || old.FailedSessions != 3 || old.SameFailure == nil {
		t.Errorf("still failing: %+v", old)
	}
	if fixed == nil || fixed.Classification != api.Unsteady || flaky == nil || flaky.Flaky == nil || flaky.Classification != api.Unsteady {
		t.Errorf("fixed: %+v, flaky: %+v", fixed, flaky)
	}
	// The standing is that after the run now, whatever came later.
	p.Run("now", historytest.Passed("a", "Old"))
	then, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Before: d.Before.RunID, Now: d.Now.RunID})
	if err != nil || then.StillFailing[0].Classification != api.Failing {
		t.Errorf("%+v, %v", then.StillFailing, err)
	}
	text := render.Diff(d, render.Style{})
	for _, want := range []string{"(before: passed; flaky)", "(same failure; recurring)", "passed this time, and flaky (1):\n   s Fixed  a:7  (before: failed)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// As after `git init`: the files are the same, however they were found.
func TestEqualStatesDoNotDifferHoweverTheyWereFound(t *testing.T) {
	p := ledgertest.New(t)
	p.WriteFile("a.x", "1")
	walked := p.Snap()
	state, ok, err := p.State(t.Context(), walked)
	if err != nil || !ok {
		t.Fatal(err)
	}
	other := state
	other.Kind = "git"
	if c := p.ChangesOf(state, other); !c.Known || c.Total != 0 {
		t.Errorf("%+v", c)
	}
	other.ID = "another"
	if c := p.ChangesOf(state, other); c.Known {
		t.Errorf("states of two kinds: %+v", c)
	}
	run := api.Run{Kind: api.KindRun, Language: "x", Source: &api.Source{Fingerprint: walked}}
	if s := p.Stale(t.Context(), run); s == nil || s.Changed != 0 {
		t.Errorf("nothing changed: %+v", s)
	}
	p.WriteFile("a.x", "2")
	if s := p.Stale(t.Context(), run); s == nil || s.Changed != 1 || len(s.Files) != 1 || s.Files[0] != "a.x" {
		t.Errorf("a file changed: %+v", s)
	}
}
