package logs

//lint:file-ignore SA1019 the protocol deprecates logging in 2026-07-28; clients of older versions have nothing else.

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/mcp/head"
)

const (
	// perSecond is how many records a client is sent; the rest is only counted. proctor logs
	// what is unusual, but a plugin may log in a loop.
	perSecond = 50
	// maxWaiting bounds the records that wait for a client that does not read.
	maxWaiting = 2 * perSecond
)

// Stream sends a session's client what is logged in it. Until the client sets a level there
// is nothing to do. It is safe for concurrent use.
type Stream struct {
	censor censor
	ctx    context.Context
	stop   context.CancelFunc

	mu      sync.Mutex
	readers map[*reader]bool
	// session is the reader of a client that has set a level for its session.
	session *reader
}

// New returns a Stream without a client, which sends no secrets of an environment in the
// form of [os.Environ].
func New(environ []string) *Stream {
	ctx, stop := context.WithCancel(context.Background())
	return &Stream{censor: newCensor(environ), ctx: ctx, stop: stop, readers: map[*reader]bool{}}
}

// Close ends the stream.
func (s *Stream) Close() {
	s.stop()
	s.mu.Lock()
	session := s.session
	delete(s.readers, session)
	s.mu.Unlock()
	if session != nil {
		<-session.done
	}
}

// Serve is a middleware that lets a client say what it wants: for its session with
// logging/setLevel, and from version 2026-07-28 on, with each request for its duration.
func (s *Stream) Serve(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		client, _ := req.GetSession().(*mcp.ServerSession)
		if client == nil {
			return next(ctx, method, req)
		}
		if set, ok := req.GetParams().(*mcp.SetLoggingLevelParams); ok && method == "logging/setLevel" {
			level, known := threshold(set.Level)
			if !known {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("there is no level %q", cut(string(set.Level), maxKey))}
			}
			result, err := next(ctx, method, req)
			if err == nil {
				s.follow(client, level)
			}
			return result, err
		}
		if level, ok := requestLevel(method, req); ok {
			s.mu.Lock()
			r := s.open(ctx, client, level)
			s.mu.Unlock()
			defer s.close(r)
		}
		return next(ctx, method, req)
	}
}

// requestLevel returns the level that a call of a tool asks for. Only in a version without
// sessions it can.
func requestLevel(method string, req mcp.Request) (level hclog.Level, ok bool) {
	if method != "tools/call" || req.GetParams() == nil {
		return hclog.NoLevel, false
	}
	meta := req.GetParams().GetMeta()
	if !head.IsStateless(meta) {
		return hclog.NoLevel, false
	}
	word, _ := meta[mcp.MetaKeyLogLevel].(string)
	return threshold(mcp.LoggingLevel(word))
}

// follow sets the level of the session.
func (s *Stream) follow(client *mcp.ServerSession, level hclog.Level) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.session != nil:
		s.session.level = level
	case s.ctx.Err() == nil:
		s.session = s.open(s.ctx, client, level)
	}
}

// open adds a reader, which gets what is logged until ctx ends or it is closed. The caller
// holds the lock.
func (s *Stream) open(ctx context.Context, client *mcp.ServerSession, level hclog.Level) *reader {
	r := &reader{level: level, records: make(chan *mcp.LoggingMessageParams, maxWaiting), done: make(chan struct{})}
	s.readers[r] = true
	go r.send(ctx, client)
	return r
}

// close removes a reader when it has everything that was logged for it: nothing may follow
// the response to a request.
func (s *Stream) close(r *reader) {
	s.mu.Lock()
	delete(s.readers, r)
	close(r.records)
	s.mu.Unlock()
	<-r.done
}

// level returns the lowest level that a client of the stream wants.
func (s *Stream) level() hclog.Level {
	s.mu.Lock()
	defer s.mu.Unlock()
	lowest := hclog.Off
	for r := range s.readers {
		lowest = min(lowest, r.level)
	}
	return max(lowest, hclog.Debug) // the protocol has nothing below
}

// accept passes on a record. It never waits: whoever logs may hold a lock.
func (s *Stream) accept(by hclog.Logger, level hclog.Level, message string, args []any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var record *mcp.LoggingMessageParams
	for r := range s.readers {
		if level < r.level {
			continue
		}
		if !r.mayReceive(time.Now()) {
			s.drop(r)
			continue
		}
		if record == nil {
			implied := by.ImpliedArgs()
			record = &mcp.LoggingMessageParams{
				Logger: cut(by.Name(), maxKey), Level: levelOf(level),
				Data: s.censor.record(message, append(implied[:len(implied):len(implied)], args...)),
			}
		}
		if !r.offer(record) {
			s.drop(r)
		}
	}
}

// drop counts a record that a reader does not get. The count is sent later, whether or not
// anything more is logged.
func (s *Stream) drop(r *reader) {
	if r.dropped++; r.dropped == 1 {
		time.AfterFunc(time.Second, func() { s.tellDropped(r) })
	}
}

// tellDropped sends a reader how many records it did not get. For one that is closed, send
// does.
func (s *Stream) tellDropped(r *reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.readers[r] || r.dropped == 0:
	case r.offer(countOf(r.dropped)):
		r.dropped = 0
	default: // it does not read
		time.AfterFunc(time.Second, func() { s.tellDropped(r) })
	}
}

// countOf is the record of how many others were dropped.
func countOf(dropped int) *mcp.LoggingMessageParams {
	return &mcp.LoggingMessageParams{Logger: "proctor", Level: "warning", Data: data{Message: "there was too much to log", Fields: map[string]any{"dropped": dropped}}}
}

// reader is a client that wants what is logged. The lock of its stream guards it.
type reader struct {
	level   hclog.Level
	records chan *mcp.LoggingMessageParams
	done    chan struct{}
	// second began when taken was 0.
	second time.Time
	taken  int
	// dropped counts what was not sent, and is not told yet.
	dropped int
}

// mayReceive charges a record to this second's allowance.
func (r *reader) mayReceive(now time.Time) bool {
	if now.Sub(r.second) >= time.Second {
		r.second, r.taken = now, 0
	}
	r.taken++
	return r.taken <= perSecond
}

// offer reports whether there was room for a record.
func (r *reader) offer(record *mcp.LoggingMessageParams) bool {
	select {
	case r.records <- record:
		return true
	default:
		return false
	}
}

// send sends the records until ctx ends, the reader is closed or the client is gone.
func (r *reader) send(ctx context.Context, client *mcp.ServerSession) {
	defer close(r.done)
	for {
		select {
		case record, open := <-r.records:
			if !open {
				if r.dropped > 0 { // nobody else has the reader now
					_ = client.Log(ctx, countOf(r.dropped))
				}
				return
			}
			// The SDK applies the level, too: it has it from the client.
			if client.Log(ctx, record) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
