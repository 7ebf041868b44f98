package query

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/standing"
)

// note returns the text of the context up to what it says about single tests.
func note(p *ledgertest.Workspace) string {
	p.T.Helper()
	c, err := Context(p.T.Context(), p.Keeper, p.Where())
	if err != nil {
		p.T.Fatal(err)
	}
	text, _, _ := strings.Cut(c.Text, "Failing: ")
	return strings.TrimSpace(text)
}

const (
	recursA   = "Recurring failures across sessions: a_test.x."
	regressed = "Recent regressions: a_test.x (was passing, now failing)."
)

func TestTheNoteNamesWhatRecursAndWhatRegressed(t *testing.T) {
	t.Parallel()
	good, bad := historytest.Passed("p/a_test.x", "A"), historytest.Failed("p/a_test.x", "A")
	other := historytest.Failed("p/a_test.x", "B")
	type runs = func(p *ledgertest.Workspace)
	sessions := func(p *ledgertest.Workspace, names string, r ...history.Result) {
		for _, s := range names {
			p.Run(string(s), r...)
		}
	}
	for name, c := range map[string]struct {
		do   runs
		want string
	}{
		"nothing on record":            {func(p *ledgertest.Workspace) {}, ""},
		"it always passed":             {func(p *ledgertest.Workspace) { sessions(p, "abc", good) }, ""},
		"new and failing":              {func(p *ledgertest.Workspace) { sessions(p, "a", bad) }, ""},
		"failing in two sessions":      {func(p *ledgertest.Workspace) { sessions(p, "ab", bad) }, ""},
		"failing in three sessions":    {func(p *ledgertest.Workspace) { sessions(p, "abc", bad) }, recursA},
		"ten times in one session":     {func(p *ledgertest.Workspace) { sessions(p, "aaaaaaaaaa", bad) }, ""},
		"fixed within each session":    {func(p *ledgertest.Workspace) { sessions(p, "abc", bad); sessions(p, "abc", good) }, ""},
		"other tests of the same file": {func(p *ledgertest.Workspace) { sessions(p, "ab", bad); sessions(p, "c", good, other) }, recursA},
		"recovered":                    {func(p *ledgertest.Workspace) { sessions(p, "abcdef", bad); sessions(p, "ghi", good) }, ""},
		"not yet recovered":            {func(p *ledgertest.Workspace) { sessions(p, "abc", bad); sessions(p, "gh", good) }, recursA},
		"regressed":                    {func(p *ledgertest.Workspace) { sessions(p, "a", good); sessions(p, "b", bad) }, regressed},
		"regressed after a fix": {func(p *ledgertest.Workspace) {
			sessions(p, "a", bad, good)
			sessions(p, "a", good)
			sessions(p, "b", bad)
		}, regressed},
		"regressed, left so":      {func(p *ledgertest.Workspace) { sessions(p, "a", good); sessions(p, "bc", bad) }, regressed},
		"regressed, and mended":   {func(p *ledgertest.Workspace) { sessions(p, "a", good); sessions(p, "b", bad); sessions(p, "b", good) }, ""},
		"regressed, mended later": {func(p *ledgertest.Workspace) { sessions(p, "a", good); sessions(p, "b", bad); sessions(p, "c", good) }, ""},
		"regressed long ago":      {func(p *ledgertest.Workspace) { sessions(p, "a", good); sessions(p, "bcd", bad) }, recursA},
		"both":                    {func(p *ledgertest.Workspace) { sessions(p, "abc", bad); sessions(p, "d", good); sessions(p, "e", bad) }, recursA + " " + regressed},
		"a new test of an old file": {func(p *ledgertest.Workspace) {
			sessions(p, "a", historytest.Passed("p/a_test.x", "Old"))
			sessions(p, "b", bad)
		}, regressed},
		"set aside": {func(p *ledgertest.Workspace) { p.WriteFile("p/a_test.x", "x"); sessions(p, "abc", bad); aside(p, "A") }, ""},
		"set aside, and then edited": {func(p *ledgertest.Workspace) {
			p.WriteFile("p/a_test.x", "x")
			sessions(p, "abc", bad)
			aside(p, "A")
			p.WriteFile("p/a_test.x", "y")
		}, recursA},
		"one of two set aside": {func(p *ledgertest.Workspace) { sessions(p, "abc", bad, other); aside(p, "A") }, recursA},
		"only on other sources": {func(p *ledgertest.Workspace) {
			sessions(p, "a", good)
			p.RunAs(history.Run{SessionID: "b", Kind: api.KindTriage}, bad)
		}, ""},
		"the test was deleted": {func(p *ledgertest.Workspace) {
			sessions(p, "abc", bad)
			p.RunAs(history.Run{SessionID: "d", Whole: true}, historytest.Passed("p/a_test.x", "Old"))
		}, ""},
		"flaky": {func(p *ledgertest.Workspace) {
			for session, r := range []history.Result{good, bad} {
				p.RunAs(history.Run{SessionID: fmt.Sprint(session), Fingerprint: "f", Environment: "e"}, r)
			}
		}, "Flaky: a_test.x (A)."},
		"only other tests of it ran since": {func(p *ledgertest.Workspace) {
			sessions(p, "a", good)
			sessions(p, "b", bad)
			sessions(p, "cde", historytest.Passed("p/a_test.x", "Other"))
		}, regressed},
		"a run that got nowhere": {func(p *ledgertest.Workspace) {
			sessions(p, "abc", bad)
			p.RunAs(history.Run{SessionID: "d", Whole: true, Counts: api.Counts{BuildFailed: 1}}, historytest.Passed("q", "Q"))
		}, recursA},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := ledgertest.New(t)
			c.do(p)
			if got := note(p); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestTheNoteIsTheSeedsSentence(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	p.Run("0", historytest.Passed("shop/checkout_test.x", "Checkout"))
	for i := range 3 {
		p.Run(fmt.Sprint(i), historytest.Failed("shop/billing_test.x", "Bill"))
	}
	p.Run("9", historytest.Failed("shop/checkout_test.x", "Checkout"))
	const want = "Recurring failures across sessions: billing_test.x. Recent regressions: checkout_test.x (was passing, now failing)."
	if got := note(p); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	c, err := Context(t.Context(), p.Keeper, p.Where())
	if err != nil || len(c.Recurring) != 1 || c.Recurring[0].File != "shop/billing_test.x" || c.Recurring[0].FailedSessions != 3 ||
		len(c.Regressions) != 1 || len(c.Regressions[0].Tests) != 1 || c.Regressions[0].Tests[0].Test != "Checkout" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestWithoutARecordThereIsNoNoteAndNoneIsMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := ledger.New(project.Config{Session: "now"})
	defer k.Close(t.Context())
	c, err := Context(t.Context(), k, api.Where{Dir: dir, Exact: true})
	if err != nil || c.Text != "" || c.Schema != api.ContextSchema {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestTheKeptNoteIsAlwaysCurrent(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	p.WriteFile("a_test.x", "x")
	const deferred, recurring = "", recursA
	steps := []struct {
		name string
		do   func()
		want string
	}{
		{"a pass", func() { p.Run("0", historytest.Passed("a_test.x", "A")) }, ""},
		{"a regression", func() { p.Run("1", historytest.Failed("a_test.x", "A")) }, regressed},
		{"a rerun that passes", func() { p.Run("1", historytest.Passed("a_test.x", "A")) }, ""},
		{"failures", func() {
			for _, s := range []string{"2", "3", "4"} {
				p.Run(s, historytest.Failed("a_test.x", "A"))
			}
		}, recurring},
		{"a deferral", func() { aside(p, "A") }, deferred},
		{"an edit", func() { p.WriteFile("a_test.x", "y") }, recurring},
		{"a run of another language", func() {
			p.RunAs(history.Run{SessionID: "5", Language: "y"}, historytest.Passed("b_test.y", "B"))
		}, recurring},
	}
	for _, step := range steps {
		step.do()
		for range 2 { // computed, then stored
			if got := note(p); got != step.want {
				t.Errorf("after %s: %q, want %q", step.name, got, step.want)
			}
		}
	}
	kept, ok := standing.ReadKeptSpots(t.Context(), p.Ledger)
	if !ok || len(kept.Languages) != 2 {
		t.Errorf("kept: %+v", kept)
	}
}

func TestTheEndOfARunKeepsItsNote(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	p.Run("0", historytest.Passed("a_test.x", "A"))
	run := p.Run("1", historytest.Failed("a_test.x", "A"))
	if _, err := standing.Entries(t.Context(), p.Ledger, run); err != nil {
		t.Fatal(err)
	}
	kept, ok := standing.ReadKeptSpots(t.Context(), p.Ledger)
	if !ok || kept.Order != run.Order || len(kept.Spots()) != 1 || len(kept.Languages) != 1 {
		t.Errorf("kept: %+v", kept)
	}
	if got := note(p); got != regressed {
		t.Errorf("got %q", got)
	}
}

func TestTheNoteSaysSinceWhenATestFails(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	p.WriteFile("shop/a_test.x", "A() B()")
	p.RunAs(history.Run{SessionID: "a", Fingerprint: "f"}, historytest.Passed("shop/a_test.x", "A"))
	p.RunAs(history.Run{SessionID: "b", Fingerprint: "f"}, historytest.Failed("shop/a_test.x", "A"))
	for want, text := range map[string]string{
		regressed + " Failing: A of a_test.x since run run0000002 of 2026-03-01 14:02 UTC, nothing had changed.": "A() B()",
		regressed + " Failing: A is not in a_test.x any more.":                                                   "B()",
	} {
		p.WriteFile("shop/a_test.x", text)
		c, err := Context(t.Context(), p.Keeper, p.Where())
		if err != nil || c.Text != want {
			t.Errorf("%q, %v; want %q", c.Text, err, want)
		}
	}
}
