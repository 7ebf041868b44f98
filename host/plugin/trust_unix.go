//go:build unix

package plugin

import (
	"os"
	"path/filepath"
	"syscall"
)

const (
	groupWritable = 0o020
	worldWritable = 0o002
)

// weakness says how others may replace the file at path, or nothing.
func weakness(path string) string {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "it cannot be read: " + withoutPath(err)
	}
	file, err := os.Stat(resolved)
	if err != nil {
		return "it cannot be read: " + withoutPath(err)
	}
	dir, err := os.Stat(filepath.Dir(resolved))
	if err != nil {
		return "its directory cannot be read: " + withoutPath(err)
	}
	switch {
	case file.Mode().Perm()&worldWritable != 0:
		return "any user can change it; chmod o-w it, or name it with --plugin"
	case file.Mode().Perm()&groupWritable != 0 && !ownGroup(file):
		return "another group can change it; chmod g-w it, or name it with --plugin"
	case dir.Mode().Perm()&worldWritable != 0 && dir.Mode()&os.ModeSticky == 0:
		return "any user can replace it, as its directory is writable by all; chmod o-w the directory, or name the plugin with --plugin"
	}
	return ""
}

// trustedOwner reports whether the file belongs to this user, to root, or to proctor's
// owner.
func trustedOwner(path, executable string) bool {
	owner, ok := ownerOf(path)
	if !ok {
		return false
	}
	if owner == 0 || int(owner) == os.Geteuid() {
		return true
	}
	host, ok := ownerOf(executable)
	return ok && owner == host
}

// ownGroup reports whether a file's group is that of this process or root's. A private
// group with group-writable files is the default on several Linux distributions.
func ownGroup(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Gid == 0 || int(stat.Gid) == os.Getegid())
}

func ownerOf(path string) (uint32, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return stat.Uid, true
}
