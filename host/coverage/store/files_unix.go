//go:build unix

package store

import "golang.org/x/sys/unix"

// noFollow rejects symbolic links when opening.
const noFollow = unix.O_NOFOLLOW
