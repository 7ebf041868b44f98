//go:build unix

package cli

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testbin"
)

// variables returns the environment of the agent's programs.
func (a *agent) variables() map[string]string {
	env := map[string]string{}
	for _, setting := range a.env {
		name, value, _ := strings.Cut(setting, "=")
		env[name] = value
	}
	return env
}

// stepsOf returns what a client printed of each step, a line each, which must have these names.
func stepsOf[S any](t *testing.T, r reply, want ...string) []S {
	t.Helper()
	var steps []S
	var names []string
	for line := range strings.Lines(r.stdout) {
		var named struct{ Step string }
		var s S
		if err := errors.Join(json.Unmarshal([]byte(line), &named), json.Unmarshal([]byte(line), &s)); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		steps, names = append(steps, s), append(names, named.Step)
	}
	if !slices.Equal(names, want) {
		t.Fatalf("steps %q, want %q\n%s", names, want, r.stdout)
	}
	return steps
}

// TestAClientOfTheTypeScriptSDKGoesFromRedToGreen has a program fix what the server tells
// it, over one connection.
func TestAClientOfTheTypeScriptSDKGoesFromRedToGreen(t *testing.T) {
	t.Parallel()
	a := newAgent(t, redAndGreen)
	type edit struct {
		File string `json:"file"`
		From string `json:"from"`
		To   string `json:"to"`
	}
	request, err := json.Marshal(map[string]any{
		"command": testbin.Path("proctor"), "args": []string{"mcp"}, "env": a.variables(), "dir": a.dir,
		"repairs": map[string]edit{
			"TestOne": {"numbers.go", "One() int { return 0 }", "One() int { return 1 }"},
			"TestTwo": {"numbers.go", "Two() int { return 0 }", "Two() int { return 2 }"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs(filepath.Join("..", "..", ".ci", "mcp", "session.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	r := a.client("node", script, a.clients, string(request))
	r.expect(t, 0)

	type step struct {
		Step, Text string
		IsError    bool
		Names      []string
		Values     []string
		States     []string
		Beats      []string
		Object     struct {
			RunID  string `json:"run_id"`
			Status string
			Kind   string
			Counts struct{ Passed int }
		}
		Logged []struct {
			Level, Logger string
			Data          struct {
				Message string
				Fields  map[string]any
			}
		}
	}
	steps := stepsOf[step](t, r, "tools", "run_tests", "run_failing_tests", "run_tests", "task", "cancelled task", "resource", "completion", "log")
	tools, red, rerun, green := steps[0], steps[1], steps[2], steps[3]
	task, cancelled := steps[4], steps[5]
	resource, completed, log := steps[6], steps[7], steps[8]
	if !slices.Contains(tools.Names, "run_tests") {
		t.Errorf("tools %q", tools.Names)
	}
	if red.Object.Status != "failed" || red.IsError || !strings.Contains(red.Text, "numbers_test.go:9") || len(red.Beats) == 0 {
		t.Errorf("red: %+v", red)
	}
	if rerun.Object.Status != "passed" || rerun.Object.Kind != "rerun" {
		t.Errorf("rerun: %+v", rerun)
	}
	if green.Object.Status != "passed" || green.Object.Counts.Passed != 3 {
		t.Errorf("green: %+v", green)
	}
	if s := task.States; len(s) < 3 || s[0] != "taskCreated" || s[len(s)-2] != "completed" || s[len(s)-1] != "result" || task.Object.Status != "passed" || task.Object.Counts.Passed != 3 {
		t.Errorf("as a task: %+v", task)
	}
	if !slices.Equal(cancelled.States, []string{"working", "cancelled", "completed", "cancelled"}) || cancelled.Object.Status == "passed" {
		t.Errorf("as a task that is cancelled: %+v", cancelled)
	}
	if resource.Object.RunID != green.Object.RunID || !slices.Equal(completed.Values, []string{"TestOne"}) {
		t.Errorf("resource %+v, completed %q", resource.Object, completed.Values)
	}
	var ended []any
	for _, l := range log.Logged {
		if l.Data.Message == "a run has ended" && l.Level == "info" && l.Logger == "proctor" {
			ended = append(ended, l.Data.Fields["run"])
		}
	}
	if want := []any{red.Object.RunID, rerun.Object.RunID, green.Object.RunID, task.Object.RunID}; len(ended) < len(want) || !slices.Equal(ended[:len(want)], want) {
		t.Errorf("logged the ends of %v, want %v", ended, want)
	}
}

// TestAClientOfTheTasksExtensionRunsTestsAsTasks has the package of the extension's authors talk to the
// server, over a pipe and over HTTP.
func TestAClientOfTheTasksExtensionRunsTestsAsTasks(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs(filepath.Join("..", "..", ".ci", "mcp", "tasks.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"pipe", "HTTP"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, redAndGreen)
			request := map[string]any{"command": testbin.Path("proctor"), "args": []string{"mcp"}, "env": a.variables(), "dir": a.dir}
			if way == "HTTP" {
				request = map[string]any{"url": a.serveHTTP()}
			}
			raw, err := json.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			r := a.client("node", script, a.clients, string(raw))
			r.expect(t, 0)
			type step struct {
				Step, Kind, Status, Message, Text string
				States                            []string
				Object                            struct {
					RunID  string `json:"run_id"`
					Status string
					Counts struct{ Passed, Failed int }
				}
			}
			steps := stepsOf[step](t, r, "run_tests", "found", "run_tests", "get_run", "run_tests", "cancelled", "none")
			red, found, begun, got, stopped, cancelled, none := steps[0], steps[1], steps[2], steps[3], steps[4], steps[5], steps[6]
			if red.Kind != "task" || red.Status != "completed" || red.Object.Status != "failed" || red.Object.Counts.Failed != 2 || red.Message != "run_tests: failed (outstanding: 2)" || !strings.Contains(red.Text, "numbers_test.go:9") {
				t.Errorf("red: %+v", red)
			}
			if found.Status != "completed" || found.Object.RunID != red.Object.RunID {
				t.Errorf("found again: %+v", found)
			}
			if begun.Kind != "immediate" || begun.Object.Status == "passed" || got.Kind != "immediate" || got.Object.RunID != begun.Object.RunID || got.Object.Status != "failed" {
				t.Errorf("with a wait: %+v, then %+v", begun, got)
			}
			if stopped.Kind != "task" || stopped.Status != "cancelled" || stopped.Object.Status != "" || cancelled.Status != "cancelled" || !strings.HasPrefix(cancelled.Message, "cancelled") && !strings.Contains(cancelled.Message, "run_tests: ") {
				t.Errorf("cancelled: %+v, then %+v", stopped, cancelled)
			}
			if !strings.Contains(none.Message, "no such task") {
				t.Errorf("of another: %+v", none)
			}
		})
	}
}
