package host

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
)

// unbuilt is the result of suite "s" where it does not build.
func unbuilt() history.Result {
	r := did("", "", history.Failed)
	r.Kind, r.Excerpt = "build", "undefined: y"
	return r
}

func TestWhyAndHistoryBeginWithWhatKeptATestFromRunning(t *testing.T) {
	whole := history.Run{SessionID: "now", Whole: true}
	broken := history.Run{SessionID: "now", Counts: record.Counts{BuildFailed: 1}, Whole: true}
	sound := did("", "", history.Passed)
	a, b := passed("a", "A"), passed("a", "B")
	for name, tc := range map[string]struct {
		later  func(p *past)
		reason string
	}{
		"it ran last":              {func(p *past) { p.runAs(whole, a, b) }, ""},
		"it vanished":              {func(p *past) { p.runAs(whole, b) }, record.Vanished},
		"a run of some tests":      {func(p *past) { p.run("now", b) }, ""},
		"its suite does not build": {func(p *past) { p.runAs(broken, unbuilt()) }, record.NotBuilt},
		"the run does not build":   {func(p *past) { r := unbuilt(); r.Suite = ""; p.runAs(broken, r) }, record.NotBuilt},
		"it builds again":          {func(p *past) { p.runAs(broken, unbuilt()); p.run("now", sound, b) }, ""},
		"it builds and ran":        {func(p *past) { p.runAs(broken, unbuilt()); p.run("now", sound, a) }, ""},
		"it was cut out then":      {func(p *past) { p.runAs(broken, unbuilt()); p.runAs(whole, sound, b) }, record.Vanished},
		"its suite is gone then":   {func(p *past) { p.runAs(broken, unbuilt()); p.runAs(whole, b) }, record.Vanished},
		"its suite exits":          {func(p *past) { r := unbuilt(); r.Kind = "exit"; p.run("now", r) }, ""},
		"a triage does not build":  {func(p *past) { p.runAs(history.Run{SessionID: "now", Kind: record.KindTriage}, unbuilt()) }, ""},
		"an import from before that": {func(p *past) {
			p.runAs(history.Run{SessionID: "import:x", Origin: "x", Whole: true, StartedAt: p.now.Add(-1e15)}, b)
		}, ""},
		"an ingested result, then gone": {func(p *past) {
			p.runAs(history.Run{SessionID: "ci", Kind: record.KindIngest, Origin: "f", Environment: "ci", StartedAt: p.now}, a)
			p.runAs(whole, b)
		}, record.Vanished},
		"another environment": {func(p *past) { w := whole; w.Environment = "other"; p.runAs(w, b) }, ""},
	} {
		p := newPast(t)
		first := whole
		first.Environment = "env"
		if name != "another environment" {
			first.Environment = ""
		}
		p.runAs(first, sound, a, b)
		tc.later(p)
		w, err := p.why("A")
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
		answer, err := p.host.History(t.Context(), HistoryRequest{Where: p.where(), Name: "A"})
		if err != nil || (answer.Message != "") != (got != "") {
			t.Errorf("%s: history says %q, %v", name, answer.Message, err)
		}
		lines := strings.Split(report.Why(w, report.Style{}), "\n")
		if said := strings.Contains(lines[1], "vanished") || strings.Contains(lines[1], "not build"); said != (got != "") {
			t.Errorf("%s: the first line is %q", name, lines[1])
		}
		if got == record.NotBuilt && !strings.Contains(lines[2], "undefined: y") {
			t.Errorf("%s: %q", name, lines[2])
		}
	}
}

// Where a test fails, its parts need not come up.
func TestAPartOfATestThatFailsHasNotVanished(t *testing.T) {
	p := newPast(t)
	whole := history.Run{SessionID: "now", Whole: true}
	p.runAs(whole, passed("a", "A"), part("A", "A/x", history.Passed))
	p.runAs(whole, failed("a", "A"))
	if w, err := p.why("A/x"); err != nil || w.Absence != nil {
		t.Errorf("%+v, %v", w.Absence, err)
	}
	p.runAs(whole, passed("a", "A"))
	if w, err := p.why("A/x"); err != nil || w.Absence == nil || w.Absence.Reason != record.Vanished {
		t.Errorf("%+v, %v", w.Absence, err)
	}
}
