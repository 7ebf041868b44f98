//go:build unix

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A rerun that is interrupted while it is planned has run nothing: nothing is newly
// outstanding, and the last run is the one before.
func TestACallCancelledBeforeItBeganLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", broken, "TestB", broken, "TestOK", pass)})
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	bin, hang, hangs := t.TempDir(), filepath.Join(w.home, "hang"), filepath.Join(w.home, "hangs")
	script := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = list ] && [ -e %q ]; then : > %q; exec sleep 600; fi\nexec %q \"$@\"\n", hang, hangs, real)
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	w.setenv("PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"))
	w.proctor("run").expect(t, 1, "FAILED  2 tests")
	w.ran()
	before := w.proctor("failures", "--json").stdout
	if err := os.WriteFile(hang, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(w.home, "report.xml")
	b := w.start("rerun", "--junit", report)
	await(t, "go list", func() bool { _, err := os.Stat(hangs); return err == nil })
	b.cmd.Process.Signal(syscall.SIGINT)
	r := b.end()
	r.expect(t, exitInterrupted)
	if strings.Contains(r.stdout+r.stderr, "not recorded") || len(w.ran()) > 0 {
		t.Errorf("the rerun says\n%s%s", r.stdout, r.stderr)
	}
	if raw, err := os.ReadFile(report); err != nil || !strings.Contains(string(raw), "tool_error: interrupted") {
		t.Errorf("%v, the report is %s", err, raw)
	}
	os.Remove(hang)
	w.proctor("rerun", "--list").expect(t, 0, "TestA", "TestB")
	if text := w.proctor("rerun", "--list").stdout; strings.Contains(text, "(the run)") || strings.Contains(text, "TestOK") {
		t.Errorf("outstanding is\n%s", text)
	}
	if after := w.proctor("failures", "--json").stdout; strings.Count(after, `"test":`) != strings.Count(before, `"test":`) {
		t.Errorf("the last run was\n%s\nand is\n%s", before, after)
	}
	step{call: "rerun", env: fixed, ran: "a TestA, a TestB", verdict: "passed"}.happens(t, w)
}
