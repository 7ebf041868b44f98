package tasks

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The shapes are those of schema.ts of version 2025-11-25 of the protocol.

// Task is a task as clients see it.
type Task struct {
	ID           string    `json:"taskId"`
	State        State     `json:"status"`
	Message      string    `json:"statusMessage,omitempty"`
	Created      time.Time `json:"createdAt"`
	Updated      time.Time `json:"lastUpdatedAt"`
	TTL          int64     `json:"ttl"`
	PollInterval int64     `json:"pollInterval"`
}

// createdTask is the answer to a call as a task.
type createdTask struct {
	mcp.ResultBase
	Task Task `json:"task"`
}

// told is the answer to a question about a task.
type told struct {
	mcp.ResultBase
	Task
}

// listed is the answer to tasks/list.
type listed struct {
	mcp.ResultBase
	Tasks []Task `json:"tasks"`
}

// ofTask are the parameters of a request about a task.
type ofTask struct {
	mcp.ParamsBase
	TaskID string `json:"taskId"`
}

// id returns the id that a request names, or "".
func (p *ofTask) id() string {
	if p == nil {
		return ""
	}
	return p.TaskID
}

// ofList are the parameters of tasks/list.
type ofList struct {
	mcp.ParamsBase
	Cursor string `json:"cursor"`
}

// initialized is an InitializeResult that announces the tasks, which the SDK does not know.
type initialized struct{ *mcp.InitializeResult }

// MarshalJSON implements [json.Marshaler].
func (i initialized) MarshalJSON() ([]byte, error) {
	type nothing struct{}
	type announced struct {
		*mcp.ServerCapabilities
		Tasks any `json:"tasks"`
	}
	return json.Marshal(struct {
		*mcp.InitializeResult
		Capabilities announced `json:"capabilities"`
	}{i.InitializeResult, announced{i.Capabilities, map[string]any{
		"list": nothing{}, "cancel": nothing{}, "requests": map[string]any{"tools": map[string]any{"call": nothing{}}},
	}}})
}

// The methods of requests that say more of tasks than the SDK knows: a call may ask to be one,
// and a client may ask to be told of some.
const (
	callMethod   = "tools/call"
	listenMethod = "subscriptions/listen"
)

// requestKey is where in the metadata of a request [liftMessage] puts what it says of tasks.
const requestKey = "proctor/task"

// liftMessage returns a message such that the SDK, which drops what it does not know, keeps what it
// says of tasks. Whatever is not understood is returned as it is, for the SDK to refuse.
func liftMessage(message []byte) []byte {
	var m map[string]json.RawMessage
	if !mayAsk(message) || json.Unmarshal(message, &m) != nil || m["params"] == nil {
		return message
	}
	var method string
	if json.Unmarshal(m["method"], &method) != nil {
		return message
	}
	m["params"] = liftParams(method, m["params"])
	return marshal(m, message)
}

// mayAsk reports whether a message may say something of tasks: most do not, and are not parsed
// here.
func mayAsk(message []byte) bool {
	return bytes.Contains(message, []byte(`"task"`)) || bytes.Contains(message, []byte(`"taskIds"`))
}

// liftParams is [liftMessage] for the parameters of a request.
func liftParams(method string, params json.RawMessage) json.RawMessage {
	var p, meta map[string]json.RawMessage
	if json.Unmarshal(params, &p) != nil {
		return params
	}
	var said json.RawMessage
	switch method {
	case callMethod:
		said = p["task"]
		delete(p, "task")
	case listenMethod:
		var of map[string]json.RawMessage
		if json.Unmarshal(p["notifications"], &of) != nil {
			return params
		}
		said = of["taskIds"]
	}
	if said == nil || string(said) == "null" || p["_meta"] != nil && json.Unmarshal(p["_meta"], &meta) != nil {
		return params
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	meta[requestKey] = said
	p["_meta"] = marshal(meta, p["_meta"])
	return marshal(p, params)
}

func marshal(m map[string]json.RawMessage, otherwise []byte) []byte {
	raw, err := json.Marshal(m)
	if err != nil {
		return otherwise
	}
	return raw
}

// LiftRequest lifts what a client sends over HTTP, see [liftMessage].
func LiftRequest(r *http.Request) error {
	if r.Method != http.MethodPost {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	body = liftMessage(body)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return nil
}

// Transport returns a transport that lifts what clients send, see [liftMessage].
func Transport(inner mcp.Transport) mcp.Transport { return &transport{inner} }

type transport struct{ inner mcp.Transport }

func (t *transport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{c}, nil
}

type connection struct{ mcp.Connection }

func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); ok && mayAsk(r.Params) {
		lifted := *r
		lifted.Params = liftParams(r.Method, r.Params)
		return &lifted, err
	}
	return m, err
}
