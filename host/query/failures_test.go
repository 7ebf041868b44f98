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
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// recordedAs records a finished run with these failures, in the order in which the
// runner reported them.
func recordedAs(t *testing.T, k *ledger.Keeper, root, language string, failures []api.Failure, streams ...string) api.Run {
	t.Helper()
	store, err := k.Store(root)
	if err != nil {
		t.Fatal(err)
	}
	run := api.Run{
		Schema: api.Schema, RunID: "page" + language, SessionID: k.Cfg.Session, Language: language, Workspace: root, Kind: api.KindRun,
		State: api.StateFinished, Verdict: api.Failed, StartedAt: time.Now(), FailuresTotal: len(failures),
	}
	run.Failures = failures[:min(len(failures), api.MaxFailures)]
	for range len(streams) / 2 {
		run.Commands = append(run.Commands, api.Command{Argv: []string{"toy"}})
	}
	rec, err := artifacts.NewRecorder(store, run)
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Commands {
		for j, name := range artifacts.StreamNames {
			s, err := rec.Stream(i, name)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(s, streams[2*i+j])
		}
	}
	for _, f := range failures {
		rec.Listen(&api.FailureFound{Failure: f})
	}
	if err := rec.Finish(run); err != nil {
		t.Fatal(err)
	}
	if err := store.Finish(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	return run
}

func TestEveryFailureIsOnOnePage(t *testing.T) {
	root := t.TempDir()
	k := ledger.New(project.Config{Session: "s"})
	var failures []api.Failure
	for i := range api.MaxFailures + 100 {
		// The record mixes the suites; a reader sees them one after the other.
		failures = append(failures, api.Failure{ID: fmt.Sprintf("%012x", i), Failure: sdk.Failure{TestID: sdk.TestID{Suite: string(rune('c' - i%3)), Test: fmt.Sprintf("T%04d", i)}, Kind: "assertion"}})
	}
	run := recordedAs(t, k, root, "toy", failures)
	here := api.LastRun{Where: api.Where{Dir: root, Exact: true}}
	seen := map[string]bool{}
	last := ""
	for offset := 0; ; {
		page, err := FailuresFrom(t.Context(), k, here, offset, 70)
		if err != nil || page.Recorded != len(failures) || page.Run.FailuresTotal != len(failures) {
			t.Fatalf("%d of %d, %v", page.Recorded, page.Run.FailuresTotal, err)
		}
		for _, f := range page.Run.Failures {
			if place := f.Suite + f.Test; seen[f.ID] || place < last || f.Signature == "" {
				t.Fatalf("%s comes after %s: %+v", place, last, f)
			} else {
				last = place
			}
			seen[f.ID] = true
		}
		if offset += len(page.Run.Failures); len(page.Run.Failures) == 0 {
			break
		}
	}
	if len(seen) != len(failures) {
		t.Errorf("%d of %d failures were on a page", len(seen), len(failures))
	}
	test, ok, err := FindFailedTest(t.Context(), k, here, failures[555].ID)
	if err != nil || !ok || test.Test != "T0555" {
		t.Errorf("%v %t %v", test, ok, err)
	}
	if _, ok, err := FindFailedTest(t.Context(), k, here, "feedfeedfeed"); ok || err != nil {
		t.Errorf("%t %v", ok, err)
	}
	// The object still has what a damaged record lacks.
	if err := os.Remove(filepath.Join(root, ".proctor", "runs", run.RunID, "failures.jsonl")); err != nil {
		t.Fatal(err)
	}
	page, err := FailuresFrom(t.Context(), k, here, api.MaxFailures-1, 70)
	if err != nil || len(page.Run.Failures) != 1 || page.Recorded != api.MaxFailures || page.Run.FailuresTotal != len(failures) {
		t.Errorf("without the record: %d failures of %d, %v", len(page.Run.Failures), page.Recorded, err)
	}
}

func TestFailuresThatHideOthersComeFirst(t *testing.T) {
	root := t.TempDir()
	k := ledger.New(project.Config{Session: "s"})
	var failures []api.Failure
	for i, kind := range []string{"assertion", "panic", "assertion", "build"} {
		failures = append(failures, api.Failure{ID: fmt.Sprintf("%012x", i), Failure: sdk.Failure{TestID: sdk.TestID{Suite: string(rune('a' + i))}, Kind: kind}})
	}
	run := recordedAs(t, k, root, "toy", failures)
	for _, cut := range []bool{false, true} {
		page, err := FailuresFrom(t.Context(), k, api.LastRun{Where: api.Where{Dir: root, Exact: true}}, 1, 3)
		var suites string
		for _, f := range page.Run.Failures {
			suites += f.Suite
		}
		if err != nil || suites != "bac" {
			t.Errorf("cut %t: from the second on they are of %q, %v", cut, suites, err)
		}
		if err := os.WriteFile(filepath.Join(root, ".proctor", "runs", run.RunID, "failures.jsonl"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// recorded records a finished run with this many failures. Its object has the first
// ones.
func recorded(t *testing.T, k *ledger.Keeper, root string, failures int) api.Run {
	t.Helper()
	store, err := k.Store(root)
	if err != nil {
		t.Fatal(err)
	}
	run := api.Run{
		Schema: api.Schema, RunID: "many000000", SessionID: k.Cfg.Session, Language: "toy", Workspace: root,
		State: api.StateFinished, Verdict: api.Failed, StartedAt: time.Now(), FailuresTotal: failures,
		Commands: []api.Command{{Argv: []string{"toy"}}},
	}
	rec, err := artifacts.NewRecorder(store, run)
	if err != nil {
		t.Fatal(err)
	}
	for i := range failures {
		f := api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p", Test: fmt.Sprintf("T%04d", i)}, Kind: "assertion"}}
		rec.Listen(&api.FailureFound{Failure: f})
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
	k := ledger.New(project.Config{Session: "s"})
	want := recorded(t, k, root, api.MaxFailures+200)
	here := api.LastRun{Where: api.Where{Dir: root, Exact: true}}
	run, _, err := Show(t.Context(), k, here)
	if err != nil || len(run.Failures) != want.FailuresTotal || run.Failures[want.FailuresTotal-1].Test != "T0699" {
		t.Errorf("%d failures of %d, %v", len(run.Failures), want.FailuresTotal, err)
	}
	run, _, err = Failures(t.Context(), k, here, 10_000)
	if err != nil || len(run.Failures) != api.MaxFailuresLimit {
		t.Errorf("the listing has %d failures, %v", len(run.Failures), err)
	}
	// The object still has what a damaged record lacks.
	if err := os.Remove(filepath.Join(root, ".proctor", "runs", want.RunID, "failures.jsonl")); err != nil {
		t.Fatal(err)
	}
	run, _, err = Show(t.Context(), k, here)
	if err != nil || len(run.Failures) != api.MaxFailures {
		t.Errorf("%d failures without the record, %v", len(run.Failures), err)
	}
}

func TestALanguageWithoutARunBesideOthersIsAUsageError(t *testing.T) {
	root := t.TempDir()
	k := ledger.New(project.Config{Session: "s"})
	where := api.Where{Dir: root, Exact: true}
	var none *api.NoRunError
	if _, _, err := Failures(t.Context(), k, api.LastRun{Where: where, Language: "tio"}, 0); !errors.As(err, &none) {
		t.Errorf("before any run: %v", err)
	}
	recorded(t, k, root, 1)
	var usage *api.UsageError
	if _, _, err := Failures(t.Context(), k, api.LastRun{Where: where, Language: "tio"}, 0); !errors.As(err, &usage) ||
		usage.Error() != "there is no tio run yet; languages that have runs: toy" {
		t.Errorf("err = %v", err)
	}
}

func TestTheFirstRunOfASessionContinues(t *testing.T) {
	root := t.TempDir()
	k := ledger.New(project.Config{Session: "s"})
	store, err := k.Store(root)
	if err != nil {
		t.Fatal(err)
	}
	run := api.Run{
		Schema: api.Schema, RunID: "goeson0001", SessionID: "s", Language: "toy", Workspace: root,
		State: api.StateRunning, StartedAt: time.Now(), Commands: []api.Command{},
	}
	rec, err := artifacts.NewRecorder(store, run)
	if err == nil {
		err = store.Begin(t.Context(), run)
	}
	if err != nil {
		t.Fatal(err)
	}
	where := api.Where{Dir: root, Exact: true}
	requests, err := ledger.SplitByLanguage(t.Context(), k, api.LastRun{Where: where})
	if err != nil || len(requests) != 1 {
		t.Fatalf("%+v, %v", requests, err)
	}
	var none *api.NoRunError
	if _, _, err := Failures(t.Context(), k, requests[0], 0); !errors.As(err, &none) || none.Running != run.RunID {
		t.Errorf("failures: %v", err)
	}
	if _, _, err := Show(t.Context(), k, requests[0]); !errors.As(err, &none) || none.Running != run.RunID {
		t.Errorf("show: %v", err)
	}
	if _, err := Output(t.Context(), k, api.LastRun{Where: where}, "T"); !errors.As(err, &none) || none.Running != run.RunID {
		t.Errorf("output: %v", err)
	}
	// The operating system does this when a process ends.
	if err := rec.Finish(run); err != nil {
		t.Fatal(err)
	}
	none = nil
	if _, _, err := Failures(t.Context(), k, requests[0], 0); !errors.As(err, &none) || none.Running != "" {
		t.Errorf("after it was killed: %v", err)
	}
}

func TestRawMakesNoRecords(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	k := ledger.New(project.Config{Session: "s"})
	for _, workspace := range []string{"", root} {
		raw, err := engine.ReadRawOutput(t.Context(), k, api.Run{RunID: "x", Workspace: workspace, ExitCode: 3, Commands: []api.Command{{}}})
		if err != nil || !raw.Unrecorded || raw.ExitCode != 3 {
			t.Errorf("raw = %+v, %v", raw, err)
		}
	}
	if entries, _ := os.ReadDir(root); len(entries) > 0 {
		t.Errorf("there is %v now", entries)
	}
	run := recorded(t, k, root, 1)
	if raw, err := engine.ReadRawOutput(t.Context(), k, run); err != nil || !raw.Unrecorded {
		t.Errorf("a run whose output is not on record: %+v, %v", raw, err)
	}
	for _, name := range []string{"0-stdout", "0-stderr"} {
		testfiles.Write(t, filepath.Join(root, ".proctor", "runs", run.RunID, name), name)
	}
	if raw, err := engine.ReadRawOutput(t.Context(), k, run); err != nil || raw.Unrecorded || raw.Stdout != "0-stdout" || raw.Stderr != "0-stderr" {
		t.Errorf("raw = %+v, %v", raw, err)
	}
}
