//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a process and what it starts into a group of their own: a plugin may be
// a script that starts the real one.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { killGroup(cmd); return nil }
}

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
