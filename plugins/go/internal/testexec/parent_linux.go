package testexec

import (
	"os/exec"
	"syscall"
)

// bindToParent makes the kernel end the child when this process is killed: the go
// command kills what it started, and does not know the child.
func bindToParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
