package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// lastWords is how long the end of the input is held back while calls are open.
	lastWords = 200 * time.Millisecond
	// farewell is how long answers may take that are being written at the end.
	farewell = time.Second
)

// ending ends a connection in steps, none of which waits for the client: it may have
// stopped reading.
type ending struct {
	// over ends when runs are to be stopped, left when answers being written are to be
	// given up.
	over, left context.Context
	// begin starts it.
	begin context.CancelFunc
}

// newEnding returns the end of a connection, which starts with the end of ctx.
func newEnding(ctx context.Context) ending {
	begun, begin := context.WithCancel(ctx)
	over, stop := context.WithCancel(context.Background())
	left, leave := context.WithCancel(context.Background())
	context.AfterFunc(begun, func() {
		time.AfterFunc(lastWords, stop)
		time.AfterFunc(lastWords+farewell, leave)
	})
	return ending{over: over, left: left, begin: begin}
}

// patientTransport lets calls be answered for a moment after their client has closed its
// end, as a script does that pipes its questions in. The SDK would drop them immediately.
//
// It rejects calls that reuse the id of an open one, which the SDK does not; refuse
// does that.
type patientTransport struct {
	mcp.Transport
	refuse func(why string)
}

func (t patientTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &patientConnection{
		Connection: c, open: map[jsonrpc.ID]bool{}, unwanted: map[jsonrpc.ID]bool{}, refuse: t.refuse, answered: make(chan struct{}, 1),
	}, nil
}

type patientConnection struct {
	mcp.Connection

	mu     sync.Mutex
	open   map[jsonrpc.ID]bool // whether the call is a tool's
	unsaid int                 // answers being written
	// unwanted are open tool calls that were cancelled: by the protocol they are not
	// answered.
	unwanted map[jsonrpc.ID]bool
	refuse   func(why string)
	// answered has room for the signal that no call is open any more.
	answered chan struct{}
}

func (c *patientConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := c.Connection.Read(ctx)
		if errors.Is(err, io.EOF) {
			c.wait(ctx)
		}
		r, ok := m.(*jsonrpc.Request)
		if ok && !r.IsCall() {
			c.cancelled(r)
		}
		if !ok || !r.IsCall() || c.opens(r) {
			return m, err
		}
		c.refuse("this call has the id of another one that has not been answered yet")
	}
}

// opens records a call. Two with the same id would be indistinguishable.
func (c *patientConnection) opens(r *jsonrpc.Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, open := c.open[r.ID]; open {
		return false
	}
	c.open[r.ID] = r.Method == "tools/call"
	return true
}

// cancelled records that the client no longer waits for a tool call.
func (c *patientConnection) cancelled(r *jsonrpc.Request) {
	var params struct {
		ID any `json:"requestId"`
	}
	if r.Method != "notifications/cancelled" || json.Unmarshal(r.Params, &params) != nil {
		return
	}
	id, err := jsonrpc.MakeID(params.ID)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[id] {
		c.unwanted[id] = true
	}
}

func (c *patientConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return c.Connection.Write(ctx, m)
	}
	// The client may reuse the id as soon as it has the answer.
	c.mu.Lock()
	unwanted := c.unwanted[r.ID]
	delete(c.open, r.ID)
	delete(c.unwanted, r.ID)
	c.unsaid++
	c.mu.Unlock()
	var err error
	if !unwanted {
		err = c.Connection.Write(ctx, m)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unsaid--
	if len(c.open)+c.unsaid == 0 {
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
	return err
}

// wait waits a moment for the open calls.
func (c *patientConnection) wait(ctx context.Context) {
	late := time.NewTimer(lastWords)
	defer late.Stop()
	for {
		c.mu.Lock()
		open := len(c.open) + c.unsaid
		c.mu.Unlock()
		if open == 0 {
			return
		}
		select {
		case <-c.answered:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
