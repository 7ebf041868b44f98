package main

import (
	"fmt"
	"os/exec"

	"github.com/proctorhq/proctor/bench/internal/measure"
)

// peers says what is missing of those that proctor is compared with.
func (b *bench) peers() error {
	for _, path := range []string{b.gotestsum, b.tparse, "jq"} {
		if _, err := exec.LookPath(path); err != nil {
			return fmt.Errorf("it is compared with and is not there: %w; `make bench` installs gotestsum and tparse, and jq is a package of the system", err)
		}
	}
	return nil
}

// goTest is bare `go test -json`, read through a pipe as a runner would.
func goTest(dir string, args ...string) measure.Command {
	return measure.Command{Argv: append([]string{"go", "test", "-json", "-count=1"}, args...), Dir: dir, Piped: true}
}

// sum is gotestsum at its fastest.
func (b *bench) sum(dir string, args ...string) measure.Command {
	return measure.Command{Argv: append([]string{b.gotestsum, "--format", "none"}, args...), Dir: dir}
}

// failedEvents is what jq is asked for: the failures, as somebody would who has no other
// program.
const failedEvents = `select(.Action == "fail" and .Test)`

// into is a run of a module whose output another program reads. The way of a shell
// is that of its users; what go returns is lost in it.
func (b *bench) into(dir string, argv ...string) measure.Command {
	script := append([]string{"sh", "-c", `go test -json -count=1 ./... | "$@"`, "sh"}, argv...)
	return measure.Command{Argv: script, Dir: dir}
}
