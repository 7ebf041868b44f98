package source

import (
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/proctorhq/proctor/host/install/index"
)

// site is a real TLS server on this machine.
type site struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	files    map[string][]byte
	// instead overrides the answers for some paths.
	instead map[string]http.HandlerFunc
}

func serve(t *testing.T, files map[string][]byte) *site {
	t.Helper()
	w := &site{files: files, instead: map[string]http.HandlerFunc{}}
	w.Server = httptest.NewUnstartedServer(w)
	w.Config.ErrorLog = log.New(io.Discard, "", 0) // clients disconnect on purpose
	w.StartTLS()
	t.Cleanup(w.Close)
	return w
}

func (w *site) ServeHTTP(out http.ResponseWriter, req *http.Request) {
	w.mu.Lock()
	w.requests = append(w.requests, req)
	instead := w.instead[req.URL.Path]
	data, ok := w.files[strings.TrimPrefix(req.URL.Path, "/p/")]
	w.mu.Unlock()
	switch {
	case instead != nil:
		instead(out, req)
	case !ok:
		http.NotFound(out, req)
	default:
		_, _ = out.Write(data)
	}
}

func (w *site) index() string { return w.URL + "/p/" + index.File }

func (w *site) asked() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.requests)
}

// config trusts the site.
func (w *site) config(t *testing.T) Config {
	t.Helper()
	cfg := scratch(t)
	cfg.roots = x509.NewCertPool()
	cfg.roots.AddCert(w.Certificate())
	return cfg
}

func status(code int) http.HandlerFunc {
	return func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(code) }
}

func redirect(to string) http.HandlerFunc {
	return func(out http.ResponseWriter, req *http.Request) { http.Redirect(out, req, to, http.StatusFound) }
}
