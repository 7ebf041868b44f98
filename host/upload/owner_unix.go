//go:build unix

package upload

import (
	"io/fs"
	"os"
	"syscall"
)

// owned reports whether a file belongs to the user, who may be one of many in a
// directory for temporary files.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
