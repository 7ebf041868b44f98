//go:build unix

package store

import "golang.org/x/sys/unix"

// noFollow makes opening a symbolic link an error.
const noFollow = unix.O_NOFOLLOW
