//go:build unix

package cli

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAKilledRunIsFoundAgainByAnySession(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", fail), "b/b_test.go": tests("b", "TestHang", "time.Sleep(time.Hour)")})
	cmd := w.in("one").command("run")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	await(t, "the test that hangs", func() bool { return w.hasRun("TestHang") })
	await(t, "a failure on record", func() bool {
		found, _ := filepath.Glob(filepath.Join(w.dir, ".proctor", "runs", "*", "failures.jsonl"))
		for _, path := range found {
			if info, err := os.Stat(path); err == nil && info.Size() > 0 {
				return true
			}
		}
		return false
	})
	w.in("two").proctor("runs").expect(t, 0, "running")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	await(t, "the killed run as incomplete", func() bool {
		return strings.Contains(w.in("two").proctor("runs").stdout, "incomplete")
	})
	w.in("two").proctor("failures").expect(t, 0, "outstanding from earlier sessions: ")
	w.in("one").proctor("failures").expect(t, 0, "INCOMPLETE", "TestA")
}

// If it is killed before the history has it, nothing has run that another session would not
// learn of.
func TestNothingRunsBeforeTheHistoryHasTheRun(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	w.proctor("run").expect(t, 0)
	w.ran()
	release := lockHistory(t, w)
	runs := func() int {
		found, _ := filepath.Glob(filepath.Join(w.dir, ".proctor", "runs", "*"))
		return len(found)
	}
	before, b := runs(), w.start("run")
	await(t, "the run's folder, while somebody else writes to the history", func() bool { return runs() > before })
	for started := time.Now(); time.Since(started) < time.Second; time.Sleep(10 * time.Millisecond) { // a test would run within it
		if w.hasRun("a TestA") {
			t.Fatal("a test runs that is on record nowhere but in its own session")
		}
	}
	release()
	b.end()
	w.proctor("history", "TestA").expect(t, 0, "PP", "on record: 2 runs in 1 session")
}

// lockHistory keeps everybody else from writing to a workspace's history, until it is
// released.
func lockHistory(t *testing.T, w *module) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(w.dir, ".proctor", "history.db")+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(t.Context())
	if err == nil {
		_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			t.Error(err)
		}
	}
}
