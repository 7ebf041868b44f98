package fleetcall

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

// program is the name of the program.
const program = "proctor-fleet"

// isAsked reports whether `run --fleet` was asked for.
func isAsked(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "run") && slices.ContainsFunc(args, isFlag)
}

// isFlag reports whether a word is --fleet, with whatever stands for true.
func isFlag(word string) bool {
	value, ok := strings.CutPrefix(word, "--fleet=")
	if !ok {
		return word == "--fleet"
	}
	set, err := strconv.ParseBool(value)
	return err == nil && set
}

// Replace runs proctor-fleet with these arguments, without --fleet, in place of this process:
// it returns only if that fails. It does nothing without `run --fleet`, or if this is that
// program already.
func (x Extension) Replace(args, environ []string) error {
	if x.IsFleet() || !isAsked(args) {
		return nil
	}
	path, err := find()
	if err != nil {
		return &api.UsageError{
			Reason: program + " is neither beside proctor nor in PATH",
			Fix:    "install it: go build -C fleet -o ../bin/ ./cmd/" + program + " in a checkout of proctor (docs/fleet.md)",
		}
	}
	args = slices.DeleteFunc(slices.Clone(args), isFlag)
	return replace(path, append([]string{program}, args...), environ)
}

// find finds the program: beside proctor, as its plugins are, or in PATH.
func find() (string, error) {
	name := program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if beside, err := filepath.EvalSymlinks(self); err == nil {
			self = beside
		}
		path := filepath.Join(filepath.Dir(self), name)
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			return path, nil
		}
	}
	return exec.LookPath(program)
}
