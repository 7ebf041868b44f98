//go:build unix

package golden_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

func TestANamedPipeIsNotRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "stderr"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"want.json", "exit.json", "stdout"} {
		path := filepath.Join(dir, name)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := golden.ReadCase(t.Context(), dir)
		if unusable, ok := errors.AsType[*golden.CaseError](err); !ok || unusable.Path != path {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
