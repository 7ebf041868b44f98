package host

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/session"
)

// leave makes a folder among those of runs, as it was so long ago.
func (p *past) leave(id string, ago time.Duration, files map[string]string) {
	p.t.Helper()
	dir := filepath.Join(p.dir, ".proctor", "runs", id)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	paths := []string{dir}
	for name, content := range files {
		paths = append(paths, filepath.Join(dir, name))
		if err := os.WriteFile(paths[len(paths)-1], []byte(content), 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
	slices.Reverse(paths)
	for _, path := range paths {
		if err := os.Chtimes(path, p.now.Add(-ago), p.now.Add(-ago)); err != nil {
			p.t.Fatal(err)
		}
	}
}

func TestFoldersWithoutARunGoWhenNobodyCanBeAtThem(t *testing.T) {
	p := newPast(t)
	p.keep(p.run("now", passed("a", "A")), nil)
	foreign := func(id string, ago time.Duration) map[string]string {
		return map[string]string{"run.json": `{"run_id":"` + id + `","workspace":"/elsewhere","started_at":"` + p.now.Add(-ago).Format(time.RFC3339) + `"}`}
	}
	const long, year = 2 * time.Hour, 365 * 24 * time.Hour
	p.leave("empty00001", long, nil)
	p.leave("empty00002", time.Minute, nil)
	p.leave("removed001", long, map[string]string{"results.jsonl": "{}", "0-stdout": "x", "alive": "", ".proctor-123.tmp": ""})
	p.leave("damaged001", long, map[string]string{"run.json": "{"})
	p.leave("nobody0001", long, map[string]string{"run.json": "{}", "notes.txt": "mine"})
	p.leave("copied0001", long, foreign("copied0001", long))
	p.leave("copied0002", long, foreign("copied0002", year))
	p.leave("copied0003", long, foreign("copied0003", year))
	p.leave("unwrit0001", long, map[string]string{"run.json": "{", "unwritten": ""})
	p.leave("unwrit0002", year, map[string]string{"run.json": "{", "unwritten": ""})
	p.leave("dir0000001", long, nil)
	if err := os.Mkdir(filepath.Join(p.dir, ".proctor", "runs", "dir0000001", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	// The last run of a session of the other workspace, and a run that goes on.
	if err := os.WriteFile(filepath.Join(p.dir, ".proctor", "sessions", "theirs.json"), []byte(`{"workspace":"/elsewhere","slots":{"x":{"run_id":"copied0003"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	rec, err := p.store.Record(record.Run{Schema: record.Schema, RunID: "goeson0001", Language: "x", State: record.StateRunning})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Withdraw()
	p.leave("goeson0001", long, map[string]string{"run.json": ""})

	const stay = "copied0001 copied0003 dir0000001 empty00002 goeson0001 nobody0001 run0000001 unwrit0001"
	planned, err := p.host.PruneRuns(t.Context(), PruneRequest{Where: p.where(), DryRun: true})
	if err != nil || planned.Folders != 5 || len(p.folders()) != 13 {
		t.Fatalf("a dry run says %+v, and left %v, %v", planned, p.folders(), err)
	}
	done, err := p.host.PruneRuns(t.Context(), PruneRequest{Where: p.where()})
	if err != nil || done.Folders != 5 || done.Kept != 1 || done.RemovedTotal != 0 || done.FreedBytes <= 0 {
		t.Errorf("%+v, %v", done, err)
	}
	if got := strings.Join(p.folders(), " "); got != stay {
		t.Errorf("left are %s, want %s", got, stay)
	}
	if again, err := p.host.PruneRuns(t.Context(), PruneRequest{Where: p.where()}); err != nil || again.Folders != 0 {
		t.Errorf("once more: %+v, %v", again, err)
	}
}

func TestTheEndOfARunRemovesFoldersWithoutARunToo(t *testing.T) {
	p := newPast(t)
	p.keep(p.run("now", passed("a", "A")), nil)
	p.leave("removed001", 2*time.Hour, map[string]string{"failures.jsonl": ""})
	if err := p.prune(t.Context(), retention{Runs: 10, Age: 24 * time.Hour, Bytes: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.folders(), " "); got != "run0000001" {
		t.Errorf("left are %s", got)
	}
}

func TestARefusedImportCountsAFailureOnce(t *testing.T) {
	for want, a := range map[string]arrival{
		"run r says that it passed, and has 10 failures":                                          {bad: contradiction{failures: 10, announced: 10, results: 12, counted: 10, points: 12}},
		"run r says that it passed, and has 1 failure":                                            {bad: contradiction{announced: 1}},
		"run r says that it passed, and has 2 tests that failed, did not finish or did not build": {bad: contradiction{results: 2, counted: 1}},
	} {
		a.object = record.Run{RunID: "r", Verdict: record.Passed}
		a.seen = map[string]bool{session.ObjectName: true, session.ResultsName: true, session.FailuresName: true, archiveHistory: true}
		if err := a.check(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
