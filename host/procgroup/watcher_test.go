//go:build unix

package procgroup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostProcess is a second host, with a parent and a child in a group of their own.
type hostProcess struct {
	t   *testing.T
	cmd *exec.Cmd
	in  *os.File
	out *output
	// pids are the parent and the child.
	pids [2]int
}

func startHost(t *testing.T) *hostProcess {
	t.Helper()
	out := newOutput(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{roleEnv + "=host", quickExit}
	cmd.Stdin, cmd.Stdout = r, out.write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.given()
	_ = r.Close()
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); _ = w.Close() })
	h := &hostProcess{t: t, cmd: cmd, in: w, out: out}
	for i := range h.pids {
		if _, err := fmt.Sscanf(out.await("staying"), "staying %d", &h.pids[i]); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h *hostProcess) order(text string) {
	h.t.Helper()
	if _, err := fmt.Fprintln(h.in, text); err != nil {
		h.t.Fatal(err)
	}
}

// end kills only the host and waits until it is gone.
func (h *hostProcess) end() {
	h.t.Helper()
	limit := time.AfterFunc(patience, func() { _ = h.cmd.Process.Kill() })
	defer limit.Stop()
	_ = h.cmd.Wait()
}

func TestChildAndGrandchildEndWithTheHost(t *testing.T) {
	for name, end := range map[string]func(*hostProcess){
		"killed":  func(h *hostProcess) { _ = h.cmd.Process.Kill() },
		"exited":  func(h *hostProcess) { h.order("exit") },
		"crashed": func(h *hostProcess) { h.order("panic") },
	} {
		t.Run(name, func(t *testing.T) {
			h := startHost(t)
			end(h)
			h.end()
			h.out.awaitEnd()
		})
	}
}

func TestWatcherSurvivesSignalsToTheGroup(t *testing.T) {
	h := startHost(t)
	for _, sig := range deaf {
		h.order(fmt.Sprintf("signal %d", sig))
		h.out.await("sent")
	}
	_ = h.cmd.Process.Kill()
	h.end()
	h.out.awaitEnd()
}

func TestStoppedGroupEndsWithTheHost(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc/self/stat here, to see who is stopped")
	}
	h := startHost(t)
	h.order(fmt.Sprintf("signal %d", syscall.SIGSTOP))
	h.out.await("sent")
	for _, pid := range h.pids {
		awaitStopped(t, pid)
	}
	group, err := syscall.Getpgid(h.pids[0])
	if err != nil {
		t.Fatal(err)
	}
	awaitStopped(t, group) // the watcher
	_ = h.cmd.Process.Kill()
	h.end()
	h.out.awaitEnd()
}

// awaitStopped polls: nothing notifies us about a process that is not our child.
func awaitStopped(t *testing.T, pid int) {
	t.Helper()
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(stat), ") T ") {
			return
		}
	}
	t.Fatalf("process %d does not stop", pid)
}

func TestWithoutShellTheGroupIsUnguardedAndSaysSo(t *testing.T) {
	p, _ := startRole(t, "exit 4", "/nonexistent/sh")
	if err := p.Unguarded(); err == nil || !strings.Contains(err.Error(), "/nonexistent/sh") {
		t.Errorf("unguarded: %v", err)
	}
	if exit := wait(t, p); exit.Code != 4 {
		t.Errorf("exit %v", exit)
	}
}

func TestAShellThatEndsAtOnceIsNotAWatcher(t *testing.T) {
	shell := filepath.Join(t.TempDir(), "sh")
	if err := os.WriteFile(shell, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p, out := startRole(t, "parent", shell)
	if p.Unguarded() == nil {
		t.Error("guarded by a dead watcher")
	}
	out.await("parent")
	p.Release()
	out.awaitEnd()
}

func TestWithShellTheGroupIsGuarded(t *testing.T) {
	p, _ := startRole(t, "exit 0", watcherShell)
	if err := p.Unguarded(); err != nil {
		t.Error(err)
	}
}
