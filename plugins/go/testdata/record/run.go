//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/proctorhq/proctor/plugins/go/testdata/corpus"
)

// betweenSignals is the grace between two signals of a case.
const betweenSignals = time.Second

type end struct {
	stdout, stderr []byte
	code           int
	signal         string
}

// watched closes seen once a text has been written.
type watched struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	text string
	seen chan struct{}
	once sync.Once
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf.Write(p)
	if w.text != "" && bytes.Contains(w.buf.Bytes(), []byte(w.text)) {
		w.once.Do(func() { close(w.seen) })
	}
	return len(p), nil
}

func run(ctx context.Context, cmd *exec.Cmd, stop *corpus.Stop) (end, error) {
	stdout := &watched{seen: make(chan struct{})}
	var stderr bytes.Buffer
	if stop != nil {
		stdout.text = stop.After
	}
	cmd.Stdout, cmd.Stderr = stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		return end{}, err
	}
	done := make(chan struct{})
	var stopper sync.WaitGroup
	if stop != nil {
		stopper.Go(func() { interrupt(cmd.Process.Pid, stop, stdout.seen, done) })
	}
	err := cmd.Wait()
	close(done)
	stopper.Wait()
	// Processes that a killed go command left behind would go on.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if ctx.Err() != nil {
		return end{}, fmt.Errorf("stopped: %w", ctx.Err())
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return end{}, err
	}
	e := end{stdout: stdout.buf.Bytes(), stderr: stderr.Bytes(), code: cmd.ProcessState.ExitCode()}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.signal = unix.SignalName(ws.Signal())
	}
	return e, nil
}

func interrupt(pid int, stop *corpus.Stop, seen, done <-chan struct{}) {
	select {
	case <-seen:
	case <-done:
		return
	}
	if stop.To != "go" {
		pid = -pid
	}
	for _, name := range stop.Signals {
		// A first moment lets the test get from its message to its wait.
		select {
		case <-time.After(betweenSignals):
		case <-done:
			return
		}
		_ = syscall.Kill(pid, unix.SignalNum(name))
	}
}
