//go:build !linux

package testexec

import "os/exec"

// bindToParent does nothing: only Linux offers this. The child stays in the process
// group, which the host kills as a whole.
func bindToParent(*exec.Cmd) {}
