package query

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/standing"
)

func TestWhatARunOfEverythingIsComparedWith(t *testing.T) {
	a, b := historytest.Passed("a", "A"), historytest.Passed("a", "B")
	short := history.ShortOf
	whole := func(session, environment string) history.Run {
		return history.Run{SessionID: session, Whole: true, Environment: environment}
	}
	imported := whole("import:one", short("set"))
	imported.Origin = "file.tar.gz"
	ingested := whole("one", short("set"))
	ingested.Kind, ingested.Origin = api.KindIngest, "file"
	triage := whole("one", short("set"))
	triage.Kind = api.KindTriage
	for name, tc := range map[string]struct {
		earlier          func(p *ledgertest.Workspace)
		vanished, others bool
	}{
		"nothing is on record":     {func(*ledgertest.Workspace) {}, false, false},
		"a run of another session": {func(p *ledgertest.Workspace) { p.RunAs(whole("one", short("set")), a, b) }, true, false},
		"another time-out":         {func(p *ledgertest.Workspace) { p.RunAs(whole("one", "set"), a, b) }, true, false},
		"other settings":           {func(p *ledgertest.Workspace) { p.RunAs(whole("one", short("other")), a, b) }, false, true},
		"the settings are unknown": {func(p *ledgertest.Workspace) { p.RunAs(whole("one", ""), a, b) }, false, true},
		"other settings since": {func(p *ledgertest.Workspace) {
			p.RunAs(whole("one", short("set")), a, b)
			p.RunAs(whole("one", short("other")), a)
		}, true, false},
		"an import since":           {func(p *ledgertest.Workspace) { p.RunAs(whole("one", short("set")), a, b); p.RunAs(imported, a) }, true, false},
		"an ingested run since":     {func(p *ledgertest.Workspace) { p.RunAs(whole("one", short("set")), a, b); p.RunAs(ingested, a) }, true, false},
		"a triage since":            {func(p *ledgertest.Workspace) { p.RunAs(whole("one", short("set")), a, b); p.RunAs(triage, a) }, true, false},
		"only an import":            {func(p *ledgertest.Workspace) { p.RunAs(imported, a, b) }, false, false},
		"another language":          {func(p *ledgertest.Workspace) { r := whole("one", short("set")); r.Language = "y"; p.RunAs(r, a, b) }, false, false},
		"the session began with it": {func(p *ledgertest.Workspace) { p.RunAs(whole("now", short("set")), a, b) }, true, false},
		"the session began with a part": {func(p *ledgertest.Workspace) {
			p.RunAs(whole("one", short("set")), a, b)
			p.Run("now", a)
			p.RunAs(whole("two", short("set")), a)
		}, true, false},
		"the session began with another language": {func(p *ledgertest.Workspace) {
			p.RunAs(whole("one", short("set")), a, b)
			p.RunAs(history.Run{SessionID: "now", Language: "y"}, a)
			p.RunAs(whole("two", short("set")), a)
		}, true, false},
		"many of other settings since": {func(p *ledgertest.Workspace) {
			p.RunAs(whole("one", short("set")), a, b)
			for range standing.WholeRuns + 1 {
				p.RunAs(whole("two", short("other")), a)
			}
		}, true, false},
		"the session began with many parts": {func(p *ledgertest.Workspace) {
			for range 2 * standing.WholeRuns {
				p.Run("now", a)
			}
			p.RunAs(whole("now", short("set")), a, b)
			p.RunAs(whole("now", short("set")), a)
		}, true, false},
		"the session began with many of other settings": {func(p *ledgertest.Workspace) {
			for range standing.WholeRuns {
				p.RunAs(whole("now", short("other")), a)
			}
			p.RunAs(whole("now", short("set")), a, b)
		}, true, false},
		"the session has many of other settings only, and parts": {func(p *ledgertest.Workspace) {
			for range standing.WholeRuns {
				p.Run("now", a)
			}
			p.RunAs(whole("now", short("other")), a, b)
		}, false, true},
	} {
		p := ledgertest.New(t)
		tc.earlier(p)
		found, others, err := standing.Integrity(t.Context(), p.Ledger, p.RunAs(whole("now", short("set")), a))
		if err != nil || (found != nil) != tc.vanished || others != tc.others {
			t.Errorf("%s: %+v, others %t, %v", name, found, others, err)
		}
	}
}

func TestNothingVanishesBetweenRunsOfTheSameSources(t *testing.T) {
	first := history.Run{SessionID: "one", Whole: true, Fingerprint: "feed", Environment: history.ShortOf("set")}
	for name, tc := range map[string]struct {
		change   func(r *history.Run)
		vanished int
	}{
		"the same sources":  {func(*history.Run) {}, 0},
		"other sources":     {func(r *history.Run) { r.Fingerprint = "beef" }, 1},
		"unknown sources":   {func(r *history.Run) { r.Fingerprint = "" }, 1},
		"another time-out":  {func(r *history.Run) { r.Environment = "set" }, 1},
		"changed meanwhile": {func(r *history.Run) { r.MixedState = true }, 1},
	} {
		p := ledgertest.New(t)
		a, b, s := historytest.Passed("a", "A"), historytest.Passed("a", "B"), historytest.Passed("a", "S")
		before := p.RunAs(first, a, b, s)
		now := first
		now.SessionID = "now"
		tc.change(&now)
		s.Outcome = history.Skipped
		row := p.RunAs(now, a, s)
		found, _, err := standing.Integrity(t.Context(), p.Ledger, row)
		if err != nil || found == nil || found.VanishedTotal != tc.vanished || found.NewlySkippedTotal != 1 {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
		d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Before: before.ID, Now: row.ID})
		if err != nil || d.Counts.Vanished != tc.vanished || d.Counts.NotRun != 1-tc.vanished || (len(d.Notes) > 0) != (tc.vanished == 0 || now.MixedState) {
			t.Errorf("%s: %+v, %q, %v", name, d.Counts, d.Notes, err)
		}
	}
}

func TestAnAddressInANameIsNotADifference(t *testing.T) {
	p := ledgertest.New(t)
	whole := history.Run{SessionID: "now", Whole: true}
	p.RunAs(whole, historytest.Passed("a", "A/0xc000012340"), historytest.Passed("a", "A/0xc000012350"), historytest.Failed("a", "B/0xc000012360"), historytest.Passed("a", "C"))
	row := p.RunAs(whole, historytest.Passed("a", "A/0xc000abcd40"), historytest.Failed("a", "B/0xc000abcd60"), historytest.Passed("a", "C"))
	if found, _, err := standing.Integrity(t.Context(), p.Ledger, row); err != nil || found == nil || found.VanishedTotal != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where()})
	if got := sections(d); err != nil || got != "still failing: B/0xc000abcd60; vanished: A/0xc000012350" {
		t.Errorf("%s, %v", got, err)
	}
}
