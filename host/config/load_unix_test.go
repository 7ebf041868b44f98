//go:build unix

package config_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/proctorhq/proctor/host/config"
)

func TestAPipeIsNotWaitedFor(t *testing.T) {
	root := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(root, config.File), 0o600); err != nil {
		t.Fatal(err)
	}
	refuse(t, root, "is not a regular file")
}
