//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
