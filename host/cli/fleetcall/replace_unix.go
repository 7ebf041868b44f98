//go:build unix

package fleetcall

import "syscall"

func replace(path string, argv, environ []string) error { return syscall.Exec(path, argv, environ) }
