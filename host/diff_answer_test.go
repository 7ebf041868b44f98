package host

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
)

func TestADifferenceNamesTheFilesThatDiffer(t *testing.T) {
	p := newPast(t)
	ok := passed("a", "A")
	p.writeFile("a.x", "1")
	p.writeFile("sub/b.x", "1")
	one := p.snap()
	p.writeFile("a.x", "2")
	p.writeFile("c.x", "new")
	two := p.snap()
	p.runAs(history.Run{SessionID: "now", Fingerprint: one}, ok)
	p.runAs(history.Run{SessionID: "now", Fingerprint: two}, ok)
	p.runAs(history.Run{SessionID: "now", Fingerprint: two}, ok)
	p.runAs(history.Run{SessionID: "now"}, ok)
	p.runAs(history.Run{SessionID: "now", Fingerprint: "feedfeedfeedfeedfeedfeed"}, ok)
	for _, tc := range []struct{ before, now, want string }{
		{"run0000001", "run0000002", "true 2 [{a.x modified} {c.x added}] "},
		{"run0000002", "run0000001", "true 2 [{a.x modified} {c.x deleted}] "},
		{"run0000002", "run0000003", "true 0 [] "},
		{"run0000003", "run0000004", "false 0 [] the state of the sources is not known of both runs"},
		{"run0000003", "run0000005", "false 0 [] the source state feedfeedfeedfeedfeedfeed is not on record any more"},
	} {
		d, err := p.host.Diff(t.Context(), DiffRequest{Where: p.where(), Before: tc.before, Now: tc.now})
		s := d.Sources
		if got := fmt.Sprintf("%t %d %v %s", s.Known, s.Total, s.Files, s.Why); err != nil || got != tc.want {
			t.Errorf("%s %s: %s, %v; want %s", tc.before, tc.now, got, err, tc.want)
		}
	}
}

func TestALongListIsBoundedAndCounted(t *testing.T) {
	p := newPast(t)
	var before, now []history.Result
	const tests = record.MaxNames + 50
	for i := range tests {
		before = append(before, passed("a", fmt.Sprintf("T%05d", i)))
		now = append(now, failed("a", fmt.Sprintf("T%05d", i)))
	}
	p.run("now", before...)
	p.run("now", now...)
	d, err := p.host.Diff(t.Context(), DiffRequest{Where: p.where()})
	if err != nil || len(d.NewFailures) != record.MaxNames || d.Counts.NewFailures != tests || d.NewFailures[0].Test != "T00000" {
		t.Errorf("%d of %d, %v", len(d.NewFailures), d.Counts.NewFailures, err)
	}
}

func TestADifferenceSaysHowTheTestsStand(t *testing.T) {
	p := newPast(t)
	for _, session := range []string{"one", "two"} {
		p.run(session, failed("a", "Old"), failed("a", "Fixed"))
	}
	state := history.Run{SessionID: "now", Fingerprint: "f", Environment: "e"}
	p.runAs(state, failed("a", "Old"), failed("a", "Fixed"), passed("a", "Flaky"))
	p.runAs(state, failed("a", "Old"), passed("a", "Fixed"), failed("a", "Flaky"))
	d, err := p.host.Diff(t.Context(), DiffRequest{Where: p.where()})
	if err != nil || sections(d) != "new failures: Flaky; passed and flaky: Fixed; still failing: Old" {
		t.Fatalf("%s, %v", sections(d), err)
	}
	old, fixed, flaky := d.StillFailing[0].Standing, d.PassedFlaky[0].Standing, d.NewFailures[0].Standing
	if old == nil || old.Classification != record.Failing || !old.Recurring || old.FailedSessions != 3 || old.SameFailure == nil {
		t.Errorf("still failing: %+v", old)
	}
	if fixed == nil || fixed.Classification != record.Unsteady || flaky == nil || flaky.Flaky == nil || flaky.Classification != record.Unsteady {
		t.Errorf("fixed: %+v, flaky: %+v", fixed, flaky)
	}
	// The standing is that after the run now, whatever came later.
	p.run("now", passed("a", "Old"))
	then, err := p.host.Diff(t.Context(), DiffRequest{Where: p.where(), Before: d.Before.RunID, Now: d.Now.RunID})
	if err != nil || then.StillFailing[0].Classification != record.Failing {
		t.Errorf("%+v, %v", then.StillFailing, err)
	}
	text := report.Diff(d, report.Style{})
	for _, want := range []string{"(before: passed; flaky)", "(same failure; recurring)", "passed this time, and flaky (1):\n   s Fixed  a:7  (before: failed)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// As after `git init`: the files are the same, however they were found.
func TestEqualStatesDoNotDifferHoweverTheyWereFound(t *testing.T) {
	p := newPast(t)
	p.writeFile("a.x", "1")
	walked := p.snap()
	state, ok, err := p.state(t.Context(), walked)
	if err != nil || !ok {
		t.Fatal(err)
	}
	other := state
	other.Kind = "git"
	if c := p.changesOf(state, other); !c.Known || c.Total != 0 {
		t.Errorf("%+v", c)
	}
	other.ID = "another"
	if c := p.changesOf(state, other); c.Known {
		t.Errorf("states of two kinds: %+v", c)
	}
	run := record.Run{Kind: record.KindRun, Language: "x", Source: &record.Source{Fingerprint: walked}}
	if s := p.stale(t.Context(), run); s == nil || s.Changed != 0 {
		t.Errorf("nothing changed: %+v", s)
	}
	p.writeFile("a.x", "2")
	if s := p.stale(t.Context(), run); s == nil || s.Changed != 1 || len(s.Files) != 1 || s.Files[0] != "a.x" {
		t.Errorf("a file changed: %+v", s)
	}
}
