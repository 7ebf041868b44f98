package project

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/store"
	"github.com/proctorhq/proctor/internal/fakeplugin"
	"github.com/proctorhq/proctor/sdk"
)

// TestMain makes the test binary act as a plugin.
func TestMain(m *testing.M) {
	if !fakeplugin.Serve() {
		os.Exit(m.Run())
	}
}

// pluginFile creates a plugin that is a script. Its process writes its pid into a file.
func pluginFile(t *testing.T) (c plugin.Candidate, write func(comment string), pid func() int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner", "proctor-plugin-plain")
	if err := os.MkdirAll(filepath.Dir(inner), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, inner); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	c = plugin.Candidate{Name: "plain", Path: filepath.Join(dir, "proctor-plugin-plain")}
	write = func(comment string) {
		t.Helper()
		text := fmt.Sprintf("#!/bin/sh\n# %s\necho $$ > %s/pid\nexec %s\n", comment, dir, inner)
		if err := errors.Join(os.WriteFile(c.Path+".new", []byte(text), 0o755), os.Rename(c.Path+".new", c.Path)); err != nil {
			t.Fatal(err)
		}
	}
	pid = func() int {
		t.Helper()
		raw, err := os.ReadFile(filepath.Join(dir, "pid"))
		if err != nil {
			t.Fatal(err)
		}
		id, err := strconv.Atoi(strings.TrimSpace(string(raw)))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	write("one")
	return c, write, pid
}

// detects makes a call to a plugin.
func detects(t *testing.T, p *plugin.Plugin) {
	t.Helper()
	if _, err := p.Detect(t.Context(), sdk.Workspace{Root: t.TempDir()}); err != nil {
		t.Error(err)
	}
}

// awaitGone waits for the end of a process.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); syscall.Kill(pid, 0) == nil; {
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there", pid)
		}
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
}

func TestAReplacedPluginIsRestartedAndTheOldOneEndsWhenIdle(t *testing.T) {
	c, write, pid := pluginFile(t)
	h := New(Config{Env: os.Environ()})
	t.Cleanup(func() { h.Close(context.Background()) })
	old, err := h.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	oldPID := pid()
	if same, err := h.Start(t.Context(), c); err != nil || same != old {
		t.Errorf("it was started anew, %v, although nothing changed", err)
	}
	write("another")
	now, err := h.Start(t.Context(), c)
	if err != nil || now == old {
		t.Fatalf("the same one, %v", err)
	}
	if pid() == oldPID {
		t.Fatal("no new process")
	}
	runtime.GC()
	detects(t, old) // somebody still needs it
	detects(t, now)
	old = nil
	awaitGone(t, oldPID)
	detects(t, now)
	if err := os.Remove(c.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Start(t.Context(), c); err == nil {
		t.Error("a plugin that is gone was started")
	}
}

func TestClosingAHostEndsThePluginsThatWereReplaced(t *testing.T) {
	c, write, pid := pluginFile(t)
	h := New(Config{Env: os.Environ()})
	old, err := h.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	oldPID := pid()
	write("another")
	if _, err := h.Start(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	newPID := pid()
	h.Close(t.Context())
	for _, id := range []int{oldPID, newPID} {
		awaitGone(t, id)
	}
	if !old.Stopped() {
		t.Error("the old one is not closed")
	}
}

func TestAPluginThatWasKilledBetweenTwoRunsWorksAgain(t *testing.T) {
	c, _, pid := pluginFile(t)
	h := New(Config{Env: os.Environ()})
	t.Cleanup(func() { h.Close(context.Background()) })
	for range 5 {
		// Perhaps only its caller notices that it is gone; then the next call works.
		var err error
		for range 2 {
			var p *plugin.Plugin
			if p, err = h.Start(t.Context(), c); err == nil {
				_, err = p.Detect(t.Context(), sdk.Workspace{Root: t.TempDir()})
			}
			if err == nil {
				break
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		id := pid()
		if err := syscall.Kill(id, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		awaitGone(t, id)
	}
}

func TestAChangedLockFileAppliesToARunningPlugin(t *testing.T) {
	c, _, _ := pluginFile(t)
	h := New(Config{Env: os.Environ()})
	t.Cleanup(func() { h.Close(context.Background()) })
	hash, err := store.Hash(t.Context(), c.Path)
	if err != nil {
		t.Fatal(err)
	}
	c.Lock = &plugin.Lock{Expected: held.Expectation{Hash: hash}, Built: true}
	if _, err := h.Start(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	c.Lock = &plugin.Lock{Expected: held.Expectation{Hash: "sha256:" + strings.Repeat("0", 64)}, Built: true}
	var mismatch *held.MismatchError
	if _, err := h.Start(t.Context(), c); !errors.As(err, &mismatch) {
		t.Errorf("got %v", err)
	}
}
