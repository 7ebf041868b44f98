//go:build unix

package config

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAPipeIsNotWaitedFor(t *testing.T) {
	root := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(root, FileName), 0o600); err != nil {
		t.Fatal(err)
	}
	refuse(t, root, "is not a regular file")
}
