//go:build unix

package cli

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testbin"
)

// TestAClientOfTheTypeScriptSDKGoesFromRedToGreen has a program fix what the server tells
// it, over one connection.
func TestAClientOfTheTypeScriptSDKGoesFromRedToGreen(t *testing.T) {
	t.Parallel()
	a := newAgent(t, redAndGreen)
	env := map[string]string{}
	for _, setting := range a.env {
		name, value, _ := strings.Cut(setting, "=")
		env[name] = value
	}
	type edit struct {
		File string `json:"file"`
		From string `json:"from"`
		To   string `json:"to"`
	}
	request, err := json.Marshal(map[string]any{
		"command": testbin.Path("proctor"), "args": []string{"mcp"}, "env": env, "dir": a.dir,
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
	var steps []step
	var order []string
	for line := range strings.Lines(r.stdout) {
		var s step
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		steps, order = append(steps, s), append(order, s.Step)
	}
	if want := []string{"tools", "run_tests", "run_failing_tests", "run_tests", "task", "cancelled task", "resource", "completion", "log"}; !slices.Equal(order, want) {
		t.Fatalf("steps %q, want %q\n%s", order, want, r.stdout)
	}
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
