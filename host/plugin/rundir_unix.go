//go:build unix

package plugin

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// defaultBases lists where run directories may be created, best first.
func defaultBases() []string {
	var bases []string
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		if owner, ok := ownerOf(dir); ok && int(owner) == os.Geteuid() {
			bases = append(bases, filepath.Join(dir, "proctor"))
		}
	}
	own := "proctor-" + strconv.Itoa(os.Geteuid())
	return append(bases,
		filepath.Join(os.TempDir(), own),
		// The temporary directory of macOS, or of a test, may be too long.
		filepath.Join("/tmp", own))
}

// privateDir makes sure that dir exists, is a directory and is nobody else's.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &RunDirError{Dir: dir, Reason: err.Error()}
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return &RunDirError{Dir: dir, Reason: err.Error()}
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return &RunDirError{Dir: dir, Reason: "it is not a directory"}
	case !ok || int(stat.Uid) != os.Geteuid():
		return &RunDirError{Dir: dir, Reason: "it belongs to another user"}
	case info.Mode().Perm()&0o077 != 0:
		return &RunDirError{Dir: dir, Reason: "others can access it; chmod 700 it"}
	}
	return nil
}

// processExists reports whether some process has this pid.
func processExists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
