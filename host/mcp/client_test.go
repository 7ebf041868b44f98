package mcp

//lint:file-ignore SA1019 the protocol deprecates logging in 2026-07-28; clients of older versions have nothing else.

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is a connection to a server, and the progress it received.
type client struct {
	session *mcp.ClientSession
	// served is closed when the server is done with the connection; hangUp causes that.
	served chan struct{}

	mu       sync.Mutex
	progress []*mcp.ProgressNotificationParams
	logged   []*mcp.LoggingMessageParams
}

// hearLog receives what the server logs.
func (c *client) hearLog(_ context.Context, r *mcp.LoggingMessageRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.logged = append(c.logged, r.Params)
}

// logs returns what the server has logged so far, as JSON.
func (c *client) logs() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	raw, _ := json.Marshal(c.logged)
	return string(raw)
}

// connect connects a client in a session of its own.
func (s *site) connect(t testing.TB) *client {
	t.Helper()
	return s.connectAs(t, nil)
}

// connectAs connects a client with options.
func (s *site) connectAs(t testing.TB, options *mcp.ClientSessionOptions) *client {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	here, there := mcp.NewInMemoryTransports()
	c := &client{served: make(chan struct{})}
	ctx, stop := context.WithCancel(ctx)
	go func() {
		defer close(c.served)
		s.server.Serve(ctx, there)
	}()
	m := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.progress = append(c.progress, r.Params)
		},
	})
	var err error
	if c.session, err = m.Connect(ctx, here, options); err != nil {
		stop()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.hangUp(t)
		stop()
	})
	return c
}

// hangUp ends the connection and waits until the server has noticed.
func (c *client) hangUp(t testing.TB) {
	t.Helper()
	c.session.Close()
	select {
	case <-c.served:
	case <-time.After(patience):
		t.Errorf("the server did not end a session within %v", patience)
	}
}

// heard returns the progress received so far.
func (c *client) heard() []*mcp.ProgressNotificationParams {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.progress)
}

// result is a tool's answer.
type result struct {
	// texts are the blocks of text.
	texts []string
	// object is the structured content, and raw its JSON.
	object map[string]any
	raw    json.RawMessage
	links  []*mcp.ResourceLink
	failed bool
}

// text returns all blocks.
func (r result) text() string { return strings.Join(r.texts, "\n") }

// str returns a field of the object, or "" if it is not a string.
func (r result) str(field string) string {
	text, _ := r.object[field].(string)
	return text
}

// into decodes the object.
func (r result) into(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(r.raw, v); err != nil {
		t.Fatalf("%v in %s", err, r.raw)
	}
}

// says checks that the answer is a sentence: verbatim in a block of its own and in the
// object's message.
func (r result) says(t testing.TB, sentence string, failed bool) {
	t.Helper()
	if !slices.Contains(r.texts, sentence) {
		t.Errorf("no block is %q, but there are %q", sentence, r.texts)
	}
	if r.str("message") != sentence {
		t.Errorf("the message is %q, want %q; the object is %s", r.str("message"), sentence, r.raw)
	}
	if r.failed != failed {
		t.Errorf("isError is %v in %q", r.failed, r.texts)
	}
}

// call calls a tool and checks what must hold for every answer. args is anything that
// marshals to JSON; a json.RawMessage is sent as is.
func (c *client) call(t testing.TB, tool string, args any) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := c.ask(ctx, tool, args, nil)
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	checkAnswer(t, tool, args, r)
	return r
}

// ask calls a tool until ctx ends; token requests progress.
func (c *client) ask(ctx context.Context, tool string, args, token any) (result, error) {
	params := &mcp.CallToolParams{Name: tool, Arguments: args}
	if args == nil {
		params.Arguments = map[string]any{}
	}
	if token != nil {
		params.SetProgressToken(token)
	}
	got, err := c.session.CallTool(ctx, params)
	if err != nil {
		return result{}, err
	}
	return resultOf(got)
}

func resultOf(got *mcp.CallToolResult) (result, error) {
	r := result{failed: got.IsError}
	for _, block := range got.Content {
		switch b := block.(type) {
		case *mcp.TextContent:
			r.texts = append(r.texts, b.Text)
		case *mcp.ResourceLink:
			r.links = append(r.links, b)
		default:
			return result{}, fmt.Errorf("a block is a %T", block)
		}
	}
	if got.StructuredContent != nil {
		var err error
		if r.raw, err = json.Marshal(got.StructuredContent); err != nil {
			return result{}, err
		}
		if err := json.Unmarshal(r.raw, &r.object); err != nil {
			return result{}, fmt.Errorf("the object is none: %w in %s", err, r.raw)
		}
	}
	return r, nil
}

// pending is a call that has not been answered yet.
type pending struct {
	cancel context.CancelFunc
	done   chan struct{}
	result result
	err    error
}

// begin calls a tool without waiting for the answer. The end of the test cancels the
// call.
func (c *client) begin(t testing.TB, tool string, args, token any) *pending {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	p := &pending{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.result, p.err = c.ask(ctx, tool, args, token)
	}()
	t.Cleanup(func() { cancel(); <-p.done })
	return p
}

// answer waits for the answer.
func (p *pending) answer(t testing.TB) result {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		t.Fatalf("a call was not answered within %v", patience)
	}
	if p.err != nil {
		t.Fatal(p.err)
	}
	return p.result
}
