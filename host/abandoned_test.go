package host

import (
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/record"
)

// begun is a run whose process let go of it without finishing: what a killed
// proctor leaves. It had one failure on record.
func begun(t *testing.T, h *Host, root string) record.Run {
	t.Helper()
	store, err := h.store(root)
	if err != nil {
		t.Fatal(err)
	}
	run := record.Run{
		Schema: record.Schema, RunID: "killed0000", SessionID: h.cfg.Session, Language: "toy",
		Workspace: root, State: record.StateRunning, StartedAt: time.Now(),
	}
	rec, err := store.Record(run)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Begin(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	m, err := h.remember(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.chronicle(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	c.rec.Abandon()
	rec.Result(record.Result{Suite: "p", Test: "A", Status: record.TestFailed})
	rec.Failure(record.Failure{Suite: "p", Test: "A", Kind: "assertion", Message: "boom"})
	if err := rec.Finish(run); err != nil { // as the operating system would: still running, lock gone
		t.Fatal(err)
	}
	return run
}

func TestAKilledRunIsTheLastRunAndNoPass(t *testing.T) {
	root := t.TempDir()
	h := New(Config{Session: "s"})
	store, err := h.store(root)
	if err != nil {
		t.Fatal(err)
	}
	green := record.Run{RunID: "green00000", Language: "toy", SessionID: "s", Verdict: record.Passed, State: record.StateFinished}
	if err := store.Finish(t.Context(), green); err != nil {
		t.Fatal(err)
	}
	killed := begun(t, h, root)
	run, _, err := h.Failures(t.Context(), LastRun{Where: Where{Dir: root, Exact: true}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if run.RunID != killed.RunID || run.Verdict != record.Incomplete || run.State != record.StateFinished || !strings.Contains(run.Reason, "no end on record") {
		t.Errorf("last run = %s, %s, %s: %s", run.RunID, run.State, run.Verdict, run.Reason)
	}
	if len(run.Failures) != 1 || run.Counts.Failed != 1 {
		t.Errorf("failures = %+v, counts = %+v; want what was on record", run.Failures, run.Counts)
	}
	m, err := h.remember(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	set, err := m.outstanding(t.Context(), "toy")
	if err != nil || set.Len() != 2 {
		t.Errorf("outstanding = %+v, %v; want the failed test and the run as a whole", set, err)
	}
}
