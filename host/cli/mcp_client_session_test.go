//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestASessionFromRedToGreen is what an agent does, over one connection of mcpdo: a
// process of its own for each call, and one server for all of them.
func TestASessionFromRedToGreen(t *testing.T) {
	for _, era := range eras() {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, redAndGreen)
			settings := a.settings()
			a.private(t)
			c := a.connect("proctor", era, "--config", settings, "--server", "proctor")

			const none = "no run_tests call yet in this session"
			for _, tool := range []string{"last_test_failures", "run_failing_tests"} {
				r := c.call(tool)
				r.says(t, none)
				r.has(t, "message", none)
			}

			red := c.call("run_tests")
			red.says(t, "TestOne", "TestTwo", "failed: 2 failures", "exit: 1")
			red.has(t, "status", "failed")
			c.call("last_test_failures").says(t, "2 test failure(s) from last run_tests call (go, ", "numbers_test.go:9")
			c.call("get_run").has(t, "run_id", red.Object["run_id"])

			a.replace("numbers.go", "One() int { return 0 }", "One() int { return 1 }")
			half := c.call("run_failing_tests")
			half.says(t, "TestTwo", "failed: 1 failure")
			half.has(t, "outstanding", 1.0)
			c.call("last_test_failures").says(t, "1 test failure(s) from last run_tests call (go, ")

			a.replace("numbers.go", "Two() int { return 0 }", "Two() int { return 2 }")
			again := c.call("run_failing_tests")
			again.has(t, "status", "passed")
			again.has(t, "kind", "rerun")
			again.has(t, "outstanding", 0.0)

			green := c.call("run_tests")
			green.has(t, "status", "passed")
			green.says(t, "exit: 0")
			c.call("last_test_failures").says(t, "last run_tests had no failures (3 tests passed, go, ")
			c.call("run_failing_tests").says(t, "last run_tests had no failures — nothing to rerun (go)")
		})
	}
}

// connection is a connection that mcpdo keeps, by its name.
type connection struct {
	*agent
	name string
}

// private gives mcpdo a process of its own to keep connections, until the test ends.
func (a *agent) private(t *testing.T) {
	t.Helper()
	// Its socket is in there, and the path of a socket is bounded.
	dir, err := os.MkdirTemp("", "mcpdo-*")
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { os.RemoveAll(dir) })
	a.setenv("MCP_INSPECTOR_DAEMON_DIR="+dir, "MCP_INSPECTOR_DAEMON_TOKEN=of-this-test-only-and-long-enough")
	a.t.Cleanup(func() {
		a.client("mcpdo", "daemon", "stop").expect(a.t, 0)
		// It goes when the servers have ended, which work in the directories of the test.
		await(t, "the end of mcpdo's process", func() bool {
			_, err := os.Stat(filepath.Join(dir, "mcpdod.lock"))
			return err != nil
		})
	})
}

// connect opens a connection in an era of the protocol.
func (a *agent) connect(name, era string, target ...string) *connection {
	a.t.Helper()
	c := &connection{agent: a, name: name}
	a.client("mcpdo", append([]string{"connect", "--connection", name, "--era", era, "--format", "json"}, target...)...).
		expect(a.t, 0, `"protocolEra": "`+era+`"`)
	return c
}

// call calls a tool, and expects an answer that is no error.
func (c *connection) call(tool string, args ...string) toolResult {
	c.t.Helper()
	r := c.client("mcpdo", slices.Concat([]string{"@" + c.name, "tools/call", tool}, args, []string{"--format", "json"})...)
	r.expect(c.t, 0)
	var result toolResult
	decodeInto(c.t, r, &result)
	if result.IsError {
		c.t.Errorf("%s: %s", tool, r.stdout)
	}
	return result
}

// says looks for texts in an answer.
func (r toolResult) says(t testing.TB, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.text(), text) {
			t.Errorf("%q is missing in %s", text, r.text())
		}
	}
}

// has compares a field of an answer's object.
func (r toolResult) has(t testing.TB, field string, want any) {
	t.Helper()
	if got := r.Object[field]; got != want {
		t.Errorf("%s is %v, want %v in %v", field, got, want, r.Object)
	}
}
