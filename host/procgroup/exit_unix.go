//go:build unix

package procgroup

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// exitOf reads the state of a reaped process.
func exitOf(state *os.ProcessState) Exit {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return Exit{Code: state.ExitCode()}
	}
	name := unix.SignalName(status.Signal())
	if name == "" { // real-time signals have numbers only
		name = "SIG" + strconv.Itoa(int(status.Signal()))
	}
	return Exit{Code: -1, Signal: name}
}
