package cli

import (
	"io"
	"os"
	"syscall"

	"github.com/proctorhq/proctor/host/workspace"
)

func Main() {
	swallow(syscall.SIGPIPE) // a reader that has seen enough must not end a run
	code := run(interruptible(), environment{
		Args: os.Args[1:], Environ: os.Environ(),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	os.Exit(code)
}

// environment is what a command touches of the world.
type environment struct {
	Args, Environ  []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// get looks an environment variable up.
func (e environment) get(key string) string { return workspace.Getenv(e.Environ, key) }
