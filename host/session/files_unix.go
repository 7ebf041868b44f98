//go:build unix

package session

import "golang.org/x/sys/unix"

// noFollow makes opening a symbolic link an error.
const noFollow = unix.O_NOFOLLOW

// removesOpenFiles: a file can be removed by the process that has it open.
const removesOpenFiles = true
