package query

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
)

// recorded puts a finished run with so many failures on record. Its object has
// the first ones.
func recorded(t *testing.T, h *ledger.Keeper, root string, failures int) api.Run {
	t.Helper()
	store, err := h.Store(root)
	if err != nil {
		t.Fatal(err)
	}
	run := api.Run{
		Schema: api.Schema, RunID: "many000000", SessionID: h.Cfg.Session, Language: "toy", Workspace: root,
		State: api.StateFinished, Verdict: api.Failed, StartedAt: time.Now(), FailuresTotal: failures,
		Commands: []api.Command{{Argv: []string{"toy"}}},
	}
	rec, err := store.Record(run)
	if err != nil {
		t.Fatal(err)
	}
	for i := range failures {
		f := api.Failure{Suite: "p", Test: fmt.Sprintf("T%04d", i), Kind: "assertion"}
		rec.Failure(f)
		if len(run.Failures) < api.MaxFailures {
			run.Failures = append(run.Failures, f)
		}
	}
	if err := rec.Finish(run); err != nil {
		t.Fatal(err)
	}
	if err := store.Finish(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	return run
}

func TestShowHasEveryFailure(t *testing.T) {
	root := t.TempDir()
	h := ledger.New(project.Config{Session: "s"})
	want := recorded(t, h, root, api.MaxFailures+200)
	here := api.LastRun{Where: api.Where{Dir: root, Exact: true}}
	run, _, err := Show(t.Context(), h, here)
	if err != nil || len(run.Failures) != want.FailuresTotal || run.Failures[want.FailuresTotal-1].Test != "T0699" {
		t.Errorf("%d failures of %d, %v", len(run.Failures), want.FailuresTotal, err)
	}
	run, _, err = Failures(t.Context(), h, here, 10_000)
	if err != nil || len(run.Failures) != api.MaxFailuresLimit {
		t.Errorf("the listing has %d failures, %v", len(run.Failures), err)
	}
	// The object still has what a damaged record has not.
	if err := os.Remove(filepath.Join(root, ".proctor", "runs", want.RunID, "failures.jsonl")); err != nil {
		t.Fatal(err)
	}
	run, _, err = Show(t.Context(), h, here)
	if err != nil || len(run.Failures) != api.MaxFailures {
		t.Errorf("%d failures without the record, %v", len(run.Failures), err)
	}
}

func TestALanguageWithoutARunBesideOthersIsASlip(t *testing.T) {
	root := t.TempDir()
	h := ledger.New(project.Config{Session: "s"})
	where := api.Where{Dir: root, Exact: true}
	var none *api.NoRunError
	if _, _, err := Failures(t.Context(), h, api.LastRun{Where: where, Language: "tio"}, 0); !errors.As(err, &none) {
		t.Errorf("before any run: %v", err)
	}
	recorded(t, h, root, 1)
	var usage *api.UsageError
	if _, _, err := Failures(t.Context(), h, api.LastRun{Where: where, Language: "tio"}, 0); !errors.As(err, &usage) ||
		usage.Error() != "there is no tio run in this session; languages that have runs: toy" {
		t.Errorf("err = %v", err)
	}
}

func TestTheFirstRunOfASessionGoesOn(t *testing.T) {
	root := t.TempDir()
	h := ledger.New(project.Config{Session: "s"})
	store, err := h.Store(root)
	if err != nil {
		t.Fatal(err)
	}
	run := api.Run{
		Schema: api.Schema, RunID: "goeson0001", SessionID: "s", Language: "toy", Workspace: root,
		State: api.StateRunning, StartedAt: time.Now(), Commands: []api.Command{},
	}
	rec, err := store.Record(run)
	if err == nil {
		err = store.Begin(t.Context(), run)
	}
	if err != nil {
		t.Fatal(err)
	}
	where := api.Where{Dir: root, Exact: true}
	requests, err := h.EachLanguage(t.Context(), api.LastRun{Where: where})
	if err != nil || len(requests) != 1 {
		t.Fatalf("%+v, %v", requests, err)
	}
	var none *api.NoRunError
	if _, _, err := Failures(t.Context(), h, requests[0], 0); !errors.As(err, &none) || none.Running != run.RunID {
		t.Errorf("failures: %v", err)
	}
	if _, _, err := Show(t.Context(), h, requests[0]); !errors.As(err, &none) || none.Running != run.RunID {
		t.Errorf("show: %v", err)
	}
	if _, err := Output(t.Context(), h, api.LastRun{Where: where}, "T"); !errors.As(err, &none) || none.Running != run.RunID {
		t.Errorf("output: %v", err)
	}
	// What the operating system does when a process ends.
	if err := rec.Finish(run); err != nil {
		t.Fatal(err)
	}
	none = nil
	if _, _, err := Failures(t.Context(), h, requests[0], 0); !errors.As(err, &none) || none.Running != "" {
		t.Errorf("after it was killed: %v", err)
	}
}

func TestRawMakesNoRecords(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	h := ledger.New(project.Config{Session: "s"})
	for _, workspace := range []string{"", root} {
		raw, err := engine.Raw(t.Context(), h, api.Run{RunID: "x", Workspace: workspace, ExitCode: 3, Commands: []api.Command{{}}})
		if err != nil || !raw.Unrecorded || raw.ExitCode != 3 {
			t.Errorf("raw = %+v, %v", raw, err)
		}
	}
	if entries, _ := os.ReadDir(root); len(entries) > 0 {
		t.Errorf("there is %v now", entries)
	}
	run := recorded(t, h, root, 1)
	if raw, err := engine.Raw(t.Context(), h, run); err != nil || !raw.Unrecorded {
		t.Errorf("a run whose output is not on record: %+v, %v", raw, err)
	}
	for _, name := range []string{"0-stdout", "0-stderr"} {
		if err := os.WriteFile(filepath.Join(root, ".proctor", "runs", run.RunID, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if raw, err := engine.Raw(t.Context(), h, run); err != nil || raw.Unrecorded || raw.Stdout != "0-stdout" || raw.Stderr != "0-stderr" {
		t.Errorf("raw = %+v, %v", raw, err)
	}
}
