package host

import (
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

func TestWhatARunOfEverythingIsComparedWith(t *testing.T) {
	a, b := passed("a", "A"), passed("a", "B")
	env := history.EnvironmentOf
	whole := func(session, environment string) history.Run {
		return history.Run{SessionID: session, Whole: true, Environment: environment}
	}
	imported := whole("import:one", env("set", "x"))
	imported.Origin = "file.tar.gz"
	ingested := whole("one", env("set", "x"))
	ingested.Kind, ingested.Origin = record.KindIngest, "file"
	triage := whole("one", env("set", "x"))
	triage.Kind = record.KindTriage
	for name, tc := range map[string]struct {
		earlier          func(p *past)
		vanished, others bool
	}{
		"nothing is on record":     {func(*past) {}, false, false},
		"a run of another session": {func(p *past) { p.runAs(whole("one", env("set", "x")), a, b) }, true, false},
		"other variables":          {func(p *past) { p.runAs(whole("one", env("set", "y")), a, b) }, true, false},
		"other settings":           {func(p *past) { p.runAs(whole("one", env("other", "x")), a, b) }, false, true},
		"the settings are unknown": {func(p *past) { p.runAs(whole("one", ""), a, b) }, false, true},
		"other settings since": {func(p *past) {
			p.runAs(whole("one", env("set", "x")), a, b)
			p.runAs(whole("one", env("other", "x")), a)
		}, true, false},
		"an import since":           {func(p *past) { p.runAs(whole("one", env("set", "x")), a, b); p.runAs(imported, a) }, true, false},
		"an ingested run since":     {func(p *past) { p.runAs(whole("one", env("set", "x")), a, b); p.runAs(ingested, a) }, true, false},
		"a triage since":            {func(p *past) { p.runAs(whole("one", env("set", "x")), a, b); p.runAs(triage, a) }, true, false},
		"only an import":            {func(p *past) { p.runAs(imported, a, b) }, false, false},
		"another language":          {func(p *past) { r := whole("one", env("set", "x")); r.Language = "y"; p.runAs(r, a, b) }, false, false},
		"the session began with it": {func(p *past) { p.runAs(whole("now", env("set", "x")), a, b) }, true, false},
		"the session began with a part": {func(p *past) {
			p.runAs(whole("one", env("set", "x")), a, b)
			p.run("now", a)
			p.runAs(whole("two", env("set", "x")), a)
		}, true, false},
		"the session began with another language": {func(p *past) {
			p.runAs(whole("one", env("set", "x")), a, b)
			p.runAs(history.Run{SessionID: "now", Language: "y"}, a)
			p.runAs(whole("two", env("set", "x")), a)
		}, true, false},
		"many of other settings since": {func(p *past) {
			p.runAs(whole("one", env("set", "x")), a, b)
			for range wholeRuns + 1 {
				p.runAs(whole("two", env("other", "x")), a)
			}
		}, true, false},
	} {
		p := newPast(t)
		tc.earlier(p)
		found, others, err := p.integrity(t.Context(), p.runAs(whole("now", env("set", "x")), a))
		if err != nil || (found != nil) != tc.vanished || others != tc.others {
			t.Errorf("%s: %+v, others %t, %v", name, found, others, err)
		}
	}
}

func TestNothingVanishesBetweenRunsOfTheSameSources(t *testing.T) {
	first := history.Run{SessionID: "one", Whole: true, Fingerprint: "feed", Environment: history.EnvironmentOf("set", "x")}
	for name, tc := range map[string]struct {
		change   func(r *history.Run)
		vanished int
	}{
		"the same sources":  {func(*history.Run) {}, 0},
		"other sources":     {func(r *history.Run) { r.Fingerprint = "beef" }, 1},
		"unknown sources":   {func(r *history.Run) { r.Fingerprint = "" }, 1},
		"other variables":   {func(r *history.Run) { r.Environment = history.EnvironmentOf("set", "y") }, 1},
		"changed meanwhile": {func(r *history.Run) { r.MixedState = true }, 1},
	} {
		p := newPast(t)
		a, b, s := passed("a", "A"), passed("a", "B"), passed("a", "S")
		before := p.runAs(first, a, b, s)
		now := first
		now.SessionID = "now"
		tc.change(&now)
		s.Outcome = history.Skipped
		row := p.runAs(now, a, s)
		found, _, err := p.integrity(t.Context(), row)
		if err != nil || found == nil || found.VanishedTotal != tc.vanished || found.NewlySkippedTotal != 1 {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
		d, err := p.host.Diff(t.Context(), DiffRequest{Where: p.where(), Before: before.ID, Now: row.ID})
		if err != nil || d.Counts.Vanished != tc.vanished || d.Counts.NotRun != 1-tc.vanished || (len(d.Notes) > 0) != (tc.vanished == 0 || now.MixedState) {
			t.Errorf("%s: %+v, %q, %v", name, d.Counts, d.Notes, err)
		}
	}
}

func TestAnAddressInANameIsNoDifference(t *testing.T) {
	p := newPast(t)
	whole := history.Run{SessionID: "now", Whole: true}
	p.runAs(whole, passed("a", "A/0xc000012340"), passed("a", "A/0xc000012350"), failed("a", "B/0xc000012360"), passed("a", "C"))
	row := p.runAs(whole, passed("a", "A/0xc000abcd40"), failed("a", "B/0xc000abcd60"), passed("a", "C"))
	if found, _, err := p.integrity(t.Context(), row); err != nil || found == nil || found.VanishedTotal != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	d, err := p.host.Diff(t.Context(), DiffRequest{Where: p.where()})
	if got := sections(d); err != nil || got != "still failing: B/0xc000abcd60; vanished: A/0xc000012350" {
		t.Errorf("%s, %v", got, err)
	}
}
