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

	"github.com/proctorhq/proctor/host/mcp"
	"github.com/proctorhq/proctor/host/workspace"
)

const (
	// tokenVariable has the token of the HTTP server.
	tokenVariable = "PROCTOR_MCP_TOKEN"
	// minToken is how long a token is at the least: whoever guesses it can run
	// programs.
	minToken, maxToken = 16, 4096
	// farewell is how long answers may take that are being written when the server
	// ends.
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
		fmt.Fprintln(a.env.Stderr, "proctor: other machines can reach this address, and what is said is not encrypted; whoever has the token can run the tests of this user")
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
		return fmt.Errorf("the HTTP server broke down: %w", err)
	}
	return nil
}

// listenAddress is the address to listen on. Without a token it is one that only
// this machine reaches.
func listenAddress(given string, guarded bool) (*net.TCPAddr, error) {
	name, port, err := net.SplitHostPort(given)
	if err != nil {
		return nil, &flagError{fmt.Errorf("--http %s: give an address and a port, such as 127.0.0.1:0", given)}
	}
	if name == "" && !guarded {
		return nil, &flagError{fmt.Errorf("--http %s would listen on every network; give 127.0.0.1:%s, or a token with --token-file or %s", given, port, tokenVariable)}
	}
	address, err := net.ResolveTCPAddr("tcp", given)
	if err != nil {
		return nil, &flagError{fmt.Errorf("--http %s: %w", given, err)}
	}
	if !address.IP.IsLoopback() && !guarded {
		return nil, &flagError{fmt.Errorf("--http %s can be reached from other machines; give 127.0.0.1:%s, or a token with --token-file or %s", given, port, tokenVariable)}
	}
	return address, nil
}

// takeToken is what clients have to know; empty is nothing. The tests do not get it.
func takeToken(a *app, file string) (string, error) {
	token, from := a.env.get(tokenVariable), tokenVariable
	_ = os.Unsetenv(tokenVariable)
	a.env.Environ = slices.DeleteFunc(slices.Clone(a.env.Environ), func(entry string) bool {
		return workspace.Getenv([]string{entry}, tokenVariable) != ""
	})
	if file != "" {
		raw, err := readToken(file)
		if err != nil {
			return "", &flagError{fmt.Errorf("--token-file %s: %w", file, err)}
		}
		token, from = string(raw), "--token-file "+file
	}
	token = strings.TrimSpace(token)
	switch {
	case token == "" && file == "":
		return "", nil
	case len(token) < minToken, len(token) > maxToken, strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", &flagError{fmt.Errorf("%s: a token has %d to %d printable characters of ASCII, and no space", from, minToken, maxToken)}
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
