package tasks

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// newest is the metadata of a request whose client declares extensions, given as JSON.
func newest(extensions string) mcp.Meta {
	var meta mcp.Meta
	_ = json.Unmarshal([]byte(`{"`+mcp.MetaKeyProtocolVersion+`":"2026-07-28","`+mcp.MetaKeyClientCapabilities+`":{"extensions":`+extensions+`}}`), &meta)
	return meta
}

// declared is what a client declares that has the extension.
const declared = `{"` + extension + `":{}}`

// callInExtension calls a tool; the result is a task, or that of the plain call.
func (c *calls) callInExtension(t *testing.T, tool, args, extensions string) (*detailed, *mcp.CallToolResult) {
	t.Helper()
	meta := newest(extensions)
	meta["progressToken"], meta[logLevelKey] = "p", "info"
	got, err := c.send(t, callMethod, &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: tool, Arguments: json.RawMessage(args), Meta: meta}})
	if err != nil {
		t.Fatal(err)
	}
	d, _ := got.(*detailed)
	plain, _ := got.(*mcp.CallToolResult)
	return d, plain
}

// ask sends a request about a task.
func (c *calls) ask(t *testing.T, method, id, extensions string) (mcp.Result, error) {
	t.Helper()
	p := &ofTask{TaskID: id}
	p.Meta = newest(extensions)
	return c.send(t, method, &mcp.ServerRequest[*ofTask]{Params: p})
}

// ended waits for the end of a task and returns what tasks/get has of it, as decoded.
func (c *calls) ended(t *testing.T, id string) (fields map[string]any) {
	t.Helper()
	task, err := c.find(id)
	if err != nil {
		t.Fatal(err)
	}
	<-task.done
	got, err := c.ask(t, "tasks/get", id, declared)
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(got)
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// The result is that of the plain call, also if it is an error: failed is only what has none.
// A cancelled task has no result there, and says where it is.
func TestTheExtensionTellsTheEndAsItIs(t *testing.T) {
	t.Parallel()
	wrong := &mcp.CallToolResult{IsError: true, StructuredContent: json.RawMessage(`{"message":"no such language"}`)}
	for name, c := range map[string]struct {
		end     func(*calls, string)
		state   State
		message string
		result  string
	}{
		"red": {func(c *calls, _ string) {
			c.ends[0] <- &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"status":"failed"}`)}
		}, completed, "long: failed", `{"content":null,"resultType":"complete","structuredContent":{"status":"failed"}}`},
		"an error of the tool": {func(c *calls, _ string) { c.ends[0] <- wrong }, completed, "long: no such language",
			`{"content":null,"isError":true,"resultType":"complete","structuredContent":{"message":"no such language"}}`},
		"an error": {func(c *calls, _ string) { c.ends[0] <- nil }, failed, "long: no luck", ""},
		"cancelled": {func(c *calls, id string) {
			if _, err := c.ask(t, "tasks/cancel", id, declared); err != nil {
				t.Error(err)
			}
		}, cancelled, `long: cancelled; get_run{"run_id":"abc"} has what is known of it`, ""},
	} {
		calls := newCalls(t)
		task, _ := calls.callInExtension(t, "long", `{}`, declared)
		if task == nil || task.ResultType != "task" || task.State != working || task.TTL != nil || task.Poll != minPoll.Milliseconds() {
			t.Fatalf("%s: a task begins as %+v", name, task)
		}
		c.end(calls, task.ID)
		got := calls.ended(t, task.ID)
		raw, _ := json.Marshal(got["result"])
		if c.result == "" {
			c.result = "null"
		}
		if got["resultType"] != complete || got["status"] != string(c.state) || got["statusMessage"] != c.message || string(raw) != c.result {
			t.Errorf("%s: %v", name, got)
		}
		if e, _ := got["error"].(map[string]any); (c.state == failed) != (e["message"] == "no luck" && e["code"] == float64(jsonrpc.CodeInternalError)) {
			t.Errorf("%s: the error is %v", name, got["error"])
		}
		// An end that is none any more is acknowledged, and changes nothing.
		for _, method := range []string{"tasks/cancel", "tasks/update"} {
			ack, err := calls.ask(t, method, task.ID, declared)
			if raw, _ := json.Marshal(ack); err != nil || string(raw) != `{"resultType":"complete"}` {
				t.Errorf("%s, %s: %v, %s", name, method, err, raw)
			}
		}
		if again := calls.ended(t, task.ID); again["status"] != string(c.state) || again["statusMessage"] != c.message {
			t.Errorf("%s: then %v", name, again)
		}
	}
}

// The server decides what is a task: what takes long, of a client that has the extension and
// does not say how long it waits.
func TestTheServerMakesTasksOfWhatTakesLong(t *testing.T) {
	t.Parallel()
	c := newCalls(t)
	for name, call := range map[string]struct{ tool, args, extensions string }{
		"another tool":          {"short", `{}`, declared},
		"a call with a wait":    {"long", `{"wait":0}`, declared},
		"no extension":          {"long", `{}`, `{}`},
		"another extension":     {"long", `{}`, `{"x":{}}`},
		"an extension of null":  {"long", `{}`, `{"` + extension + `":null}`},
		"an extension of true":  {"long", `{}`, `{"` + extension + `":true}`},
		"extensions as a list":  {"long", `{}`, `["` + extension + `"]`},
		"extensions as a word":  {"long", `{}`, `"` + extension + `"`},
		"extensions of nothing": {"long", `{}`, `null`},
	} {
		if task, plain := c.callInExtension(t, call.tool, call.args, call.extensions); task != nil || plain == nil || len(c.list) > 0 {
			t.Errorf("%s: %+v", name, task)
		}
	}
	var wire *jsonrpc.Error
	task, _ := c.callInExtension(t, "long", `{}`, declared)
	for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
		if _, err := c.ask(t, method, task.ID, `{}`); !errors.As(err, &wire) || wire.Code != mcp.CodeMissingRequiredClientCapabilities || !strings.Contains(string(wire.Data), extension) {
			t.Errorf("%s without the extension: %v", method, err)
		}
		for _, id := range []string{"", "x", task.ID[1:], strings.ToLower(task.ID)} {
			if _, err := c.ask(t, method, id, declared); !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("%s of %q: %v", method, id, err)
			}
		}
	}
	list := &ofList{}
	list.Meta = newest(declared)
	if _, err := c.send(t, "tasks/list", &mcp.ServerRequest[*ofList]{Params: list}); !errors.As(err, &wire) || wire.Code != jsonrpc.CodeMethodNotFound {
		t.Errorf("tasks/list: %v", err)
	}
	if _, err := c.ask(t, "tasks/result", task.ID, declared); !errors.As(err, &wire) || wire.Code != jsonrpc.CodeMethodNotFound {
		t.Errorf("tasks/result: %v", err)
	}
	if got, err := c.ask(t, "tasks/get", task.ID, declared); err != nil || got.(*detailed).State != working {
		t.Errorf("%v, %+v", err, got)
	}
}

// A task has neither progress nor a log there, and one that there is no room for is the plain
// call, with both.
func TestACallThereIsNoRoomForIsAnsweredPlainly(t *testing.T) {
	t.Parallel()
	c := newCalls(t)
	first, _ := c.callInExtension(t, "long", `{}`, declared)
	for range maxTasks - 1 {
		if task, _ := c.callInExtension(t, "long", `{}`, declared); task == nil {
			t.Fatal("no task")
		}
	}
	if task, plain := c.callInExtension(t, "long", `{}`, declared); task != nil || plain == nil || len(c.list) != maxTasks || c.plain["progressToken"] != "p" || c.plain[logLevelKey] != "info" {
		t.Fatalf("one more: %+v, %v", task, c.plain)
	}
	// Results that their client has give way before others.
	second := c.list[1].id
	for _, end := range c.ends[:2] {
		end <- &mcp.CallToolResult{}
	}
	c.ended(t, second)
	if task, _ := c.callInExtension(t, "long", `{}`, declared); task == nil {
		t.Error("there is room, and no task")
	}
	if _, err := c.find(second); err == nil {
		t.Error("the result that its client has is still there")
	}
	if got := c.ended(t, first.ID); got["status"] != string(completed) {
		t.Errorf("%v", got)
	}
}

// The time to live counts from the creation, and is not known before there is a result.
func TestTheTimeToLiveCountsFromTheCreation(t *testing.T) {
	t.Parallel()
	c := newCalls(t)
	task, _ := c.callInExtension(t, "long", `{}`, declared)
	c.advance(20 * time.Second)
	got, err := c.ask(t, "tasks/get", task.ID, declared)
	if d := got.(*detailed); err != nil || d.TTL != nil || d.Poll != 2000 {
		t.Errorf("%v, %+v", err, d)
	}
	c.advance(40 * time.Second)
	c.ends[0] <- &mcp.CallToolResult{}
	if got := c.ended(t, task.ID); got["ttlMs"] != float64((time.Minute+defaultTTL).Milliseconds()) || got["pollIntervalMs"] != float64(maxPoll.Milliseconds()) {
		t.Errorf("%v", got)
	}
	if next, _ := c.callInExtension(t, "long", `{}`, declared); next == nil {
		t.Fatal("no task")
	} else {
		c.advance(20 * time.Second)
		c.ends[len(c.ends)-1] <- &mcp.CallToolResult{}
		c.ended(t, next.ID)
		c.advance(10 * time.Second)
		if got := c.ended(t, next.ID); got["pollIntervalMs"] != float64(2000) {
			t.Errorf("10 s after the end: %v", got)
		}
		c.advance(-30 * time.Second)
	}
	c.advance(defaultTTL)
	c.ended(t, task.ID)
	c.advance(time.Second)
	if _, err := c.ask(t, "tasks/get", task.ID, declared); err == nil {
		t.Error("it is there for longer than it said")
	}
}

// Its result is what a client has yet to fetch, even if the call had ended when it was told of
// the task.
func TestWhoIsToldOfATaskDoesNotHaveItsResult(t *testing.T) {
	t.Parallel()
	c := newCalls(t)
	if task, _ := c.callInExtension(t, "long", `{}`, declared); task == nil {
		t.Fatal("no task")
	}
	task := c.list[0]
	c.ends[0] <- &mcp.CallToolResult{}
	<-task.done
	if d := task.begun(c.Set.now()); d.ResultType != "task" || d.Result != nil || d.TTL == nil || task.wasDelivered() {
		t.Errorf("it has it: %+v", d)
	}
	if c.ended(t, task.id); !task.wasDelivered() {
		t.Error("it does not have it after asking for it")
	}
}

// Only a version without sessions has the extension, whatever a request says of its version.
func TestNoOlderVersionHasTheExtension(t *testing.T) {
	t.Parallel()
	for _, said := range []any{"2025-11-25", "", nil, 20260728.0, true} {
		c := newCalls(t)
		meta := newest(declared)
		meta[mcp.MetaKeyProtocolVersion] = said
		meta[requestKey] = map[string]any{}
		got, err := c.send(t, callMethod, &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "long", Meta: meta}})
		if _, ok := got.(*createdTask); err != nil || !ok {
			t.Errorf("%v: %v, %+v", said, err, got)
		}
	}
}
