package main

import (
	"fmt"
	"os/exec"

	"github.com/proctorhq/proctor/bench/internal/measure"
)

// checkPeers checks that the programs to compare with are installed.
func (b *bench) checkPeers() error {
	for _, path := range []string{b.gotestsum, b.tparse, "jq"} {
		if _, err := exec.LookPath(path); err != nil {
			return fmt.Errorf("a program to compare with is missing: %w; `make bench` installs gotestsum and tparse, and jq is a system package", err)
		}
	}
	return nil
}

// goTest returns bare `go test -json`, read through a pipe as a runner would.
func goTest(dir string, args ...string) measure.Command {
	return measure.Command{Argv: append([]string{"go", "test", "-json", "-count=1"}, args...), Dir: dir, Piped: true}
}

// runGotestsum returns gotestsum at its fastest.
func (b *bench) runGotestsum(dir string, args ...string) measure.Command {
	return measure.Command{Argv: append([]string{b.gotestsum, "--format", "none"}, args...), Dir: dir}
}

// failedEvents is the query for jq: the failures, as somebody with no other program would look
// for them.
const failedEvents = `select(.Action == "fail" and .Test)`

// pipeInto returns a command that pipes a module's test output into another program, through
// a shell as users do it, which loses go's exit status.
func (b *bench) pipeInto(dir string, argv ...string) measure.Command {
	script := append([]string{"sh", "-c", `go test -json -count=1 ./... | "$@"`, "sh"}, argv...)
	return measure.Command{Argv: script, Dir: dir}
}
