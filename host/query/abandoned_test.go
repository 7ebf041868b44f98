package query

import (
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
)

// begun is a run whose process never finished it, as after a killed proctor, with one
// recorded failure.
func begun(t *testing.T, k *ledger.Keeper, root string) api.Run {
	t.Helper()
	store, err := k.Store(root)
	if err != nil {
		t.Fatal(err)
	}
	run := api.Run{
		Schema: api.Schema, RunID: "killed0000", SessionID: k.Cfg.Session, Language: "toy",
		Workspace: root, State: api.StateRunning, StartedAt: time.Now(),
	}
	rec, err := artifacts.NewRecorder(store, run)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Begin(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	led, err := ledger.OpenHistory(t.Context(), k, store)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ledger.NewWriter(t.Context(), led, run)
	if err != nil {
		t.Fatal(err)
	}
	c.Abandon()
	rec.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "A"}, Status: sdk.Failed}}})
	rec.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p", Test: "A"}, Kind: "assertion", Message: "boom"}}})
	if err := rec.Finish(run); err != nil { // as the operating system would: still running, lock gone
		t.Fatal(err)
	}
	return run
}

func TestAKilledRunIsTheLastRunAndNoPass(t *testing.T) {
	root := t.TempDir()
	k := ledger.New(project.Config{Session: "s"})
	store, err := k.Store(root)
	if err != nil {
		t.Fatal(err)
	}
	green := api.Run{RunID: "green00000", Language: "toy", SessionID: "s", Verdict: api.Passed, State: api.StateFinished}
	if err := store.Finish(t.Context(), green); err != nil {
		t.Fatal(err)
	}
	killed := begun(t, k, root)
	run, _, err := Failures(t.Context(), k, api.LastRun{Where: api.Where{Dir: root, Exact: true}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if run.RunID != killed.RunID || run.Verdict != api.Incomplete || run.State != api.StateFinished || !strings.Contains(run.Reason, "no end on record") {
		t.Errorf("last run = %s, %s, %s: %s", run.RunID, run.State, run.Verdict, run.Reason)
	}
	if len(run.Failures) != 1 || run.Counts.Failed != 1 {
		t.Errorf("failures = %+v, counts = %+v; want what was on record", run.Failures, run.Counts)
	}
	led, err := ledger.OpenHistory(t.Context(), k, store)
	if err != nil {
		t.Fatal(err)
	}
	set, err := led.Outstanding(t.Context(), "toy")
	if err != nil || set.Len() != 2 {
		t.Errorf("outstanding = %+v, %v; want the failed test and the run as a whole", set, err)
	}
}
