//go:build unix

package source

import "syscall"

// nonblocking keeps opening a pipe from waiting for its other end.
const nonblocking = syscall.O_NONBLOCK
