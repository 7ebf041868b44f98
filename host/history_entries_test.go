package host

import (
	"testing"

	"github.com/proctorhq/proctor/host/history"
)

// entriesAfter are the entries after a run, by file: classification and status.
func (p *past) entriesAfter(run history.Run) map[string]string {
	p.t.Helper()
	entries, err := p.entries(p.t.Context(), run)
	if err != nil {
		p.t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		if e.SessionID != run.SessionID || e.Timestamp.IsZero() {
			p.t.Errorf("entry %+v of run %+v", e, run)
		}
		found[e.File] = string(e.Classification) + " " + string(e.Status)
	}
	return found
}

func TestFilesAreClassifiedByTheirTests(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	expect := func(run history.Run, want map[string]string) {
		t.Helper()
		got := p.entriesAfter(run)
		for file, w := range want {
			if got[file] != w {
				t.Errorf("after %s: %s is %q, want %q", run.ID, file, got[file], w)
			}
		}
		if len(got) != len(want) {
			t.Errorf("after %s: %v", run.ID, got)
		}
	}
	expect(p.run("a", passed("good", "G"), failed("bad", "B"), did("skip", "S", history.Skipped)),
		map[string]string{"good": "gap passed", "bad": "gap unresolved"})
	expect(p.run("a", passed("good", "G"), passed("bad", "B")),
		map[string]string{"good": "gap passed", "bad": "fixed fixed"})
	expect(p.run("b", passed("good", "G"), passed("good", "New"), failed("bad", "B")),
		map[string]string{"good": "passed passed", "bad": "regression unresolved"})
	expect(p.run("c", failed("bad", "B"), passed("bad", "B2")), map[string]string{"bad": "failing unresolved"})
	p.aside("B")
	expect(p.run("c", failed("bad", "B")), map[string]string{"bad": "failing deferred"})
	expect(p.run("d", passed("bad", "B")), map[string]string{"bad": "fixed fixed"})
	expect(p.run("e", passed("bad", "B")), map[string]string{"bad": "passed passed"})
}

func TestATestThatIsGoneDoesNotKeepItsFileBad(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.run("a", passed("f", "A"), failed("f", "Gone"))
	// Nothing tells yet that the other test is gone: the file is as bad as it was.
	partial := p.run("b", passed("f", "A"))
	if got := p.entriesAfter(partial)["f"]; got != "failing unresolved" {
		t.Errorf("after a run of some tests: %q", got)
	}
	whole := p.runAs(history.Run{SessionID: "c", Whole: true}, passed("f", "A"))
	if got := p.entriesAfter(whole)["f"]; got != "fixed fixed" {
		t.Errorf("after a run of everything: %q", got)
	}
}

func TestEntriesOfAnOlderRunDoNotSeeLaterOnes(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	first := p.run("a", passed("f", "A"))
	p.run("a", failed("f", "A"))
	if got := p.entriesAfter(first)["f"]; got != "gap passed" {
		t.Errorf("got %q", got)
	}
}

func TestTestsWithoutAFileMakeNoEntry(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	if got := p.entriesAfter(p.run("a", failed("", "A"), passed("", "B"))); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
