package query

import (
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/standing"
)

// entriesAfter returns the entries after a run, by file: classification and status.
func entriesAfter(p *ledgertest.Workspace, run history.Run) map[string]string {
	p.T.Helper()
	entries, err := standing.Entries(p.T.Context(), p.Ledger, run)
	if err != nil {
		p.T.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		if e.SessionID != run.SessionID || e.Timestamp.IsZero() {
			p.T.Errorf("entry %+v of run %+v", e, run)
		}
		found[e.File] = string(e.Classification) + " " + string(e.Status)
	}
	return found
}

func TestFilesAreClassifiedByTheirTests(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	expect := func(run history.Run, want map[string]string) {
		t.Helper()
		got := entriesAfter(p, run)
		for file, w := range want {
			if got[file] != w {
				t.Errorf("after %s: %s is %q, want %q", run.ID, file, got[file], w)
			}
		}
		if len(got) != len(want) {
			t.Errorf("after %s: %v", run.ID, got)
		}
	}
	expect(p.Run("a", historytest.Passed("good", "G"), historytest.Failed("bad", "B"), historytest.Did("skip", "S", history.Skipped)),
		map[string]string{"good": "gap passed", "bad": "gap unresolved"})
	expect(p.Run("a", historytest.Passed("good", "G"), historytest.Passed("bad", "B")),
		map[string]string{"good": "gap passed", "bad": "fixed fixed"})
	expect(p.Run("b", historytest.Passed("good", "G"), historytest.Passed("good", "New"), historytest.Failed("bad", "B")),
		map[string]string{"good": "passed passed", "bad": "regression unresolved"})
	expect(p.Run("c", historytest.Failed("bad", "B"), historytest.Passed("bad", "B2")), map[string]string{"bad": "failing unresolved"})
	aside(p, "B")
	expect(p.Run("c", historytest.Failed("bad", "B")), map[string]string{"bad": "failing deferred"})
	expect(p.Run("d", historytest.Passed("bad", "B")), map[string]string{"bad": "fixed fixed"})
	expect(p.Run("e", historytest.Passed("bad", "B")), map[string]string{"bad": "passed passed"})
}

func TestATestThatIsGoneDoesNotKeepItsFileBad(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	p.Run("a", historytest.Passed("f", "A"), historytest.Failed("f", "Gone"))
	// Nothing shows yet that the other test is gone: the file is as bad as it was.
	partial := p.Run("b", historytest.Passed("f", "A"))
	if got := entriesAfter(p, partial)["f"]; got != "failing unresolved" {
		t.Errorf("after a run of some tests: %q", got)
	}
	whole := p.RunAs(history.Run{SessionID: "c", Whole: true}, historytest.Passed("f", "A"))
	if got := entriesAfter(p, whole)["f"]; got != "fixed fixed" {
		t.Errorf("after a run of everything: %q", got)
	}
}

func TestEntriesOfAnOlderRunDoNotSeeLaterOnes(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	first := p.Run("a", historytest.Passed("f", "A"))
	p.Run("a", historytest.Failed("f", "A"))
	if got := entriesAfter(p, first)["f"]; got != "gap passed" {
		t.Errorf("got %q", got)
	}
}

func TestTestsWithoutAFileMakeNoEntry(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	if got := entriesAfter(p, p.Run("a", historytest.Failed("", "A"), historytest.Passed("", "B"))); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
