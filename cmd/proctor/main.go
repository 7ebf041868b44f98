package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/proctorhq/proctor/host"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// The first signal cancels and lets the run end in order; a second one has
	// its usual effect again.
	context.AfterFunc(ctx, stop)
	// A reader that has seen enough must not end a run: the signal is taken, not
	// ignored, since ignoring it would be passed on to the tests.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	code := run(ctx, environment{
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
func (e environment) get(key string) string { return host.Getenv(e.Environ, key) }
