//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func (w *repository) checkouts() []string {
	found, _ := filepath.Glob(filepath.Join(w.temp, "proctor-checkouts-*", "*-*"))
	return found
}

// hanging is a repository whose failing test hangs on the base.
func hanging(t *testing.T) *repository {
	w := newRepository(t, ".", files{"a/a_test.go": tests("a", "TestA", `if os.Getenv("HANG") != "" { select {} }`)})
	w.write(files{"a/a_test.go": tests("a", "TestA", fail)})
	w.proctor("run").expect(t, 1)
	w.ran()
	return w
}

func TestAnInterruptedTriageCleansUp(t *testing.T) {
	t.Parallel()
	w := hanging(t)
	w.setenv("HANG=1")
	b := w.start("triage", "--json")
	await(t, "TestA on the base", func() bool { return w.hasRun("a TestA") })
	if len(w.checkouts()) != 1 {
		t.Errorf("checkouts %q", w.checkouts())
	}
	// A second one waits meanwhile.
	other, _ := w.waits("triage")
	other.Process.Signal(syscall.SIGINT)
	if err := other.Wait(); len(w.checkouts()) != 1 || other.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("%v, checkouts %q", err, w.checkouts())
	}
	b.cmd.Process.Signal(syscall.SIGINT)
	r := b.end()
	r.expect(t, exitInterrupted, `"finding":"unknown"`, `"cancelled":true`)
	if left := w.checkouts(); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	w.setenv("HANG=")
	answer, _ := w.triage()
	expectFound(t, answer, map[string]string{"a TestA": "introduced"})
}

func TestTheCheckoutOfAKilledTriageIsRemovedByTheNext(t *testing.T) {
	t.Parallel()
	w := hanging(t)
	w.setenv("HANG=1")
	b := w.start("triage")
	await(t, "TestA on the base", func() bool { return w.hasRun("a TestA") })
	b.cmd.Process.Signal(syscall.SIGKILL)
	b.end()
	left := w.checkouts()
	if len(left) != 1 {
		t.Fatalf("checkouts %q", left)
	}
	if err := os.WriteFile(filepath.Join(left[0], "tree", "stale.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w.setenv("HANG=")
	answer, _ := w.triage("--no-cache")
	expectFound(t, answer, map[string]string{"a TestA": "introduced"})
	if now := w.checkouts(); len(now) > 0 {
		t.Errorf("left behind: %q", now)
	}
}
