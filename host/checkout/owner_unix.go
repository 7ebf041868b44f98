//go:build unix

package checkout

import (
	"io/fs"
	"os"
	"syscall"
)

// private reports whether a directory is the user's and nobody else can read or write
// it.
func private(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
