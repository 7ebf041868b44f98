package fingerprint

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/internal/needs"
)

func TestASnapshotThatIsNotTakenLeavesNoProcess(t *testing.T) {
	path := needs.Program(t, "git")
	top := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), path, "init", "-q", top).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cfg := Config{Root: filepath.Join(top, "new"), Git: path}
	if err := os.Mkdir(cfg.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	o := open(t.Context(), cfg)
	if o.repo == nil || o.repo.judge.cmd == nil {
		t.Fatalf("git was not asked whether the directory is ignored: %+v", o)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.take(cancelled, cfg, nil); err == nil {
		t.Error("it was taken")
	}
	if o.repo.judge.cmd != nil {
		t.Error("the process is left")
	}
}
