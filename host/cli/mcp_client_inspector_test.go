//go:build unix

package cli

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// eras are the two generations of the protocol, with and without a handshake.
func eras() []string { return []string{"legacy", "modern"} }

// as is the agent in a test below the one it was made in.
func (a *agent) as(t testing.TB) *agent {
	m := *a.module
	m.t, m.env = t, slices.Clip(m.env)
	return &agent{module: &m, clients: a.clients}
}

// inspect has the inspector start a server, send one request and print the result.
func (a *agent) inspect(settings, era, method string, args ...string) reply {
	a.t.Helper()
	return a.client("mcp-inspector", append([]string{
		"--cli", "--config", settings, "--server", "proctor", "--protocol-era", era, "--format", "json", "--method", method,
	}, args...)...)
}

// inspected decodes what the inspector prints on success.
func inspected[T any](t testing.TB, r reply) T {
	t.Helper()
	r.expect(t, 0)
	var out struct {
		Result T `json:"result"`
	}
	decodeInto(t, r, &out)
	return out.Result
}

// inspectorCalls has a call of every tool. RUN stands for a run on record, in which
// TestOne and TestTwo failed.
var inspectorCalls = map[string]struct{ args, says string }{
	"run_tests":          {`{"filter":"TestNone","timeout":"100"}`, "1 test passed"},
	"run_failing_tests":  {`{"run_id":"RUN","limit":5}`, "2 failures"},
	"last_test_failures": {`{"run_id":"RUN"}`, "2 test failure(s) from"},
	"get_run":            {`{"run_id":"RUN","wait":1}`, "failed: 2 failures"},
	"cancel_run":         {`{"run_id":"RUN"}`, "had already ended: nothing was stopped"},
	"get_test_output":    {`{"run_id":"RUN","test":"TestOne"}`, "got: 0, want: 1"},
	"why_failing":        {`{"test":"TestOne"}`, "numbers.go"},
	"triage_failures":    {`{"tests":["TestOne"]}`, "introduced"},
	"test_history":       {`{}`, "TestOne"},
	"tests_covering":     {`{"file":"numbers.go","lines":"1"}`, "it is built from the file"},
	"list_tests":         {`{}`, "TestNone"},
	"workspace_info":     {`{}`, "go"},
}

func TestTheInspectorCallsEveryTool(t *testing.T) {
	t.Parallel()
	a := newAgent(t, redAndGreen)
	settings := a.settings()
	// TestOne passes in the commit, and not in the working tree.
	a.replace("numbers.go", "One() int { return 0 }", "One() int { return 1 }")
	a.commit()
	a.proctor("run").expect(t, 1)
	a.replace("numbers.go", "One() int { return 1 }", "One() int { return 0 }")
	run, _ := a.object("run")
	for turn, era := range eras() {
		t.Run(era, func(t *testing.T) {
			list := a.as(t).inspect(settings, era, "tools/list", "--strict")
			tools := inspected[struct{ Tools []struct{ Name string } }](t, list).Tools
			if strings.Contains(list.stdout, "schemaFindings") {
				t.Errorf("the inspector warns of the schemas: %s%s", list.stdout, list.stderr)
			}
			if len(tools) != len(inspectorCalls) {
				t.Errorf("%d tools are listed, want %q", len(tools), slices.Sorted(maps.Keys(inspectorCalls)))
			}
			for i, tool := range tools {
				call, ok := inspectorCalls[tool.Name]
				if !ok {
					t.Errorf("nobody calls %s: give inspectorCalls a call of it", tool.Name)
				}
				// Each tool is called in one of the two: a call takes seconds of node.
				if i%2 != turn {
					continue
				}
				t.Run(tool.Name, func(t *testing.T) {
					t.Parallel()
					got := inspected[toolResult](t, a.as(t).inspect(settings, era, "tools/call",
						"--tool-name", tool.Name, "--tool-args-json", strings.ReplaceAll(call.args, "RUN", run.RunID)))
					object, err := json.Marshal(got.Object)
					if err != nil || !strings.Contains(got.text(), call.says) || len(got.Object) == 0 {
						t.Errorf("%q is missing in %s\nthe object: %s, %v", call.says, got.text(), object, err)
					}
				})
			}
		})
	}
}

func TestTheInspectorReadsTheResourcesAndGetsThePrompts(t *testing.T) {
	t.Parallel()
	a := newAgent(t, redAndGreen)
	settings := a.settings()
	run, _ := a.object("run")
	for turn, era := range eras() {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			a := a.as(t)
			type named struct{ URI, URITemplate, Name string }
			fixed := inspected[struct{ Resources []named }](t, a.inspect(settings, era, "resources/list")).Resources
			if !slices.ContainsFunc(fixed, func(n named) bool { return n.URI == "proctor://runs/latest" }) {
				t.Errorf("the resources are %v", fixed)
			}
			templates := inspected[struct{ ResourceTemplates []named }](t, a.inspect(settings, era, "resources/templates/list")).ResourceTemplates
			for _, want := range []string{"proctor://runs/{run_id}", "proctor://runs/{run_id}/log"} {
				if !slices.ContainsFunc(templates, func(n named) bool { return n.URITemplate == want }) {
					t.Errorf("%s is missing in the templates %v", want, templates)
				}
			}
			for i, c := range []struct{ uri, says string }{
				{"proctor://runs/latest", run.RunID}, {"proctor://runs/" + run.RunID, `"status":"failed"`}, {"proctor://runs/" + run.RunID + "/log", "got: 0, want: 1"},
			} {
				if i%2 != turn { // as with the tools
					continue
				}
				uri, says := c.uri, c.says
				contents := inspected[struct{ Contents []struct{ URI, Text string } }](t, a.inspect(settings, era, "resources/read", "--uri", uri)).Contents
				if len(contents) != 1 || contents[0].URI != uri || !strings.Contains(contents[0].Text, says) {
					t.Errorf("%s has no %q: %v", uri, says, contents)
				}
			}
			prompts := inspected[struct {
				Prompts []struct {
					Name      string
					Arguments []struct {
						Name     string
						Required bool
					}
				}
			}](t, a.inspect(settings, era, "prompts/list")).Prompts
			if len(prompts) == 0 {
				t.Error("there are no prompts")
			}
			for i, p := range prompts {
				if i%2 != turn {
					continue
				}
				args := []string{"--prompt-name", p.Name}
				for _, arg := range p.Arguments {
					args = append(args, "--prompt-args", arg.Name+"=TestOne")
				}
				r := a.inspect(settings, era, "prompts/get", args...)
				if r.expect(t, 0); len(p.Arguments) > 0 && !strings.Contains(r.stdout, "TestOne") {
					t.Errorf("the prompt %s has lost its argument: %s", p.Name, r.stdout)
				}
			}
		})
	}
}

// TestProgressReachesTheClient looks at the wire: the inspector prints results only. In the
// modern era it declares the extension for tasks, which are asked how far they are.
func TestProgressReachesTheClient(t *testing.T) {
	t.Parallel()
	a := newAgent(t, redAndGreen)
	for _, era := range eras() {
		wire := filepath.Join(a.home, era+".trace")
		settings := a.settings("--trace", wire)
		a.inspect(settings, era, "tools/call", "--tool-name", "run_tests", "--tool-metadata", "progressToken=the-token").expect(t, 0)
		raw, err := os.ReadFile(wire)
		if err != nil {
			t.Fatal(err)
		}
		told := 0
		for line := range strings.Lines(string(raw)) {
			notified := strings.Contains(line, `"notifications/progress"`) && strings.Contains(line, `"progressToken":"the-token"`)
			if notified || era == "modern" && strings.Contains(line, `"statusMessage":"suites done: `) {
				told++
			}
		}
		if told == 0 {
			t.Errorf("%s: nothing was told of the progress:\n%s", era, raw)
		}
	}
}

// TestManyCallsAtOnceAreAllAnswered puts a load on one server.
func TestManyCallsAtOnceAreAllAnswered(t *testing.T) {
	t.Parallel()
	a := newAgent(t, redAndGreen)
	run, _ := a.object("run")
	r := a.client("mcp-inspector", "--cli", "--config", a.settings(), "--server", "proctor", "--format", "json", "--method", "tools/call",
		"--tool-name", "last_test_failures", "--tool-arg", "run_id="+run.RunID, "--load", "--load-requests", "50", "--load-concurrency", "20")
	r.expect(t, 0, `"ok":50,"toolErrors":0,"errors":0`)
}
