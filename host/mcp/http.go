package mcp

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/mcp/guard"
	"github.com/proctorhq/proctor/host/mcp/head"
	"github.com/proctorhq/proctor/host/mcp/tasks"
	"github.com/proctorhq/proctor/host/mcp/trace"
)

// HTTPPath is where an [HTTP] is served.
const HTTPPath = "/mcp"

const (
	// idleTime is after how long a session that requests and runs nothing is dropped.
	idleTime = 8 * time.Hour
	// maxSessions bounds concurrent sessions. A new one displaces the one that has been
	// idle longest.
	maxSessions = 64
	// maxBody bounds a request.
	maxBody = 4 << 20
)

// HTTPConfig configures an HTTP.
type HTTPConfig struct {
	// Token is the bearer token that each request must have; empty means none.
	Token string
	// Trace records the messages; it may be nil.
	Trace *trace.Log
}

// HTTP serves any number of clients over streamable HTTP, as specified by the protocol.
// Each session of the protocol is one of proctor's. The versions without sessions share
// one.
type HTTP struct {
	server *Server
	cfg    HTTPConfig
	// The SDK's handlers serve either the versions with sessions or those without.
	stateful, stateless http.Handler
	shared              *session
	stop                context.CancelFunc

	mu       sync.Mutex
	sessions []*httpSession
	closed   bool
}

// HTTP returns the handler of a server. It must be closed.
func (s *Server) HTTP(cfg HTTPConfig) *HTTP {
	h := &HTTP{server: s, cfg: cfg, shared: s.connection(true)}
	shared := s.protocol(h.shared, false)
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
	if !(guard.Guard{Token: h.cfg.Token, Path: HTTPPath}).Allow(w, r) {
		return
	}
	w, r = h.cfg.Trace.Request(w, r)
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	begin, err := head.Read(r)
	switch {
	case err != nil:
		head.RefuseBody(w, err)
	case begin.Version >= head.Stateless && begin.RefuseName(w, r):
	case begin.Version >= head.Stateless:
		if err := tasks.LiftRequest(r); err != nil {
			head.RefuseBody(w, err)
			return
		}
		h.stateless.ServeHTTP(w, r)
	case head.BeginsSession(r) && begin.Method != "" && begin.Method != "initialize":
		http.Error(w, "the Mcp-Session-Id header is missing: a session begins with initialize", http.StatusBadRequest)
	case head.BeginsSession(r):
		h.open(w, r)
	default:
		if r.Method == http.MethodDelete {
			h.end(r.Header.Get("Mcp-Session-Id"))
		}
		if err := tasks.LiftRequest(r); err != nil {
			head.RefuseBody(w, err)
			return
		}
		h.stateful.ServeHTTP(w, r)
	}
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
		go s.hangUp() // in the background: it waits for calls that read
	}
}
