//go:build !linux

package testexec

import "os/exec"

// bindToParent does nothing: only Linux has such a bond. The child stays in the
// process group that the host kills as a whole.
func bindToParent(*exec.Cmd) {}
