package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// taskState is a task as a client decodes it.
type taskState struct {
	ID       string `json:"taskId"`
	Status   string `json:"status"`
	Message  string `json:"statusMessage"`
	Created  string `json:"createdAt"`
	Updated  string `json:"lastUpdatedAt"`
	TTL      *int64 `json:"ttl"`
	Interval int64  `json:"pollInterval"`
}

// createTask calls a tool as a task; task is JSON, and args as well or "".
func (w *wire) createTask(t testing.TB, tool, args, task string) taskState {
	t.Helper()
	m := w.request(t, "tools/call", taskCall(tool, args, task))
	return createdIn(t, m)
}

func taskCall(tool, args, task string) string {
	if args == "" {
		args = "{}"
	}
	return fmt.Sprintf(`{"name":%q,"arguments":%s,"task":%s}`, tool, args, task)
}

// createdIn decodes a message as the answer to a call as a task.
func createdIn(t testing.TB, m message) taskState {
	t.Helper()
	var created struct {
		Task    taskState        `json:"task"`
		Content *json.RawMessage `json:"content"`
	}
	if m.Error != nil || json.Unmarshal(m.Result, &created) != nil || created.Content != nil {
		t.Fatalf("no task was created: %+v %s", m.Error, m.Result)
	}
	if s := created.Task; s.ID == "" || s.Status != "working" || s.Created == "" || s.Updated == "" || s.TTL == nil || s.Interval == 0 {
		t.Fatalf("a task begins as %s", m.Result)
	}
	return created.Task
}

// ofTask is the parameters of a request about a task.
func ofTask(id string) string { return fmt.Sprintf(`{"taskId":%q}`, id) }

// task asks for a task by a method, tasks/get or tasks/cancel.
func (w *wire) task(t testing.TB, method, id string) (s taskState) {
	t.Helper()
	m := w.request(t, method, ofTask(id))
	if m.Error != nil || json.Unmarshal(m.Result, &s) != nil || s.ID != id {
		t.Fatalf("%s: %+v %s", method, m.Error, m.Result)
	}
	return s
}

// taskResult waits for the result of a task, and checks that it is related to it.
func (w *wire) taskResult(t testing.TB, tool, id string) result {
	t.Helper()
	return relatedResult(t, w.request(t, "tasks/result", ofTask(id)), tool, id)
}

func relatedResult(t testing.TB, m message, tool, id string) result {
	t.Helper()
	if m.Error != nil {
		t.Fatalf("tasks/result: %+v", m.Error)
	}
	var meta struct {
		Meta map[string]struct{ TaskID string } `json:"_meta"`
	}
	if err := json.Unmarshal(m.Result, &meta); err != nil || meta.Meta["io.modelcontextprotocol/related-task"].TaskID != id {
		t.Errorf("the result is not related to task %s: %v %s", id, err, m.Result)
	}
	r := decodeAnswer(t, m)
	checkAnswer(t, tool, nil, r)
	return r
}

// refuses checks that a request is answered with an error of the protocol.
func (w *wire) refuses(t testing.TB, method, params string, code int, words string) {
	t.Helper()
	m := w.request(t, method, params)
	if m.Error == nil || m.Error.Code != code || !strings.Contains(m.Error.Message, words) || m.Result != nil {
		t.Errorf("%s %s: error %+v, result %s; want %d, %q", method, params, m.Error, m.Result, code, words)
	}
}

// changing matches what differs in two runs of the same.
var changing = regexp.MustCompile(`run [0-9a-z]{10}|"(duration_s|run_id|log_uri|failed_sessions|same_failure)":([0-9.]+|"[^"]*"|\{[^}]*\}),?|[0-9.]+m?s\b|runs/[0-9a-z]{10}`)

// same is an answer without what differs in two runs of the same.
func same(r result) string {
	return changing.ReplaceAllString(strings.Join(r.texts, "\n--\n")+"\n"+string(r.raw), "") + fmt.Sprint(r.failed)
}

// A task is answered at once, and has the result of the plain call, whatever that is. That it is
// completed does not mean that tests passed, and its message says so.
func TestATaskHasTheResultOfThePlainCall(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestBad", bad, "TestGood", "true")})
	w := s.dial(t)
	for _, c := range []struct{ tool, args, state, message string }{
		{"run_tests", `{}`, "completed", "run_tests: failed"},
		{"run_tests", `{"filter":"TestGood"}`, "completed", "run_tests: passed"},
		{"run_tests", `{"filter":"TestBad","output":"raw"}`, "completed", "run_tests: failed"},
		{"run_tests", `{"language":"cobol"}`, "failed", `run_tests: `},
		{"run_failing_tests", `{}`, "completed", "run_failing_tests: failed"},
		{"triage_failures", `{}`, "failed", "triage_failures: "},
	} {
		plain := decodeAnswer(t, w.call(t, c.tool, c.args))
		id := w.createTask(t, c.tool, c.args, `{}`).ID
		r := w.taskResult(t, c.tool, id)
		if got, want := same(r), same(plain); got != want {
			t.Errorf("%s %s: as a task\n%s\nwithout\n%s", c.tool, c.args, got, want)
		}
		if again := w.taskResult(t, c.tool, id); string(again.raw) != string(r.raw) {
			t.Errorf("%s %s: asked again\n%s\nbefore\n%s", c.tool, c.args, again.raw, r.raw)
		}
		if got := w.task(t, "tasks/get", id); got.Status != c.state || !strings.HasPrefix(got.Message, c.message) || strings.Contains(got.Message, "\n") {
			t.Errorf("%s %s: the task is %+v", c.tool, c.args, got)
		}
		w.refuses(t, "tasks/cancel", ofTask(id), jsonrpc.CodeInvalidParams, "the task is "+c.state+" already")
	}
	var list struct{ Tasks []taskState }
	if err := json.Unmarshal(w.request(t, "tasks/list", `{}`).Result, &list); err != nil || len(list.Tasks) != 6 {
		t.Errorf("%v, %+v", err, list)
	}
	if again := w.request(t, "tasks/list", `null`); again.Error != nil {
		t.Errorf("without parameters: %+v", again.Error)
	}
}

// While the tests run, the client is told how far they are, and its question for the result is
// answered at the end.
func TestATaskIsFollowed(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	release := s.hold(t)
	w := s.dial(t)
	begun := createdIn(t, w.request(t, "tools/call", `{"name":"run_tests","arguments":{},"task":{"ttl":90000},"_meta":{"progressToken":"p"}}`))
	if *begun.TTL != 90000 {
		t.Errorf("the ttl is %d", *begun.TTL)
	}
	until(t, "a test that waits", s.isHeld)
	until(t, "a message of the task", func() bool {
		got := w.task(t, "tasks/get", begun.ID)
		return got.Status == "working" && strings.Contains(got.Message, "1 failed")
	})
	if plain := decodeAnswer(t, w.call(t, "get_run", "")); plain.str("status") != "running" {
		t.Errorf("get_run: %s", plain.raw)
	}
	w.send(t, `{"jsonrpc":"2.0","id":"r","method":"tasks/result","params":`+ofTask(begun.ID)+`}`)
	if got := w.task(t, "tasks/get", begun.ID); got.Status != "working" {
		t.Errorf("%+v", got)
	}
	release()
	if r := relatedResult(t, w.await(t, `"r"`), "run_tests", begun.ID); r.str("status") != "failed" {
		t.Errorf("%s", r.raw)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	beat := regexp.MustCompile(`"method":"notifications/progress","params":\{"_meta":\{"io.modelcontextprotocol/related-task":\{"taskId":"` + begun.ID + `"\}\},"progressToken":"p"`)
	if !beat.Match(w.seen.Bytes()) {
		t.Errorf("no progress of the task in\n%s", w.seen.Bytes())
	}
}

// A cancelled task is one from then on. Its run is stopped, and what is known of it is said as
// of any run that was stopped.
func TestACancelledTaskStopsItsRun(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	s.hold(t)
	w := s.dial(t)
	stopped := func(begin, stop func()) {
		t.Helper()
		begin()
		until(t, "a failure before the test that waits", func() bool {
			return s.isHeld() && strings.Contains(decodeAnswer(t, w.call(t, "get_run", "")).text(), "1 failed")
		})
		stop()
		s.hold(t)
	}
	var plain result
	stopped(
		func() {
			w.send(t, `{"jsonrpc":"2.0","id":"plain","method":"tools/call","params":{"name":"run_tests","arguments":{}}}`)
		},
		func() {
			w.send(t, `{"jsonrpc":"2.0","id":"stop","method":"tools/call","params":{"name":"cancel_run","arguments":{}}}`)
			plain = decodeAnswer(t, w.await(t, `"plain"`))
		})
	var id string
	stopped(
		func() { id = w.createTask(t, "run_tests", "", `{}`).ID },
		func() {
			if got := w.task(t, "tasks/cancel", id); got.Status != "cancelled" {
				t.Errorf("%+v", got)
			}
			w.refuses(t, "tasks/cancel", ofTask(id), jsonrpc.CodeInvalidParams, "the task is cancelled already")
		})
	r := w.taskResult(t, "run_tests", id)
	if got, want := same(r), same(plain); got != want || r.str("status") != "cancelled" {
		t.Errorf("as a task\n%s\nwithout\n%s", got, want)
	}
	if got := w.task(t, "tasks/get", id); got.Status != "cancelled" || !strings.HasPrefix(got.Message, "run_tests: cancelled (verdict: failed, outstanding: 2): ") {
		t.Errorf("%+v", got)
	}
	if run := s.recorded(t, r.str("run_id")); run.Verdict == "passed" || !strings.Contains(run.Reason, "interrupted") {
		t.Errorf("on record the run is %s: %s", run.Verdict, run.Reason)
	}
}

// A cancelled task ends alone if others wait for its run, which the last of them stops.
func TestACancelledTaskStopsNoRunOfOthers(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	release := s.hold(t)
	w := s.dial(t)
	join := func() string {
		t.Helper()
		id := w.createTask(t, "run_tests", "", `{}`).ID
		until(t, "a task that follows the run", func() bool {
			return strings.Contains(w.task(t, "tasks/get", id).Message, "1 failed")
		})
		return id
	}
	endsAlone := func(id string) {
		t.Helper()
		w.task(t, "tasks/cancel", id)
		r := w.taskResult(t, "run_tests", id)
		if got := w.task(t, "tasks/get", id); !r.failed || got.Status != "cancelled" || !strings.Contains(r.text(), "other calls want run") || !strings.Contains(got.Message, "which goes on") {
			t.Errorf("%+v: %s", got, r.raw)
		}
	}
	w.send(t, `{"jsonrpc":"2.0","id":"plain","method":"tools/call","params":{"name":"run_tests","arguments":{}}}`)
	until(t, "a test that waits", s.isHeld)
	a, b := join(), join()
	endsAlone(a)
	if got := w.task(t, "tasks/get", b); got.Status != "working" {
		t.Errorf("%+v", got)
	}
	release()
	if r := decodeAnswer(t, w.await(t, `"plain"`)); r.str("status") != "failed" {
		t.Errorf("the plain call: %s", r.raw)
	}
	if r := w.taskResult(t, "run_tests", b); r.str("status") != "failed" {
		t.Errorf("the other task: %s", r.raw)
	}

	s.hold(t)
	c := w.createTask(t, "run_tests", "", `{}`).ID
	until(t, "a test that waits", s.isHeld)
	d := join()
	endsAlone(c)
	w.task(t, "tasks/cancel", d)
	r := w.taskResult(t, "run_tests", d)
	if r.str("status") != "cancelled" {
		t.Errorf("the last task: %s", r.raw)
	}
	if run := s.recorded(t, r.str("run_id")); run.Verdict == "passed" || !strings.Contains(run.Reason, "interrupted") {
		t.Errorf("on record the run is %s: %s", run.Verdict, run.Reason)
	}
}

// A call that was answered before the end, as it wanted, still wants the end.
func TestACancelledTaskStopsNoRunThatAnAnsweredCallBegan(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	release := s.hold(t)
	w := s.dial(t)
	run := decodeAnswer(t, w.call(t, "run_tests", `{"wait":0}`)).str("run_id")
	until(t, "a test that waits", s.isHeld)
	id := w.createTask(t, "run_tests", "", `{}`).ID
	until(t, "a task that follows the run", func() bool {
		return strings.Contains(w.task(t, "tasks/get", id).Message, "1 failed")
	})
	w.task(t, "tasks/cancel", id)
	if r := w.taskResult(t, "run_tests", id); !r.failed || !strings.Contains(r.text(), "other calls want run "+run+", which goes on") {
		t.Errorf("%s", r.raw)
	}
	w.send(t, `{"jsonrpc":"2.0","id":"end","method":"tools/call","params":{"name":"get_run","arguments":{"wait":60}}}`)
	release()
	if r := decodeAnswer(t, w.await(t, `"end"`)); r.str("status") != "failed" || r.str("run_id") != run {
		t.Errorf("%s", r.raw)
	}
}

// However long the call wants to wait, a task ends with its run.
func TestATaskIgnoresWait(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	s.hold(t)
	w := s.dial(t)
	id := w.createTask(t, "run_tests", `{"wait":0}`, `{}`).ID
	until(t, "a failure before the test that waits", func() bool {
		got := w.task(t, "tasks/get", id)
		if got.Status != "working" {
			t.Fatalf("%+v", got)
		}
		return s.isHeld() && strings.Contains(got.Message, "1 failed")
	})
	w.task(t, "tasks/cancel", id)
	if r := w.taskResult(t, "run_tests", id); r.str("status") != "cancelled" {
		t.Errorf("%s", r.raw)
	}
}

// A run that is stopped while its runner starts was stopped: no tool is to blame.
func TestARunStoppedAtItsStartIsNoFaultOfATool(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestHeld", held)})
	s.hold(t)
	w := s.dial(t)
	for range 10 {
		id := w.createTask(t, "run_tests", "", `{}`).ID
		until(t, "the start of the runner", func() bool {
			return s.isHeld() || strings.Contains(w.task(t, "tasks/get", id).Message, "building")
		})
		w.task(t, "tasks/cancel", id)
		if r := w.taskResult(t, "run_tests", id); r.str("status") != "cancelled" {
			t.Fatalf("%q", r.texts)
		}
		s.hold(t)
	}
}

func TestATaskThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	s.hold(t)
	w, other := s.dial(t), s.dial(t)
	id := w.createTask(t, "run_tests", "", `{"ttl":60000}`).ID
	for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
		for _, params := range []string{`{}`, `null`, ofTask(""), ofTask("x"), ofTask(id[1:]), ofTask(strings.ToLower(id)), ofTask(strings.Repeat("x", 1<<20))} {
			w.refuses(t, method, params, jsonrpc.CodeInvalidParams, "no such task")
		}
		w.refuses(t, method, `{"taskId":7}`, jsonrpc.CodeInvalidParams, "")
		w.refuses(t, method, `[]`, jsonrpc.CodeInvalidParams, "")
		// Another session's is as good as none.
		other.refuses(t, method, ofTask(id), jsonrpc.CodeInvalidParams, "no such task")
	}
	if m := other.request(t, "tasks/list", `{}`); m.Error != nil || !strings.Contains(string(m.Result), `"tasks":[]`) {
		t.Errorf("another session's list: %+v %s", m.Error, m.Result)
	}
	w.refuses(t, "tasks/list", `{"cursor":"x"}`, jsonrpc.CodeInvalidParams, "no such cursor")
	for _, task := range []string{`"x"`, `7`, `[]`, `true`, `{"ttl":"60000"}`, `{"ttl":{}}`, `{"ttl":true}`} {
		w.refuses(t, "tools/call", taskCall("run_tests", "", task), jsonrpc.CodeInvalidParams, "task must be an object")
	}
	for _, tool := range []string{"get_run", "cancel_run", "tests_covering", "workspace_info", "no_such_tool"} {
		w.refuses(t, "tools/call", taskCall(tool, "", `{}`), jsonrpc.CodeMethodNotFound, "tools/call")
	}
	w.refuses(t, "tools/call", `{"name":"run_tests","arguments":{},"task":{},"_meta":[]}`, jsonrpc.CodeInvalidParams, "")
	// None of these began or stopped anything.
	if got := w.task(t, "tasks/get", id); got.Status != "working" {
		t.Errorf("%+v", got)
	}
	for ttl, want := range map[string]int64{`0`: 60_000, `-5`: 60_000, `1e300`: 86_400_000, `3600000.5`: 3_600_000, `null`: 3_600_000} {
		if got := w.createTask(t, "run_tests", `{"filter":"TestBad"}`, `{"ttl":`+ttl+`}`); *got.TTL != want {
			t.Errorf("of a ttl of %s came %d, want %d", ttl, *got.TTL, want)
		}
	}
	// What is not there is not asked for.
	if r := decodeAnswer(t, w.request(t, "tools/call", `{"name":"get_run","arguments":{},"task":null}`)); r.failed {
		t.Errorf("%q", r.texts)
	}
}

// A client whose version has no tasks is told of none, and what it sends of them is ignored, as
// the protocol wants.
func TestOnlyOneVersionOfTheProtocolHasTasksOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestGood", "true")})
	const capability = `"tasks":{"cancel":{},"list":{},"requests":{"tools":{"call":{}}}}`
	w := s.dial(t)
	if hello := w.seen.String(); !strings.Contains(hello, capability) || !strings.Contains(hello, `"instructions"`) {
		t.Errorf("hello %s", hello)
	}
	old := s.dialIn(t, "2025-06-18")
	list := old.request(t, "tools/list", `{}`)
	if seen := old.seen.String(); strings.Contains(seen, `"tasks"`) || strings.Contains(string(list.Result), "taskSupport") {
		t.Errorf("an older client was told of tasks: %s", seen)
	}
	r := decodeAnswer(t, old.request(t, "tools/call", `{"name":"run_tests","arguments":{},"task":{}}`))
	if r.str("status") != "passed" {
		t.Errorf("%s", r.raw)
	}
	for _, method := range []string{"tasks/get", "tasks/result", "tasks/list", "tasks/cancel", "tasks/update"} {
		old.refuses(t, method, `{"taskId":"x"}`, jsonrpc.CodeMethodNotFound, method)
	}
	w.refuses(t, "tasks/update", `{"taskId":"x"}`, jsonrpc.CodeMethodNotFound, "tasks/update")
}

// At the end of the session a task's run ends like every other.
func TestTheEndOfTheSessionStopsItsTasks(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	s.hold(t)
	w := s.dial(t)
	w.createTask(t, "run_tests", "", `{"ttl":86400000}`)
	until(t, "a test that waits", s.isHeld)
	w.in.Close()
	until(t, "the end of the run", func() bool { return s.latest(t).State == "finished" })
	if run := s.latest(t); run.Verdict == "passed" {
		t.Errorf("the run is %s: %s", run.Verdict, run.Reason)
	}
}

func TestATaskOverHTTPBelongsToItsSession(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, heldTree())
	s.hold(t)
	address, _ := s.listen(t, HTTPConfig{})
	open := func() []string {
		_, header, hello := post(t, address, helloOld)
		if !strings.Contains(hello, `"tasks":{`) {
			t.Errorf("hello %s", hello)
		}
		id := []string{"Mcp-Session-Id", header.Get("Mcp-Session-Id")}
		post(t, address, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, id...)
		return id
	}
	ask := func(session []string, method, params string) message {
		t.Helper()
		_, _, text := post(t, address, fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":"%s","params":%s}`, method, params), session...)
		i := strings.Index(text, `{"jsonrpc"`)
		var m message
		if i < 0 || json.Unmarshal([]byte(strings.TrimSpace(text[i:])), &m) != nil {
			t.Fatalf("%s: %s", method, text)
		}
		return m
	}
	one, other := open(), open()
	begun := createdIn(t, ask(one, `tools\/call`, taskCall("run_tests", "", `{"ttl":60000}`))) // which some encoders escape
	until(t, "a test that waits", s.isHeld)
	for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
		if m := ask(other, method, ofTask(begun.ID)); m.Error == nil || m.Error.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%s for another session: %s", method, m.Result)
		}
	}
	if m := ask(one, "tasks/get", ofTask(begun.ID)); m.Error != nil || !strings.Contains(string(m.Result), `"working"`) {
		t.Errorf("%+v %s", m.Error, m.Result)
	}
	// The end of the session ends the wait for a result.
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		if _, _, text := post(t, address, `{"jsonrpc":"2.0","id":6,"method":"tasks/result","params":`+ofTask(begun.ID)+`}`, one...); strings.Contains(text, `"status":"passed"`) {
			t.Errorf("at the end of the session: %s", text)
		}
	}()
	if status, _, text := roundTrip(t, http.MethodDelete, address, "", one...); status != 204 {
		t.Errorf("status %d: %s", status, text)
	}
	until(t, "the end of the run", func() bool { return s.latest(t).State == "finished" })
	if run := s.latest(t); run.Verdict == "passed" {
		t.Errorf("the run is %s: %s", run.Verdict, run.Reason)
	}
	<-waited
}

func TestOnlyWhatRunsTestsLongCanBeATask(t *testing.T) {
	t.Parallel()
	if got, want := newSite(t, nil).server.longTools(), []string{"run_failing_tests", "run_tests", "triage_failures"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
