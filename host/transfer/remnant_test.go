package transfer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// leave creates a folder among those of runs, this old.
func leave(p *ledgertest.Workspace, id string, ago time.Duration, files map[string]string) {
	p.T.Helper()
	dir := filepath.Join(p.Dir, ".proctor", "runs", id)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.T.Fatal(err)
	}
	paths := []string{dir}
	for name, content := range files {
		paths = append(paths, filepath.Join(dir, name))
		if err := os.WriteFile(paths[len(paths)-1], []byte(content), 0o644); err != nil {
			p.T.Fatal(err)
		}
	}
	slices.Reverse(paths)
	for _, path := range paths {
		if err := os.Chtimes(path, p.Now.Add(-ago), p.Now.Add(-ago)); err != nil {
			p.T.Fatal(err)
		}
	}
}

func TestFoldersWithoutARunAreRemovedOnceUnused(t *testing.T) {
	p := ledgertest.New(t)
	p.Keep(p.Run("now", historytest.Passed("a", "A")), nil)
	foreign := func(id string, ago time.Duration) map[string]string {
		return map[string]string{"run.json": `{"run_id":"` + id + `","workspace":"/elsewhere","started_at":"` + p.Now.Add(-ago).Format(time.RFC3339) + `"}`}
	}
	const long, year = 2 * time.Hour, 365 * 24 * time.Hour
	leave(p, "empty00001", long, nil)
	leave(p, "empty00002", time.Minute, nil)
	leave(p, "removed001", long, map[string]string{"results.jsonl": "{}", "0-stdout": "x", "alive": "", ".proctor-123.tmp": ""})
	leave(p, "damaged001", long, map[string]string{"run.json": "{"})
	leave(p, "nobody0001", long, map[string]string{"run.json": "{}", "notes.txt": "mine"})
	leave(p, "copied0001", long, foreign("copied0001", long))
	leave(p, "copied0002", long, foreign("copied0002", year))
	leave(p, "copied0003", long, foreign("copied0003", year))
	leave(p, "unwrit0001", long, map[string]string{"run.json": "{", "unwritten": ""})
	leave(p, "unwrit0002", year, map[string]string{"run.json": "{", "unwritten": ""})
	leave(p, "dir0000001", long, nil)
	if err := os.Mkdir(filepath.Join(p.Dir, ".proctor", "runs", "dir0000001", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	// The last run of a session of the other workspace, and a run in progress.
	testfiles.Write(t, filepath.Join(p.Dir, ".proctor", "sessions", "theirs.json"), `{"workspace":"/elsewhere","slots":{"x":{"run_id":"copied0003"}}}`)
	rec, err := artifacts.NewRecorder(p.Artifacts, api.Run{Schema: api.Schema, RunID: "goeson0001", Language: "x", State: api.StateRunning})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Withdraw()
	leave(p, "goeson0001", long, map[string]string{"run.json": ""})

	const stay = "copied0001 copied0003 dir0000001 empty00002 goeson0001 nobody0001 run0000001 unwrit0001"
	planned, err := ledger.PruneRuns(t.Context(), p.Keeper, api.PruneRequest{Where: p.Where(), DryRun: true})
	if err != nil || planned.Folders != 5 || len(p.Folders()) != 13 {
		t.Fatalf("a dry run says %+v, and left %v, %v", planned, p.Folders(), err)
	}
	done, err := ledger.PruneRuns(t.Context(), p.Keeper, api.PruneRequest{Where: p.Where()})
	if err != nil || done.Folders != 5 || done.Kept != 1 || done.RemovedTotal != 0 || done.FreedBytes <= 0 {
		t.Errorf("%+v, %v", done, err)
	}
	if got := strings.Join(p.Folders(), " "); got != stay {
		t.Errorf("left are %s, want %s", got, stay)
	}
	if again, err := ledger.PruneRuns(t.Context(), p.Keeper, api.PruneRequest{Where: p.Where()}); err != nil || again.Folders != 0 {
		t.Errorf("once more: %+v, %v", again, err)
	}
}

func TestTheEndOfARunRemovesFoldersWithoutARunToo(t *testing.T) {
	p := ledgertest.New(t)
	p.Keep(p.Run("now", historytest.Passed("a", "A")), nil)
	leave(p, "removed001", 2*time.Hour, map[string]string{"failures.jsonl": ""})
	if err := p.Prune(t.Context(), config.History{Runs: 10, Age: 24 * time.Hour, Bytes: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Folders(), " "); got != "run0000001" {
		t.Errorf("left are %s", got)
	}
}

func TestARefusedImportCountsAFailureOnce(t *testing.T) {
	for want, a := range map[string]importedRun{
		"run r says that it passed, but has 10 failures":                                          {bad: contradiction{failures: 10, announced: 10, results: 12, counted: 10, points: 12}},
		"run r says that it passed, but has 1 failure":                                            {bad: contradiction{announced: 1}},
		"run r says that it passed, but has 2 tests that failed, did not finish or did not build": {bad: contradiction{results: 2, counted: 1}},
	} {
		a.object = api.Run{RunID: "r", Verdict: api.Passed}
		a.seen = map[string]bool{artifacts.ObjectName: true, artifacts.ResultsName: true, artifacts.FailuresName: true, archiveHistory: true}
		if err := a.check(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
