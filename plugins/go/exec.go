package gotest

import (
	"fmt"
	"os"

	"github.com/proctorhq/proctor/plugins/go/internal/testexec"
)

// ExecCommand is the first argument with which a rerun or an index starts
// [Config.Executable].
const ExecCommand = "exec-helper"

// Exec is the program for the -exec of a rerun or an index: it runs a test binary with
// the tests planned for its package, or measures them. args are the arguments after
// [ExecCommand]. It returns the exit code.
func Exec(args []string) int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "proctor: cannot find out the package's directory:", err)
		return 1
	}
	return testexec.Main(testexec.Process{
		Args: args, Env: os.Environ(), Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
}
