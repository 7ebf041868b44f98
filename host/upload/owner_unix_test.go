//go:build unix

package upload

import (
	"os"
	"testing"
)

func TestAFileOfAnotherUserIsNotOwned(t *testing.T) {
	path := t.TempDir()
	info, err := os.Lstat(path)
	if err != nil || !owned(info) {
		t.Fatalf("%v: a directory of ours is not", err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 12345, -1); err != nil {
			t.Skip("no other users here:", err)
		}
	} else {
		path = "/"
	}
	if info, err = os.Lstat(path); err != nil || owned(info) {
		t.Errorf("%v: %s is owned", err, path)
	}
}
