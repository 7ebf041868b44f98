package testexec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// exitFailed is the exit code if the test binary could not be run: that of a failing
// test, so that no caller mistakes it for a success.
const exitFailed = 1

// Process is what the program gets from its environment.
type Process struct {
	// Args are the arguments after the program's own: the user's -exec program
	// and its arguments, if any, the test binary, and its arguments.
	Args []string
	// Env are its variables, as from [os.Environ].
	Env []string
	// Dir is the package directory.
	Dir string
	// Stdin, Stdout and Stderr are passed to the test binary.
	Stdin          *os.File
	Stdout, Stderr *os.File
}

// Main runs a test binary with its package's expression and returns its exit code; or
// it measures the binary's tests, if the table says so. If a signal ended the binary,
// the same signal ends this process.
func Main(process Process) int {
	plan, err := findPlan(process)
	if err != nil {
		printError(process.Stderr, err)
		return exitFailed
	}
	if plan.table.Measure != nil {
		return measureTests(process, plan)
	}
	cmd, err := newCommand(process, plan)
	if err != nil {
		printError(process.Stderr, err)
		return exitFailed
	}
	ended, err := superviseChild(cmd)
	if err != nil {
		printError(process.Stderr, fmt.Errorf("the test binary did not start: %w", err))
		return exitFailed
	}
	return exitAs(ended, process.Stderr)
}

func printError(w io.Writer, err error) {
	fmt.Fprintf(w, "proctor: %v\n", err)
}

// plan is what the table says about the package.
type plan struct {
	// path is that of the table.
	path  string
	table Table
	// at is the index of its package.
	at int
	// env is the environment without what is for this program.
	env []string
}

func findPlan(process Process) (plan, error) {
	path, env := takeVariable(process.Env, TableVariable)
	if path == "" {
		return plan{}, fmt.Errorf("%s is not set: proctor starts this program in reruns, through go test -exec", TableVariable)
	}
	table, err := readTable(path)
	if err != nil {
		return plan{}, fmt.Errorf("cannot read the table of tests to rerun: %w", err)
	}
	at, err := table.find(process.Dir)
	return plan{path: path, table: table, at: at, env: env}, err
}

func newCommand(process Process, plan plan) (*exec.Cmd, error) {
	args, err := replacePlaceholder(process.Args, plan.table.Flag, plan.table.Packages[plan.at].Expr)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return nil, errors.New("no test binary was named")
	}
	args = append(plan.table.cross(), args...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = process.Dir, plan.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = process.Stdin, process.Stdout, process.Stderr
	return cmd, nil
}

// cross returns the program that runs binaries for another platform, if there is one.
func (t Table) cross() []string {
	if t.Cross == "" {
		return nil
	}
	program, err := exec.LookPath(t.Cross)
	if err != nil {
		return nil
	}
	return []string{program}
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

// replacePlaceholder replaces the placeholder by a package's expression; an empty one
// removes the flag.
func replacePlaceholder(args []string, flag, expr string) ([]string, error) {
	prefix := "-test." + flag + "="
	for i, arg := range args {
		if arg != prefix+Placeholder {
			continue
		}
		rewritten := append([]string{}, args[:i]...)
		if expr != "" {
			rewritten = append(rewritten, prefix+expr)
		}
		return append(rewritten, args[i+1:]...), nil
	}
	return nil, fmt.Errorf("the test binary was not given -test.%s=%s, which stands for the tests to rerun", flag, Placeholder)
}
