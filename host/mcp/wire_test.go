package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// wire is a client without a library: it sees the bytes that the server writes, and
// sends what no library would.
type wire struct {
	in   io.WriteCloser
	out  *bufio.Reader
	next int
	// seen has all bytes that were received.
	mu   sync.Mutex
	seen bytes.Buffer
}

// message is what comes over the wire.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// dial connects to the server by pipes and initializes the session.
func (s *site) dial(t testing.TB) *wire {
	t.Helper()
	return s.dialIn(t, "2025-11-25")
}

// dialIn is dial in a version of the protocol.
func (s *site) dialIn(t testing.TB, version string) *wire {
	t.Helper()
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	w := &wire{in: in}
	w.out = bufio.NewReader(io.TeeReader(out, writerFunc(func(p []byte) (int, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.seen.Write(p)
	})))
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var serving sync.WaitGroup
	serving.Go(func() {
		s.server.Serve(ctx, &mcp.IOTransport{Reader: toServer, Writer: fromServer})
	})
	t.Cleanup(func() {
		in.Close()
		out.Close()
		stop()
		serving.Wait()
	})
	w.request(t, "initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"wire","version":"1"}}`, version))
	w.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return w
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// send writes a line.
func (w *wire) send(t testing.TB, line string) {
	t.Helper()
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// request sends a request and waits for its answer. Whatever comes before must be a
// message, too.
func (w *wire) request(t testing.TB, method, params string) message {
	t.Helper()
	w.next++
	w.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, w.next, method, params))
	return w.await(t, fmt.Sprint(w.next))
}

// await waits for the answer to a request, by its id as JSON.
func (w *wire) await(t testing.TB, id string) message {
	t.Helper()
	for {
		line, err := w.out.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%v in the line %.200q", err, line)
		}
		if string(m.ID) == id && m.Method == "" {
			return m
		}
	}
}

// call calls a tool; args is JSON, or "".
func (w *wire) call(t testing.TB, tool, args string) message {
	t.Helper()
	if args != "" {
		args = `,"arguments":` + args
	}
	return w.request(t, "tools/call", fmt.Sprintf(`{"name":%q%s}`, tool, args))
}

// answer calls a tool and checks what must hold for every answer.
func (w *wire) answer(t testing.TB, tool string, args map[string]any) result {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	m := w.call(t, tool, string(raw))
	if m.Error != nil {
		t.Fatalf("%s %s: %+v", tool, raw, m.Error)
	}
	r := decodeAnswer(t, m)
	checkAnswer(t, tool, args, r)
	return r
}

// decodeAnswer decodes a message as a tool's answer.
func decodeAnswer(t testing.TB, m message) result {
	t.Helper()
	var got mcp.CallToolResult
	if err := json.Unmarshal(m.Result, &got); err != nil {
		t.Fatal(err)
	}
	r, err := resultOf(&got)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
