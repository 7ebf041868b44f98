package standing

import (
	"fmt"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/sdk"
)

func TestStandingsAreThoseOfTheSessionAndOrderAskedFor(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	good := p.Run("a", historytest.Passed("f", "A"), historytest.Passed("f", "B"))
	bad := p.Run("b", historytest.Failed("f", "A"), historytest.Passed("f", "B"))
	p.Run("b", historytest.Passed("f", "A"), historytest.Failed("f", "B"))
	tests := []sdk.TestID{historytest.Key("A").TestID, historytest.Key("B").TestID, {Suite: "s", Test: "unknown"}}
	for _, c := range []struct {
		session string
		before  int64
		a, b    api.Classification
	}{
		{"b", 0, api.Fixed, api.Regression},
		{"b", bad.Order + 1, api.Regression, api.Steady},
		{"a", 0, api.Gap, api.Gap},
		{"a", good.Order, "", ""},
	} {
		got, err := Standings(t.Context(), p.Ledger, "x", tests, c.session, c.before)
		if err != nil {
			t.Fatal(err)
		}
		a, b := got[tests[0]].Classification, got[tests[1]].Classification
		if a != c.a || b != c.b {
			t.Errorf("session %s before %d: A is %q, B is %q; want %q, %q", c.session, c.before, a, b, c.a, c.b)
		}
		if _, ok := got[tests[2]]; ok {
			t.Error("a test that is not on record has a standing")
		}
	}
}

func TestAStandingSaysHowLongAgoTheLastPassWas(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	good := p.Run("a", historytest.Passed("f", "A"))
	p.Run("b", historytest.Failed("f", "A"))
	got, err := Standings(t.Context(), p.Ledger, "x", []sdk.TestID{historytest.Key("A").TestID}, "b", 0)
	if err != nil {
		t.Fatal(err)
	}
	last := got[historytest.Key("A").TestID].LastPassed
	if last == nil || last.RunID != good.ID || last.AgeS != p.Now.Sub(good.StartedAt).Seconds() {
		t.Errorf("last passed: %+v", last)
	}
}

func TestADeferredTestStandsAsDeferred(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	p.Run("a", historytest.Failed("f", "A"))
	if err := p.History.Defer(t.Context(), history.Deferral{TestKey: historytest.Key("A"), SessionID: "a", At: p.Now, Reason: "later"}); err != nil {
		t.Fatal(err)
	}
	got, err := Standings(t.Context(), p.Ledger, "x", []sdk.TestID{historytest.Key("A").TestID}, "a", 0)
	if err != nil || got[historytest.Key("A").TestID].Resolution != api.StatusDeferred {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestEditsBetweenFailuresAreCounted(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	state := func(hashes ...byte) string {
		s := fingerprint.State{Kind: "walk"}
		for i, h := range hashes {
			s.Files = append(s.Files, fingerprint.File{Path: fmt.Sprintf("f%d", i), Hash: fingerprint.Hash{h}})
		}
		s.ID = fingerprint.Identify(s.Files)
		if err := p.History.SaveState(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		return s.ID
	}
	one, two, three := state(1, 1, 1), state(1, 2, 2), state(1, 2, 3)
	for _, id := range []string{one, two, two, three} {
		p.RunAs(history.Run{SessionID: "a", Fingerprint: id}, historytest.Failed("f", "A"))
	}
	got, err := Standings(t.Context(), p.Ledger, "x", []sdk.TestID{historytest.Key("A").TestID}, "a", 0)
	if err != nil {
		t.Fatal(err)
	}
	if same := got[historytest.Key("A").TestID].SameFailure; same == nil || same.Run != 4 || same.Edits != 3 {
		t.Errorf("same failure: %+v, want the 4th run, 3 edits", same)
	}
	p.RunAs(history.Run{SessionID: "a", Fingerprint: "not on record"}, historytest.Failed("f", "A"))
	got, err = Standings(t.Context(), p.Ledger, "x", []sdk.TestID{historytest.Key("A").TestID}, "a", 0)
	if same := got[historytest.Key("A").TestID].SameFailure; err != nil || same == nil || same.Edits != -1 {
		t.Errorf("same failure: %+v, %v; want edits that are not known", same, err)
	}
}

func TestManyTestsHaveTheirStandings(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	var results []history.Result
	var tests []sdk.TestID
	for i := range 2*maxTimelines + 1 {
		r := historytest.Failed("f", fmt.Sprintf("T%d", i))
		results, tests = append(results, r), append(tests, r.TestID)
	}
	p.Run("a", results...)
	got, err := Standings(t.Context(), p.Ledger, "x", tests, "a", 0)
	if err != nil || len(got) != len(tests) {
		t.Errorf("%d standings of %d, %v", len(got), len(tests), err)
	}
}

// A compile error is of no suite: a red run that is built says nothing of it.
func TestAnotherErrorOfARunIsNew(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	broken := func(message string) (api.Failure, history.Result) {
		f := api.Failure{Failure: sdk.Failure{Kind: sdk.KindBuild, Message: message}}
		return f, history.Result{Outcome: history.Failed, Kind: f.Kind, Signature: classify.Signature(f), Excerpt: message}
	}
	other, first := broken("undeclared identifier")
	this, second := broken("expected ';' but got '}'")
	p.Run("a", first)
	for _, tc := range []struct {
		f    api.Failure
		r    history.Result
		want int
	}{{this, second, 1}, {this, second, 2}, {other, first, 1}} {
		p.Run("a", historytest.Failed("f", "A"))
		row := p.Run("a", tc.r)
		run := api.Run{RunID: row.ID, Kind: row.Kind, Language: "x", Failures: []api.Failure{tc.f}}
		if err := Annotate(t.Context(), p.Ledger, &run, row); err != nil || run.Failures[0].Standing == nil {
			t.Fatalf("%v, %+v", err, run.Failures[0])
		}
		s := run.Failures[0].Standing
		if got := s.FailedRuns; got != tc.want {
			t.Errorf("%s has failed %d runs, want %d", tc.f.Message, got, tc.want)
		}
	}
}
