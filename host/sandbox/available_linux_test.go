package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/host/sandbox"
)

func TestAMissingBubblewrapIsNamed(t *testing.T) {
	t.Parallel()
	_, err := sandbox.Available(t.Context(), []string{"PATH=" + t.TempDir(), "HOME="})
	if _, ok := errors.AsType[*sandbox.UnavailableError](err); !ok || !strings.Contains(err.Error(), "apt install bubblewrap") {
		t.Errorf("%v", err)
	}
}

func TestABubblewrapThatDoesNotWorkSaysWhy(t *testing.T) {
	t.Parallel()
	for said, fix := range map[string]string{
		"bwrap: Creating new namespace failed: Operation not permitted": "allow user namespaces",
		"bwrap: Can't mount proc on /newroot/proc":                      "may mount /proc",
		"bwrap: Unknown option --size":                                  "bubblewrap 0.6",
		"env: unrecognized option '--default-signal=INT,QUIT'":          "GNU coreutils",
	} {
		dir := t.TempDir()
		script := "#!/bin/sh\ncat >&2 <<'EOF'\n" + said + "\nEOF\nexit 1\n"
		if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := sandbox.Available(t.Context(), []string{"PATH=" + dir})
		if unavailable, ok := errors.AsType[*sandbox.UnavailableError](err); !ok || !strings.Contains(err.Error(), said) || !strings.Contains(unavailable.Fix, fix) {
			t.Errorf("%v", err)
		}
	}
}

func TestNoBoxAndAnOpenBoxChangeNothing(t *testing.T) {
	t.Parallel()
	open, err := sandbox.New(sandbox.Config{Inputs: "/i"})
	if err != nil {
		t.Fatal(err)
	}
	var none *sandbox.Box
	for _, b := range []*sandbox.Box{none, open} {
		cfg := b.Wrap(runner.Config{Argv: []string{"/a", "b"}, Dir: "/d"})
		if strings.Join(cfg.Argv, " ") != "/a b" || cfg.Dir != "/d" {
			t.Errorf("%+v", cfg)
		}
	}
	if none.Scratch() != "" || open.Scratch() != "/i" {
		t.Errorf("scratch: %q, %q", none.Scratch(), open.Scratch())
	}
}
