//go:build unix

package main

import (
	"bytes"
	"context"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/proctorhq/proctor/plugins/forge/testdata/corpus"
	"github.com/proctorhq/proctor/plugins/internal/recorded"
)

type end struct {
	stdout, stderr []byte
	code           int
	signal         string
}

func run(ctx context.Context, cmd *exec.Cmd, stop *corpus.Stop) (end, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := recorded.Start(cmd); err != nil {
		return end{}, err
	}
	if stop != nil {
		t := time.AfterFunc(time.Duration(stop.AfterSeconds*float64(time.Second)), func() {
			_ = syscall.Kill(-cmd.Process.Pid, unix.SignalNum(stop.Signal))
		})
		defer t.Stop()
	}
	code, signal, err := recorded.Wait(ctx, cmd)
	return end{stdout.Bytes(), stderr.Bytes(), code, signal}, err
}
