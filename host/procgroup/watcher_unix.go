//go:build unix

package procgroup

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
)

const (
	// watcherShell is the shell of POSIX systems.
	watcherShell = "/bin/sh"

	// watcherLimit is how long a shell may take to become ready: a millisecond, or far
	// longer on a machine that swaps. It only ends the wait for one that never will.
	watcherLimit = 10 * time.Second

	// watcherScript ignores what a host or a test may send to its own group, says so,
	// waits until the host is gone, and takes the group with it. SIGSTOP cannot be
	// ignored, but the kernel continues a stopped group when the last parent outside of
	// it ends, unless its new parent belongs to the same terminal session.
	watcherScript = `trap '' HUP INT QUIT ABRT TERM USR1 USR2 ALRM VTALRM PROF PIPE XCPU XFSZ TSTP TTIN TTOU
echo
exec >&-
while read -r _; do :; done
kill -KILL 0`
)

// watcher is a process that leads a group and kills it when we are gone.
type watcher struct {
	process  *os.Process
	lifeline *os.File // the end that we hold; exec closes it in every child
	ready    *os.File // where it says that signals no longer harm it
}

// startWatcher starts a watcher. It leads its group from now on, and is not yet ready.
func startWatcher(shell string) (*watcher, error) {
	watched, lifeline, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = watched.Close() }()
	ready, tell, err := os.Pipe()
	if err != nil {
		_ = lifeline.Close()
		return nil, err
	}
	process, err := os.StartProcess(shell, []string{"sh", "-c", watcherScript, "proctor-watcher"}, &os.ProcAttr{
		Dir:   "/", // keeps no directory busy
		Env:   []string{},
		Files: []*os.File{watched, tell, nil},
		Sys:   &syscall.SysProcAttr{Setpgid: true},
	})
	_ = tell.Close()
	if err != nil {
		_ = lifeline.Close()
		_ = ready.Close()
		return nil, fmt.Errorf("no watcher: %w", err)
	}
	return &watcher{process: process, lifeline: lifeline, ready: ready}, nil
}

// close ends the watcher, and with it what is left of its group, and reaps it.
func (w *watcher) close() {
	_ = w.ready.Close()
	_ = w.lifeline.Close()
	_, _ = w.process.Wait()
}

// awaitReady waits until signals no longer harm the watcher. After an error it is dead, and
// until it is reaped its group still has its id.
func (w *watcher) awaitReady(ctx context.Context) error {
	err := w.readReady(ctx)
	if err == nil {
		return nil
	}
	_ = w.process.Kill()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("no watcher: it did not get ready: %w", err)
}

// readReady waits for the watcher's ready line.
func (w *watcher) readReady(ctx context.Context) error {
	if err := w.ready.SetReadDeadline(time.Now().Add(watcherLimit)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = w.ready.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	_, err := w.ready.Read(make([]byte, 1))
	return err
}
