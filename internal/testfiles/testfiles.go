package testfiles

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Write writes a file with the directories above it, and returns its path.
func Write(t testing.TB, path, text string) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
	return path
}

// WriteAll writes files below a directory. Their names have slashes on every system.
func WriteAll(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		Write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
}
