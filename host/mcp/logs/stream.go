package logs

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// perSecond is how many records a client is sent; the rest is only counted. proctor logs
	// what is unusual, but a plugin may log in a loop.
	perSecond = 50
	// maxWaiting bounds the records that wait for a client that does not read.
	maxWaiting = 2 * perSecond
)

// Config configures a Stream.
type Config struct {
	// Environ is the environment, in the form of [os.Environ], whose secrets are not sent.
	Environ []string
	// SharesPlugins means that plugins serve other sessions, too: what they log is not sent.
	SharesPlugins bool
}

// Stream sends a session's client what is logged in it. Until the client sets a level there
// is nothing to do. It is safe for concurrent use.
type Stream struct {
	cfg    Config
	censor censor
	ctx    context.Context
	stop   context.CancelFunc

	mu      sync.Mutex
	readers map[*reader]bool
	// session is the reader of a client that has set a level for its session.
	session *reader
}

// New returns a Stream without a client.
func New(cfg Config) *Stream {
	ctx, stop := context.WithCancel(context.Background())
	return &Stream{cfg: cfg, censor: newCensor(cfg.Environ), ctx: ctx, stop: stop, readers: map[*reader]bool{}}
}

// Close ends the stream.
func (s *Stream) Close() {
	s.stop()
	s.mu.Lock()
	session := s.session
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
			r := s.open(ctx, client, level)
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
	if _, ok := meta[mcp.MetaKeyProtocolVersion]; !ok {
		return hclog.NoLevel, false
	}
	word, _ := meta[mcp.MetaKeyLogLevel].(string)
	return threshold(mcp.LoggingLevel(word))
}

// follow sets the level of the session.
func (s *Stream) follow(client *mcp.ServerSession, level hclog.Level) {
	s.mu.Lock()
	r := s.session
	if r != nil {
		r.level = level
	}
	s.mu.Unlock()
	if r != nil {
		return
	}
	r = s.open(s.ctx, client, level)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = r
}

// open adds a reader, which gets what is logged until ctx ends or it is closed.
func (s *Stream) open(ctx context.Context, client *mcp.ServerSession, level hclog.Level) *reader {
	r := &reader{level: level, records: make(chan *mcp.LoggingMessageParams, maxWaiting), done: make(chan struct{})}
	s.mu.Lock()
	s.readers[r] = true
	s.mu.Unlock()
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
		if level < r.level || !r.mayReceive(time.Now()) {
			continue
		}
		if record == nil {
			implied := by.ImpliedArgs()
			record = &mcp.LoggingMessageParams{
				Logger: cut(by.Name(), maxKey), Level: levelOf(level),
				Data: s.censor.record(message, append(implied[:len(implied):len(implied)], args...)),
			}
		}
		r.offer(record)
	}
}

// reader is a client that wants what is logged. The lock of its stream guards it.
type reader struct {
	level   hclog.Level
	records chan *mcp.LoggingMessageParams
	done    chan struct{}
	// second began when sent was 0; dropped have not been sent since.
	second        time.Time
	sent, dropped int
}

// mayReceive charges a record to this second's allowance.
func (r *reader) mayReceive(now time.Time) bool {
	if now.Sub(r.second) >= time.Second {
		r.second, r.sent = now, 0
		if n := r.dropped; n > 0 {
			r.dropped = 0
			r.offer(&mcp.LoggingMessageParams{Logger: "proctor", Level: "warning", Data: data{Message: "there was too much to log", Fields: map[string]any{"dropped": n}}})
		}
	}
	r.sent++
	if r.sent > perSecond {
		r.dropped++
		return false
	}
	return true
}

func (r *reader) offer(record *mcp.LoggingMessageParams) {
	select {
	case r.records <- record:
	default:
		r.dropped++
	}
}

// send sends the records until ctx ends, the reader is closed or the client is gone.
func (r *reader) send(ctx context.Context, client *mcp.ServerSession) {
	defer close(r.done)
	for {
		select {
		case record, open := <-r.records:
			// The SDK applies the level, too: it has it from the client.
			if !open || client.Log(ctx, record) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
