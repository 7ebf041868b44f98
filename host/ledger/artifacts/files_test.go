package artifacts

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func TestFileNamesNeverCollide(t *testing.T) {
	names := map[string]string{}
	ids := []string{
		"a", "A", "foo", "Foo", "FOO", "A/..", "../../evil", "a b", strings.Repeat("x", 300), strings.Repeat("x", 64), "ü",
		"con", "CON", "nul", "aux", "prn", "com1", "lpt9", "con.txt", "a.outstanding", "a.json", "-a", "_a", "",
		"term-12-345", fileName("A"), fileName("con"),
	}
	for _, id := range ids {
		name := fileName(id)
		if other, ok := names[strings.ToLower(name)]; ok {
			t.Errorf("%q and %q are both %s", id, other, name)
		}
		names[strings.ToLower(name)] = id
		if name != strings.ToLower(name) || strings.ContainsAny(name, `./\: `) || len(name) > 64 || deviceName.MatchString(name) {
			t.Errorf("%q becomes %q", id, name)
		}
	}
	if fileName("term-12-345") != "term-12-345" || fileName("shared") != "shared" {
		t.Error("a plain id is not its own file name")
	}
}

// FuzzFileName: every id has a name that is one plain file name everywhere.
func FuzzFileName(f *testing.F) {
	f.Add("con")
	f.Add("../x")
	f.Fuzz(func(t *testing.T, id string) {
		name := fileName(id)
		if !filepath.IsLocal(name) || filepath.Base(name) != name || strings.Contains(name, ".") {
			t.Errorf("%q becomes %q", id, name)
		}
		if name != id && !strings.HasPrefix(name, hashMark) || plainName.MatchString(name) && name != id {
			t.Errorf("%q becomes %q, which is another id's", id, name)
		}
	})
}

// A lock file that was removed while it was waited for locks nobody out.
func TestOnlyTheVisibleLockFileCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := lockFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, free := tryLockFile(path); free {
		t.Error("a held lock was taken")
	}
	waiting, err := newLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if free, err := waiting.TryLock(); free || err != nil {
		t.Fatal("a held lock was taken", err)
	}
	if !isInPlace(first) {
		t.Error("the lock is not at its place")
	}
	if err := os.Remove(path); err != nil {
		t.Skip("open files cannot be removed here:", err)
	}
	if isInPlace(first) {
		t.Error("a removed lock file has the name")
	}
	second, err := lockFile(t.Context(), path)
	if err != nil || !isInPlace(second) {
		t.Fatal("no new lock", err)
	}
	first.Unlock()
	removeLock(second)
	if _, err := os.Lstat(path); err == nil {
		t.Error("the lock file is still there")
	}
}

// A lock keeps others out also where everyone removes its file at the end.
func TestALockThatIsRemovedStillExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 25 {
				lock, err := lockFile(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d hold the lock", n)
				}
				runtime.Gosched()
				inside.Add(-1)
				removeLock(lock)
			}
		})
	}
	wg.Wait()
}

// The lists are closed while they are replaced, and open again after it, whether
// that worked or not.
func TestRewriteContinuesAfterAnError(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, resultsFile)
	l, err := newLines(path)
	if err != nil {
		t.Fatal(err)
	}
	l.add(api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Test: "A"}}})
	l.flush()
	damage, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := damage.WriteString("?\n"); err != nil {
		t.Fatal(err)
	}
	damage.Close()
	if err := rewrite(l, func(api.Result) bool { return false }); err == nil {
		t.Error("a damaged list was rewritten")
	}
	l.add(api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Test: "B"}}})
	if err := l.close(); err != nil {
		t.Error(err)
	}
	raw, _ := os.ReadFile(path)
	if lines := strings.Split(string(raw), "\n"); len(lines) != 4 || !strings.Contains(lines[0], `"A"`) || !strings.Contains(lines[2], `"B"`) {
		t.Errorf("list = %q, want the old one and what came after", raw)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("litter: %v", entries)
	}
}

// A record that could not be begun leaves nothing behind.
func TestARecordThatCannotBeginLeavesNoLitter(t *testing.T) {
	for _, step := range []string{aliveFile, runFile, resultsFile, failuresFile} {
		dir := t.TempDir()
		r := &Recorder{dir: dir}
		// Something in the way of one step: what Record meets when the disk is
		// full or the path too long.
		if err := os.MkdirAll(filepath.Join(dir, step, "x"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := r.begin(api.Run{RunID: "r"}); err == nil {
			t.Errorf("%s in the way: no error", step)
		}
		r.drop()
		if _, err := os.Lstat(dir); err == nil {
			t.Errorf("%s in the way: the folder is left", step)
		}
	}
}

func TestRecordRemovesWhatItCannotBegin(t *testing.T) {
	s, err := Open(Config{Workspace: t.TempDir(), SessionID: "one"})
	if err != nil {
		t.Fatal(err)
	}
	// JSON has no year of five digits.
	run := api.Run{RunID: "r", StartedAt: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}
	var store *StoreError
	if _, err := NewRecorder(s, run); !errors.As(err, &store) {
		t.Errorf("err = %v, want a StoreError", err)
	}
	if s.Has("r") {
		t.Error("its folder is left")
	}
}

func TestLastAndPrevAreFinishedRuns(t *testing.T) {
	s, err := Open(Config{Workspace: t.TempDir(), SessionID: "one"})
	if err != nil {
		t.Fatal(err)
	}
	done := api.Run{RunID: "done000000", SessionID: "one", State: api.StateFinished}
	running := api.Run{RunID: "running000", SessionID: "one", State: api.StateRunning, StartedAt: done.StartedAt.AddDate(0, 0, 1)}
	for _, run := range []api.Run{done, running} {
		rec, err := NewRecorder(s, run)
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Finish(run)
	}
	if err := s.Finish(t.Context(), done); err != nil {
		t.Fatal(err)
	}
	if run, err := s.Run("last"); err != nil || run.RunID != done.RunID {
		t.Errorf("last = %s, %v; want the finished one", run.RunID, err)
	}
	var missing *api.UnknownRunError
	if _, err := s.Run("prev"); !errors.As(err, &missing) {
		t.Errorf("prev: %v, want a NoRunError", err)
	}
	if run, err := s.Run("runn"); err != nil || run.State != api.StateRunning {
		t.Errorf("by id: %s, %v", run.State, err)
	}
}
