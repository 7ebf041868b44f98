package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The extension's version of the protocol has no sessions. Each request says what its client
// has, and a task belongs to whoever may talk to the server and knows its id, which only the
// caller is told. The shapes are those of its schema.ts.

// extension is what the extension is called.
const extension = "io.modelcontextprotocol/tasks"

// logLevelKey is where a call says what it wants of the log. The SDK deprecates its own name for
// it, as the protocol does logging.
const logLevelKey = "io.modelcontextprotocol/logLevel"

// errUndeclared is what the protocol wants of a request about a task whose client does not
// have the extension.
var errUndeclared = &jsonrpc.Error{
	Code:    mcp.CodeMissingRequiredClientCapabilities,
	Message: "the client has not declared the extension " + extension,
	Data:    json.RawMessage(`{"requiredCapabilities":{"extensions":{"` + extension + `":{}}}}`),
}

// declares reports whether the client of a request has the extension.
func declares(meta mcp.Meta) bool {
	capabilities, _ := meta[mcp.MetaKeyClientCapabilities].(map[string]any)
	extensions, _ := capabilities["extensions"].(map[string]any)
	_, ok := extensions[extension].(map[string]any)
	return ok
}

// serveExtension is serve for a request in which tasks are an extension.
func (s *Set) serveExtension(ctx context.Context, method string, req mcp.Request, meta mcp.Meta, next mcp.MethodHandler) (mcp.Result, error) {
	switch p := req.GetParams().(type) {
	case *mcp.DiscoverParams:
		result, err := next(ctx, method, req)
		if r, ok := result.(*mcp.DiscoverResult); ok && err == nil {
			capabilities := *r.Capabilities
			capabilities.Extensions = maps.Clone(capabilities.Extensions)
			capabilities.AddExtension(extension, nil)
			r.Capabilities = &capabilities
		}
		return result, err
	case *mcp.CallToolParamsRaw:
		delete(p.Meta, requestKey) // an older client's way to ask, which says nothing here
		if declares(meta) && slices.Contains(s.tools, p.Name) && !s.waits(p.Arguments) {
			return s.begin(ctx, req.(*mcp.CallToolRequest), next)
		}
	case *mcp.SubscriptionsListenParams:
		_, ofTasks := p.Meta[requestKey]
		delete(p.Meta, requestKey)
		if ofTasks && !declares(meta) {
			return nil, errUndeclared
		}
		// One that declares it is told of no task: the SDK's acknowledgement names none.
	case *ofTask:
		return s.extended(method, meta, p)
	}
	if strings.HasPrefix(method, "tasks/") {
		return nil, errNoMethod
	}
	return next(ctx, method, req)
}

// begin makes a task of a call, or answers it plainly if there can be no more tasks.
func (s *Set) begin(ctx context.Context, call *mcp.CallToolRequest, next mcp.MethodHandler) (mcp.Result, error) {
	task, params := *call, *call.Params
	params.Meta = maps.Clone(params.Meta)
	delete(params.Meta, "progressToken") // a task has neither progress nor a log there
	delete(params.Meta, logLevelKey)
	task.Params = &params
	t, err := s.create(&task, defaultTTL, next)
	switch {
	case errors.Is(err, errFull):
		return next(ctx, callMethod, call)
	case err != nil:
		return nil, err
	}
	return t.begun(s.now()), nil
}

// extended answers a request about a task.
func (s *Set) extended(method string, meta mcp.Meta, p *ofTask) (mcp.Result, error) {
	if method == "tasks/result" {
		return nil, errNoMethod
	}
	if !declares(meta) {
		return nil, errUndeclared
	}
	t, err := s.find(p.id())
	if err != nil {
		return nil, err
	}
	switch method {
	case "tasks/get":
		return t.detail(s.now()), nil
	case "tasks/cancel":
		t.end(s.now(), "cancelled; get_run has what is known of the run") // unless it has ended, which the client need not know
	}
	return &acknowledged{ResultType: complete}, nil // an update, too: no task asks for one
}

// noUpdate answers an update in a version that has none.
func noUpdate(context.Context, *mcp.ServerSession, *ofTask) (*told, error) { return nil, errNoMethod }

// complete is the type of a result that is no task.
const complete = "complete"

// acknowledged is the answer to a request that has no other.
type acknowledged struct {
	mcp.ResultBase
	ResultType string `json:"resultType"`
}

// detailed is a task as clients of the extension see it, with the result of its call.
type detailed struct {
	mcp.ResultBase
	ResultType string    `json:"resultType"`
	ID         string    `json:"taskId"`
	State      State     `json:"status"`
	Message    string    `json:"statusMessage,omitempty"`
	Created    time.Time `json:"createdAt"`
	Updated    time.Time `json:"lastUpdatedAt"`
	// TTL counts from when the task was created. It is null until there is a result: before,
	// nothing ends the task.
	TTL    *int64          `json:"ttlMs"`
	Poll   int64           `json:"pollIntervalMs"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *jsonrpc.Error  `json:"error,omitempty"`
}

// begun describes the task to the client whose call it is, which asks for the result later.
func (t *task) begun(now time.Time) *detailed {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.describe(now)
	d.ResultType = "task"
	return d
}

// describe describes the task as it is now, without its result. The caller holds the lock.
func (t *task) describe(now time.Time) *detailed {
	d := &detailed{
		ResultType: complete, ID: t.id, State: t.state(), Message: t.says(),
		Created: t.created.UTC(), Updated: t.updated.UTC(), Poll: t.poll(now),
	}
	if t.result != nil || t.err != nil {
		ttl := (t.updated.Sub(t.created) + t.ttl).Milliseconds()
		d.TTL = &ttl
	}
	return d
}

// detail describes the task as it is now, with its result.
func (t *task) detail(now time.Time) *detailed {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.describe(now)
	if d.TTL == nil {
		return d
	}
	t.delivered = true
	switch d.State {
	case cancelled: // which has no result in the extension
		if id := runOf(t.result); id != "" {
			d.Message += fmt.Sprintf("; get_run{\"run_id\":%q} has what is known of it", id)
		}
	case completed:
		raw, err := json.Marshal(t.result)
		if err == nil {
			d.Result, err = withType(raw)
		}
		if err != nil {
			d.State, d.Error = failed, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
		}
	case failed:
		if !errors.As(t.err, &d.Error) {
			d.Error = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: t.err.Error()}
		}
	}
	return d
}

// withType returns a result with its type, which the SDK sets only on what it sends itself.
func withType(raw json.RawMessage) (json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	m["resultType"] = json.RawMessage(`"` + complete + `"`)
	return json.Marshal(m)
}

// runOf returns the id of the run that a result is about, or "".
func runOf(r *mcp.CallToolResult) string {
	if r == nil {
		return ""
	}
	var object struct {
		RunID string `json:"run_id"`
	}
	raw, _ := r.StructuredContent.(json.RawMessage)
	_ = json.Unmarshal(raw, &object) // one without it names none
	return object.RunID
}
