//go:build unix

package lock

import "syscall"

// noFollow rejects links, and does not wait for the other end of a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
