//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheServerConforms runs all scenarios that the protocol's conformance suite has
// for servers. A file lists what must fail because it needs an example server's tools that
// have no equivalent here, with the reasons; anything else is red, and so is a stale entry.
func TestTheServerConforms(t *testing.T) {
	baseline, err := filepath.Abs(filepath.Join("..", "..", ".ci", "mcp", "conformance-baseline.yml"))
	if err != nil {
		t.Fatal(err)
	}
	const step = `time.Sleep(600 * time.Millisecond)`
	tree := files{"slow/slow_test.go": tests("slow", "TestHangs", hang, "TestStep1", step, "TestStep2", step, "TestStep3", step)}
	for name, text := range redAndGreen {
		tree[name] = text
	}
	// serve returns the address of a server with something to read, for a client that means the
	// example server.
	serve := func(t *testing.T) (a *agent, address string) {
		a = newAgent(t, tree)
		a.proctor("run", ".").expect(t, 1)
		return a, standIn(t, a.serveHTTP())
	}
	both := []string{
		"tools-list", "resources-list", "prompts-list", "dns-rebinding-protection", "server-sse-multiple-streams",
		"tools-call-simple-text", "tools-call-error", "tools-call-with-progress", "resources-read-text", "prompts-get-simple", "prompts-get-with-args", "completion-complete",
	}
	for version, wants := range map[string][]string{
		"2025-11-25": slices.Concat(both, []string{"server-initialize", "server-session-lifecycle", "ping", "logging-set-level", "tools-call-with-logging", "resources-subscribe", "resources-unsubscribe"}),
		"2026-07-28": slices.Concat(both, []string{"caching", "sep-2164-resource-not-found", "http-header-validation"}),
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			a, address := serve(t)
			r := a.client("conformance", "server", "--url", address, "--suite", "all", "--spec-version", version, "--expected-failures", baseline)
			if _, summary, ok := strings.Cut(r.stdout, "=== SUMMARY ==="); ok {
				r.stdout = summary
			}
			r.expect(t, 0)
			for _, scenario := range wants {
				if !strings.Contains(r.stdout, "✓ "+scenario+": ") {
					t.Errorf("the scenario %s has not passed, or was not run", scenario)
				}
			}
		})
	}
	// Extensions are in no suite.
	t.Run("tasks", func(t *testing.T) {
		t.Parallel()
		a, address := serve(t)
		for _, scenario := range []string{
			"tasks-capability-negotiation", "tasks-dispatch-and-envelope", "tasks-request-headers", "tasks-lifecycle", "tasks-wire-fields", "tasks-request-state-removal",
		} {
			r := a.client("conformance", "server", "--url", address, "--scenario", scenario, "--force", "--spec-version", "2026-07-28", "--expected-failures", baseline)
			r.expect(t, 0)
			if !regexp.MustCompile(`\[wire-schema-valid *\] \S*SUCCESS`).MatchString(r.stdout) {
				t.Errorf("%s: no message was checked:\n%s", scenario, r.stdout)
			}
		}
	})
}

// standIn returns the address of a proxy that puts requests for the tools, the resource and the
// prompts of the conformance suite's example server as requests for ours that do the same: give
// text, fail, take long, tell progress, log. Answers it passes on as they are.
func standIn(t *testing.T, address string) string {
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, r.In.Host
		body, err := io.ReadAll(r.In.Body)
		if err != nil {
			t.Error(err)
		}
		body, was, is := translate(body)
		if name := r.Out.Header.Get("Mcp-Name"); name != "" && name == was {
			r.Out.Header.Set("Mcp-Name", is)
		}
		r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}}
	server := httptest.NewServer(http.HandlerFunc(proxy.ServeHTTP))
	t.Cleanup(server.Close)
	return server.URL + to.Path
}

// translate translates a request of the conformance suite, and returns the names that it had
// and has now.
func translate(body []byte) (translated []byte, was, is string) {
	var message map[string]any
	if json.Unmarshal(body, &message) != nil {
		return body, "", ""
	}
	params, _ := message["params"].(map[string]any)
	switch message["method"] {
	case "tools/call":
		given, _ := params["arguments"].(map[string]any)
		was, _ = params["name"].(string)
		tool, args := ourCall(was, given)
		if tool == "" {
			return body, "", ""
		}
		is, params["name"], params["arguments"] = tool, tool, args
	case "resources/read":
		if was, _ = params["uri"].(string); was != "test://static-text" {
			return body, "", ""
		}
		is = "proctor://history"
		params["uri"] = is
	case "prompts/get":
		was, _ = params["name"].(string)
		switch was {
		case "test_simple_prompt":
			is = "triage_regressions"
		case "test_prompt_with_arguments":
			is = "fix_failing_tests"
			given, _ := params["arguments"].(map[string]any)
			one, _ := given["arg1"].(string)
			two, _ := given["arg2"].(string)
			params["arguments"] = map[string]any{"scope": one + " " + two}
		default:
			return body, "", ""
		}
		params["name"] = is
	case "completion/complete":
		ref, _ := params["ref"].(map[string]any)
		if ref["name"] != "test_prompt_with_arguments" {
			return body, "", ""
		}
		ref["name"] = "fix_failing_tests"
		params["argument"].(map[string]any)["name"] = "scope"
	default:
		return body, "", ""
	}
	translated, err := json.Marshal(message)
	if err != nil {
		return body, "", ""
	}
	return translated, was, is
}

// ourCall is the call that does what a tool of the example server does with some arguments; ""
// if there is none.
func ourCall(tool string, given map[string]any) (name string, args map[string]any) {
	switch tool {
	case "greet", "test_simple_text": // text, at once and never as a task
		return "workspace_info", map[string]any{}
	case "test_error_handling": // a call that cannot do what it should
		return "list_tests", map[string]any{"nosuch": true}
	case "test_tool_with_progress": // three messages in less than the ten seconds that the suite waits
		return "run_tests", map[string]any{"filter": "TestStep"}
	case "test_tool_with_logging": // the starts and ends of two runs
		return "run_tests", map[string]any{"filter": "TestNone", "repeat": 2}
	case "failing_job": // a task with a result that is an error
		return "run_tests", map[string]any{"filter": "TestNone", "language": "nosuch"}
	case "slow_compute":
		if seconds, _ := given["seconds"].(float64); seconds > 0 {
			return "run_tests", map[string]any{"filter": "TestHangs", "timeout": min(max(seconds, 5), 60)}
		}
		return "run_tests", map[string]any{"filter": "TestNone"}
	case "confirm_delete": // a task; none of ours asks its client
		return "run_tests", map[string]any{"filter": "TestNone"}
	}
	return "", nil
}
