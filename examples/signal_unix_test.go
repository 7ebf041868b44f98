//go:build unix

package examples_test

import "syscall"

const stopSignal = syscall.SIGSTOP

func sendSignal(pid int, signal syscall.Signal) error { return syscall.Kill(pid, signal) }
