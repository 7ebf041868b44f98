//go:build unix

package cli

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/internal/testbin"
)

// nobody is who may read the records and not write them, where root runs the tests.
const nobody = 65534

// reader makes the records ones that is not writable: runs of this user, and returns who
// calls proctor so. Root may write everywhere, and becomes somebody else for it.
func (w *module) reader() func(args ...string) reply {
	w.t.Helper()
	home := w.t.TempDir()
	self := testbin.Path("proctor")
	var who *syscall.SysProcAttr
	if os.Geteuid() == 0 {
		who = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		copied := filepath.Join(filepath.Dir(w.dir), "proctor")
		raw, err := os.ReadFile(self)
		if err == nil {
			err = os.WriteFile(copied, raw, 0o755)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		self = copied
		for _, dir := range []string{w.dir, home} {
			for ; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
				os.Chmod(dir, 0o755)
			}
		}
		if err := os.Chown(home, nobody, nobody); err != nil {
			w.t.Fatal(err)
		}
	} else {
		filepath.WalkDir(filepath.Join(w.dir, ".proctor"), func(path string, entry fs.DirEntry, _ error) error {
			if entry.IsDir() {
				os.Chmod(path, 0o555)
				w.t.Cleanup(func() { os.Chmod(path, 0o755) })
			}
			return nil
		})
	}
	return func(args ...string) reply {
		w.t.Helper()
		cmd := exec.Command(self, args...)
		cmd.Dir, cmd.SysProcAttr = w.dir, who
		cmd.Env = append(w.command().Env, "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"))
		if out, err := (&exec.Cmd{Path: self, Args: []string{"proctor", "version"}, SysProcAttr: who}).CombinedOutput(); err != nil && len(out) == 0 {
			w.t.Skipf("UNTESTED: nobody cannot execute %s: %v", self, err)
		}
		return w.wait(cmd)
	}
}

func TestAReaderOfTheRecordsIsAnsweredFromThem(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestRed", fail, "TestGood", pass)})
	w.proctor("run").expect(t, exitFailed)
	var before []string
	look := func() (found []string) {
		filepath.WalkDir(filepath.Join(w.dir, ".proctor"), func(path string, _ fs.DirEntry, _ error) error {
			found = append(found, path)
			return nil
		})
		return found
	}
	before = look()
	as := w.reader()
	for _, command := range []string{"rerun --list", "failures", "history", "runs", "why TestRed", "runs show last"} {
		r := as(strings.Fields(command)...)
		r.expect(t, 0, "is not writable: runs of this user")
		if !strings.Contains(r.stdout, "TestRed") && !strings.Contains(r.stdout, "1 failed") || strings.Contains(r.stderr, "readonly database") {
			t.Errorf("%s says\n%s%s", command, r.stdout, r.stderr)
		}
	}
	if now := look(); len(now) != len(before) {
		t.Errorf("files were made: %q, before %q", now, before)
	}
}

func TestAReaderOfRecordsWithoutAHistoryIsToldOfTheRuns(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestRed", fail, "TestGood", pass)})
	w.proctor("run").expect(t, exitFailed)
	for _, suffix := range []string{"", "-shm", "-wal"} {
		w.remove(".proctor/history.db" + suffix)
	}
	as := w.reader()
	as("runs").expect(t, 0, "1 test passed, 1 failed")
	as("rerun", "--list").expect(t, 0, "no longer on record, so everything is outstanding")
	as("failures").expect(t, 0, "TestRed")
	as("why", "TestRed").expect(t, exitUsage, "no test or file")
	as("history").expect(t, 0, "the history of this workspace is gone")
}

func TestATriageAfterTheHistoryIsGoneDoesNotSayThatNothingIsOutstanding(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestGood", pass)})
	w.proctor("run").expect(t, exitPassed)
	for _, suffix := range []string{"", "-shm", "-wal"} {
		w.remove(".proctor/history.db" + suffix)
	}
	w.proctor("triage").expect(t, exitNothingRan, "what else is outstanding is unknown without a history")
	w.proctor("rerun", "--list").expect(t, 0, "everything is outstanding")
	w.proctor("triage").expect(t, exitNothingRan, "what is outstanding is not a test")
}

func TestWhatWasRedElsewhereIsOutstandingHereAgain(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestOld", fail, "TestNew", broken, "TestGood", pass)})
	w.env = append(w.env, "FIXED=1")
	w.proctor("run").expect(t, exitFailed, "FAILED  1 test ")
	w.env = w.env[:len(w.env)-1]
	// For a while it cannot be written, because proctor does not follow a link.
	inside, aside := filepath.Join(w.dir, ".proctor"), filepath.Join(w.home, "aside")
	if err := os.Rename(inside, aside); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(aside, inside); err != nil {
		t.Fatal(err)
	}
	w.proctor("run", "-f", "TestNew").expect(t, exitFailed)
	if err := os.Remove(inside); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(aside, inside); err != nil {
		t.Fatal(err)
	}
	w.proctor("rerun", "--list").expect(t, 0, "TestOld", "TestNew", ".proctor was not writable are in "+w.home)
	w.proctor("run", "-f", "TestGood").expect(t, 0, "2 tests still outstanding")
	r := w.proctor("rerun", "--list")
	r.expect(t, 0, "TestOld", "TestNew", "2 tests outstanding")
	if strings.Contains(r.stdout, "(the run)") {
		t.Errorf("more is outstanding than was red:\n%s", r.stdout)
	}
	w.env = append(w.env, "FIXED=1")
	w.proctor("rerun").expect(t, exitFailed, "FAILED  1 test · 1 passed")
	w.proctor("rerun", "--list").expect(t, 0, "TestOld", "1 test outstanding")
}
