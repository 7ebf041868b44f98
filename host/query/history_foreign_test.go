package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/standing"
)

// ingested records a run that was made elsewhere.
func ingested(p *ledgertest.Workspace, session string, results ...history.Result) history.Run {
	p.T.Helper()
	return p.RunAs(history.Run{SessionID: session, Kind: api.KindIngest, Origin: "ci.json", Whole: true}, results...)
}

// imported is another kind of such a run.
func imported(p *ledgertest.Workspace, session string, results ...history.Result) history.Run {
	p.T.Helper()
	return p.RunAs(history.Run{SessionID: history.ImportedSession + session, Origin: "x.tar.gz", Whole: true}, results...)
}

func TestTheNoteCoversOwnRunsOnly(t *testing.T) {
	t.Parallel()
	good, bad := historytest.Passed("p/a_test.x", "A"), historytest.Failed("p/a_test.x", "A")
	for name, c := range map[string]struct {
		do   func(p *ledgertest.Workspace)
		want string
	}{
		"failures elsewhere":         {func(p *ledgertest.Workspace) { ingested(p, "1", bad); ingested(p, "2", bad); imported(p, "3", bad) }, ""},
		"failures elsewhere, passed": {func(p *ledgertest.Workspace) { p.Run("a", good); ingested(p, "1", bad); imported(p, "3", bad) }, ""},
		"two here, one elsewhere":    {func(p *ledgertest.Workspace) { p.Run("a", bad); p.Run("b", bad); imported(p, "c", bad) }, ""},
		"passes elsewhere": {func(p *ledgertest.Workspace) {
			for _, s := range "abc" {
				p.Run(string(s), bad)
				ingested(p, "i"+string(s), good)
				imported(p, "j"+string(s), good)
			}
		}, recursA},
		"a pass elsewhere after a regression": {func(p *ledgertest.Workspace) { p.Run("a", good); p.Run("b", bad); imported(p, "c", good) }, regressed},
		"seen first elsewhere":                {func(p *ledgertest.Workspace) { ingested(p, "ci", good); imported(p, "c", good); p.Run("a", bad) }, ""},
		"a run of all tests elsewhere": {func(p *ledgertest.Workspace) {
			p.Run("a", good)
			p.Run("b", bad)
			imported(p, "c", historytest.Passed("q", "Q"))
			ingested(p, "d", historytest.Passed("q", "Q"))
		}, regressed},
		"behind a thousand failures elsewhere": {func(p *ledgertest.Workspace) {
			p.Run("a", good)
			p.Run("b", bad)
			var others []history.Result
			for i := range 400 {
				others = append(others, historytest.Failed(fmt.Sprintf("q%d", i/5), fmt.Sprintf("Q%d", i)))
			}
			imported(p, "c", others...)
		}, regressed},
		"behind many runs elsewhere": {func(p *ledgertest.Workspace) {
			p.Run("a", good)
			p.Run("b", bad)
			var others []history.Result
			for i := range standing.UsualExtent().Full {
				others = append(others, historytest.Failed(fmt.Sprint("new", i), fmt.Sprint("New", i)))
			}
			p.Run("b", others...)
			for range standing.UsualExtent().Points + 2 {
				ingested(p, "ci", good)
			}
		}, regressed},
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

func TestARunMadeElsewhereLeavesTheKeptNoteAndWritesNoEntries(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	good, bad := historytest.Passed("a_test.x", "A"), historytest.Failed("a_test.x", "A")
	p.Run("0", good)
	own := p.Run("1", bad)
	if _, err := standing.Entries(t.Context(), p.Ledger, own); err != nil {
		t.Fatal(err)
	}
	before, _ := standing.ReadKeptSpots(t.Context(), p.Ledger)
	for _, run := range []history.Run{ingested(p, "ci", good), imported(p, "x", good)} {
		entries, err := standing.Entries(t.Context(), p.Ledger, run)
		if err != nil || len(entries) != 0 {
			t.Errorf("%+v, %v", entries, err)
		}
		if got := note(p); got != regressed {
			t.Errorf("the note: %q", got)
		}
		if kept, ok := standing.ReadKeptSpots(t.Context(), p.Ledger); !ok || kept.Order != before.Order {
			t.Errorf("kept: %+v", kept)
		}
	}
	if got := entriesAfter(p, p.Run("2", bad))["a_test.x"]; got != "failing unresolved" {
		t.Errorf("the next entry: %q", got)
	}
	ingested(p, "ci", historytest.Passed("b_test.x", "B"))
	if got := entriesAfter(p, p.Run("3", historytest.Failed("b_test.x", "B")))["b_test.x"]; got != "gap unresolved" {
		t.Errorf("seen only elsewhere: %q", got)
	}
}

func TestOnlyOurOwnRunInTheSameSettingTellsThatATestIsGone(t *testing.T) {
	t.Parallel()
	other := historytest.Passed("q", "Q")
	for name, c := range map[string]struct {
		run  history.Run
		gone bool
	}{
		"the same":                      {history.Run{Environment: history.ShortOf("s")}, true},
		"another time-out":              {history.Run{Environment: "s"}, true},
		"other arguments":               {history.Run{Environment: history.ShortOf("t")}, false},
		"nobody knows":                  {history.Run{}, false},
		"an import":                     {history.Run{Environment: history.ShortOf("s"), SessionID: history.ImportedSession + "x", Origin: "x.tgz"}, false},
		"a recorded output":             {history.Run{Environment: history.ShortOf("s"), Kind: api.KindIngest, Origin: "ci.json"}, false},
		"one that did not get that far": {history.Run{Environment: history.ShortOf("s"), Counts: api.Counts{BuildFailed: 1}}, false},
	} {
		p := ledgertest.New(t)
		for _, s := range "abc" {
			p.RunAs(history.Run{SessionID: string(s), Environment: history.ShortOf("s")}, historytest.Failed("p/a_test.x", "A"), other)
		}
		c.run.Whole = true
		if c.run.SessionID == "" {
			c.run.SessionID = "d"
		}
		p.RunAs(c.run, other)
		note, list := note(p), testNames(ask(p, api.HistoryRequest{}).Tests)
		if (note == "") != c.gone || note != "" && note != recursA {
			t.Errorf("%s: the note: %q", name, note)
		}
		if slices.Contains(list, "A") == c.gone {
			t.Errorf("%s: listed: %v", name, list)
		}
	}
}

func TestConcurrentSessionsKnowOfEachOther(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	good, bad := historytest.Passed("f", "A"), historytest.Failed("f", "A")
	p.Run("a", good)
	p.Run("b", bad)
	last := p.Run("a", good)
	if got := ask(p, api.HistoryRequest{Classification: api.Fixed}).Tests; len(got) != 1 || got[0].Pattern != "PFP" {
		t.Errorf("%+v", got)
	}
	if got := entriesAfter(p, last)["f"]; got != "fixed fixed" {
		t.Errorf("the file: %q", got)
	}
}

func TestTheNoteNamesNoFileThatCouldBeAnother(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	p.Run("a", historytest.Passed("p/a_test.x", "A"), historytest.Passed("q/a_test.x", "B"))
	p.Run("b", historytest.Failed("p/a_test.x", "A"))
	if got := note(p); !strings.Contains(got, ": p/a_test.x (") {
		t.Errorf("%s", got)
	}
}

// The answer does not depend on how many tests are examined.
func TestAListKnowsOldSessionsOfWhatItShows(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	var results []history.Result
	for i := range fullTests + 5 {
		results = append(results, historytest.Failed("f", fmt.Sprintf("Filler%d", i)))
	}
	old := append([]history.Result{historytest.Failed("f", "Old")}, results...)
	for _, s := range "abc" {
		p.Run(string(s), old...)
	}
	for range 2 * standing.LeastPoints {
		p.Run("d", historytest.Passed("f", "Old"))
	}
	for _, req := range []api.HistoryRequest{{Limit: 500}, {Recurring: true, Limit: 500}} {
		for _, one := range ask(p, req).Tests {
			if !one.Recurring || one.FailedSessions != 3 {
				t.Errorf("%s: recurring %t, %d sessions", one.Test, one.Recurring, one.FailedSessions)
			}
		}
		if names := testNames(ask(p, req).Tests); !slices.Contains(names, "Old") || len(names) != len(old) {
			t.Errorf("%v", names)
		}
	}
	if got := ask(p, api.HistoryRequest{Flaky: true}).Message; got != "no test on record is flaky" {
		t.Errorf("%q", got)
	}
}
