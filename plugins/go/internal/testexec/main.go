package testexec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// exitFailed is the exit code when the test binary could not be run: that of a
// failing test, so that no caller takes it for a success.
const exitFailed = 1

// Process is what the program gets from its surroundings.
type Process struct {
	// Args are the arguments after the program's own: the user's -exec program
	// and its arguments, if any, the test binary, and its arguments.
	Args []string
	// Env are its variables, as from [os.Environ].
	Env []string
	// Dir is the package directory.
	Dir string
	// Stdin, Stdout and Stderr are handed to the test binary.
	Stdin          *os.File
	Stdout, Stderr *os.File
}

// Main runs a test binary with its package's expression and returns its exit
// code. Where a signal ended the binary, the same signal ends this process.
func Main(process Process) int {
	cmd, err := command(process)
	if err != nil {
		complain(process.Stderr, err)
		return exitFailed
	}
	ended, err := supervise(cmd)
	if err != nil {
		complain(process.Stderr, fmt.Errorf("the test binary did not start: %w", err))
		return exitFailed
	}
	return exitAs(ended, process.Stderr)
}

func complain(w io.Writer, err error) {
	fmt.Fprintf(w, "proctor: %v\n", err)
}

func command(process Process) (*exec.Cmd, error) {
	path, env := takeVariable(process.Env, TableVariable)
	if path == "" {
		return nil, fmt.Errorf("%s is not set: this program is started by proctor's reruns through go test -exec", TableVariable)
	}
	table, err := readTable(path)
	if err != nil {
		return nil, fmt.Errorf("the table of tests to rerun cannot be read: %w", err)
	}
	pkg, err := table.find(process.Dir)
	if err != nil {
		return nil, err
	}
	args, err := rewrite(process.Args, table.Flag, pkg.Expr)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return nil, errors.New("no test binary was named")
	}
	if table.Cross != "" {
		if cross, err := exec.LookPath(table.Cross); err == nil {
			args = append([]string{cross}, args...)
		}
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = process.Dir, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = process.Stdin, process.Stdout, process.Stderr
	return cmd, nil
}

// takeVariable removes a variable from an environment and returns its value.
func takeVariable(env []string, name string) (value string, rest []string) {
	for _, setting := range env {
		if found, ok := strings.CutPrefix(setting, name+"="); ok {
			value = found
			continue
		}
		rest = append(rest, setting)
	}
	return value, rest
}
