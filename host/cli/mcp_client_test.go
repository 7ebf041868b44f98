//go:build unix

package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/internal/testbin"
)

// agent is a user of whose programs some are real MCP clients, from npm.
type agent struct {
	*module
	clients string // where .ci/install-mcp has put them
}

// newAgent makes a module of its own for a user who has the clients.
func newAgent(t *testing.T, tree files) *agent {
	t.Helper()
	needs.WholeSuite(t)
	clients := needs.Installed(t, "mcp")
	a := &agent{module: newModule(t, tree), clients: clients}
	a.setenv("PATH="+strings.Join([]string{
		filepath.Join(clients, "node_modules", ".bin"), filepath.Join(clients, "codex", "node_modules", ".bin"), os.Getenv("PATH"),
	}, string(filepath.ListSeparator)), "MCP_INSPECTOR_SECRET_STORE=memory")
	return a
}

// client calls one of the clients in the workspace and waits for its end.
func (a *agent) client(name string, args ...string) reply {
	a.t.Helper()
	return a.wait(a.clientCommand(name, args...))
}

// clientCommand prepares a call of a client.
func (a *agent) clientCommand(name string, args ...string) *exec.Cmd {
	a.t.Helper()
	dir := filepath.Join(a.clients, "node_modules", ".bin")
	if name == "codex" {
		dir = filepath.Join(a.clients, "codex", "node_modules", ".bin")
	}
	cmd := exec.Command(filepath.Join(dir, name), args...)
	cmd.Dir, cmd.Env = a.dir, a.env
	return cmd
}

// settings writes the file in which a client finds the server, and returns its
// path. Clients pass on little of their environment, so the file sets it.
func (a *agent) settings(args ...string) string {
	a.t.Helper()
	env := map[string]string{}
	for _, setting := range a.env {
		name, value, _ := strings.Cut(setting, "=")
		env[name] = value
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"proctor": map[string]any{
		"type": "stdio", "command": testbin.Path("proctor"), "args": append([]string{"mcp"}, args...), "cwd": a.dir, "env": env,
	}}})
	if err != nil {
		a.t.Fatal(err)
	}
	file, err := os.CreateTemp(a.home, "mcp-*.json")
	if err != nil {
		a.t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(raw); err != nil {
		a.t.Fatal(err)
	}
	return file.Name()
}

// toolResult is the answer of a tool as a client prints it.
type toolResult struct {
	Content []struct {
		Type, Text, URI string
	} `json:"content"`
	Object  map[string]any `json:"structuredContent"`
	IsError bool           `json:"isError"`
}

// text is what a model is shown by a client that shows it the text.
func (r toolResult) text() string {
	var all []string
	for _, c := range r.Content {
		all = append(all, c.Text)
	}
	return strings.Join(all, "\n")
}

// decodeInto decodes the JSON that a client prints.
func decodeInto(t testing.TB, r reply, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.stdout), into); err != nil {
		t.Fatalf("%v; exit %d\nstdout: %s\nstderr: %s", err, r.code, r.stdout, r.stderr)
	}
}

// redAndGreen is a package with a test that passes, and two that fail for as long as
// One and Two do not give their numbers.
var redAndGreen = files{
	"numbers.go": "package m\n\nfunc One() int { return 0 }\n\nfunc Two() int { return 0 }\n",
	"numbers_test.go": `package m

import "testing"

func TestNone(*testing.T) {}

func TestOne(t *testing.T) {
	if got := One(); got != 1 {
		t.Fatalf("got: %d, want: 1", got)
	}
}

func TestTwo(t *testing.T) {
	if got := Two(); got != 2 {
		t.Fatalf("got: %d, want: 2", got)
	}
}
`,
}
