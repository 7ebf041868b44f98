package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// idle lets the session of commands without a terminal be over: nobody has called for
// months.
func (w *module) idle() {
	w.t.Helper()
	path := filepath.Join(w.dir, ".proctor", "sessions", "shared.now.json")
	raw, err := os.ReadFile(path)
	if err == nil {
		raw = regexp.MustCompile(`"last":"[^"]*"`).ReplaceAll(raw, []byte(`"last":"2020-01-01T00:00:00Z"`))
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// Agents and scripts have no terminal.
func TestAFailureRecursWithoutATerminal(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", broken)})
	// A run of CI is a session without a terminal, whatever these tests run on.
	ci := func(attempt string, args ...string) reply {
		cmd := w.command(args...)
		cmd.Env = append(cmd.Env, "PROCTOR_SESSION=", "GITHUB_RUN_ID=7", "GITHUB_RUN_ATTEMPT="+attempt)
		return w.wait(cmd)
	}
	ci("1", "run").expect(t, exitFailed)
	ci("1", "failures").expect(t, 0, "TestA")
	ci("2", "failures").expect(t, 0, noRunOfSession, "outstanding from earlier sessions: 1 test", "github-7-1")
	ci("2", "run").expect(t, exitFailed, "failing for 2 runs")
	ci("3", "run").expect(t, exitFailed, "failing for 3 runs")
	ci("3", "history", "TestA").expect(t, 0, "recurring: failed in 3 sessions")
	ci("3", "mcp", "context").expect(t, 0, "Recurring failures across sessions: a_test.go.")
	ci("3", "runs", "--session", "github-7-2").expect(t, 0, "session github-7-2")
}

func TestASharedSessionEndsAfterATime(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", broken)})
	w.setenv("PROCTOR_SESSION=")
	if _, err := os.Open("/dev/tty"); err == nil {
		t.Skip("these tests run on a terminal, which is a session")
	}
	w.proctor("run").expect(t, exitFailed)
	w.proctor("failures").expect(t, 0, "TestA")
	w.idle()
	// The session is another one; the last run is still the workspace's.
	w.proctor("failures").expect(t, 0, "TestA")
	w.proctor("failures", "--session", "this").expect(t, 0, noRunOfSession, "outstanding from earlier sessions: 1 test")
	w.proctor("failures", "--session", "this").expect(t, 0, noRunOfSession)
	w.proctor("rerun").expect(t, exitFailed, "failing for 2 runs")
	w.proctor("failures", "--session", "this").expect(t, 0, "TestA")
}
