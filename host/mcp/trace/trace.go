package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxBytes bounds a trace.
const maxBytes = 64 << 20

// Log records the messages between a server and its clients, one JSON object on each
// line. It contains whatever tests print. A nil Log records nothing.
type Log struct {
	mu   sync.Mutex
	w    io.Writer
	left int
}

// New returns a Log that writes at most maxBytes bytes to w. What cannot be written
// is lost.
func New(w io.Writer) *Log { return &Log{w: w, left: maxBytes} }

// entry is a line of a trace.
type entry struct {
	At time.Time `json:"at"`
	// From is "client" or "server".
	From string `json:"from"`
	// Request is the first line of the HTTP request, if there is one.
	Request string `json:"request,omitempty"`
	// Message is a message of the protocol, and Text anything else.
	Message json.RawMessage `json:"message,omitempty"`
	Text    string          `json:"text,omitempty"`
}

func (t *Log) write(e entry) {
	if t == nil {
		return
	}
	e.At = time.Now().UTC()
	raw, err := json.Marshal(e)
	if err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch raw = append(raw, '\n'); {
	case t.left < 0: // reported already
	case len(raw) > t.left:
		t.left = -1
		_, _ = io.WriteString(t.w, `{"text":"the trace is full; the rest is not kept"}`+"\n")
	default:
		t.left -= len(raw)
		_, _ = t.w.Write(raw)
	}
}

// Raw records bytes that did not become a message of the protocol, from client or
// server.
func (t *Log) Raw(from string, data []byte) {
	if t != nil {
		t.raw(from, "", data)
	}
}

// raw records bytes, as a message if they are one.
func (t *Log) raw(from, request string, data []byte) {
	switch data = bytes.TrimSpace(data); {
	case len(data) == 0:
	case json.Valid(data):
		t.write(entry{From: from, Request: request, Message: data})
	default:
		t.write(entry{From: from, Request: request, Text: string(data)})
	}
}

// Transport returns a transport that records what goes through another one.
func (t *Log) Transport(inner mcp.Transport) mcp.Transport {
	if t == nil {
		return inner
	}
	return &tracedTransport{trace: t, inner: inner}
}

type tracedTransport struct {
	trace *Log
	inner mcp.Transport
}

func (t *tracedTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &tracedConnection{Connection: c, trace: t.trace}, nil
}

type tracedConnection struct {
	mcp.Connection
	trace *Log
}

func (c *tracedConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if err != nil {
		c.trace.write(entry{From: "client", Text: "the end: " + err.Error()})
		return m, err
	}
	if data, err := jsonrpc.EncodeMessage(m); err == nil {
		c.trace.raw("client", "", data)
	}
	return m, nil
}

func (c *tracedConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if err != nil {
		c.trace.write(entry{From: "server", Text: "what follows could not be sent: " + err.Error()})
	}
	if data, err := jsonrpc.EncodeMessage(m); err == nil {
		c.trace.raw("server", "", data)
	}
	return err
}

// Request records a request and its answer. It omits headers: one of them is the token.
func (t *Log) Request(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, *http.Request) {
	if t == nil {
		return w, r
	}
	// Without the query, which could have anything.
	name := r.Method + " " + r.URL.Path
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		name += " of session " + id[:min(len(id), 8)]
	}
	traced := r.WithContext(r.Context())
	traced.Body = struct {
		io.Reader
		io.Closer
	}{&tracedBody{r: r.Body, trace: t, name: name}, r.Body}
	return &tracedAnswer{ResponseWriter: w, trace: t, name: name}, traced
}

// tracedBody records a body once it has been read.
type tracedBody struct {
	r     io.Reader
	trace *Log
	name  string
	kept  bytes.Buffer
}

func (b *tracedBody) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.kept.Write(p[:n])
	if err != nil {
		b.trace.raw("client", b.name, b.kept.Bytes())
		b.kept.Reset()
	}
	return n, err
}

// tracedAnswer records what is written, each event of a stream separately.
type tracedAnswer struct {
	http.ResponseWriter
	trace *Log
	name  string
}

// Unwrap lets the SDK flush.
func (a *tracedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *tracedAnswer) Write(p []byte) (int, error) {
	n, err := a.ResponseWriter.Write(p)
	text := string(p)
	if i := strings.Index(text, "data: "); i >= 0 {
		text = text[i+len("data: "):]
	}
	a.trace.raw("server", a.name, []byte(text))
	return n, err
}
