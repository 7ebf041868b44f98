//go:build unix

package procgroup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestExitHasCodeOrSignal(t *testing.T) {
	for role, want := range map[string]Exit{
		"exit 0":                               {},
		"exit 3":                               {Code: 3},
		"exit 255":                             {Code: 255},
		fmt.Sprintf("die %d", syscall.SIGKILL): {Code: -1, Signal: "SIGKILL"},
		fmt.Sprintf("die %d", syscall.SIGTERM): {Code: -1, Signal: "SIGTERM"},
	} {
		t.Run(role, func(t *testing.T) {
			p, _ := startRole(t, role, watcherShell)
			if got := wait(t, p); got != want {
				t.Errorf("exit %+v, want %+v", got, want)
			}
		})
	}
}

func TestProcessGetsExactlyWhatItWasGiven(t *testing.T) {
	t.Setenv("PROCGROUP_TEST_LEAK", "of the host's environment")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out := newOutput(t)
	p, err := Start(t.Context(), Config{
		Path:   os.Args[0],
		Args:   []string{"name", "an argument", ""},
		Dir:    dir,
		Env:    []string{roleEnv + "=describe", "A=b"},
		Stdout: out.write,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	out.given()
	want := fmt.Sprintf("args [\"name\" \"an argument\" \"\"]\ndir %s\nenv [\"%s=describe\" \"A=b\"]\nstdin \"\" <nil>\n", dir, roleEnv)
	if got := out.awaitEnd(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWithoutEnvironmentNothingIsInherited(t *testing.T) {
	env, err := exec.LookPath("env")
	if err != nil {
		t.Skip("no env program")
	}
	t.Setenv("PROCGROUP_TEST_LEAK", "of the host's environment")
	out := newOutput(t)
	p, err := Start(t.Context(), Config{Path: env, Stdout: out.write})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	out.given()
	if got := out.awaitEnd(); got != "" {
		t.Errorf("environment %q", got)
	}
}

func TestWaitServesManyAndHonorsItsContext(t *testing.T) {
	p, out := startRole(t, "parent", watcherShell)
	out.await("parent")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Wait(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("wait with a cancelled context: %v", err)
	}
	var waiting sync.WaitGroup
	for range 8 {
		waiting.Go(func() {
			if exit, err := p.Wait(context.Background()); err != nil || exit.Signal != "SIGKILL" {
				t.Errorf("wait: %v, %v", exit, err)
			}
		})
	}
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
	waiting.Wait()
	if exit, err := p.Wait(cancelled); err != nil || exit.Signal != "SIGKILL" {
		t.Errorf("a known exit is told whatever the context: %v, %v", exit, err)
	}
}

func TestSignalReachesTheWholeGroup(t *testing.T) {
	p, out := startRole(t, "parent", watcherShell)
	// A role that says "staying" handles signals.
	want := map[string]bool{}
	for range 2 {
		want[strings.TrimPrefix(out.await("staying"), "staying ")+" got quit"] = true
	}
	if err := p.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	for len(want) > 0 {
		delete(want, out.await(""))
	}
}

func TestStoppedProcessHearsASignal(t *testing.T) {
	p, out := startRole(t, "parent", watcherShell)
	out.await("staying")
	out.await("staying")
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := p.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if line := out.await(""); !strings.HasSuffix(line, " got quit") {
			t.Errorf("heard %q", line)
		}
	}
}

func TestKillAndReleaseSweepWhatTheLeaderLeft(t *testing.T) {
	for name, sweep := range map[string]func(*Process) error{
		"kill":    (*Process).Kill,
		"release": func(p *Process) error { p.Release(); return nil },
	} {
		for guard, shell := range map[string]string{"guarded": watcherShell, "unguarded": "/nonexistent/sh"} {
			t.Run(name+" "+guard, func(t *testing.T) {
				p, out := startRole(t, "deserter", shell)
				out.await("staying")
				if exit := wait(t, p); exit != (Exit{}) {
					t.Fatalf("leader: %v", exit)
				}
				out.mustBeHeld()
				if err := sweep(p); err != nil {
					t.Error(err)
				}
				out.awaitEnd()
			})
		}
	}
}

func TestKillEndsALeaderThatLeftTheGroup(t *testing.T) {
	p, out := startRole(t, "leave", watcherShell)
	out.await("staying")
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
	if exit := wait(t, p); exit.Signal != "SIGKILL" {
		t.Errorf("exit %v", exit)
	}
}

func TestReleaseLeavesNothingBehind(t *testing.T) {
	before := openFileCount(t)
	p, out := startRole(t, "parent", watcherShell)
	out.await("parent")
	watcher := p.group.watcher.process.Pid
	p.Release()
	p.Release()
	if err := syscall.Kill(watcher, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the watcher is still there: %v", err)
	}
	if err := p.Kill(); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("kill after release: %v", err)
	}
	_ = out.read.Close()
	if after := openFileCount(t); after != before {
		t.Errorf("%d open files before, %d after", before, after)
	}
}

func TestAPreparedGroupServesOnceAndLeavesNothingBehind(t *testing.T) {
	for name, use := range map[string]func(*Prepared) (*Process, error){
		"no process": func(*Prepared) (*Process, error) { return nil, nil },
		"a process":  func(p *Prepared) (*Process, error) { return Start(t.Context(), Config{Path: "/bin/true", Group: p}) },
		"no such program": func(p *Prepared) (*Process, error) {
			_, err := Start(t.Context(), Config{Path: "/nonexistent", Group: p})
			if err == nil {
				t.Error("no error")
			}
			return nil, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := openFileCount(t)
			p := Prepare()
			<-p.made
			watcher := p.group.watcher.process.Pid
			first, err := use(p)
			if err != nil {
				t.Fatal(err)
			}
			if first != nil {
				if first.group.id != watcher {
					t.Error("it is not in the prepared group")
				}
				second, err := use(p)
				if err != nil {
					t.Fatal(err)
				}
				if second.group.id == watcher {
					t.Error("a group has two leaders")
				}
				first.Release()
				second.Release()
			}
			p.Discard()
			if err := syscall.Kill(watcher, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("the watcher is still there: %v", err)
			}
			if after := openFileCount(t); after != before {
				t.Errorf("%d open files before, %d after", before, after)
			}
		})
	}
}

func TestSignalsDuringReleaseAreSafe(t *testing.T) {
	p, out := startRole(t, "parent", watcherShell)
	out.await("parent")
	var busy sync.WaitGroup
	for range 4 {
		busy.Go(func() {
			for p.Signal(syscall.SIGUSR1) == nil {
			}
		})
	}
	p.Release()
	busy.Wait()
}

// openFileCount counts our open files, on systems that support it.
func openFileCount(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc/self/fd here")
	}
	return len(entries)
}

// BenchmarkStart measures what the watcher adds: compare the two.
func BenchmarkStart(b *testing.B) {
	for name, shell := range map[string]string{"guarded": watcherShell, "unguarded": "/nonexistent/sh"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p, err := Start(b.Context(), Config{Path: "/bin/true", Group: prepare(shell)})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := p.Wait(b.Context()); err != nil {
					b.Fatal(err)
				}
				p.Release()
			}
		})
	}
}
