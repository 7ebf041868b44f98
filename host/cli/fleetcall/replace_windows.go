package fleetcall

import (
	"errors"
	"os"
	"os/exec"
)

// replace runs the program and exits with its code. A Ctrl-C reaches all processes of the
// console, so it is not passed on.
func replace(path string, argv, environ []string) error {
	cmd := exec.Command(path, argv[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = environ, os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var ended *exec.ExitError
	if err == nil || errors.As(err, &ended) {
		os.Exit(cmd.ProcessState.ExitCode())
	}
	return err
}
