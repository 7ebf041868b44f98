package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// says checks what a command prints, and its exit code.
func (w *module) says(code int, args string, texts ...string) reply {
	w.t.Helper()
	r := w.proctor(strings.Fields(args)...)
	if r.code != code {
		w.t.Errorf("proctor %s: exit %d, want %d\n%s%s", args, r.code, code, r.stdout, r.stderr)
	}
	for _, text := range texts {
		if !strings.Contains(r.stdout+r.stderr, text) {
			w.t.Errorf("proctor %s: %q is missing in\n%s%s", args, text, r.stdout, r.stderr)
		}
	}
	return r
}

func TestADamagedArchiveIsRefusedWhole(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	m.run(these(unit("test_A", 100)))
	archive := filepath.Join(t.TempDir(), "whole.tar.gz")
	m.says(exitPassed, "runs export last --output "+archive)
	raw, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut\x1b[2J.tar.gz")
	if err := os.WriteFile(cut, raw[:len(raw)/2], 0o600); err != nil {
		t.Skip("no such file names here:", err)
	}
	r := newMeasured(t).proctor("runs", "import", cut)
	if r.code != exitUsage || !strings.Contains(r.stderr, "nothing was imported") || strings.Contains(r.stderr, "\x1b") {
		t.Errorf("exit %d: %q", r.code, r.stderr)
	}
}
