//go:build !unix

package process

import "os/exec"

// ownGroup does nothing where there are no groups.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
