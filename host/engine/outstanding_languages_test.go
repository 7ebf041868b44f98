package engine

import (
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// leftRed puts a red run of a language on record, as another process would, and returns
// the workspace and the folder of its records.
func leftRed(t *testing.T) (root, dir string) {
	t.Helper()
	root = t.TempDir()
	h := ledger.New(project.Config{Session: "other"})
	defer h.Close(t.Context())
	store, err := h.Store(root)
	if err != nil {
		t.Fatal(err)
	}
	m, err := h.Remember(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	run := api.Run{
		Schema: api.Schema, RunID: ledger.NewRunID(), SessionID: "other", Kind: api.KindRun, Language: "toy", Workspace: store.Workspace(),
		State: api.StateFinished, Verdict: api.Failed, StartedAt: time.Now(),
	}
	rec, err := artifacts.NewRecorder(store, run)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Chronicle(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	set := outstanding.Set{Entries: []outstanding.Entry{{Test: api.Test{Suite: "p", Test: "A"}, Reason: outstanding.ReasonFailed, RunID: run.RunID, LastRunID: run.RunID}}}
	if _, err := m.UpdateOutstanding(t.Context(), "toy", func(outstanding.Set) outstanding.Set { return set }); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{c.Finish(t.Context(), run, false, nil), rec.Finish(run), store.Finish(t.Context(), run)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return root, store.Dir()
}

// A red must not be lost with a part of its record.
func TestWhatIsOutstandingSurvivesTheLossOfItsRecord(t *testing.T) {
	t.Parallel()
	remove := func(t *testing.T, dir string, names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	database := []string{ledger.HistoryFile, ledger.HistoryFile + "-wal", ledger.HistoryFile + "-shm"}
	damage := func(t *testing.T, dir string) {
		t.Helper()
		remove(t, dir, database...)
		if err := os.WriteFile(filepath.Join(dir, ledger.HistoryFile), []byte("no database"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct {
		lose           func(t *testing.T, dir string)
		language, test string
		why            outstanding.Why
	}{
		"nothing is lost":      {func(*testing.T, string) {}, "toy", "A", ""},
		"the sessions are":     {func(t *testing.T, dir string) { remove(t, dir, "sessions") }, "toy", "A", ""},
		"the history is":       {func(t *testing.T, dir string) { remove(t, dir, database...) }, "toy", "", outstanding.WhyLost},
		"the history is wrong": {damage, "toy", "", outstanding.WhyLost},
		"only a damaged history is left": {func(t *testing.T, dir string) {
			damage(t, dir)
			remove(t, dir, "sessions", "runs")
			if err := os.Mkdir(filepath.Join(dir, "sessions"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "", "", outstanding.WhyLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, dir := leftRed(t)
			tc.lose(t, dir)
			h := ledger.New(project.Config{Session: "mine"})
			defer h.Close(t.Context())
			here := api.OutstandingRequest{Where: api.Where{Dir: root, Exact: true}}
			for range 2 { // however often it is asked
				got, err := query.Outstanding(t.Context(), h, here)
				if err != nil || got.Total != 1 || got.Tests[0].Language != tc.language || got.Tests[0].Test != tc.test || got.Tests[0].Why != string(tc.why) {
					t.Fatalf("%+v, %v", got, err)
				}
			}
			note, err := query.Context(t.Context(), h, here.Where)
			if err != nil || note.Outstanding != 1 {
				t.Errorf("at the start of a session: %+v, %v", note, err)
			}
			if tc.why == outstanding.WhyLost {
				here.Drop = []string{"(the run)"}
				if got, err := query.Outstanding(t.Context(), h, here); err != nil || got.Total != 0 {
					t.Errorf("taken off: %+v, %v", got, err)
				}
			}
		})
	}
}

func TestARunThatHeardOfEverySuiteItWasAskedForLeftNothingUnnamed(t *testing.T) {
	t.Parallel()
	tl := tally.NewTally()
	if !tl.IsUntold() || tl.ReportedOn(sdk.Selection{}) {
		t.Error("something was told before anything was")
	}
	tl.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteUnfinished}})
	for want, suites := range map[bool][]string{true: {"p"}, false: {"p", "q"}} {
		if got := tl.ReportedOn(sdk.Selection{Suites: suites}); got != want {
			t.Errorf("%q: %t", suites, got)
		}
	}
	if tl.IsUntold() {
		t.Error("a suite was told")
	}
}
