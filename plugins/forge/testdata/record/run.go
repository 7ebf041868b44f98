//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/proctorhq/proctor/plugins/forge/testdata/corpus"
)

type end struct {
	stdout, stderr []byte
	code           int
	signal         string
}

func run(ctx context.Context, cmd *exec.Cmd, stop *corpus.Stop) (end, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		return end{}, err
	}
	if stop != nil {
		t := time.AfterFunc(time.Duration(stop.AfterSeconds*float64(time.Second)), func() {
			_ = syscall.Kill(-cmd.Process.Pid, unix.SignalNum(stop.Signal))
		})
		defer t.Stop()
	}
	err := cmd.Wait()
	if ctx.Err() != nil {
		return end{}, fmt.Errorf("stopped: %w", ctx.Err())
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return end{}, err
	}
	e := end{stdout: stdout.Bytes(), stderr: stderr.Bytes(), code: cmd.ProcessState.ExitCode()}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.signal = unix.SignalName(ws.Signal())
	}
	return e, nil
}
