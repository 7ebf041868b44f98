package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/proctorhq/proctor/host/mcp/head"
)

// extended is a task of the extension as a client decodes it.
type extended struct {
	Type    string          `json:"resultType"`
	ID      string          `json:"taskId"`
	Status  string          `json:"status"`
	Message string          `json:"statusMessage"`
	TTL     *int64          `json:"ttlMs"`
	Poll    int64           `json:"pollIntervalMs"`
	Result  json.RawMessage `json:"result"`
}

// inExtension adds to the parameters of a request what a client of the newest version says of
// itself: with the extension, or without.
func inExtension(params string, declared bool) string {
	extensions := ""
	if declared {
		extensions = `"extensions":{"io.modelcontextprotocol/tasks":{}}`
	}
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{` + extensions + `}}`
	if params == "{}" {
		return "{" + meta + "}"
	}
	return strings.TrimSuffix(params, "}") + "," + meta + "}"
}

// asker sends a request of the extension.
type asker func(method, params string, declared bool) message

// pipe asks over the pipe.
func (w *wire) asker(t *testing.T) asker {
	return func(method, params string, declared bool) message {
		t.Helper()
		return w.request(t, method, inExtension(params, declared))
	}
}

// askHTTP asks over HTTP, with headers beside those that the message needs.
func askHTTP(t *testing.T, address string, headers ...string) asker {
	return func(method, params string, declared bool) message {
		t.Helper()
		var named struct{ Name, TaskID string }
		_ = json.Unmarshal([]byte(params), &named)
		all := append([]string{"Mcp-Protocol-Version", head.Stateless, "Mcp-Method", method, "Mcp-Name", named.Name + named.TaskID}, headers...)
		_, _, text := post(t, address, fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, inExtension(params, declared)), all...)
		i := strings.Index(text, `{"jsonrpc"`)
		var m message
		if i < 0 || json.Unmarshal([]byte(strings.TrimSpace(text[i:])), &m) != nil {
			t.Fatalf("%s %s: %s", method, params, text)
		}
		return m
	}
}

// task decodes the answer to a request as a task.
func (ask asker) task(t *testing.T, method, params string) (d extended) {
	t.Helper()
	m := ask(method, params, true)
	if m.Error != nil || json.Unmarshal(m.Result, &d) != nil || d.ID == "" || d.Status == "" || d.Poll == 0 {
		t.Fatalf("%s %s: %+v %s", method, params, m.Error, m.Result)
	}
	return d
}

// end asks for a task until it has ended.
func (ask asker) end(t *testing.T, id string) (d extended) {
	t.Helper()
	until(t, "the end of a task", func() bool {
		d = ask.task(t, "tasks/get", ofTask(id))
		return d.Status != "working" && d.TTL != nil
	})
	return d
}

// refuses checks that a request is answered with an error of the protocol.
func (ask asker) refuses(t *testing.T, method, params string, declared bool, code int) {
	t.Helper()
	if m := ask(method, params, declared); m.Error == nil || m.Error.Code != code || m.Result != nil {
		t.Errorf("%s %s: error %+v, result %s; want %d", method, params, m.Error, m.Result, code)
	}
}

// A client with the extension is answered with a task, whose end has the result of the plain call.
func TestATaskOfTheExtensionHasTheResultOfThePlainCall(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"pipe", "HTTP"} {
		s := newShellSite(t, files{"a.tests": shellTests("TestBad", bad, "TestGood", "true")})
		ask := s.dial(t).asker(t)
		if way == "HTTP" {
			address, _ := s.listen(t, HTTPConfig{})
			ask = askHTTP(t, address)
		}
		if m := ask("server/discover", `{}`, false); !strings.Contains(string(m.Result), `"extensions":{"io.modelcontextprotocol/tasks":{}}`) || strings.Contains(string(m.Result), `"tasks":{`) {
			t.Errorf("%s: %s", way, m.Result)
		}
		if m := ask("tools/list", `{}`, true); m.Error != nil || strings.Contains(string(m.Result), "taskSupport") {
			t.Errorf("%s: %+v %s", way, m.Error, m.Result)
		}
		for _, c := range []struct{ tool, args, message string }{
			{"run_tests", `{}`, "run_tests: failed"},
			{"run_tests", `{"filter":"TestGood","wait":null}`, "run_tests: passed (outstanding: 1)"},
			{"run_tests", `{"filter":"TestGood","wait":""}`, "run_tests: passed (outstanding: 1)"},
			{"run_tests", `{"language":"cobol"}`, "run_tests: "},
			{"run_failing_tests", `{}`, "run_failing_tests: failed"},
		} {
			call := fmt.Sprintf(`{"name":%q,"arguments":%s}`, c.tool, c.args)
			plain := decodeAnswer(t, ask("tools/call", call, false))
			begun := ask.task(t, "tools/call", call)
			if begun.Type != "task" || begun.Result != nil {
				t.Errorf("%s, %s: it begins as %+v", way, call, begun)
			}
			d := ask.end(t, begun.ID)
			if d.Status != "completed" || d.Type != "complete" || !strings.HasPrefix(d.Message, c.message) || !strings.Contains(string(d.Result), `"resultType":"complete"`) || strings.Contains(string(d.Result), "related-task") {
				t.Errorf("%s, %s: %+v", way, call, d)
			}
			r := decodeAnswer(t, message{Result: d.Result})
			checkAnswer(t, c.tool, nil, r)
			if got, want := same(r), same(plain); got != want {
				t.Errorf("%s, %s: as a task\n%s\nwithout\n%s", way, call, got, want)
			}
		}
		// Neither what is short nor what says how long it waits becomes a task, nor by an
		// older client's way to ask.
		for _, call := range []string{`{"name":"get_run","arguments":{}}`, `{"name":"run_tests","arguments":{"wait":60}}`, `{"name":"workspace_info","arguments":{},"task":{}}`} {
			if m := ask("tools/call", call, true); m.Error != nil || !strings.Contains(string(m.Result), `"content":[{`) || strings.Contains(string(m.Result), `"taskId"`) {
				t.Errorf("%s, %s: %+v %s", way, call, m.Error, m.Result)
			}
		}
	}
}

// A task belongs to whoever knows its id and may talk to the server. One that is cancelled
// stops its run, and says so in the words of the plain call.
func TestATaskOfTheExtensionBelongsToWhoKnowsItsID(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	const token = "0123456789abcdef"
	address, _ := s.listen(t, HTTPConfig{Token: token})
	w := s.dial(t)
	for way, ask := range map[string]asker{"pipe": w.asker(t), "HTTP": askHTTP(t, address, "Authorization", "Bearer "+token)} {
		s.hold(t)
		id := ask.task(t, "tools/call", `{"name":"run_tests","arguments":{}}`).ID
		until(t, "a failure before the test that waits", func() bool {
			d := ask.task(t, "tasks/get", ofTask(id))
			return s.isHeld() && d.Status == "working" && d.TTL == nil && strings.Contains(d.Message, "1 failed")
		})
		// Others know it neither by guessing nor without the token or the extension.
		for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
			for _, other := range []string{ofTask("x"), ofTask(id[1:]), ofTask(strings.ToLower(id)), `{}`} {
				ask.refuses(t, method, other, true, jsonrpc.CodeInvalidParams)
			}
			ask.refuses(t, method, ofTask(id), false, -32021)
		}
		for _, method := range []string{"tasks/result", "tasks/list"} {
			ask.refuses(t, method, ofTask(id), true, jsonrpc.CodeMethodNotFound)
		}
		if way == "HTTP" {
			w.asker(t).refuses(t, "tasks/get", ofTask(id), true, jsonrpc.CodeInvalidParams)
			unnamed := askHTTP(t, address, "Authorization", "Bearer "+token, "Mcp-Name", "x")
			unnamed.refuses(t, "tasks/get", ofTask(id), true, -32020)
			unnamed.refuses(t, "tasks/result", ofTask(id), true, jsonrpc.CodeMethodNotFound) // which has no name there
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tasks/cancel","params":%s}`, inExtension(ofTask(id), true))
			for _, c := range []struct {
				name, token string
				status      int
				words       string
			}{{id, "fedcba9876543210", 401, "token"}, {"x", token, 400, "-32020"}, {"", token, 400, "-32020"}} {
				status, _, text := post(t, address, body, "Authorization", "Bearer "+c.token, "Mcp-Protocol-Version", head.Stateless, "Mcp-Method", "tasks/cancel", "Mcp-Name", c.name)
				if status != c.status || !strings.Contains(text, c.words) {
					t.Errorf("named %q, with token %s: status %d, %s", c.name, c.token, status, text)
				}
				status, _, text = post(t, address, body, "Authorization", "Bearer "+c.token, "Mcp-Session-Id", "x", "Mcp-Protocol-Version", head.Stateless, "Mcp-Method", "tasks/cancel", "Mcp-Name", c.name)
				if status != c.status || !strings.Contains(text, c.words) {
					t.Errorf("in a session that is none: status %d, %s", status, text)
				}
			}
		}
		if d := ask.task(t, "tasks/get", ofTask(id)); d.Status != "working" {
			t.Fatalf("%s: %+v", way, d)
		}
		if m := ask("tasks/cancel", ofTask(id), true); m.Error != nil || !strings.Contains(string(m.Result), `"resultType":"complete"`) || strings.Contains(string(m.Result), id) {
			t.Errorf("%s: %+v %s", way, m.Error, m.Result)
		}
		d := ask.end(t, id)
		run := s.latest(t)
		want := fmt.Sprintf(`run_tests: cancelled (verdict: failed, outstanding: 2): %s; get_run{"run_id":%q} has what is known of it`, run.Reason, run.RunID)
		if d.Status != "cancelled" || d.Message != want || d.Result != nil || run.Verdict == "passed" || !strings.Contains(run.Reason, "interrupted") {
			t.Errorf("%s: %+v\nwant %s\non record the run is %s: %s", way, d, want, run.Verdict, run.Reason)
		}
	}
}

// At the end of the server a task's run ends like every other.
func TestTheEndOfTheServerStopsTheTasksOfTheExtension(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	s.hold(t)
	address, h := s.listen(t, HTTPConfig{})
	askHTTP(t, address).task(t, "tools/call", `{"name":"run_tests","arguments":{}}`)
	until(t, "a test that waits", s.isHeld)
	h.Close()
	if run := s.latest(t); run.State != "finished" || run.Verdict == "passed" {
		t.Errorf("the run is %s, %s: %s", run.State, run.Verdict, run.Reason)
	}
}

// Only a client that has the extension may ask to be told of tasks. It is told of none, as the
// protocol allows, and learns that when it asks.
func TestNobodyIsToldOfTasksWithoutTheExtension(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	address, _ := s.listen(t, HTTPConfig{})
	const listen = "subscriptions/listen"
	w := s.dial(t)
	for _, ask := range []asker{w.asker(t), askHTTP(t, address)} {
		ask.refuses(t, listen, `{"notifications":{"taskIds":["x"]}}`, false, -32021)
	}
	for params, declared := range map[string]bool{`{"notifications":{"taskIds":["x"]}}`: true, `{"notifications":{"taskIds":null}}`: false, `{"notifications":{}}`: false} {
		w.next++
		w.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, w.next, listen, inExtension(params, declared)))
		line, err := w.out.ReadString('\n')
		if err != nil || !strings.Contains(line, "notifications/subscriptions/acknowledged") || !strings.Contains(line, `"notifications":{}`) {
			t.Errorf("%s, declared %v: %s %v", params, declared, line, err)
		}
		if m := w.await(t, fmt.Sprint(w.next)); m.Error != nil {
			t.Errorf("%s, declared %v: %+v", params, declared, m.Error)
		}
	}
}
