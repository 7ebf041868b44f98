package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTPPath is where an [HTTP] is served.
const HTTPPath = "/mcp"

const (
	// idleTime is after how long a session that asks for nothing, and runs nothing,
	// is forgotten.
	idleTime = 8 * time.Hour
	// maxSessions bounds the sessions at one time. The one that was idle the longest
	// gives way to a new one.
	maxSessions = 64
	// maxBody bounds a request.
	maxBody = 4 << 20
	// stateless is the first version of the protocol that knows no sessions.
	stateless = "2026-07-28"
)

// HTTPConfig is what an HTTP needs.
type HTTPConfig struct {
	// Token is what each request has to bear; empty is nothing.
	Token string
	// Trace records what is said; nil is nobody.
	Trace *Trace
}

// HTTP serves any number of clients over streamable HTTP, as the protocol's
// specification has it. Each session of the protocol is one of proctor's. The
// versions without sessions share one.
type HTTP struct {
	server  *Server
	cfg     HTTPConfig
	origins *http.CrossOriginProtection
	// The SDK's handlers serve either the versions with sessions or those without.
	stateful, stateless http.Handler
	shared              *session
	stop                context.CancelFunc

	mu       sync.Mutex
	sessions []*httpSession
	closed   bool
}

// HTTP returns the handler of a server. It has to be closed.
func (s *Server) HTTP(cfg HTTPConfig) *HTTP {
	h := &HTTP{server: s, cfg: cfg, origins: http.NewCrossOriginProtection(), shared: s.session(s.cfg.Host.InSession(s.cfg.NewSession()))}
	shared := s.protocol(h.shared)
	h.stateless = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return shared },
		&mcp.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true})
	h.stateful = mcp.NewStreamableHTTPHandler(serverOf, &mcp.StreamableHTTPOptions{MaxRequestBodyBytes: maxBody})
	var ctx context.Context
	ctx, h.stop = context.WithCancel(context.Background())
	go h.watch(ctx)
	return h
}

// ServeHTTP answers a request.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.allowed(w, r) {
		return
	}
	w, r = h.cfg.Trace.request(w, r)
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	version, err := versionOf(r)
	switch {
	case err != nil:
		refuseBody(w, err)
	case version >= stateless:
		h.stateless.ServeHTTP(w, r)
	case r.Header.Get("Mcp-Session-Id") == "" && r.Method == http.MethodPost:
		h.open(w, r)
	default:
		if r.Method == http.MethodDelete {
			h.end(r.Header.Get("Mcp-Session-Id"))
		}
		h.stateful.ServeHTTP(w, r)
	}
}

// allowed reports whether a request may be answered, and answers it if not. Any page
// that a browser shows can send requests to this machine: it must neither do so nor
// be told the answer. (A page that has its own name point to this machine is found
// out by the SDK, which compares the Host header.)
func (h *HTTP) allowed(w http.ResponseWriter, r *http.Request) bool {
	if h.cfg.Token != "" && !bears(r, h.cfg.Token) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "a bearer token is needed", http.StatusUnauthorized)
		return false
	}
	probe := *r
	probe.Method = http.MethodPost // reading is no safer than writing here
	if err := h.origins.Check(&probe); err != nil {
		http.Error(w, "Forbidden: "+err.Error(), http.StatusForbidden)
		return false
	}
	if r.URL.Path != HTTPPath {
		http.Error(w, "there is nothing here; the server is at "+HTTPPath, http.StatusNotFound)
		return false
	}
	return true
}

// bears reports whether a request has the token. How long that takes says nothing
// about the token.
func bears(r *http.Request, token string) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	a, b := sha256.Sum256([]byte(strings.TrimSpace(given))), sha256.Sum256([]byte(token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// versionOf is the version of the protocol that a request speaks. It stands in a
// header, and without sessions also in the message: one that is only there is for
// the SDK to refuse, which can say what is missing.
func versionOf(r *http.Request) (string, error) {
	version := r.Header.Get("Mcp-Protocol-Version")
	if version != "" || r.Method != http.MethodPost || r.Header.Get("Mcp-Session-Id") != "" {
		return version, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var message struct {
		Params struct {
			Meta struct {
				Version string `json:"io.modelcontextprotocol/protocolVersion"`
			} `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &message) != nil {
		return "", nil // for the SDK to refuse
	}
	return message.Params.Meta.Version, nil
}

// refuseBody answers a request that could not be read.
func refuseBody(w http.ResponseWriter, err error) {
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		http.Error(w, "the request is too long", http.StatusRequestEntityTooLarge)
		return
	}
	http.Error(w, "the request could not be read", http.StatusBadRequest)
}

// Close stops the runs of all sessions, waits for them, and ends the sessions.
func (h *HTTP) Close() {
	h.mu.Lock()
	h.closed = true
	open := slices.Clone(h.sessions)
	h.mu.Unlock()
	h.stop()
	var wg sync.WaitGroup
	wg.Go(h.shared.end)
	for _, s := range open {
		wg.Go(s.session.end)
	}
	wg.Wait()
	for _, s := range open {
		go s.hangUp() // it waits for calls that read, which nobody is to wait for
	}
}
