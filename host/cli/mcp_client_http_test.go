//go:build unix

package cli

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// serveHTTP starts the server over HTTP, for as long as the test lasts, and returns
// its address.
func (a *agent) serveHTTP() string {
	a.t.Helper()
	cmd := a.command("mcp", "--http", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		a.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	said := make(chan string, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			line := lines.Text()
			if _, address, ok := strings.Cut(line, "listening on "); ok {
				said <- address
			}
			if strings.Contains(line, "DATA RACE") {
				a.t.Error("the server: data race")
			}
		}
	}()
	a.t.Cleanup(func() {
		if cmd.Process.Signal(os.Interrupt) != nil {
			cmd.Process.Kill()
		}
		stuck := time.AfterFunc(patience, func() { cmd.Process.Kill() })
		<-read
		_ = cmd.Wait() // it was interrupted
		if !stuck.Stop() {
			a.t.Error("the server did not end")
		}
	})
	select {
	case address := <-said:
		return address
	case <-read:
	case <-time.After(patience):
	}
	a.t.Fatal("the server does not say where it listens")
	return ""
}

// TestTheServerConforms runs all scenarios that the protocol's conformance suite has
// for servers. A file lists what must fail because it needs the tools of an example
// server, with the reasons; anything else is red, and so is a stale entry.
func TestTheServerConforms(t *testing.T) {
	baseline, err := filepath.Abs(filepath.Join("..", "..", ".ci", "mcp", "conformance-baseline.yml"))
	if err != nil {
		t.Fatal(err)
	}
	both := []string{"tools-list", "resources-list", "prompts-list", "dns-rebinding-protection", "server-sse-multiple-streams"}
	for version, wants := range map[string][]string{
		"2025-11-25": slices.Concat(both, []string{"server-initialize", "server-session-lifecycle", "ping", "logging-set-level", "resources-subscribe", "resources-unsubscribe"}),
		"2026-07-28": slices.Concat(both, []string{"caching", "sep-2164-resource-not-found", "http-header-validation"}),
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, redAndGreen)
			a.proctor("run").expect(t, 1) // so that there is something to read
			r := a.client("conformance", "server", "--url", a.serveHTTP(), "--suite", "all", "--spec-version", version, "--expected-failures", baseline)
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
		a := newAgent(t, redAndGreen)
		address := a.serveHTTP()
		for scenario, wants := range map[string][]string{
			"tasks-capability-negotiation": {"tasks-extension-advertised", "sep-2663-tasks-methods-non-declaring"},
			"tasks-dispatch-and-envelope":  {"sep-2663-tasks-result-removed-method-not-found", "tasks-removed-tasks-list", "sep-2663-tasks-get-invalid-task-id-32602"},
			"tasks-request-headers":        {"tasks-headers-reject-mismatched-method"},
		} {
			r := a.client("conformance", "server", "--url", address, "--scenario", scenario, "--force", "--spec-version", "2026-07-28", "--expected-failures", baseline)
			r.expect(t, 0)
			for _, check := range append(wants, "wire-schema-valid") {
				if !regexp.MustCompile(`\[` + check + ` *\] \S*SUCCESS`).MatchString(r.stdout) {
					t.Errorf("%s: the check %s has not passed, or was not made", scenario, check)
				}
			}
		}
	})
}

// TestEachConnectionOverHTTPIsASession has two clients at one server.
func TestEachConnectionOverHTTPIsASession(t *testing.T) {
	t.Parallel()
	a := newAgent(t, redAndGreen)
	address := a.serveHTTP()
	a.private(t)
	one, other := a.connect("one", "legacy", "--server-url", address), a.connect("other", "legacy", "--server-url", address)
	one.call("run_tests").says(t, "failed: 2 failures")
	one.call("last_test_failures").says(t, "2 test failure(s) from last run_tests call")
	other.call("last_test_failures").says(t, "no run_tests call yet in this session")
	// Without sessions in the protocol there is one for all.
	modern := a.connect("modern", "modern", "--server-url", address)
	modern.call("last_test_failures").says(t, "no run_tests call yet in this session")
	modern.call("run_tests", "filter:=TestOne").says(t, "failed: 1 failure")
	a.connect("another", "modern", "--server-url", address).call("last_test_failures").says(t, "1 test failure(s) from last run_tests call")
}
