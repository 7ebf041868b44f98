//go:build unix

package upload

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
)

// Something may still write to the sources.
func TestAFileThatBecameSomethingElseIsRefused(t *testing.T) {
	for name, replace := range map[string]func(path string) error{
		"a pipe":                func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a directory":           func(path string) error { return os.Mkdir(path, 0o700) },
		"a link to a directory": func(path string) error { return os.Symlink(".", path) },
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a")
		testfiles.Write(t, path, "A")
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		listed, err := fs.ReadDir(root.FS(), ".")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Remove(path), replace(path)); err != nil {
			t.Fatal(err)
		}
		var refused *refusedError
		if content, err := readFile(root, "a", listed[0], 100); !errors.As(err, &refused) || refused.File != "a" || content != nil {
			t.Errorf("%s: %q, %v", name, content, err)
		}
	}
}
