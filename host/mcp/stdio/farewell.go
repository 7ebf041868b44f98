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

// ending is the end of a connection, step by step. None waits for the client: it may
// have stopped reading what it is told.
type ending struct {
	// over ends when runs are stopped, left when no answer is worth waiting for that is
	// being written.
	over, left context.Context
	// begin begins it.
	begin context.CancelFunc
}

// newEnding returns the end of a connection, which begins with the end of ctx.
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

// patientTransport lets calls be answered whose client has closed its end already,
// as a script does that pipes its questions in. The SDK drops them at once. What
// takes longer than a moment, such as tests, does not hold up the end.
//
// It answers calls that bear the id of one that is open, which the SDK never does:
// refuse does it.
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
	unsaid int                 // answers that are being written
	// unwanted are open calls of tools that were cancelled: they are not answered, as
	// the protocol has it.
	unwanted map[jsonrpc.ID]bool
	refuse   func(why string)
	// answered has room for the news that no call is open any more.
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
		c.refuse("the id of this call is that of one that is not answered yet")
	}
}

// opens takes note of a call. Two of the same id could not be told apart.
func (c *patientConnection) opens(r *jsonrpc.Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, open := c.open[r.ID]; open {
		return false
	}
	c.open[r.ID] = r.Method == "tools/call"
	return true
}

// cancelled takes note of a tool's call that the client does not wait for any more.
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
	// The client may use the id again as soon as it has the answer.
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
