package query

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/project"
)

// recordedAs puts a finished run with these failures on record, in the order in
// which a runner came to them.
func recordedAs(t *testing.T, h *ledger.Keeper, root, language string, failures []api.Failure, streams ...string) api.Run {
	t.Helper()
	store, err := h.Store(root)
	if err != nil {
		t.Fatal(err)
	}
	run := api.Run{
		Schema: api.Schema, RunID: "page" + language, SessionID: h.Cfg.Session, Language: language, Workspace: root, Kind: api.KindRun,
		State: api.StateFinished, Verdict: api.Failed, StartedAt: time.Now(), FailuresTotal: len(failures),
	}
	run.Failures = failures[:min(len(failures), api.MaxFailures)]
	for range len(streams) / 2 {
		run.Commands = append(run.Commands, api.Command{Argv: []string{"toy"}})
	}
	rec, err := store.Record(run)
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
		rec.Failure(f)
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
	h := ledger.New(project.Config{Session: "s"})
	var failures []api.Failure
	for i := range api.MaxFailures + 100 {
		// The record has the suites mixed; a reader sees them one after the other.
		failures = append(failures, api.Failure{ID: fmt.Sprintf("%012x", i), Suite: string(rune('c' - i%3)), Test: fmt.Sprintf("T%04d", i), Kind: "assertion"})
	}
	run := recordedAs(t, h, root, "toy", failures)
	here := api.LastRun{Where: api.Where{Dir: root, Exact: true}}
	seen := map[string]bool{}
	last := ""
	for offset := 0; ; {
		page, err := FailuresFrom(t.Context(), h, here, offset, 70)
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
	test, ok, err := FailedTest(t.Context(), h, here, failures[555].ID)
	if err != nil || !ok || test.Test != "T0555" {
		t.Errorf("%v %t %v", test, ok, err)
	}
	if _, ok, err := FailedTest(t.Context(), h, here, "feedfeedfeed"); ok || err != nil {
		t.Errorf("%t %v", ok, err)
	}
	// The object still has what a damaged record has not.
	if err := os.Remove(filepath.Join(root, ".proctor", "runs", run.RunID, "failures.jsonl")); err != nil {
		t.Fatal(err)
	}
	page, err := FailuresFrom(t.Context(), h, here, api.MaxFailures-1, 70)
	if err != nil || len(page.Run.Failures) != 1 || page.Recorded != api.MaxFailures || page.Run.FailuresTotal != len(failures) {
		t.Errorf("without the record: %d failures of %d, %v", len(page.Run.Failures), page.Recorded, err)
	}
}

func TestFailuresThatHideOthersComeFirst(t *testing.T) {
	root := t.TempDir()
	h := ledger.New(project.Config{Session: "s"})
	var failures []api.Failure
	for i, kind := range []string{"assertion", "panic", "assertion", "build"} {
		failures = append(failures, api.Failure{ID: fmt.Sprintf("%012x", i), Suite: string(rune('a' + i)), Kind: kind})
	}
	run := recordedAs(t, h, root, "toy", failures)
	for _, cut := range []bool{false, true} {
		page, err := FailuresFrom(t.Context(), h, api.LastRun{Where: api.Where{Dir: root, Exact: true}}, 1, 3)
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
