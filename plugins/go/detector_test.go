package gotest_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// userProgram is the first argument that makes this test binary act as the program of a
// user's own -exec: it writes its other arguments into the file named by the second
// one, and runs the rest.
const userProgram = "user-program"

func runAsUserProgram(args []string) int {
	record, err := os.OpenFile(args[0], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprintln(record, strings.Join(args[1:], " "))
	record.Close()
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return 1
	}
	return 0
}
