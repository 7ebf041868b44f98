package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestTheExitCodeOfAToolCallFollowsItsAnswer(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass, "TestB", fail)})
	w.proctor("mcp", "call", "last_test_failures").expect(t, 0, "no run_tests call yet in this session")
	w.proctor("mcp", "call", "run_failing_tests").expect(t, exitNothingRan, "no run_tests call yet in this session")
	for name, c := range map[string]struct {
		args []string
		code int
		text string
	}{
		"no tool":               {[]string{"nosuch"}, exitUsage, "there is no tool"},
		"no JSON":               {[]string{"run_tests", "{"}, exitUsage, "not a JSON object"},
		"no such argument":      {[]string{"run_tests", `{"verbose":true}`}, exitUsage, "unknown argument(s) for run_tests: verbose"},
		"no such run":           {[]string{"get_run", `{"run_id":"nosuch"}`}, -1, ""},
		"a red run":             {[]string{"run_tests", "{}"}, exitFailed, "> 36 | \t" + fail},
		"a green run":           {[]string{"run_tests", `{"filter":"TestA"}`}, exitPassed, "exit: 0"},
		"a run of nothing":      {[]string{"run_tests", `{"filter":"TestZ"}`}, exitNothingRan, ""},
		"a run that ran out":    {[]string{"run_tests", `{"timeout":"0.001"}`}, exitTimedOut, ""},
		"a run nobody waits on": {[]string{"run_tests", `{"filter":"TestA","wait":0.001}`}, exitIncomplete, "get_run"},
		"two arguments":         {[]string{"run_tests", "{}", "{}"}, exitUsage, "too many for proctor mcp call"},
	} {
		r := w.proctor(append([]string{"mcp", "call"}, c.args...)...)
		if c.code >= 0 {
			r.expect(t, c.code, c.text)
		} else if r.code == 0 {
			t.Errorf("%s: exit 0: %s", name, r.stdout)
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
	cmd := w.command("mcp", "call", "--json", "run_tests", "-")
	cmd.Stdin = strings.NewReader(`{"filter":"TestB"}`)
	r := w.wait(cmd)
	var object struct {
		RunID    string `json:"run_id"`
		Status   string `json:"status"`
		Failures []struct{ Source []string }
	}
	source := []string{"func TestB(t *testing.T) {", "\tran(t)", "\t" + fail}
	if err := json.Unmarshal([]byte(r.stdout), &object); err != nil || object.Status != "failed" || r.code != exitFailed || len(object.Failures) != 1 || !slices.Equal(object.Failures[0].Source, source) {
		t.Errorf("%v: exit %d: %s", err, r.code, r.stdout)
	}
	// The session is the one of all other commands.
	w.proctor("failures").expect(t, 0, "TestB")
	w.proctor("mcp", "instructions").expect(t, 0, "Loop: run_tests")
	w.proctor("mcp", "tools").expect(t, 0, "run_failing_tests")
}

func TestAnUnsafeServerDoesNotStart(t *testing.T) {
	t.Parallel()
	w := newModule(t, nil)
	dir := t.TempDir()
	short := filepath.Join(dir, "short")
	if err := os.WriteFile(short, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"--http", ":0"}, {"--http", "0.0.0.0:0"}, {"--http", "[::]:0"}, {"--http", "192.0.2.1:0"}, {"--http", "7301"}, {"--http", "127.0.0.1"},
		{"--http", "127.0.0.1:0", "--token-file", short}, {"--http", "127.0.0.1:0", "--token-file", filepath.Join(dir, "none")},
		{"--token-file", short}, {"--trace", dir}, {"--trace", filepath.Join(dir, "none", "trace")},
	} {
		r := w.proctor(append([]string{"mcp"}, args...)...)
		if r.code != exitUsage || r.stdout != "" || r.stderr == "" {
			t.Errorf("%q: exit %d, %q, %q", args, r.code, r.stdout, r.stderr)
		}
	}
}

// lineWriter hands over the first line that is written.
type lineWriter struct {
	b    bytes.Buffer
	line chan string
}

func (l *lineWriter) Write(p []byte) (int, error) {
	l.b.Write(p)
	if line, _, ok := strings.Cut(l.b.String(), "\n"); ok && l.line != nil {
		l.line <- line
		l.line = nil
	}
	return len(p), nil
}

func TestTheHTTPServerRequiresItsTokenAndEndsCleanly(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no signal to end a process in order")
	}
	const token = "a-token-that-nobody-guesses"
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", `
		if os.Getenv("PROCTOR_MCP_TOKEN") != "" {
			t.Error("the tests have the token")
		}
		select {}`)})
	w.setenv("PROCTOR_MCP_TOKEN=" + token)
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := w.command("mcp", "--http", "127.0.0.1:0", "--trace", trace)
	lines := make(chan string, 1)
	cmd.Stderr = &lineWriter{line: lines}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	address, ok := strings.CutPrefix(<-lines, "proctor: listening on ")
	if !ok || !strings.HasSuffix(address, "/mcp") {
		t.Fatalf("the first line is %q", address)
	}
	ask := func(token string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_tests","arguments":{"wait":0.001},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "run_tests",
		} {
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if status, _ := ask("another-token-altogether"); status != http.StatusUnauthorized {
		t.Errorf("another token: status %d", status)
	}
	if status, body := ask(token); status != http.StatusOK || !strings.Contains(body, "get_run") {
		t.Fatalf("status %d: %s", status, body)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, cmd.Stderr.(*lineWriter).b.String())
	}
	kept, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(kept, []byte(`"run_tests"`)) || bytes.Contains(kept, []byte(token)) {
		t.Errorf("the trace is %s", kept)
	}
	if st, err := os.Stat(trace); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v: %v", st.Mode(), err)
	}
}

func TestMessagesPipedInAreAnswered(t *testing.T) {
	t.Parallel()
	w := newModule(t, nil)
	cmd := w.command("mcp")
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	r := w.wait(cmd)
	answers := strings.Split(strings.TrimSuffix(r.stdout, "\n"), "\n")
	if r.code != 0 || len(answers) != 2 || !strings.Contains(answers[1], `"run_tests"`) || r.stderr != "" {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	for _, line := range answers {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
}
