package tasks

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/mcp/head"
	"github.com/proctorhq/proctor/host/prose"
)

const (
	// version is the only version of the protocol that has tasks of its own; in the next they
	// are an extension.
	version = "2025-11-25"
	// maxTasks bounds the tasks of a session, whose results stay in memory. A new one
	// replaces the oldest that has ended.
	maxTasks = 32
	// A result is kept for as long as its client asks, within minTTL and maxTTL, from when it
	// is there. The longest run takes half an hour, so a client that polls once in a while
	// does not miss the end.
	minTTL, defaultTTL, maxTTL = time.Minute, time.Hour, 24 * time.Hour
	// A client should ask again after a tenth of what the call has taken, within these: it
	// notices the end of a short run at once, and asks little about a long one.
	minPoll, maxPoll = 100 * time.Millisecond, 5 * time.Second
	// maxMessage bounds what is said of a task's state, in bytes.
	maxMessage = 300
)

// relatedKey is the key of the metadata that says which task a message belongs to.
const relatedKey = "io.modelcontextprotocol/related-task"

// errNoMethod is what the protocol wants of a call that cannot be a task. The SDK names the
// method.
var errNoMethod = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound}

// State is how far a task is.
type State string

// The states of a task. There is one more in the protocol, for tasks that ask the client
// something.
const (
	working   State = "working"
	completed State = "completed"
	failed    State = "failed"
	cancelled State = "cancelled"
)

// Set is the tasks of one session, which no other can ask for. It is safe for concurrent use.
type Set struct {
	// tools are those that can be called as tasks.
	tools []string
	// waits reports whether the arguments of a call say how long it waits. Of these none
	// becomes a task unless the client says so.
	waits func(args json.RawMessage) bool
	now   func() time.Time

	ctx  context.Context // of all tasks
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu sync.Mutex
	// spoken means that the session is in the version of the protocol that has tasks.
	spoken bool
	list   []*task // the newest last
}

// New returns the Set of a session that has yet to begin. tools are the names of the tools
// that can be called as tasks; waits reports whether arguments of theirs say how long the call
// waits.
func New(waits func(args json.RawMessage) bool, tools ...string) *Set {
	ctx, stop := context.WithCancel(context.Background())
	return &Set{tools: tools, waits: waits, now: time.Now, ctx: ctx, stop: stop}
}

// Close cancels the tasks, and returns when their calls have ended.
func (s *Set) Close() {
	s.mu.Lock()
	s.stop() // no task is created after this
	s.mu.Unlock()
	s.wg.Wait()
}

// task is one task.
type task struct {
	id, tool string
	created  time.Time
	ttl      time.Duration
	cancel   context.CancelFunc
	done     chan struct{} // closed when there is a result

	mu sync.Mutex
	// cancelled means that the client wants no result. Either result or err is set at the end.
	cancelled bool
	result    *mcp.CallToolResult
	err       error
	updated   time.Time
	message   string
	// progress says how far the call is; nil until it can.
	progress func() string
	// delivered means that the client has the result.
	delivered bool
}

// state returns the state of a task, in which failed is what the call had no result of. The
// caller holds its lock.
func (t *task) state() State {
	switch {
	case t.cancelled: // and remains so, whatever the run comes to
		return cancelled
	case t.err != nil:
		return failed
	case t.result != nil:
		return completed
	}
	return working
}

// Add lets the clients of a server use the tasks. It must be added after all that handles a
// call of a tool.
func (s *Set) Add(p *mcp.Server) {
	for method, err := range map[string]error{
		"tasks/get":    mcp.AddReceivingCustomMethod(p, "tasks/get", s.get),
		"tasks/result": mcp.AddReceivingCustomMethod(p, "tasks/result", s.result),
		"tasks/list":   mcp.AddReceivingCustomMethod(p, "tasks/list", s.tasks),
		"tasks/cancel": mcp.AddReceivingCustomMethod(p, "tasks/cancel", s.cancel),
		"tasks/update": mcp.AddReceivingCustomMethod(p, "tasks/update", noUpdate),
	} {
		if err != nil {
			panic(fmt.Sprintf("%s: %v", method, err)) // the SDK has tasks of its own now
		}
	}
	p.AddReceivingMiddleware(s.serve)
}

// serve announces the tasks, and makes them of calls.
func (s *Set) serve(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if meta := metaOf(req); head.IsStateless(meta) {
			return s.serveExtension(ctx, method, req, meta, next)
		}
		switch {
		case method == "initialize":
			result, err := next(ctx, method, req)
			if r, ok := result.(*mcp.InitializeResult); ok && err == nil && s.negotiate(r.ProtocolVersion) {
				return initialized{r}, nil
			}
			return result, err
		case strings.HasPrefix(method, "tasks/") && !s.isSpoken():
			return nil, errNoMethod
		}
		call, ok := req.(*mcp.CallToolRequest)
		if !ok {
			return next(ctx, method, req)
		}
		raw, wanted := call.Params.Meta[requestKey]
		delete(call.Params.Meta, requestKey)
		if !wanted || !s.isSpoken() {
			return next(ctx, method, req)
		}
		ttl, err := requestedTTL(raw)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(s.tools, call.Params.Name) {
			return nil, errNoMethod // as the protocol wants it
		}
		t, err := s.create(call, ttl, next)
		if err != nil {
			return nil, err
		}
		c := &createdTask{Task: t.tell(s.now())}
		// For the model of a client that does not make it wait.
		c.SetMeta(map[string]any{"io.modelcontextprotocol/model-immediate-response": t.tool + " is running as a task: there is no result yet"})
		return c, nil
	}
}

// metaOf returns the metadata of a request that may be about tasks.
func metaOf(req mcp.Request) mcp.Meta {
	switch p := req.GetParams().(type) { // which may be nil
	case *mcp.CallToolParamsRaw:
		return p.Meta
	case *mcp.ListToolsParams:
		if p != nil {
			return p.Meta
		}
	case *mcp.DiscoverParams:
		if p != nil {
			return p.Meta
		}
	case *mcp.SubscriptionsListenParams:
		if p != nil {
			return p.Meta
		}
	case *ofTask:
		if p != nil {
			return p.Meta
		}
	case *ofList:
		if p != nil {
			return p.Meta
		}
	}
	return nil
}

// negotiate records the version of the session, and reports whether it has tasks.
func (s *Set) negotiate(agreed string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoken = agreed == version
	return s.spoken
}

// isSpoken reports whether the version of the session has tasks.
func (s *Set) isSpoken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spoken
}

// Tools returns the names of the tools that a client can call as tasks. The extension names
// none: there the server decides.
func (s *Set) Tools(req mcp.Request) []string {
	if head.IsStateless(metaOf(req)) || !s.isSpoken() {
		return nil
	}
	return s.tools
}

// requestedTTL returns for how long a client wants to keep a result.
func requestedTTL(raw any) (time.Duration, error) {
	invalid := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: `task must be an object; its ttl, if any, is a number of milliseconds`}
	params, ok := raw.(map[string]any)
	if !ok {
		return 0, invalid
	}
	switch ttl := params["ttl"].(type) {
	case nil:
		return defaultTTL, nil
	case float64: // which may be more than a Duration holds
		return time.Duration(min(max(ttl, float64(minTTL.Milliseconds())), float64(maxTTL.Milliseconds()))) * time.Millisecond, nil
	}
	return 0, invalid
}

// errFull is why there can be no more tasks.
var errFull = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("%d tasks of this session have not ended, and there can be no more: wait for one (tasks/result), or cancel one (tasks/cancel)", maxTasks)}

// create begins a call in the background.
func (s *Set) create(call *mcp.CallToolRequest, ttl time.Duration, next mcp.MethodHandler) (*task, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	if s.ctx.Err() != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the session has ended"}
	}
	if len(s.list) >= maxTasks {
		return nil, errFull
	}
	ctx, cancel := context.WithCancel(s.ctx)
	now := s.now()
	t := &task{id: rand.Text(), tool: call.Params.Name, created: now, updated: now, ttl: ttl, cancel: cancel, done: make(chan struct{})}
	s.list = append(s.list, t)
	s.wg.Go(func() {
		defer cancel()
		result, err := next(context.WithValue(ctx, key{}, t), callMethod, call)
		t.finish(s.now(), result, err)
	})
	return t, nil
}

// forget drops the tasks whose time is over, and makes room for one more, if any has ended:
// first by results that their client has.
func (s *Set) forget() {
	now := s.now()
	s.list = slices.DeleteFunc(s.list, func(t *task) bool { return t.isOver(now) })
	if len(s.list) < maxTasks {
		return
	}
	i := slices.IndexFunc(s.list, (*task).wasDelivered)
	if i < 0 {
		i = slices.IndexFunc(s.list, (*task).hasResult)
	}
	if i >= 0 {
		s.list = slices.Delete(s.list, i, i+1)
	}
}

func (t *task) wasDelivered() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.delivered
}

// hasResult reports whether the call has ended.
func (t *task) hasResult() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// isOver reports whether the result has been kept for long enough.
func (t *task) isOver(now time.Time) bool {
	if !t.hasResult() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return now.Sub(t.updated) > t.ttl
}

// finish records the end of the call.
func (t *task) finish(now time.Time, result mcp.Result, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer close(t.done)
	t.result, _ = result.(*mcp.CallToolResult)
	if t.err = err; err == nil && t.result == nil {
		t.err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "there is no result"}
	}
	t.updated, t.progress = now, nil // which holds on to the run
	if t.err != nil {
		t.message = t.tool + ": " + t.err.Error()
	} else {
		t.message = t.tool + ": " + statusOf(t.result)
	}
}

// statusOf says how a call ended: that a task is completed does not mean that tests passed,
// nor a pass that nothing is outstanding. It may be all that a user sees.
func statusOf(r *mcp.CallToolResult) string {
	var object struct {
		Status      string `json:"status"`
		Verdict     string `json:"verdict"`
		Reason      string `json:"reason"`
		Outstanding int    `json:"outstanding"`
		Message     string `json:"message"`
	}
	raw, _ := r.StructuredContent.(json.RawMessage)
	_ = json.Unmarshal(raw, &object) // one without these says nothing
	if object.Status == "" {
		return cmp.Or(object.Message, "ended")
	}
	said := object.Status
	var more []string // before the reason, which may be cut
	if object.Verdict != "" {
		more = append(more, "verdict: "+object.Verdict)
	}
	if object.Outstanding > 0 {
		more = append(more, fmt.Sprintf("outstanding: %d", object.Outstanding))
	}
	if len(more) > 0 {
		said += " (" + strings.Join(more, ", ") + ")"
	}
	if object.Reason != "" {
		said += ": " + object.Reason
	}
	return said
}

// find returns a task of the session.
func (s *Set) find(id string) (*task, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for _, t := range s.list {
		if t.id == id && !t.isOver(now) {
			return t, nil
		}
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such task, or it has expired: get_run has the runs on record"}
}

func (s *Set) get(_ context.Context, _ *mcp.ServerSession, p *ofTask) (*told, error) {
	t, err := s.find(p.id())
	if err != nil {
		return nil, err
	}
	return &told{Task: t.tell(s.now())}, nil
}

// result waits for the end of a task, and returns what the call has returned.
func (s *Set) result(ctx context.Context, _ *mcp.ServerSession, p *ofTask) (*mcp.CallToolResult, error) {
	t, err := s.find(p.id())
	if err != nil {
		return nil, err
	}
	select {
	case <-t.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	t.mu.Lock()
	t.delivered = true
	t.mu.Unlock()
	if t.err != nil {
		return nil, t.err
	}
	r := *t.result
	r.Meta = maps.Clone(r.Meta)
	if r.Meta == nil {
		r.Meta = mcp.Meta{}
	}
	maps.Copy(r.Meta, t.related())
	return &r, nil
}

// tasks lists all tasks of the session; there are too few for pages.
func (s *Set) tasks(_ context.Context, _ *mcp.ServerSession, p *ofList) (*listed, error) {
	if p != nil && p.Cursor != "" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no such cursor: the first page has all tasks"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	l := &listed{Tasks: []Task{}}
	for _, t := range s.list {
		if !t.isOver(now) {
			l.Tasks = append(l.Tasks, t.tell(now))
		}
	}
	return l, nil
}

// cancel has the call of a task end. The result, which says what is known of the run, is
// there when it has.
func (s *Set) cancel(_ context.Context, _ *mcp.ServerSession, p *ofTask) (*told, error) {
	t, err := s.find(p.id())
	if err != nil {
		return nil, err
	}
	if state, ok := t.end(s.now(), "cancelled; tasks/result has what is known of the run"); !ok {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("the task is %s already: nothing was stopped", state)}
	}
	return &told{Task: t.tell(s.now())}, nil
}

// end cancels the task, unless it is no longer working: then it returns the state.
func (t *task) end(now time.Time, message string) (state State, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if state := t.state(); state != working {
		return inVersion(state, t.result), false
	}
	t.cancelled, t.updated, t.message = true, now, message
	t.cancel()
	return cancelled, true
}

// inVersion returns a state in the words of version 2025-11-25, where a result that is an
// error has failed.
func inVersion(state State, r *mcp.CallToolResult) State {
	if state == completed && r.IsError {
		return failed
	}
	return state
}

// tell describes the task as it is now.
func (t *task) tell(now time.Time) Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Task{
		ID: t.id, State: inVersion(t.state(), t.result), Message: t.says(), Created: t.created.UTC(), Updated: t.updated.UTC(),
		TTL: t.ttl.Milliseconds(), PollInterval: t.poll(now),
	}
}

// says returns what is said of the state. The caller holds the lock.
func (t *task) says() string {
	if t.state() == working && t.progress != nil {
		return firstLine(t.progress())
	}
	return firstLine(t.message)
}

// poll returns after how many milliseconds a client should ask again. The caller holds the lock.
func (t *task) poll(now time.Time) int64 {
	if t.state() != working {
		now = t.updated
	}
	return min(max(now.Sub(t.created)/10, minPoll), maxPoll).Milliseconds()
}

// firstLine returns the first line of a text, or the beginning of a long one.
func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return prose.Cut(prose.Line(text), maxMessage, "…")
}

// related is the metadata that relates a message to the task.
func (t *task) related() mcp.Meta { return mcp.Meta{relatedKey: map[string]any{"taskId": t.id}} }

// key is the key of a task in the context of its call.
type key struct{}

// Context is what a call knows of the task that it is.
type Context struct{ t *task }

// In returns the task of a call; ok is false if the call is none.
func In(ctx context.Context) (c Context, ok bool) {
	t, ok := ctx.Value(key{}).(*task)
	return Context{t}, ok
}

// Follow has the task say how far the call is.
func (c Context) Follow(progress func() string) {
	c.t.mu.Lock()
	defer c.t.mu.Unlock()
	c.t.progress = progress
}

// Related is the metadata of messages that the call sends.
func (c Context) Related() mcp.Meta { return c.t.related() }
