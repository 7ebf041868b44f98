package upload

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestDirectoriesOfOthersAreNeitherRemovedNorCounted(t *testing.T) {
	parent := t.TempDir()
	old := time.Now().Add(-2 * leftAfter)
	names := []string{"theirs", "z-ours"}
	for i := range 2 * maxSwept {
		names = append(names, fmt.Sprintf("theirs-%d", i))
	}
	for _, name := range names {
		dir := filepath.Join(parent, prefix+name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	sweep(t.Context(), parent, time.Now(), func(info fs.FileInfo) bool { return !strings.Contains(info.Name(), "theirs") })
	left, err := os.ReadDir(parent)
	if err != nil || len(left) != len(names)-1 {
		t.Errorf("%d of %d are left: %v", len(left), len(names), err)
	}
	if _, err := os.Lstat(filepath.Join(parent, prefix+"z-ours")); err == nil {
		t.Error("those of others used up what one upload removes")
	}
}

func TestALinkInThePlaceOfADirectoryIsNotFollowed(t *testing.T) {
	parent := t.TempDir()
	for _, name := range []string{prefix + "x", "theirs"} {
		if err := os.Mkdir(filepath.Join(parent, name), 0o500); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(parent)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	info, err := root.Lstat(prefix + "x")
	if err != nil {
		t.Fatal(err)
	}
	same, err := enter(root, info)
	if err != nil {
		t.Fatal(err)
	}
	same.Close()
	if err := root.Remove(prefix + "x"); err != nil {
		t.Fatal(err)
	}
	if err := root.Symlink("theirs", prefix+"x"); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if other, err := enter(root, info); err == nil {
		other.Close()
		t.Error("a link was followed to what is somebody's")
	}
}
