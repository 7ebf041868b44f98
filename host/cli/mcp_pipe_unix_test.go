//go:build unix

package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
)

// gated is the body of a test that waits until somebody opens the gate.
const gated = `for {
		if _, err := os.Stat(os.Getenv("GATE")); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}`

// gatedModule has a test that fails, and one that waits for the gate.
func gatedModule(t *testing.T) (w *module, open func()) {
	t.Helper()
	w = newModule(t, files{"a/a_test.go": tests("a", "TestBad", broken, "TestGated", gated)})
	gate := filepath.Join(w.home, "gate")
	w.setenv("GATE=" + gate)
	return w, func() {
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestACancelledCallLosesNothing(t *testing.T) {
	t.Parallel()
	for _, version := range protocolVersions[1:] {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w, open := gatedModule(t)
			p := w.connect(version)
			ctx, cancel := context.WithCancel(t.Context())
			cut := make(chan error, 1)
			go func() {
				_, err := p.ask(ctx, "run_tests", "")
				cut <- err
			}()
			await(t, "TestGated", func() bool { return w.hasRun("a TestGated") })
			cancel()
			if err := <-cut; !errors.Is(err, context.Canceled) {
				t.Errorf("the call ended with %v", err)
			}
			going := p.call(t, "get_run", "")
			if going.object.Status != "running" {
				t.Errorf("%+v", going)
			}
			open()
			ended := p.call(t, "get_run", `{"wait":120}`)
			if ended.object.Status != "failed" || ended.object.RunID != going.object.RunID {
				t.Errorf("%+v", ended)
			}
		})
	}
}

func TestTwoServersDoNotRunAtOnce(t *testing.T) {
	t.Parallel()
	w, open := gatedModule(t)
	one, two := w.connect(""), w.connect("")
	first := one.call(t, "run_tests", `{"wait":0}`)
	await(t, "TestGated", func() bool { return w.hasRun("a TestGated") })
	second := two.call(t, "run_tests", `{"wait":0,"filter":"TestBad"}`)
	await(t, "the second run to wait", func() bool {
		a := two.call(t, "get_run", "")
		return a.object.Status == "queued" && a.object.WaitsFor == first.object.RunID
	})
	// Reads never wait, not even for another client's run.
	if a := two.call(t, "get_run", `{"run_id":"`+first.object.RunID+`"}`); a.object.Status != "running" {
		t.Errorf("%+v", a)
	}
	w.ran()
	open()
	if a := one.call(t, "get_run", `{"wait":120}`); a.object.Status != "failed" || a.object.RunID != first.object.RunID {
		t.Errorf("%+v", a)
	}
	if a := two.call(t, "get_run", `{"wait":120}`); a.object.Status != "failed" || a.object.RunID != second.object.RunID {
		t.Errorf("%+v", a)
	}
	if ran := w.ran(); !slices.Equal(ran, []string{"a TestBad"}) {
		t.Errorf("the second server ran %v", ran)
	}
}

// A server that is told to end keeps what its runs had found out.
func TestATerminatedServerEndsItsRunsCleanly(t *testing.T) {
	t.Parallel()
	w, _ := gatedModule(t)
	p := w.connect("")
	id := p.call(t, "run_tests", `{"wait":0}`).object.RunID
	await(t, "TestGated", func() bool { return w.hasRun("a TestGated") })
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.ended(t)
	run, _ := w.object("runs", "show", id)
	if run.State != api.StateFinished || !run.Cancelled || run.FailuresTotal == 0 {
		t.Errorf("%+v", run)
	}
}

// ended waits for the end of a server, whatever its exit code is.
func (p *pipeClient) ended(t *testing.T) {
	t.Helper()
	p.closed.Do(func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			p.session.Wait()
			p.session.Close()
		}()
		select {
		case <-done:
		case <-time.After(patience):
			t.Fatalf("the server goes on\n%s", p.stderr)
		}
	})
}

// A client that has stopped reading, or whose pipe somebody else holds, must not keep
// a server and its tests alive.
func TestAClientThatDoesNotReadIsAbandoned(t *testing.T) {
	t.Parallel()
	for how, end := range map[string]func(*rawServer) error{
		"it closes its end": func(s *rawServer) error { return s.stdin.Close() },
		"a signal":          func(s *rawServer) error { return s.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newModule(t, files{"a/a_test.go": tests("a", "TestLoud", `t.Logf("%0500000d", 1)`, "TestHangs", hang)})
			server := w.startRaw()
			server.send(rawCall(2, "run_tests", `{"filter":"TestLoud","output":"raw"}`))
			await(t, "TestLoud", func() bool { return w.hasRun("a TestLoud") })
			// This run begins when the first one is over, whose answer is more than a
			// pipe takes.
			server.send(rawCall(3, "run_tests", `{"filter":"TestHangs"}`))
			await(t, "TestHangs", func() bool { return w.hasRun("a TestHangs") })
			// Neither what it asks for meanwhile, nor what it is told is wrong with it.
			server.send(slices.Repeat([]string{rawCall(4, "nosuch", "{}"), "no message"}, 200)...)
			if err := end(server); err != nil {
				t.Fatal(err)
			}
			server.ended()
			id, _, _ := strings.Cut(w.proctor("runs").stdout, " ")
			if run, _ := w.object("runs", "show", id); run.State != api.StateFinished || !run.Cancelled {
				t.Errorf("the run is on record as %+v", run)
			}
		})
	}
}

// fill writes to a pipe until there is no room for even one more byte.
func fill(t *testing.T, pipe *os.File) {
	t.Helper()
	for _, size := range []int{4096, 1} {
		for {
			if err := pipe.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			if _, err := pipe.Write(make([]byte, size)); err != nil {
				break
			}
		}
	}
}

// Some clients keep standard error in a pipe and never read it.
func TestAFullStandardErrorHoldsUpNothing(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestGood", pass)})
	unread, stderr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer unread.Close()
	defer stderr.Close()
	fill(t, stderr)
	w.setenv("PROCTOR_LOG=trace")
	server := w.startRawWith(stderr)
	server.send(rawCall(2, "run_tests", `{}`))
	if a := server.answer(2); !strings.Contains(a, `"status":"passed"`) {
		t.Error(a)
	}
	server.stdin.Close()
	server.ended()
	refused := w.command("mcp", "--http", "nowhere")
	refused.Stderr = stderr
	if err := refused.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(patience, func() { refused.Process.Kill() })
	defer stuck.Stop()
	if refused.Wait(); refused.ProcessState.ExitCode() != exitUsage {
		t.Errorf("a server that cannot start ends with %s", refused.ProcessState)
	}
}

// A plugin that never says hello holds up the tools that need it, and nothing else.
func TestAHangingPluginDelaysNothingElse(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestGood", pass)})
	dir := t.TempDir()
	started, plugin := filepath.Join(dir, "started"), filepath.Join(dir, "proctor-plugin-slow")
	script := "#!/bin/sh\n: > '" + started + "'\nexec sleep 1000\n"
	if err := os.WriteFile(plugin, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	p := w.connectTo(w.command("--plugin", "slow="+plugin, "mcp"), "")
	if _, err := p.session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("a plugin was started before anybody asked for anything")
	}
	run := p.call(t, "run_tests", `{"wait":0.01}`)
	if run.object.Status != "running" || !strings.Contains(run.text, run.object.RunID) {
		t.Errorf("%+v", run)
	}
	await(t, "the plugin", func() bool { _, err := os.Stat(started); return err == nil })
	if _, err := p.session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if a := p.call(t, "cancel_run", ""); a.object.Status != "cancelled" {
		t.Errorf("%+v", a)
	}
}
