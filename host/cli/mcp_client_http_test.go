//go:build unix

package cli

import (
	"bufio"
	"os"
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
