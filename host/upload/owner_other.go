//go:build !unix

package upload

import "io/fs"

// owned is always true: the directory for temporary files is the user's own here.
func owned(fs.FileInfo) bool { return true }
