package host

import (
	"fmt"
	"testing"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

func TestStandingsAreThoseOfTheSessionAndOrderAskedFor(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	good := p.run("a", passed("f", "A"), passed("f", "B"))
	bad := p.run("b", failed("f", "A"), passed("f", "B"))
	p.run("b", passed("f", "A"), failed("f", "B"))
	tests := []record.Test{key("A").Test, key("B").Test, {Suite: "s", Test: "unknown"}}
	for _, c := range []struct {
		session string
		before  int64
		a, b    record.Classification
	}{
		{"b", 0, record.Fixed, record.Regression},
		{"b", bad.Order + 1, record.Regression, record.Steady},
		{"a", 0, record.Gap, record.Gap},
		{"a", good.Order, "", ""},
	} {
		got, err := p.standings(t.Context(), "x", tests, c.session, c.before)
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
	p := newPast(t)
	good := p.run("a", passed("f", "A"))
	p.run("b", failed("f", "A"))
	got, err := p.standings(t.Context(), "x", []record.Test{key("A").Test}, "b", 0)
	if err != nil {
		t.Fatal(err)
	}
	last := got[key("A").Test].LastPassed
	if last == nil || last.RunID != good.ID || last.AgeS != p.now.Sub(good.StartedAt).Seconds() {
		t.Errorf("last passed: %+v", last)
	}
}

func TestADeferredTestStandsAsDeferred(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.run("a", failed("f", "A"))
	p.aside("A")
	got, err := p.standings(t.Context(), "x", []record.Test{key("A").Test}, "a", 0)
	if err != nil || got[key("A").Test].Resolution != record.StatusDeferred {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestEditsBetweenFailuresAreCounted(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	state := func(hashes ...byte) string {
		s := fingerprint.State{Kind: "walk"}
		for i, h := range hashes {
			s.Files = append(s.Files, fingerprint.File{Path: fmt.Sprintf("f%d", i), Hash: fingerprint.Hash{h}})
		}
		s.ID = fingerprint.Identify(s.Files)
		if err := p.history.SaveState(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		return s.ID
	}
	one, two, three := state(1, 1, 1), state(1, 2, 2), state(1, 2, 3)
	for _, id := range []string{one, two, two, three} {
		p.runAs(history.Run{SessionID: "a", Fingerprint: id}, failed("f", "A"))
	}
	got, err := p.standings(t.Context(), "x", []record.Test{key("A").Test}, "a", 0)
	if err != nil {
		t.Fatal(err)
	}
	if same := got[key("A").Test].SameFailure; same == nil || same.Run != 4 || same.Edits != 3 {
		t.Errorf("same failure: %+v, want the 4th run, 3 edits", same)
	}
	p.runAs(history.Run{SessionID: "a", Fingerprint: "not on record"}, failed("f", "A"))
	got, err = p.standings(t.Context(), "x", []record.Test{key("A").Test}, "a", 0)
	if same := got[key("A").Test].SameFailure; err != nil || same == nil || same.Edits != -1 {
		t.Errorf("same failure: %+v, %v; want edits that are not known", same, err)
	}
}

func TestFewStatesAreReadAndFewerHeld(t *testing.T) {
	t.Parallel()
	reads := map[string]int{}
	e := &edits{counts: map[[2]string]int{}, read: func(id string) (fingerprint.State, bool) {
		reads[id]++
		return fingerprint.State{ID: id}, true
	}}
	known := 0
	for range 3 { // as three tests would that failed in the same runs
		for i := range 100 {
			if e.between(fmt.Sprint(i), fmt.Sprint(i+1)) >= 0 {
				known++
			}
		}
	}
	if len(e.recent) > editStates || e.reads > editReads || known != 3*(editReads-1) {
		t.Errorf("%d states held, %d read, %d answers known", len(e.recent), e.reads, known)
	}
	for id, n := range reads {
		if n > 1 {
			t.Errorf("state %s was read %d times", id, n)
		}
	}
}

func TestManyTestsHaveTheirStandings(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	var results []history.Result
	var tests []record.Test
	for i := range 2*timelineTests + 1 {
		r := failed("f", fmt.Sprintf("T%d", i))
		results, tests = append(results, r), append(tests, r.Test)
	}
	p.run("a", results...)
	got, err := p.standings(t.Context(), "x", tests, "a", 0)
	if err != nil || len(got) != len(tests) {
		t.Errorf("%d standings of %d, %v", len(got), len(tests), err)
	}
}
