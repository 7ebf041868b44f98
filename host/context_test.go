package host

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// note is the text of the context up to what it says of single tests, and fails if that
// fails.
func (p *past) note() string {
	p.t.Helper()
	c, err := p.host.Context(p.t.Context(), p.where())
	if err != nil {
		p.t.Fatal(err)
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
	good, bad := passed("p/a_test.x", "A"), failed("p/a_test.x", "A")
	other := failed("p/a_test.x", "B")
	type runs = func(p *past)
	sessions := func(p *past, names string, r ...history.Result) {
		for _, s := range names {
			p.run(string(s), r...)
		}
	}
	for name, c := range map[string]struct {
		do   runs
		want string
	}{
		"nothing on record":            {func(p *past) {}, ""},
		"it always passed":             {func(p *past) { sessions(p, "abc", good) }, ""},
		"new and failing":              {func(p *past) { sessions(p, "a", bad) }, ""},
		"failing in two sessions":      {func(p *past) { sessions(p, "ab", bad) }, ""},
		"failing in three sessions":    {func(p *past) { sessions(p, "abc", bad) }, recursA},
		"ten times in one session":     {func(p *past) { sessions(p, "aaaaaaaaaa", bad) }, ""},
		"fixed within each session":    {func(p *past) { sessions(p, "abc", bad); sessions(p, "abc", good) }, ""},
		"other tests of the same file": {func(p *past) { sessions(p, "ab", bad); sessions(p, "c", good, other) }, recursA},
		"recovered":                    {func(p *past) { sessions(p, "abcdef", bad); sessions(p, "ghi", good) }, ""},
		"not yet recovered":            {func(p *past) { sessions(p, "abc", bad); sessions(p, "gh", good) }, recursA},
		"regressed":                    {func(p *past) { sessions(p, "a", good); sessions(p, "b", bad) }, regressed},
		"regressed after a fix":        {func(p *past) { sessions(p, "a", bad, good); sessions(p, "a", good); sessions(p, "b", bad) }, regressed},
		"regressed, left so":           {func(p *past) { sessions(p, "a", good); sessions(p, "bc", bad) }, regressed},
		"regressed, and mended":        {func(p *past) { sessions(p, "a", good); sessions(p, "b", bad); sessions(p, "b", good) }, ""},
		"regressed, mended later":      {func(p *past) { sessions(p, "a", good); sessions(p, "b", bad); sessions(p, "c", good) }, ""},
		"regressed long ago":           {func(p *past) { sessions(p, "a", good); sessions(p, "bcd", bad) }, recursA},
		"both":                         {func(p *past) { sessions(p, "abc", bad); sessions(p, "d", good); sessions(p, "e", bad) }, recursA + " " + regressed},
		"a new test of an old file":    {func(p *past) { sessions(p, "a", passed("p/a_test.x", "Old")); sessions(p, "b", bad) }, regressed},
		"set aside":                    {func(p *past) { p.writeFile("p/a_test.x", "x"); sessions(p, "abc", bad); p.aside("A") }, ""},
		"set aside, and then edited": {func(p *past) {
			p.writeFile("p/a_test.x", "x")
			sessions(p, "abc", bad)
			p.aside("A")
			p.writeFile("p/a_test.x", "y")
		}, recursA},
		"one of two set aside": {func(p *past) { sessions(p, "abc", bad, other); p.aside("A") }, recursA},
		"only on other sources": {func(p *past) {
			sessions(p, "a", good)
			p.runAs(history.Run{SessionID: "b", Kind: record.KindTriage}, bad)
		}, ""},
		"the test was deleted": {func(p *past) {
			sessions(p, "abc", bad)
			p.runAs(history.Run{SessionID: "d", Whole: true}, passed("p/a_test.x", "Old"))
		}, ""},
		"flaky": {func(p *past) {
			for session, r := range []history.Result{good, bad} {
				p.runAs(history.Run{SessionID: fmt.Sprint(session), Fingerprint: "f", Environment: "e"}, r)
			}
		}, "Flaky: a_test.x (A)."},
		"only other tests of it ran since": {func(p *past) {
			sessions(p, "a", good)
			sessions(p, "b", bad)
			sessions(p, "cde", passed("p/a_test.x", "Other"))
		}, regressed},
		"a run that got nowhere": {func(p *past) {
			sessions(p, "abc", bad)
			p.runAs(history.Run{SessionID: "d", Whole: true, Counts: record.Counts{BuildFailed: 1}}, passed("q", "Q"))
		}, recursA},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPast(t)
			c.do(p)
			if got := p.note(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestTheNoteIsTheSeedsSentence(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.run("0", passed("shop/checkout_test.x", "Checkout"))
	for i := range 3 {
		p.run(fmt.Sprint(i), failed("shop/billing_test.x", "Bill"))
	}
	p.run("9", failed("shop/checkout_test.x", "Checkout"))
	const want = "Recurring failures across sessions: billing_test.x. Recent regressions: checkout_test.x (was passing, now failing)."
	if got := p.note(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	c, err := p.host.Context(t.Context(), p.where())
	if err != nil || len(c.Recurring) != 1 || c.Recurring[0].File != "shop/billing_test.x" || c.Recurring[0].FailedSessions != 3 ||
		len(c.Regressions) != 1 || len(c.Regressions[0].Tests) != 1 || c.Regressions[0].Tests[0].Test != "Checkout" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestWithoutARecordThereIsNoNoteAndNoneIsMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := New(Config{Session: "now"})
	defer h.Close(t.Context())
	c, err := h.Context(t.Context(), Where{Dir: dir, Exact: true})
	if err != nil || c.Text != "" || c.Schema != record.ContextSchema {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestANoteThatWasKeptIsThatOfNow(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.writeFile("a_test.x", "x")
	const deferred, recurring = "", recursA
	steps := []struct {
		name string
		do   func()
		want string
	}{
		{"a pass", func() { p.run("0", passed("a_test.x", "A")) }, ""},
		{"a regression", func() { p.run("1", failed("a_test.x", "A")) }, regressed},
		{"a rerun that passes", func() { p.run("1", passed("a_test.x", "A")) }, ""},
		{"failures", func() {
			for _, s := range []string{"2", "3", "4"} {
				p.run(s, failed("a_test.x", "A"))
			}
		}, recurring},
		{"a deferral", func() { p.aside("A") }, deferred},
		{"an edit", func() { p.writeFile("a_test.x", "y") }, recurring},
		{"a run of another language", func() {
			p.runAs(history.Run{SessionID: "5", Language: "y"}, passed("b_test.y", "B"))
		}, recurring},
	}
	for _, step := range steps {
		step.do()
		for range 2 { // found, and kept
			if got := p.note(); got != step.want {
				t.Errorf("after %s: %q, want %q", step.name, got, step.want)
			}
		}
	}
	kept, ok := p.keptSpots(t.Context())
	if !ok || len(kept.Languages) != 2 {
		t.Errorf("kept: %+v", kept)
	}
}

func TestTheEndOfARunKeepsItsNote(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.run("0", passed("a_test.x", "A"))
	run := p.run("1", failed("a_test.x", "A"))
	if _, err := p.entries(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	kept, ok := p.keptSpots(t.Context())
	if !ok || kept.Order != run.Order || len(kept.spots()) != 1 || len(kept.Languages) != 1 {
		t.Errorf("kept: %+v", kept)
	}
	if got := p.note(); got != regressed {
		t.Errorf("got %q", got)
	}
}

func TestTheNoteTellsSinceWhenATestFails(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.writeFile("shop/a_test.x", "A() B()")
	p.runAs(history.Run{SessionID: "a", Fingerprint: "f"}, passed("shop/a_test.x", "A"))
	p.runAs(history.Run{SessionID: "b", Fingerprint: "f"}, failed("shop/a_test.x", "A"))
	for want, text := range map[string]string{
		regressed + " Failing: A of a_test.x since run run0000002 of 2026-03-01 14:02 UTC, nothing had changed.": "A() B()",
		regressed + " Failing: A is not in a_test.x any more.":                                                   "B()",
	} {
		p.writeFile("shop/a_test.x", text)
		c, err := p.host.Context(t.Context(), p.where())
		if err != nil || c.Text != want {
			t.Errorf("%q, %v; want %q", c.Text, err, want)
		}
	}
}
