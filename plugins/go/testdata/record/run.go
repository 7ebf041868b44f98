//go:build unix

package main

import (
	"bytes"
	"context"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/proctorhq/proctor/plugins/go/testdata/corpus"
	"github.com/proctorhq/proctor/plugins/internal/recorded"
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
	if err := recorded.Start(cmd); err != nil {
		return end{}, err
	}
	done := make(chan struct{})
	var stopper sync.WaitGroup
	if stop != nil {
		stopper.Go(func() { interrupt(cmd.Process.Pid, stop, stdout.seen, done) })
	}
	code, signal, err := recorded.Wait(ctx, cmd)
	close(done)
	stopper.Wait()
	// Processes that a killed go command left behind would go on.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return end{stdout.buf.Bytes(), stderr.Bytes(), code, signal}, err
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
