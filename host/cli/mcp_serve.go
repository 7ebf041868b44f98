package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	mcp1 "github.com/proctorhq/proctor/host/mcp"
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
func (a *app) serve(ctx context.Context, o serveOptions) error {
	keepPrivate()
	release, err := a.takeStreams()
	if err != nil {
		return err
	}
	defer release()
	if o.tokenFile != "" && o.http == "" {
		return &flagError{errors.New("--token-file goes with --http: whoever starts a server on standard input needs no token")}
	}
	token, err := a.token(o.tokenFile)
	if err != nil && o.http != "" {
		return err
	}
	trace, closeTrace, err := openTrace(o.trace)
	if err != nil {
		return err
	}
	defer closeTrace()
	server, done, err := a.mcpServer(ctx, o.workspaces)
	if err != nil {
		return err
	}
	defer done()
	if o.http != "" {
		return a.serveHTTP(ctx, server, o.http, mcp1.HTTPConfig{Token: token, Trace: trace})
	}
	return a.serveStreams(ctx, server, trace)
}

// openTrace opens the file of a trace. It is the user's alone.
func openTrace(path string) (*mcp1.Trace, func(), error) {
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
	return mcp1.NewTrace(f), func() { f.Close() }, nil
}

// takeStreams keeps the protocol's streams from everything else in the process:
// what reads standard input, or prints, must not reach the client. The streams
// themselves stay in the environment.
func (a *app) takeStreams() (release func(), err error) {
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

// serveStreams serves the client at standard input and output. Whatever ends the
// server ends its input: calls that are going on are then let go of in order.
func (a *app) serveStreams(ctx context.Context, server *mcp1.Server, trace *mcp1.Trace) error {
	if isTerminal(a.env.Stdout) {
		fmt.Fprintln(a.env.Stderr, "proctor: a client of the Model Context Protocol is awaited on standard input; see proctor mcp --help")
	}
	ctx, orphaned := context.WithCancel(ctx)
	defer orphaned()
	go watchParent(ctx, orphaned)
	end := newEnding(ctx)
	defer end.begin()
	out := &leavingWriter{w: a.env.Stdout, left: end.left}
	in := newFrameReader(newEndingReader(ctx, a.env.Stdin, end.begin), out, trace)
	transport := patientTransport{
		// How long a message may be has been looked at.
		Transport: &mcp.IOTransport{Reader: io.NopCloser(in), Writer: out, MaxLineLength: -1},
		refuse:    in.refuseID,
	}
	err := server.ServePipe(context.WithoutCancel(ctx), trace.Transport(transport), end.over.Done())
	if errors.Is(err, io.EOF) || errors.Is(err, errLeft) || ctx.Err() != nil {
		return nil
	}
	return err
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
