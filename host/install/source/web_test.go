package source

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/install/index"
)

func TestPluginComesOverTLS(t *testing.T) {
	p := tap("1.0.0")
	files := published(t, p)
	files["index.json.minisig"] = []byte("signature")
	w := serve(t, files)
	s := open(t, w.config(t), w.index())
	r := resolve(t, s, p.query(""))
	if string(r.Signed.Signature) != "signature" || r.Signed.PublicKey != nil {
		t.Errorf("signed %+v", r.Signed)
	}
	fetched(t, s, r, p)
	for _, req := range w.requests {
		if req.UserAgent() != userAgent || req.Header.Get("Accept-Encoding") != "identity" || req.Header.Get("Cookie")+req.Header.Get("Authorization")+req.Header.Get("Referer") != "" {
			t.Errorf("%s has the headers %v", req.URL, req.Header)
		}
	}
}

func TestServerWithoutTrustedCertificateGetsNoRequest(t *testing.T) {
	w := serve(t, published(t, tap("1.0.0")))
	var unread *FetchError
	if _, err := open(t, scratch(t), w.index()).Resolve(t.Context(), tap("").query("")); !errors.As(err, &unread) || !strings.Contains(err.Error(), "certificate") || !strings.Contains(err.Error(), "SSL_CERT_FILE") {
		t.Error(err)
	}
	if w.asked() != 0 {
		t.Error("a request was sent")
	}
}

func TestOnlyNotFoundMeansThatThereIsNoSignature(t *testing.T) {
	for code, absent := range map[int]bool{404: true, 410: true, 401: false, 403: false, 429: false, 500: false, 502: false, 204: false} {
		for _, name := range []string{"/p/index.json.minisig", "/p/minisign.pub"} {
			w := serve(t, published(t, tap("1.0.0")))
			w.instead[name] = status(code)
			r, err := open(t, w.config(t), w.index()).Resolve(t.Context(), tap("").query(""))
			var unread *FetchError
			switch {
			case absent && (err != nil || r.Signed.Signature != nil):
				t.Errorf("%d for %s: %v", code, name, err)
			case !absent && (!errors.As(err, &unread) || unread.Status != code || !strings.Contains(err.Error(), name) || !strings.Contains(unread.Reason, "127.0.0.1")):
				t.Errorf("%d for %s: %v", code, name, err)
			}
			if code == 403 && !strings.Contains(err.Error(), "answer 404") {
				t.Errorf("the error does not say what the publisher must do: %v", err)
			}
		}
	}
}

func TestFailedRequestIsRetriedOnce(t *testing.T) {
	for name, fail := range map[string]http.HandlerFunc{"503": status(503), "reset": reset} {
		for failures := 1; failures <= attempts; failures++ {
			w := serve(t, published(t, tap("1.0.0")))
			left := failures
			w.instead["/p/index.json"] = func(out http.ResponseWriter, req *http.Request) {
				if left--; left >= 0 {
					fail(out, req)
					return
				}
				_, _ = out.Write(w.files[index.File])
			}
			_, err := open(t, w.config(t), w.index()).Resolve(t.Context(), tap("").query(""))
			if worked := err == nil; worked != (failures < attempts) {
				t.Errorf("%s: %d failures: %v", name, failures, err)
			}
		}
	}
	w := serve(t, nil)
	w.instead["/p/index.json"] = status(http.StatusInternalServerError)
	if _, err := open(t, w.config(t), w.index()).Resolve(t.Context(), tap("").query("")); err == nil || w.asked() != 1 {
		t.Errorf("500: %v after %d requests", err, w.asked())
	}
}

// reset ends a connection without an answer.
func reset(out http.ResponseWriter, _ *http.Request) {
	conn, _, err := out.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// raw answers with a text as it is.
func raw(text string) http.HandlerFunc {
	return func(out http.ResponseWriter, _ *http.Request) {
		conn, b, err := out.(http.Hijacker).Hijack()
		if err == nil {
			_, _ = io.WriteString(b, text)
			_ = b.Flush()
			_ = conn.Close()
		}
	}
}

func TestMalformedResponsesAreRefused(t *testing.T) {
	endless := func(out http.ResponseWriter, req *http.Request) {
		for chunk := make([]byte, 1<<20); ; {
			if _, err := out.Write(chunk); err != nil {
				return
			}
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"shorter than declared": {raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfew"), "cut off"},
		"chunks cut off":        {raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), "cut off"},
		"declared too long":     {raw("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\nx"), "longer"},
		"endless":               {endless, "longer"},
		"endless headers":       {raw("HTTP/1.1 200 OK\r\n" + strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 200)), "header"},
		"no HTTP":               {raw("SSH-2.0-OpenSSH\r\n"), "malformed"},
		"control characters":    {raw("HTTP/1.1 500 \x1b[2Jgreen\r\n\r\n"), "500 Internal Server Error"},
	} {
		t.Run(name, func(t *testing.T) {
			w := serve(t, nil)
			w.instead["/p/index.json"] = c.answer
			var unread *FetchError
			_, err := open(t, w.config(t), w.index()).Resolve(t.Context(), tap("").query(""))
			if !errors.As(err, &unread) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}

func TestArchiveThatIsCutOffLeavesNothing(t *testing.T) {
	p := tap("1.0.0")
	w := serve(t, published(t, p))
	w.instead["/p/"+p.url()] = raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfew")
	s := open(t, w.config(t), w.index())
	var unread *FetchError
	if err := refused(t, s, resolve(t, s, p.query("")), here()); !errors.As(err, &unread) || unread.Address != w.URL+"/p/"+p.url() {
		t.Error(err)
	}
}

func TestDownloadsAreNotDecompressed(t *testing.T) {
	p := tap("1.0.0")
	w := serve(t, published(t, p))
	w.instead["/p/"+p.url()] = func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Encoding", "gzip") // as some servers say of .tar.gz
		_, _ = out.Write(w.files[p.url()])
	}
	s := open(t, w.config(t), w.index())
	fetched(t, s, resolve(t, s, p.query("")), p)
}

// dripping sends a byte at a time forever, and closes began after the first.
func dripping(began chan<- struct{}) http.HandlerFunc {
	return func(out http.ResponseWriter, req *http.Request) {
		out.WriteHeader(http.StatusOK)
		for i := 0; ; i++ {
			_, err := out.Write([]byte("."))
			_ = http.NewResponseController(out).Flush()
			if i == 0 {
				close(began)
			}
			select {
			case <-req.Context().Done():
				return
			case <-time.After(time.Millisecond):
			}
			if err != nil {
				return
			}
		}
	}
}

func TestDownloadThatIsTooSlowIsGivenUp(t *testing.T) {
	p := tap("1.0.0")
	w := serve(t, published(t, p))
	w.instead["/p/"+p.url()] = dripping(make(chan struct{}))
	cfg := w.config(t)
	r := resolve(t, open(t, cfg, w.index()), p.query(""))
	cfg.idle = 50 * time.Millisecond
	dir := t.TempDir()
	if _, err := open(t, cfg, w.index()).Fetch(t.Context(), r, here(), dir); err == nil || !strings.Contains(err.Error(), "KiB arrived within 50ms") || len(names(t, dir)) > 0 {
		t.Error(err)
	}
}

func TestDownloadThatTakesTooLongIsGivenUp(t *testing.T) {
	p := tap("1.0.0")
	w := serve(t, published(t, p))
	w.instead["/p/"+p.url()] = dripping(make(chan struct{}))
	cfg := w.config(t)
	r := resolve(t, open(t, cfg, w.index()), p.query(""))
	cfg.whole = 50 * time.Millisecond
	// Without the limit this also ends, with another error.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := open(t, cfg, w.index()).Fetch(ctx, r, here(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "it was not complete within 50ms") {
		t.Error(err)
	}
}

func TestCancelledDownloadLeavesNothing(t *testing.T) {
	p := tap("1.0.0")
	w := serve(t, published(t, p))
	began := make(chan struct{})
	w.instead["/p/"+p.url()] = dripping(began)
	s := open(t, w.config(t), w.index())
	r := resolve(t, s, p.query(""))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	dir := t.TempDir()
	if _, err := s.Fetch(ctx, r, here(), dir); !errors.Is(err, context.Canceled) || len(names(t, dir)) > 0 {
		t.Errorf("error %v, left %q", err, names(t, dir))
	}
}

func TestProxyComesFromTheUsersEnvironment(t *testing.T) {
	w := serve(t, published(t, tap("1.0.0")))
	var through []string
	proxy := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, req *http.Request) {
		through = append(through, req.Method+" "+req.Host)
		tunnel(out, w.Listener.Addr().String())
	}))
	defer proxy.Close()
	cfg := w.config(t)
	cfg.Env = []string{"HTTPS_PROXY=http://nobody.invalid", "HTTPS_PROXY=" + proxy.URL}
	// No proxy is used for this machine; the server's certificate is valid for example.com, too.
	resolve(t, open(t, cfg, "https://example.com/p/index.json"), tap("").query(""))
	if len(through) == 0 || through[0] != "CONNECT example.com:443" {
		t.Errorf("the proxy got %q", through)
	}
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1") // the environment of this process does not count
	cfg.Env = append(cfg.Env, "NO_PROXY=example.com", "HTTPS_PROXY=http://user:s3cret@%zz")
	if got, err := proxyOf(cfg.Env)(&http.Request{URL: &url.URL{Scheme: "https", Host: "example.com"}}); got != nil || err != nil {
		t.Errorf("NO_PROXY: %v %v", got, err)
	}
	if _, err := proxyOf(cfg.Env[2:])(&http.Request{URL: &url.URL{Scheme: "https", Host: "other.example"}}); err != nil && strings.Contains(err.Error(), "s3cret") {
		t.Errorf("the password is shown: %v", err)
	}
}

// tunnel connects a proxy's client to an address.
func tunnel(out http.ResponseWriter, address string) {
	to, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer to.Close()
	from, b, err := out.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer from.Close()
	fmt.Fprint(from, "HTTP/1.1 200 OK\r\n\r\n")
	ended := make(chan struct{})
	go func() { defer close(ended); _, _ = io.Copy(to, bufio.NewReader(b)); _ = to.Close() }()
	_, _ = io.Copy(from, to)
	_ = from.Close()
	<-ended
}
