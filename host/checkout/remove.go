package checkout

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// removeTree removes a directory whose subdirectories may be inaccessible.
func removeTree(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	parent, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer parent.Close()
	info, err := parent.Lstat(filepath.Base(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() {
		unlock(parent, info)
	}
	return parent.RemoveAll(info.Name())
}

// unlock makes the directories below one accessible, top down. It follows no links.
func unlock(parent *os.Root, dir fs.FileInfo) {
	_ = parent.Chmod(dir.Name(), 0o700)
	root, err := parent.OpenRoot(dir.Name())
	if err != nil {
		return
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = root.Chmod(name, 0o700)
		}
		return nil
	})
}
