package store

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/windows"
)

// Windows access lists are not examined: the checks are for Unix modes.
func checkUnchangeable(string, fs.FileInfo) error { return nil }

func checkNotOpen(string, fs.FileInfo) error { return nil }

func hardLinked(fs.FileInfo) bool { return false }

// syncDir does nothing: directories cannot be synced here.
func (s *Store) syncDir(string) error { return nil }

// busy reports whether something failed because a program has a file open, such as its
// own binary.
func busy(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
