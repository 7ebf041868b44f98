//go:build !unix

package publish

import "github.com/gofrs/flock"

// noFollow is zero where the directory for temporary files is the user's own.
const noFollow = 0

// directoryLock returns nil: a directory cannot be locked.
func directoryLock(string) *flock.Flock { return nil }
