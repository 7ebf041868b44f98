package source

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/proctorhq/proctor/host/workspace"
)

const (
	// connectLimit bounds a connection, and a TLS handshake: three lost packets on a
	// bad line are seven seconds.
	connectLimit = 15 * time.Second
	// answerLimit is how long a server may think: a cache may first have to fetch from
	// its origin.
	answerLimit = time.Minute
	// idleLimit is the time in which [minProgress] must arrive, so that a stuck server
	// is reported soon.
	idleLimit   = time.Minute
	minProgress = 16 << 10
	// wholeLimit bounds one file: the longest archive takes an hour at 150 kB/s. With
	// only the other limit a server could hold us for weeks.
	wholeLimit = time.Hour
	// maxHeader bounds the headers of an answer, in bytes; browsers allow 256 KiB.
	maxHeader = 64 << 10
	// maxRedirects bounds redirects: release pages need two, browsers allow 20.
	maxRedirects = 5
	// maxSaid is how much of another program's or machine's words is repeated.
	maxSaid = 2 << 10
	// attempts is how often something is requested: restarting servers fail once. There
	// is no delay and no further attempt: the user should hear of it.
	attempts = 2
)

// userAgent names us without revealing more about the user.
const userAgent = "proctor"

// web fetches over https://, and http:// from this machine. It keeps no connections,
// cookies or passwords, and decompresses nothing.
type web struct {
	client      *http.Client
	idle, whole time.Duration
}

func newWeb(cfg Config) *web {
	idle, whole := cmp.Or(cfg.idle, idleLimit), cmp.Or(cfg.whole, wholeLimit)
	dialer := &net.Dialer{Timeout: connectLimit}
	return &web{idle: idle, whole: whole, client: &http.Client{
		CheckRedirect: checkRedirect,
		Transport: &http.Transport{
			Proxy:                  proxyOf(cfg.Env),
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{RootCAs: cfg.roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    connectLimit,
			ResponseHeaderTimeout:  answerLimit,
			MaxResponseHeaderBytes: maxHeader,
			DisableCompression:     true,
			DisableKeepAlives:      true,
		},
	}}
}

// open asks for a file.
func (w *web) open(ctx context.Context, address *url.URL) (*content, error) {
	for attempt := 1; ; attempt++ {
		c, again, err := w.ask(ctx, address)
		if err == nil || !again || attempt == attempts || ctx.Err() != nil {
			return c, err
		}
	}
}

// ask is one attempt; again reports whether another is worthwhile.
func (w *web) ask(ctx context.Context, address *url.URL) (c *content, again bool, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, w.whole, fmt.Errorf("it was not complete within %v", w.whole))
	ctx, end := context.WithCancelCause(ctx)
	cancel := func(cause error) {
		end(cause)
		stop()
	}
	defer func() {
		if err != nil {
			cancel(nil)
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, false, &FetchError{Address: address.String(), Reason: "it is not an address", Err: err}
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, isBroken(err), w.unanswered(ctx, address, err)
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, isPassing(resp.StatusCode), refusal(address, resp)
	}
	return &content{
		ReadCloser: newPatient(ctx, cancel, resp.Body, w.idle), address: address.String(), size: resp.ContentLength,
	}, false, nil
}

// unanswered is the error for a request without an answer.
func (w *web) unanswered(ctx context.Context, address *url.URL, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if redirect, ok := errors.AsType[*redirectError](err); ok {
		return &FetchError{Address: address.String(), Reason: redirect.Error(), Err: redirect}
	}
	// The outer error repeats the address.
	if asked, ok := errors.AsType[*url.Error](err); ok {
		err = asked.Err
	}
	return &FetchError{Address: address.String(), Reason: reasonOf(err), Err: err}
}

// refusal is the error for an answer other than the file.
func refusal(address *url.URL, resp *http.Response) error {
	e := &FetchError{Address: address.String(), Status: resp.StatusCode}
	from := address.Host
	if resp.Request != nil && resp.Request.URL.Host != from {
		from = resp.Request.URL.Host + ", to which it was redirected,"
	}
	// The text after the number is the server's; ours is known.
	e.Reason = clip(fmt.Sprintf("%s answered %d %s", from, resp.StatusCode, http.StatusText(resp.StatusCode)))
	if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone {
		e.Err = fs.ErrNotExist
	}
	return e
}

// isPassing reports whether a status is typical of a starting server.
func isPassing(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}

// isBroken reports whether a connection was established and broke.
func isBroken(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// proxyOf finds the proxy for a request from an environment's variables, in upper or
// lower case, like curl and Go.
func proxyOf(env []string) func(*http.Request) (*url.URL, error) {
	cfg := httpproxy.Config{
		HTTPProxy:  cmp.Or(workspace.Getenv(env, "HTTP_PROXY"), workspace.Getenv(env, "http_proxy")),
		HTTPSProxy: cmp.Or(workspace.Getenv(env, "HTTPS_PROXY"), workspace.Getenv(env, "https_proxy")),
		NoProxy:    cmp.Or(workspace.Getenv(env, "NO_PROXY"), workspace.Getenv(env, "no_proxy")),
	}
	find := cfg.ProxyFunc()
	return func(req *http.Request) (*url.URL, error) {
		proxy, err := find(req.URL)
		if err != nil {
			// The text of err has the whole variable, which may contain a password.
			return nil, errors.New("the proxy in HTTPS_PROXY or HTTP_PROXY is not an address")
		}
		return proxy, nil
	}
}

// redirectError reports a redirect that we do not follow.
type redirectError struct{ reason string }

func (e *redirectError) Error() string { return e.reason }

// checkRedirect keeps redirects within what the user asked for: never out of https, and
// never to another kind of address.
func checkRedirect(req *http.Request, via []*http.Request) error {
	from, to := via[len(via)-1].URL, req.URL
	// Do not tell one server about another.
	req.Header.Del("Referer")
	refuse := func(why string) error {
		return &redirectError{fmt.Sprintf("it is redirected to %s, %s", clip(to.Scheme+"://"+to.Host), why)}
	}
	switch {
	case len(via) > maxRedirects:
		return &redirectError{fmt.Sprintf("it is redirected more than %d times", maxRedirects)}
	case to.User != nil:
		return refuse("with a name or password in the address")
	case to.Scheme == "https":
		return nil
	case to.Scheme == "http" && from.Scheme == "http" && isLoopback(to.Hostname()):
		return nil
	}
	return refuse("which is not https")
}
