package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testbin"
)

// pipeClient is a client of a server that it started itself.
type pipeClient struct {
	cmd     *exec.Cmd
	session *mcp.ClientSession
	// stderr is what the server printed beside the protocol.
	stderr *sharedBuffer
	closed sync.Once
}

// sharedBuffer can be read while it is written.
type sharedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *sharedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *sharedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// pipeAnswer is what a tool answered.
type pipeAnswer struct {
	text   string
	failed bool
	object struct {
		RunID    string      `json:"run_id"`
		Status   string      `json:"status"`
		Verdict  api.Verdict `json:"verdict"`
		Message  string      `json:"message"`
		WaitsFor string      `json:"waits_for"`
	}
}

// connect starts a server in the workspace and says hello to it, in the words of a
// version of the protocol.
func (w *module) connect(version string, args ...string) *pipeClient {
	w.t.Helper()
	return w.connectTo(w.command(append([]string{"mcp"}, args...)...), version)
}

func (w *module) connectTo(cmd *exec.Cmd, version string) *pipeClient {
	w.t.Helper()
	return w.connectWith(cmd, version, nil)
}

func (w *module) connectWith(cmd *exec.Cmd, version string, options *mcp.ClientOptions) *pipeClient {
	w.t.Helper()
	p := &pipeClient{cmd: cmd, stderr: &sharedBuffer{}}
	cmd.Stderr = p.stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "pipe", Version: "1"}, options)
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	var err error
	// The end of standard input must be enough: no signal is sent to help.
	transport := &mcp.CommandTransport{Command: cmd, TerminateDuration: patience}
	if p.session, err = client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version}); err != nil {
		w.t.Fatalf("%v\n%s", err, p.stderr)
	}
	w.t.Cleanup(func() {
		p.close(w.t)
		if strings.Contains(p.stderr.String(), "DATA RACE") {
			w.t.Error(p.stderr)
		}
	})
	return p
}

// close closes the server's standard input and waits for its end, which must be in
// order.
func (p *pipeClient) close(t testing.TB) {
	t.Helper()
	p.closed.Do(func() {
		if err := p.session.Close(); err != nil {
			t.Errorf("the server's end: %v\n%s", err, p.stderr)
		}
	})
}

// call calls a tool. args is JSON, or nothing.
func (p *pipeClient) call(t testing.TB, tool, args string) pipeAnswer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	a, err := p.ask(ctx, tool, args)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", tool, args, err, p.stderr)
	}
	return a
}

func (p *pipeClient) ask(ctx context.Context, tool, args string) (a pipeAnswer, err error) {
	if args == "" {
		args = "{}"
	}
	got, err := p.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		return a, err
	}
	a.failed = got.IsError
	for _, block := range got.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			a.text += text.Text + "\n"
		}
	}
	raw, err := json.Marshal(got.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, &a.object)
	}
	return a, err
}

// rawServer is a server whose streams the test has in its own hands.
type rawServer struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
}

// startRaw starts a server in the workspace and says hello to it.
func (w *module) startRaw() *rawServer {
	w.t.Helper()
	return w.startRawWith(nil)
}

// startRawWith is startRaw with a file as standard error.
func (w *module) startRawWith(stderr *os.File) *rawServer {
	w.t.Helper()
	s := &rawServer{t: w.t, cmd: w.command("mcp")}
	if stderr != nil {
		s.cmd.Stderr = stderr
	}
	var err error
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		w.t.Fatal(err)
	}
	if s.stdout, err = s.cmd.StdoutPipe(); err != nil {
		w.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	})
	s.send(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	)
	return s
}

// rawCall is a call of a tool as a line, which asks for progress.
func rawCall(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"progressToken":"p"}}}`, id, tool, args)
}

func (s *rawServer) send(lines ...string) {
	s.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(s.stdin, line+"\n"); err != nil {
			s.t.Fatal(err)
		}
	}
}

// answer returns the answer to a call.
func (s *rawServer) answer(id int) string {
	s.t.Helper()
	stuck := time.AfterFunc(patience, func() { s.cmd.Process.Kill() })
	defer stuck.Stop()
	for lines := bufio.NewReader(s.stdout); ; {
		line, err := lines.ReadString('\n')
		if strings.Contains(line, fmt.Sprintf(`"id":%d,`, id)) {
			return line
		}
		if err != nil {
			s.t.Fatalf("there is no answer to %d: %v", id, err)
		}
	}
}

// ended waits for the server's end.
func (s *rawServer) ended() {
	s.t.Helper()
	stuck := time.AfterFunc(patience, func() { s.cmd.Process.Kill() })
	s.cmd.Wait()
	if !stuck.Stop() {
		s.t.Errorf("the server went on for %v", patience)
	}
}

// protocolVersions are those that clients of today speak.
var protocolVersions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

func TestTheServerSpeaksTheVersionsThatClientsSpeak(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestGood", pass, "TestBad", broken)})
	for _, version := range protocolVersions {
		t.Run(version, func(t *testing.T) {
			p := w.connect(version)
			hello := p.session.InitializeResult()
			if hello.ProtocolVersion != version || !strings.Contains(hello.Instructions, "run_tests") {
				t.Errorf("the server speaks %s and says %q", hello.ProtocolVersion, hello.Instructions)
			}
			list, err := p.session.ListTools(t.Context(), nil)
			if err != nil || len(list.Tools) < 12 {
				t.Fatalf("%v: %d tools", err, len(list.Tools))
			}
			run := p.call(t, "run_tests", `{"timeout":"60"}`)
			if run.failed || run.object.Status != "failed" || !strings.HasSuffix(strings.TrimSpace(run.text), "exit: 1") {
				t.Errorf("%+v", run)
			}
			if f := p.call(t, "last_test_failures", ""); !strings.Contains(f.text, "TestBad") {
				t.Errorf("%+v", f)
			}
			p.close(t)
		})
	}
}

// A plugin is started when a tool needs one: a client waits for the first answer, and
// some give up after a few seconds.
func TestTheServerAnswersBeforeAnyPluginStarts(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestGood", pass)})
	alone := filepath.Join(t.TempDir(), filepath.Base(testbin.Path("proctor")))
	copyFile(t, testbin.Path("proctor"), alone)
	cmd := w.command("mcp")
	cmd.Path, cmd.Args[0] = alone, alone
	p := w.connectTo(cmd, "")
	if _, err := p.session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := p.session.ListPrompts(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, ".proctor")); err == nil {
		t.Error("there is a record before anybody asked for anything")
	}
	if a := p.call(t, "run_tests", ""); !a.failed || !strings.Contains(a.text, "plugin") {
		t.Errorf("without any plugin: %+v", a)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	if os.Link(from, to) == nil {
		return
	}
	raw, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, raw, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A test's use of its own streams never reaches the protocol's.
func TestNothingButTheProtocolIsOnStandardOutput(t *testing.T) {
	t.Parallel()
	const forged = `{"jsonrpc":"2.0","id":2,"result":{"forged":true}}`
	w := newModule(t, files{"a/a_test.go": `package a

import (
	"io"
	"os"
	"testing"
)

func TestReads(t *testing.T) {
	if raw, err := io.ReadAll(os.Stdin); err != nil || len(raw) > 0 {
		t.Errorf("read %q, %v", raw, err)
	}
}

func TestWrites(t *testing.T) {
	for fd := 0; fd < 3; fd++ {
		os.NewFile(uintptr(fd), "").WriteString("\n" + ` + "`" + forged + "`" + ` + "\n")
	}
}
`})
	w.setenv("PROCTOR_LOG=trace")
	server := w.startRaw()
	server.send(rawCall(2, "run_tests", `{"output":"raw"}`))
	answered := map[string]bool{}
	lines := bufio.NewReader(server.stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		var m struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Result  json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(line, &m); err != nil || m.Version != "2.0" {
			t.Fatalf("%v: no message: %.200q", err, line)
		}
		if id := string(m.ID); id != "" {
			if answered[id] || bytes.HasPrefix(m.Result, []byte(`{"forged"`)) {
				t.Errorf("a forged answer: %.200q", line)
			}
			answered[id] = true
			if id == "2" {
				if !bytes.Contains(m.Result, []byte(`"status":"passed"`)) {
					t.Errorf("%s", m.Result)
				}
				server.stdin.Close()
			}
		}
	}
	if server.ended(); !server.cmd.ProcessState.Success() || !answered["1"] || !answered["2"] {
		t.Errorf("%v, answered: %v", server.cmd.ProcessState, answered)
	}
}

// A line that is no message must not end the connection, and the runs with it.
func TestAServerSurvivesInvalidMessages(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestGood", pass, "TestWaits", `time.Sleep(time.Second)`)})
	server := w.startRaw()
	lines := bufio.NewReader(server.stdout)
	type reply struct {
		ID    json.RawMessage `json:"id"`
		Error struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	next := func() (r reply) {
		t.Helper()
		line, err := lines.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &r)
		}
		if err != nil {
			t.Fatalf("%v: %.200s", err, line)
		}
		return r
	}
	next()
	for _, line := range []string{
		`hello`, `null`, `[]`, `{"id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_run","arguments":{"run_id":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}}}`,
	} {
		server.send(line)
		if r := next(); r.Error.Code != -32600 && r.Error.Code != -32700 {
			t.Errorf("%.80s is answered with %+v", line, r)
		}
	}
	// The SDK refuses messages that the protocol does not allow.
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}`, `{"jsonrpc":"2.0","id":7,"method":""}`,
		`{"jsonrpc":"2.0","id":7,"method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":1}}`,
		`[{"jsonrpc":"2.0","id":7,"method":"nosuch"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}},{"jsonrpc":"2.0","method":"nosuch","params":3}]`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"proctor://runs/%0a"}}`,
	} {
		server.send(line)
		if r := next(); string(r.ID) != "7" || r.Error.Code == 0 {
			t.Errorf("%.80s is answered with %+v", line, r)
		}
	}
	// Of two calls that could not be told apart, the second one is answered, too.
	server.send(rawCall(8, "run_tests", `{"filter":"TestWaits"}`), rawCall(8, "workspace_info", `{}`))
	refused := 0
	for {
		r := next()
		if string(r.ID) == "null" && r.Error.Code == -32600 {
			refused++
		}
		if string(r.ID) == "8" {
			break
		}
	}
	if refused != 1 {
		t.Errorf("%d calls were refused", refused)
	}
	server.send(rawCall(8, "workspace_info", `{}`))
	for string(next().ID) != "8" {
	}
	// A call that was cancelled is not answered.
	server.send(rawCall(9, "run_tests", `{"filter":"TestWaits"}`), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`,
		rawCall(10, "get_run", `{"wait":60}`))
	for id := ""; id != "10"; {
		if id = string(next().ID); id == "9" {
			t.Error("a call that was cancelled is answered")
		}
	}
	server.stdin.Close()
	if _, err := lines.Peek(1); !errors.Is(err, io.EOF) {
		t.Errorf("after the last answer: %v", err)
	}
	if server.ended(); !server.cmd.ProcessState.Success() {
		t.Error(server.cmd.ProcessState)
	}
}
