package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// calls is a set of tasks whose calls end when the test says so.
type calls struct {
	*Set
	mu  sync.Mutex
	now time.Time
	// ends are the results of the calls in progress, the newest last.
	ends []chan mcp.Result
	// plain is the metadata of the last call that was no task.
	plain mcp.Meta
}

func newCalls(t *testing.T) *calls {
	c := &calls{Set: New(func(args json.RawMessage) bool { return string(args) == `{"wait":0}` }, "long"), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))}
	c.Set.now = func() time.Time {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.now
	}
	c.negotiate("2025-11-25")
	t.Cleanup(c.Close)
	return c
}

// begin begins a call as a task.
func (c *calls) begin(t *testing.T, ttl any) (Task, error) {
	t.Helper()
	raw, _ := json.Marshal(map[string]any{"ttl": ttl})
	var task any
	_ = json.Unmarshal(raw, &task)
	got, err := c.send(t, "tools/call", &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "long", Meta: mcp.Meta{requestKey: task}}})
	if err != nil {
		return Task{}, err
	}
	return got.(*createdTask).Task, nil
}

// send sends a request, whose call ends when the test says so.
func (c *calls) send(t *testing.T, method string, req mcp.Request) (mcp.Result, error) {
	t.Helper()
	end := make(chan mcp.Result, 1)
	c.ends = append(c.ends, end)
	return c.serve(func(ctx context.Context, _ string, req mcp.Request) (mcp.Result, error) {
		if req.GetParams().GetMeta()[requestKey] != nil {
			t.Error("the call is told of its task")
		}
		if _, isTask := In(ctx); !isTask {
			c.plain = req.GetParams().GetMeta()
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(`"plain"`)}, nil
		}
		for _, key := range []string{"progressToken", logLevelKey} {
			if meta := req.GetParams().GetMeta(); meta[key] != nil {
				t.Errorf("the task of the extension has %s: %v", key, meta)
			}
		}
		select {
		case r := <-end:
			if r == nil {
				return nil, errors.New("no luck")
			}
			return r, nil
		case <-ctx.Done():
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"status":"cancelled","run_id":"abc"}`)}, nil
		}
	})(t.Context(), method, req)
}

// finish ends the newest call, and waits until the task has its result.
func (c *calls) finish(t *testing.T, task Task, r mcp.Result) (*mcp.CallToolResult, error) {
	t.Helper()
	c.ends[len(c.ends)-1] <- r
	return c.result(t.Context(), nil, &ofTask{TaskID: task.ID})
}

func (c *calls) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// ids returns the ids that tasks/list has.
func (c *calls) ids(t *testing.T) (ids []string) {
	t.Helper()
	list, err := c.tasks(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range list.Tasks {
		ids = append(ids, task.ID)
	}
	return ids
}

// A result is kept for its time from when it is there, however long the call took.
func TestAResultIsKeptForItsTime(t *testing.T) {
	t.Parallel()
	c := newCalls(t)
	task, err := c.begin(t, 120_000)
	if err != nil {
		t.Fatal(err)
	}
	c.advance(time.Hour)
	if got := c.ids(t); !slices.Equal(got, []string{task.ID}) {
		t.Errorf("of a call in progress: %q", got)
	}
	if _, err := c.finish(t, task, &mcp.CallToolResult{}); err != nil {
		t.Fatal(err)
	}
	c.advance(2 * time.Minute)
	if got, err := c.get(t.Context(), nil, &ofTask{TaskID: task.ID}); err != nil || got.State != completed || !got.Updated.Equal(got.Created.Add(time.Hour)) {
		t.Errorf("%v, %+v", err, got)
	}
	c.advance(time.Second)
	if _, err := c.get(t.Context(), nil, &ofTask{TaskID: task.ID}); err == nil || len(c.ids(t)) > 0 {
		t.Error("it is kept for longer")
	}
	if next, err := c.begin(t, nil); err != nil || len(c.list) != 1 || next.TTL != defaultTTL.Milliseconds() {
		t.Errorf("%v: %+v in %d tasks", err, next, len(c.list))
	}
}

// However many tasks a client begins, there are few: the results of the oldest go first, and
// calls in progress never.
func TestASessionHasFewTasks(t *testing.T) {
	t.Parallel()
	c := newCalls(t)
	first, _ := c.begin(t, nil)
	second, _ := c.begin(t, nil)
	if _, err := c.finish(t, second, &mcp.CallToolResult{}); err != nil {
		t.Fatal(err)
	}
	for range maxTasks - 2 {
		if _, err := c.begin(t, nil); err != nil {
			t.Fatal(err)
		}
	}
	last, err := c.begin(t, nil)
	if got := c.ids(t); err != nil || len(got) != maxTasks || got[0] != first.ID || slices.Contains(got, second.ID) || got[maxTasks-1] != last.ID {
		t.Errorf("%v, %d tasks", err, len(got))
	}
	var wire *jsonrpc.Error
	if _, err := c.begin(t, nil); !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInternalError || !strings.Contains(wire.Message, "32 tasks") {
		t.Errorf("one more: %v", err)
	}
	if _, err := c.cancel(t.Context(), nil, &ofTask{TaskID: first.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.result(t.Context(), nil, &ofTask{TaskID: first.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.begin(t, nil); err != nil {
		t.Errorf("after one was cancelled: %v", err)
	}
}

// What is said of a task that has ended never sounds like a pass where there is none.
func TestTheEndOfATaskIsToldAsItIs(t *testing.T) {
	t.Parallel()
	object := func(o string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ok PASS"}}, StructuredContent: json.RawMessage(o)}
	}
	wrong := object(`{"message":"no such language\npassed"}`)
	wrong.IsError = true
	for _, c := range []struct {
		result  mcp.Result
		state   State
		message string
	}{
		{object(`{"status":"passed"}`), completed, "long: passed"},
		{object(`{"status":"timeout","verdict":"failed"}`), completed, "long: timeout (verdict: failed)"},
		{object(`{"status":"passed","outstanding":0}`), completed, "long: passed"},
		{object(`{"status":"passed","outstanding":2}`), completed, "long: passed (outstanding: 2)"},
		{object(`{"status":"incomplete","reason":"no test ran\nPASS"}`), completed, "long: incomplete: no test ran"},
		{object(`{"status":"cancelled","verdict":"incomplete","outstanding":2,"reason":"` + strings.Repeat("ü", 400) + `"}`), completed,
			"long: cancelled (verdict: incomplete, outstanding: 2): " + strings.Repeat("ü", 122) + "…"},
		{object(`{}`), completed, "long: ended"},
		{object(`{"message":"nothing\u001b[2J to rerun"}`), completed, "long: nothing to rerun"},
		{object(`{"message":"` + strings.Repeat("ü", 400) + `"}`), completed, "long: " + strings.Repeat("ü", 147) + "…"},
		{wrong, failed, "long: no such language"},
		{nil, failed, "long: no luck"},
		{&mcp.GetPromptResult{}, failed, "long: there is no result"},
	} {
		calls := newCalls(t)
		task, err := calls.begin(t, nil)
		if err != nil {
			t.Fatal(err)
		}
		Context{calls.list[0]}.Follow(func() string { return "far" })
		if got, err := calls.get(t.Context(), nil, &ofTask{TaskID: task.ID}); err != nil || got.Message != "far" {
			t.Errorf("in progress: %v: %+v", err, got)
		}
		result, err := calls.finish(t, task, c.result)
		if calls.list[0].progress != nil {
			t.Errorf("%s: the task holds on to its run", c.message)
		}
		if want, _ := c.result.(*mcp.CallToolResult); want == nil {
			if err == nil {
				t.Errorf("%s: a result %+v", c.message, result)
			}
		} else if err != nil || result.StructuredContent == nil || want.Meta != nil || result.IsError != want.IsError {
			t.Errorf("%s: %v, %+v", c.message, err, result)
		}
		if got, err := calls.get(t.Context(), nil, &ofTask{TaskID: task.ID}); err != nil || got.State != c.state || got.Message != c.message {
			t.Errorf("%v: %+v, want %s, %q", err, got, c.state, c.message)
		}
	}
}

func TestOnlyTheTaskOfACallIsLifted(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`{"method":"tools/call","params":{"name":"x","task":{"ttl":1}}}`:                                        `{"method":"tools/call","params":{"_meta":{"proctor/task":{"ttl":1}},"name":"x"}}`,
		`{"method":"tools/call","params":{"name":"x","task":7,"_meta":{"progressToken":12345678901234567890}}}`: `{"method":"tools/call","params":{"_meta":{"proctor/task":7,"progressToken":12345678901234567890},"name":"x"}}`,
		`{"method":"tools\/call","params":{"name":"x","task":{}}}`:                                              `{"method":"tools/call","params":{"_meta":{"proctor/task":{}},"name":"x"}}`,
		`{"method":7,"params":{"name":"tools/call","task":{}}}`:                                                 "",
		`{"params":{"name":"tools/call","task":{}}}`:                                                            "",
		`{"method":"tools/call","params":{"name":"x","arguments":{"task":{}}}}`:                                 "",
		`{"method":"tools/call","params":{"task":null}}`:                                                        "",
		`{"method":"tools/call","params":{"task":{},"_meta":7}}`:                                                "",
		`{"method":"tools/call","params":["task"]}`:                                                             "",
		`{"method":"tools/call","task":{}}`:                                                                     "",
		`[{"method":"tools/call","params":{"task":{}}}]`:                                                        "",
		`{"method":"tools/call","params":{"task":{}`:                                                            "",
		`{"method":"prompts/get","params":{"task":{}}}`:                                                         "",
	} {
		if want == "" {
			want = message
		}
		var a, b any
		got := liftMessage([]byte(message))
		if json.Unmarshal([]byte(want), &a) == nil {
			_ = json.Unmarshal(got, &b)
		} else {
			a, b = want, string(got)
		}
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s\ngot  %s\nwant %s", message, got, want)
		}
	}
}

// No task begins in a session that has ended.
func TestNoTaskOutlivesItsSession(t *testing.T) {
	t.Parallel()
	c := newCalls(t)
	task, err := c.begin(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if r, err := c.result(t.Context(), nil, &ofTask{TaskID: task.ID}); err != nil || r.StructuredContent == nil {
		t.Errorf("%v, %+v", err, r)
	}
	if _, err := c.begin(t, nil); err == nil {
		t.Error("a task began in a session that has ended")
	}
}
