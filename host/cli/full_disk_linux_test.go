package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAFullDiskHidesNoRedRun runs red on a file system that is full, at the first write
// and in the middle. No command then says that there was no run, that it was killed or
// that nothing is outstanding, nor when there is room again. The last one has
// no room for one more file either.
func TestAFullDiskHidesNoRedRun(t *testing.T) {
	t.Parallel()
	for _, full := range []struct{ before, after string }{
		{"size=307200", "size=20m"}, {"size=614400", "size=20m"}, {"size=614400,nr_inodes=400", "size=20m,nr_inodes=5000"},
	} {
		t.Run(full.before, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "full")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, full.before); err != nil {
				t.Skipf("NOT TESTED: a full disk needs a file system that this user may not mount: %v", err)
			}
			t.Cleanup(func() {
				if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
					t.Error(err)
				}
			})
			w := newModuleAt(t, dir, files{"m_test.go": `package m

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestRed(t *testing.T) { t.Fatal("red") }

func TestBig(t *testing.T) {
	for i := 0; i < 2000; i++ {
		fmt.Println(strings.Repeat("x", 1000))
	}
	if os.Getenv("FILES") == "" {
		return
	}
	os.Mkdir("files", 0o755)
	for i := 0; i < 1000; i++ {
		if err := os.WriteFile(fmt.Sprint("files/", i), nil, 0o644); err != nil {
			return
		}
	}
}
`})
			if strings.Contains(full.before, "nr_inodes") {
				w.setenv("FILES=1")
			}
			if reply := w.proctor("run"); reply.code != 1 || !strings.Contains(reply.stdout+reply.stderr, "not recorded") {
				t.Fatalf("the disk is not full: exit %d\n%s%s", reply.code, reply.stdout, reply.stderr)
			}
			check := func(when string, codes map[string][]int) {
				t.Helper()
				for _, command := range []string{"failures", "rerun --list", "runs", "mcp context", "rerun"} {
					reply := w.proctor(strings.Fields(command)...)
					// Where not even an empty file could be left, nobody knows which.
					said := strings.ReplaceAll(reply.stdout+reply.stderr, "proctor was killed, or the end could not be written", "")
					for _, untrue := range []string{"no run", "No run", "no tests have been run", "killed", "othing is outstanding", "0 outstanding"} {
						if strings.Contains(said, untrue) {
							t.Errorf("%s says %q %s:\n%s", command, untrue, when, said)
						}
					}
					allowed := false
					for _, code := range codes[command] {
						allowed = allowed || reply.code == code
					}
					if !allowed {
						t.Errorf("%s exits with %d %s:\n%s", command, reply.code, when, said)
					}
				}
			}
			check("on the full disk", map[string][]int{"failures": {3}, "rerun --list": {0, 3}, "runs": {0, 3}, "mcp context": {0, 3}, "rerun": {1, 3}})
			if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, full.after); err != nil {
				t.Fatal(err)
			}
			if reply := w.proctor("rerun", "--list"); !strings.Contains(reply.stdout, "(the run)") {
				t.Errorf("outstanding:\n%s%s", reply.stdout, reply.stderr)
			}
			if reply := w.proctor("runs"); reply.code != 0 || !strings.Contains(reply.stdout, "end not recorded") && !strings.Contains(reply.stdout, "no end on record") {
				t.Errorf("runs, exit %d:\n%s%s", reply.code, reply.stdout, reply.stderr)
			}
			check("when there is room again", map[string][]int{"failures": {3}, "rerun --list": {0}, "runs": {0}, "mcp context": {0}, "rerun": {1}})
		})
	}
}

// Where a run left nothing but an empty file, every question is told that there was one.
func TestARunThatLeftOnlyAnEmptyFileIsNotNone(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestRed", fail)})
	w.proctor("run").expect(t, exitFailed)
	states, err := filepath.Glob(filepath.Join(w.dir, ".proctor", "sessions", "*.json"))
	if err != nil || len(states) == 0 {
		t.Fatalf("%d sessions, %v", len(states), err)
	}
	for _, path := range states {
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	w.remove(".proctor/runs", ".proctor/history.db", ".proctor/history.db-shm", ".proctor/history.db-wal")
	for _, command := range []string{"failures", "runs", "rerun --list", "output TestRed", "why TestRed", "history"} {
		w.proctor(strings.Fields(command)...).expect(t, exitTool, "could not be recorded")
	}
}
