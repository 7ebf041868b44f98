//go:build !unix

package checkout

import "io/fs"

// private is always true: the directory for temporary files is the user's own here.
func private(fs.FileInfo) bool { return true }
