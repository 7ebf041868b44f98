package query

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/render"
)

// unbuilt is the result of suite "s" where it does not build.
func unbuilt() history.Result {
	r := historytest.Did("", "", history.Failed)
	r.Kind, r.Excerpt = "build", "undefined: y"
	return r
}

func TestWhyAndHistoryBeginWithWhatKeptATestFromRunning(t *testing.T) {
	whole := history.Run{SessionID: "now", Whole: true}
	broken := history.Run{SessionID: "now", Counts: api.Counts{BuildFailed: 1}, Whole: true}
	sound := historytest.Did("", "", history.Passed)
	a, b := historytest.Passed("a", "A"), historytest.Passed("a", "B")
	for name, tc := range map[string]struct {
		later  func(p *ledgertest.Workspace)
		reason string
	}{
		"it ran last":              {func(p *ledgertest.Workspace) { p.RunAs(whole, a, b) }, ""},
		"it vanished":              {func(p *ledgertest.Workspace) { p.RunAs(whole, b) }, api.Vanished},
		"a run of some tests":      {func(p *ledgertest.Workspace) { p.Run("now", b) }, ""},
		"its suite does not build": {func(p *ledgertest.Workspace) { p.RunAs(broken, unbuilt()) }, api.NotBuilt},
		"the run does not build":   {func(p *ledgertest.Workspace) { r := unbuilt(); r.Suite = ""; p.RunAs(broken, r) }, api.NotBuilt},
		"it builds again":          {func(p *ledgertest.Workspace) { p.RunAs(broken, unbuilt()); p.Run("now", sound, b) }, ""},
		"it builds and ran":        {func(p *ledgertest.Workspace) { p.RunAs(broken, unbuilt()); p.Run("now", sound, a) }, ""},
		"it was cut out then":      {func(p *ledgertest.Workspace) { p.RunAs(broken, unbuilt()); p.RunAs(whole, sound, b) }, api.Vanished},
		"its suite is gone then":   {func(p *ledgertest.Workspace) { p.RunAs(broken, unbuilt()); p.RunAs(whole, b) }, api.Vanished},
		"its suite exits":          {func(p *ledgertest.Workspace) { r := unbuilt(); r.Kind = "exit"; p.Run("now", r) }, ""},
		"a triage does not build":  {func(p *ledgertest.Workspace) { p.RunAs(history.Run{SessionID: "now", Kind: api.KindTriage}, unbuilt()) }, ""},
		"an import from before that": {func(p *ledgertest.Workspace) {
			p.RunAs(history.Run{SessionID: "import:x", Origin: "x", Whole: true, StartedAt: p.Now.Add(-1e15)}, b)
		}, ""},
		"an ingested result, then gone": {func(p *ledgertest.Workspace) {
			p.RunAs(history.Run{SessionID: "ci", Kind: api.KindIngest, Origin: "f", Environment: "ci", StartedAt: p.Now}, a)
			p.RunAs(whole, b)
		}, api.Vanished},
		"another environment": {func(p *ledgertest.Workspace) { w := whole; w.Environment = "other"; p.RunAs(w, b) }, ""},
	} {
		p := ledgertest.New(t)
		first := whole
		first.Environment = "env"
		if name != "another environment" {
			first.Environment = ""
		}
		p.RunAs(first, sound, a, b)
		tc.later(p)
		w, err := why(p, "A")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if w.Absence != nil {
			got = w.Absence.Reason
		}
		if got != tc.reason {
			t.Errorf("%s: %q, want %q", name, got, tc.reason)
			continue
		}
		answer, err := History(t.Context(), p.Keeper, api.HistoryRequest{Where: p.Where(), Name: "A"})
		if err != nil || (answer.Message != "") != (got != "") {
			t.Errorf("%s: history says %q, %v", name, answer.Message, err)
		}
		lines := strings.Split(render.Why(w, render.Style{}), "\n")
		if said := strings.Contains(lines[1], "vanished") || strings.Contains(lines[1], "not build"); said != (got != "") {
			t.Errorf("%s: the first line is %q", name, lines[1])
		}
		if got == api.NotBuilt && !strings.Contains(lines[2], "undefined: y") {
			t.Errorf("%s: %q", name, lines[2])
		}
	}
}

// Where a test fails, its parts need not come up.
func TestAPartOfATestThatFailsHasNotVanished(t *testing.T) {
	p := ledgertest.New(t)
	whole := history.Run{SessionID: "now", Whole: true}
	p.RunAs(whole, historytest.Passed("a", "A"), historytest.Part("A", "A/x", history.Passed))
	p.RunAs(whole, historytest.Failed("a", "A"))
	if w, err := why(p, "A/x"); err != nil || w.Absence != nil {
		t.Errorf("%+v, %v", w.Absence, err)
	}
	p.RunAs(whole, historytest.Passed("a", "A"))
	if w, err := why(p, "A/x"); err != nil || w.Absence == nil || w.Absence.Reason != api.Vanished {
		t.Errorf("%+v, %v", w.Absence, err)
	}
}
