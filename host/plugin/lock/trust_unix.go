//go:build unix

package lock

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const (
	groupWritable = 0o020
	worldWritable = 0o002
)

// trusted returns an error if anyone but the user, or those who could run anything here
// anyway, may choose the content of a lock file that applies in a directory.
func trusted(path string, file fs.FileInfo, start string) error {
	from, err := os.Stat(start)
	if err != nil {
		return unreadableError(path, err)
	}
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return unreadableError(path, err)
	}
	if owner, ok := ownerOf(file); !ok || !ownerTrusted(owner, from) {
		return foreign(path, owner)
	}
	if open(from) {
		return nil
	}
	return closed(path, file, dir)
}

// trustedOwn returns an error if others may choose the content of a file of the user's.
// The owner of its directory may, so that running as root with the home directory of a
// user works.
func trustedOwn(path string, file fs.FileInfo) error {
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return unreadableError(path, err)
	}
	if owner, ok := ownerOf(file); !ok || !ownerTrusted(owner, dir) {
		return foreign(path, owner)
	}
	return closed(path, file, dir)
}

func foreign(path string, owner int) error {
	return &Error{Path: path, Reason: fmt.Sprintf("it belongs to another user (%d), who could choose the plugins: remove it, or take it over with `chown`", owner)}
}

// closed returns an error if others can write to a file or its directory.
func closed(path string, file, dir fs.FileInfo) error {
	switch {
	case file.Mode().Perm()&worldWritable != 0:
		return &Error{Path: path, Reason: "every user may change it, and so choose the plugins: run `chmod o-w " + path + "`"}
	case file.Mode().Perm()&groupWritable != 0 && !ownGroup(file):
		return &Error{Path: path, Reason: "another group may change it, and so choose the plugins: run `chmod g-w " + path + "`"}
	case open(dir):
		return &Error{Path: path, Reason: "every user may replace it, and so choose the plugins: run `chmod o-w " + filepath.Dir(path) + "`"}
	}
	return nil
}

func ownerTrusted(owner int, start fs.FileInfo) bool {
	if owner == 0 || owner == os.Geteuid() {
		return true
	}
	here, ok := ownerOf(start)
	return ok && owner == here
}

// open reports whether every user may replace what is in a directory.
func open(dir fs.FileInfo) bool {
	return dir.Mode().Perm()&worldWritable != 0 && dir.Mode()&os.ModeSticky == 0
}

// ownGroup reports whether a file's group is that of this process or root's. A private
// group with group-writable files is the default on several Linux distributions.
func ownGroup(file fs.FileInfo) bool {
	stat, ok := file.Sys().(*syscall.Stat_t)
	return ok && (stat.Gid == 0 || int(stat.Gid) == os.Getegid())
}

func ownerOf(file fs.FileInfo) (int, bool) {
	stat, ok := file.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, false
	}
	return int(stat.Uid), true
}
