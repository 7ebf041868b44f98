//go:build unix

package reports

import "syscall"

// nonblocking keeps opening a pipe from waiting for a reader that never comes.
const nonblocking = syscall.O_NONBLOCK
