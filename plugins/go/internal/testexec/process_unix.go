//go:build unix

package testexec

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// forwarded are the signals that end a test run.
var forwarded = []os.Signal{os.Interrupt, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP}

// signalGrace is how long this process waits for the signal it sent to itself, which
// takes microseconds.
const signalGrace = time.Second

// exitAs ends like the child: with its exit code, or by its signal, so that the go
// command reports what it would have reported about the child itself.
func exitAs(child *os.ProcessState, stderr io.Writer) int {
	status, ok := child.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return child.ExitCode()
	}
	sig := status.Signal()
	switch sig {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP:
		signal.Reset(sig)
		if syscall.Kill(os.Getpid(), sig) == nil {
			time.Sleep(signalGrace)
		}
	default:
		// A Go program that sends itself another one prints its own stacks.
		fmt.Fprintf(stderr, "signal: %s\n", sig)
	}
	return 128 + int(sig) // as a shell reports it
}
