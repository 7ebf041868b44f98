package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/mcp"
	"github.com/proctorhq/proctor/host/mcp/stdio"
)

// parentInterval is how often a server looks whether the process that started it
// is still there: some clients leave the pipe open behind them.
const parentInterval = 5 * time.Second

// serveOptions are the flags of the server.
type serveOptions struct {
	workspaces      []string
	http, tokenFile string
	trace           string
}

func (o *serveOptions) flags(cmd *cobra.Command) {
	// It stands before the flag of all commands, which is given once.
	cmd.Flags().StringArrayVarP(&o.workspaces, "workspace", "C", nil, "a `DIR` whose tests may be meant (repeatable; the first is the default)")
	cmd.Flags().StringVar(&o.http, "http", "", "serve over HTTP at `ADDRESS:PORT`, of this machine only; port 0 is any")
	cmd.Flags().StringVar(&o.tokenFile, "token-file", "", "with --http: clients must send the token in `FILE`, or in "+tokenVariable+"; other machines may then connect, too")
	cmd.Flags().StringVar(&o.trace, "trace", "", "append what is said to `FILE`, which then holds what tests print")
}

// serve serves clients until they go, or for ever over HTTP.
func serve(ctx context.Context, a *app, o serveOptions) error {
	keepPrivate()
	release, err := takeStreams()
	if err != nil {
		return err
	}
	defer release()
	if o.tokenFile != "" && o.http == "" {
		return &flagError{errors.New("--token-file goes with --http: whoever starts a server on standard input needs no token")}
	}
	token, err := takeToken(a, o.tokenFile)
	if err != nil && o.http != "" {
		return err
	}
	trace, closeTrace, err := openTrace(o.trace)
	if err != nil {
		return err
	}
	defer closeTrace()
	server, done, err := newMCPServer(ctx, a, o.workspaces)
	if err != nil {
		return err
	}
	defer done()
	if o.http != "" {
		return serveHTTP(ctx, a, server, o.http, mcp.HTTPConfig{Token: token, Trace: trace})
	}
	return serveStreams(ctx, a, server, trace)
}

// openTrace opens the file of a trace. It is the user's alone.
func openTrace(path string) (*mcp.Trace, func(), error) {
	if path == "" {
		return nil, func() {}, nil
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, nil, &flagError{fmt.Errorf("--trace %s: it is no regular file", path)}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, &flagError{fmt.Errorf("--trace: %w", err)}
	}
	return mcp.NewTrace(f), func() { f.Close() }, nil
}

// takeStreams keeps the protocol's streams from everything else in the process:
// what reads standard input, or prints, must not reach the client. The streams
// themselves stay in the environment.
func takeStreams() (release func(), err error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	stdin, stdout := os.Stdin, os.Stdout
	os.Stdin, os.Stdout = null, os.Stderr
	return func() {
		os.Stdin, os.Stdout = stdin, stdout
		null.Close()
	}, nil
}

// serveStreams serves the client at standard input and output.
func serveStreams(ctx context.Context, a *app, server *mcp.Server, trace *mcp.Trace) error {
	if isTerminal(a.env.Stdout) {
		fmt.Fprintln(a.env.Stderr, "proctor: a client of the Model Context Protocol is awaited on standard input; see proctor mcp --help")
	}
	ctx, orphaned := context.WithCancel(ctx)
	defer orphaned()
	go watchParent(ctx, orphaned)
	return stdio.Serve(ctx, server, a.env.Stdin, a.env.Stdout, trace)
}

// watchParent calls orphaned when the process that started this one is gone. Where
// the platform does not tell, the end of the input has to do.
func watchParent(ctx context.Context, orphaned func()) {
	parent := os.Getppid()
	tick := time.NewTicker(parentInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if os.Getppid() != parent {
				orphaned()
				return
			}
		}
	}
}
