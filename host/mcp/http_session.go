package mcp

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// httpSession is a session of the protocol over HTTP, which outlives its requests.
type httpSession struct {
	session  *session
	protocol *mcp.Server

	mu    sync.Mutex
	calls int       // in progress
	last  time.Time // when a call began or ended
}

// serverKey is the key of a request's server in its context.
type serverKey struct{}

// serverOf returns the server for a request. The SDK also asks if the session is
// already known, and then only for the versions of the protocol.
func serverOf(r *http.Request) *mcp.Server {
	p, _ := r.Context().Value(serverKey{}).(*mcp.Server)
	return p
}

// open serves the first request of a session.
func (h *HTTP) open(w http.ResponseWriter, r *http.Request) {
	s := &httpSession{session: h.server.connection(true), last: time.Now()}
	s.protocol = h.server.protocol(s.session, true)
	s.protocol.AddReceivingMiddleware(s.count)
	if !h.add(s) {
		http.Error(w, "too many sessions are active; try again later", http.StatusServiceUnavailable)
		return
	}
	h.stateful.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), serverKey{}, s.protocol)))
	client := s.client()
	if client == nil { // it was not a session
		h.remove(s)
		return
	}
	go func() {
		_ = client.Wait()
		h.remove(s)
	}()
}

// add adds a session, if there is room or an idle one can be dropped.
func (h *HTTP) add(s *httpSession) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	if len(h.sessions) >= maxSessions {
		idlest, since := -1, time.Now()
		for i, other := range h.sessions {
			if at, idle := other.idleSince(); idle && at.Before(since) {
				idlest, since = i, at
			}
		}
		if idlest < 0 {
			return false
		}
		go h.sessions[idlest].hangUp()
		h.sessions = slices.Delete(h.sessions, idlest, idlest+1)
	}
	h.sessions = append(h.sessions, s)
	return true
}

// remove ends a session whose client is gone.
func (h *HTTP) remove(s *httpSession) {
	s.session.end()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions = slices.DeleteFunc(h.sessions, func(other *httpSession) bool { return other == s })
}

// end stops the runs of a session that its client is about to end: the SDK waits for
// the calls that wait for them.
func (h *HTTP) end(id string) {
	h.mu.Lock()
	i := slices.IndexFunc(h.sessions, func(s *httpSession) bool {
		client := s.client()
		return client != nil && client.ID() == id
	})
	var s *httpSession
	if i >= 0 {
		s = h.sessions[i]
	}
	h.mu.Unlock()
	if s != nil {
		s.session.end()
	}
}

// watch ends idle sessions, until ctx ends.
func (h *HTTP) watch(ctx context.Context) {
	tick := time.NewTicker(idleTime / 16)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			h.endIdle(now)
		}
	}
}

// endIdle ends the sessions that have been idle for too long.
func (h *HTTP) endIdle(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if since, idle := s.idleSince(); idle && now.Sub(since) > idleTime {
			go s.hangUp()
		}
	}
}

// count is a middleware that tracks the calls.
func (s *httpSession) count(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		s.add(1)
		defer s.add(-1)
		return next(ctx, method, req)
	}
}

func (s *httpSession) add(calls int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls += calls
	s.last = time.Now()
}

// idleSince reports whether nothing is in progress in a session, and since when nothing was
// requested.
func (s *httpSession) idleSince() (since time.Time, idle bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, s.calls == 0 && len(s.session.jobs.unfinished()) == 0
}

// client returns the SDK's side of the session; nil before and after it.
func (s *httpSession) client() *mcp.ServerSession {
	for client := range s.protocol.Sessions() {
		return client
	}
	return nil
}

// hangUp ends the session, as if its client had done so.
func (s *httpSession) hangUp() {
	if client := s.client(); client != nil {
		_ = client.Close()
	}
}
