package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/mcp"
	"github.com/proctorhq/proctor/host/mcp/stdio"
	"github.com/proctorhq/proctor/host/mcp/trace"
	"github.com/proctorhq/proctor/host/procgroup"
	"github.com/proctorhq/proctor/host/workspace"
)

// parentInterval is how often a server checks whether its parent process still exists:
// some clients leave the pipe open behind them.
const parentInterval = 5 * time.Second

// serveOptions are the flags of the server.
type serveOptions struct {
	workspaces      []string
	http, tokenFile string
	trace           string
}

func (o *serveOptions) flags(cmd *cobra.Command) {
	// It shadows the global flag, which can be given once.
	cmd.Flags().StringArrayVarP(&o.workspaces, "workspace", "C", nil, "a `DIR` that calls may use (repeatable; the first is the default)")
	cmd.Flags().StringVar(&o.http, "http", "", "serve over HTTP at `ADDRESS:PORT`, on this machine only; port 0 picks one")
	cmd.Flags().StringVar(&o.tokenFile, "token-file", "", "with --http: require the token in `FILE`, or in "+tokenVariable+"; other machines may then connect, too")
	cmd.Flags().StringVar(&o.trace, "trace", "", "append every message to `FILE`, including what tests print")
}

// serve serves clients until they leave, or forever over HTTP.
func serve(ctx context.Context, a *app, o serveOptions) error {
	procgroup.KeepPrivate()
	release, err := takeStreams()
	if err != nil {
		return err
	}
	defer release()
	queueStderr(a)
	if o.tokenFile != "" && o.http == "" {
		return &flags.Error{Err: errors.New("--token-file needs --http: a server on standard input takes no token")}
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

// openTrace opens the file of a trace, private to the user.
func openTrace(path string) (*trace.Log, func(), error) {
	if path == "" {
		return nil, func() {}, nil
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, nil, &flags.Error{Err: fmt.Errorf("--trace %s: it is not a regular file", path)}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, &flags.Error{Err: fmt.Errorf("--trace: %w", err)}
	}
	return trace.New(f), func() { f.Close() }, nil
}

// takeStreams reserves standard input and output for the protocol: whatever else in the
// process reads or prints must not reach the client. The environment keeps the real
// streams.
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

// lastLines is how long what is left to print on standard error may take at the end.
const lastLines = 200 * time.Millisecond

// queueStderr prints on standard error in the background: a client may keep it in a pipe that
// it never reads. The end of the invocation waits a moment for the last of it.
func queueStderr(a *app) {
	queue := &ctxio.QueuedWriter{W: a.env.Stderr}
	a.env.Stderr = queue
	a.flush = func() {
		ctx, cancel := context.WithTimeout(context.Background(), lastLines)
		defer cancel()
		queue.Flush(ctx)
	}
}

// serveStreams serves the client at standard input and output.
func serveStreams(ctx context.Context, a *app, server *mcp.Server, trace *trace.Log) error {
	if isTerminal(a.env.Stdout) {
		fmt.Fprintln(a.env.Stderr, "proctor: waiting for a client of the Model Context Protocol on standard input; see proctor mcp --help")
	}
	ctx, orphaned := context.WithCancel(ctx)
	defer orphaned()
	go watchParent(ctx, orphaned)
	return stdio.Serve(ctx, server, a.env.Stdin, a.env.Stdout, trace)
}

// watchParent calls orphaned when the parent process is gone, if the platform shows that.
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

const (
	// tokenVariable holds the token of the HTTP server.
	tokenVariable = "PROCTOR_MCP_TOKEN"
	// minToken is the minimum length of a token: guessing it would allow running programs.
	minToken, maxToken = 16, 4096
	// farewell is how long pending answers may take when the server ends.
	farewell = time.Second
)

// serveHTTP serves clients over HTTP until ctx ends.
func serveHTTP(ctx context.Context, a *app, server *mcp.Server, at string, cfg mcp.HTTPConfig) error {
	address, err := listenAddress(at, cfg.Token != "")
	if err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address.String())
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; give --http another port, or 0 for any", address, err)
	}
	handler := server.HTTP(cfg)
	requests, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	s := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return requests },
	}
	fmt.Fprintf(a.env.Stderr, "proctor: listening on http://%s%s\n", listener.Addr(), mcp.HTTPPath)
	if !address.IP.IsLoopback() {
		fmt.Fprintln(a.env.Stderr, "proctor: other machines can reach this address, the traffic is not encrypted, and anyone with the token can run this user's tests")
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(listener) }()
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	handler.Close()
	abandon()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if s.Shutdown(last) != nil {
		_ = s.Close()
	}
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("the HTTP server failed: %w", err)
	}
	return nil
}

// listenAddress returns the address to listen on. Without a token only this machine can
// reach it.
func listenAddress(given string, guarded bool) (*net.TCPAddr, error) {
	name, port, err := net.SplitHostPort(given)
	if err != nil {
		return nil, &flags.Error{Err: fmt.Errorf("--http %s: give an address and a port, such as 127.0.0.1:0", given)}
	}
	if name == "" && !guarded {
		return nil, &flags.Error{Err: fmt.Errorf("--http %s would listen on every network; give 127.0.0.1:%s, or a token with --token-file or %s", given, port, tokenVariable)}
	}
	address, err := net.ResolveTCPAddr("tcp", given)
	if err != nil {
		return nil, &flags.Error{Err: fmt.Errorf("--http %s: %w", given, err)}
	}
	if !address.IP.IsLoopback() && !guarded {
		return nil, &flags.Error{Err: fmt.Errorf("--http %s can be reached from other machines; give 127.0.0.1:%s, or a token with --token-file or %s", given, port, tokenVariable)}
	}
	return address, nil
}

// takeToken returns the token that clients must present; empty means none. It removes the
// token from the environment, so that tests do not see it.
func takeToken(a *app, file string) (string, error) {
	token, from := a.env.get(tokenVariable), tokenVariable
	_ = os.Unsetenv(tokenVariable)
	a.env.Environ = slices.DeleteFunc(slices.Clone(a.env.Environ), func(entry string) bool {
		return workspace.Getenv([]string{entry}, tokenVariable) != ""
	})
	if file != "" {
		raw, err := readToken(file)
		if err != nil {
			return "", &flags.Error{Err: fmt.Errorf("--token-file %s: %w", file, err)}
		}
		token, from = string(raw), "--token-file "+file
	}
	token = strings.TrimSpace(token)
	switch {
	case token == "" && file == "":
		return "", nil
	case len(token) < minToken, len(token) > maxToken, strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", &flags.Error{Err: fmt.Errorf("%s: a token must have %d to %d printable ASCII characters, and no spaces", from, minToken, maxToken)}
	}
	return token, nil
}

func readToken(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxToken+2))
}
