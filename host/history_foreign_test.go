package host

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// ingested puts a run on record that was made elsewhere.
func (p *past) ingested(session string, results ...history.Result) history.Run {
	p.t.Helper()
	return p.runAs(history.Run{SessionID: session, Kind: record.KindIngest, Origin: "ci.json", Whole: true}, results...)
}

// imported is another kind of such a run.
func (p *past) imported(session string, results ...history.Result) history.Run {
	p.t.Helper()
	return p.runAs(history.Run{SessionID: history.ImportedSession + session, Origin: "x.tar.gz", Whole: true}, results...)
}

func TestTheNoteSpeaksOfOurOwnRunsOnly(t *testing.T) {
	t.Parallel()
	good, bad := passed("p/a_test.x", "A"), failed("p/a_test.x", "A")
	for name, c := range map[string]struct {
		do   func(p *past)
		want string
	}{
		"failures elsewhere":         {func(p *past) { p.ingested("1", bad); p.ingested("2", bad); p.imported("3", bad) }, ""},
		"failures elsewhere, passed": {func(p *past) { p.run("a", good); p.ingested("1", bad); p.imported("3", bad) }, ""},
		"two here, one elsewhere":    {func(p *past) { p.run("a", bad); p.run("b", bad); p.imported("c", bad) }, ""},
		"passes elsewhere": {func(p *past) {
			for _, s := range "abc" {
				p.run(string(s), bad)
				p.ingested("i"+string(s), good)
				p.imported("j"+string(s), good)
			}
		}, recursA},
		"a pass elsewhere after a regression": {func(p *past) { p.run("a", good); p.run("b", bad); p.imported("c", good) }, regressed},
		"seen first elsewhere":                {func(p *past) { p.ingested("ci", good); p.imported("c", good); p.run("a", bad) }, ""},
		"a run of all tests elsewhere": {func(p *past) {
			p.run("a", good)
			p.run("b", bad)
			p.imported("c", passed("q", "Q"))
			p.ingested("d", passed("q", "Q"))
		}, regressed},
		"behind a thousand failures elsewhere": {func(p *past) {
			p.run("a", good)
			p.run("b", bad)
			var others []history.Result
			for i := range 400 {
				others = append(others, failed(fmt.Sprintf("q%d", i/5), fmt.Sprintf("Q%d", i)))
			}
			p.imported("c", others...)
		}, regressed},
		"behind many runs elsewhere": {func(p *past) {
			p.run("a", good)
			p.run("b", bad)
			var others []history.Result
			for i := range usualExtent().full {
				others = append(others, failed(fmt.Sprint("new", i), fmt.Sprint("New", i)))
			}
			p.run("b", others...)
			for range usualExtent().points + 2 {
				p.ingested("ci", good)
			}
		}, regressed},
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

func TestARunMadeElsewhereLeavesTheKeptNoteAndWritesNoEntries(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	good, bad := passed("a_test.x", "A"), failed("a_test.x", "A")
	p.run("0", good)
	own := p.run("1", bad)
	if _, err := p.entries(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	before, _ := p.keptSpots(t.Context())
	for _, run := range []history.Run{p.ingested("ci", good), p.imported("x", good)} {
		entries, err := p.entries(t.Context(), run)
		if err != nil || len(entries) != 0 {
			t.Errorf("%+v, %v", entries, err)
		}
		if got := p.note(); got != regressed {
			t.Errorf("the note: %q", got)
		}
		if kept, ok := p.keptSpots(t.Context()); !ok || kept.Order != before.Order {
			t.Errorf("kept: %+v", kept)
		}
	}
	if got := p.entriesAfter(p.run("2", bad))["a_test.x"]; got != "failing unresolved" {
		t.Errorf("the next entry: %q", got)
	}
	p.ingested("ci", passed("b_test.x", "B"))
	if got := p.entriesAfter(p.run("3", failed("b_test.x", "B")))["b_test.x"]; got != "gap unresolved" {
		t.Errorf("seen only elsewhere: %q", got)
	}
}

func TestOnlyOurOwnRunInTheSameSettingTellsThatATestIsGone(t *testing.T) {
	t.Parallel()
	other := passed("q", "Q")
	for name, c := range map[string]struct {
		run  history.Run
		gone bool
	}{
		"the same":                      {history.Run{Environment: history.EnvironmentOf("s", "v")}, true},
		"other variables":               {history.Run{Environment: history.EnvironmentOf("s", "w")}, true},
		"other arguments":               {history.Run{Environment: history.EnvironmentOf("t", "v")}, false},
		"nobody knows":                  {history.Run{}, false},
		"an import":                     {history.Run{Environment: history.EnvironmentOf("s", "v"), SessionID: history.ImportedSession + "x", Origin: "x.tgz"}, false},
		"a recorded output":             {history.Run{Environment: history.EnvironmentOf("s", "v"), Kind: record.KindIngest, Origin: "ci.json"}, false},
		"one that did not get that far": {history.Run{Environment: history.EnvironmentOf("s", "v"), Counts: record.Counts{BuildFailed: 1}}, false},
	} {
		p := newPast(t)
		for _, s := range "abc" {
			p.runAs(history.Run{SessionID: string(s), Environment: history.EnvironmentOf("s", "v")}, failed("p/a_test.x", "A"), other)
		}
		c.run.Whole = true
		if c.run.SessionID == "" {
			c.run.SessionID = "d"
		}
		p.runAs(c.run, other)
		note, list := p.note(), testNames(p.ask(HistoryRequest{}).Tests)
		if (note == "") != c.gone || note != "" && note != recursA {
			t.Errorf("%s: the note: %q", name, note)
		}
		if slices.Contains(list, "A") == c.gone {
			t.Errorf("%s: listed: %v", name, list)
		}
	}
}

func TestSessionsThatMeetAreToldOfEachOther(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	good, bad := passed("f", "A"), failed("f", "A")
	p.run("a", good)
	p.run("b", bad)
	last := p.run("a", good)
	if got := p.ask(HistoryRequest{Classification: record.Fixed}).Tests; len(got) != 1 || got[0].Pattern != "PFP" {
		t.Errorf("%+v", got)
	}
	if got := p.entriesAfter(last)["f"]; got != "fixed fixed" {
		t.Errorf("the file: %q", got)
	}
}

func TestTheNoteNamesNoFileThatCouldBeAnother(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.run("a", passed("p/a_test.x", "A"), passed("q/a_test.x", "B"))
	p.run("b", failed("p/a_test.x", "A"))
	if got := p.note(); !strings.Contains(got, ": p/a_test.x (") {
		t.Errorf("%s", got)
	}
}

// What is shown does not depend on how many tests there are to look at.
func TestAListKnowsOldSessionsOfWhatItShows(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	var results []history.Result
	for i := range fullTests + 5 {
		results = append(results, failed("f", fmt.Sprintf("Filler%d", i)))
	}
	old := append([]history.Result{failed("f", "Old")}, results...)
	for _, s := range "abc" {
		p.run(string(s), old...)
	}
	for range 2 * leastPoints {
		p.run("d", passed("f", "Old"))
	}
	for _, req := range []HistoryRequest{{Limit: 500}, {Recurring: true, Limit: 500}} {
		for _, one := range p.ask(req).Tests {
			if !one.Recurring || one.FailedSessions != 3 {
				t.Errorf("%s: recurring %t, %d sessions", one.Test, one.Recurring, one.FailedSessions)
			}
		}
		if names := testNames(p.ask(req).Tests); !slices.Contains(names, "Old") || len(names) != len(old) {
			t.Errorf("%v", names)
		}
	}
	if got := p.ask(HistoryRequest{Flaky: true}).Message; got != "no test on record is flaky" {
		t.Errorf("%q", got)
	}
}
