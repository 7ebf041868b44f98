package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"time"
)

const (
	// maxGreeting is the longest handshake line that a host reads. With a
	// certificate it has about 1 KiB.
	maxGreeting = 8 << 10
	// maxKept is how much is kept of either stream: enough to say what went
	// wrong.
	maxKept = 64 << 10
	// pipeDelay is how long the pipes of a process that has ended are read: one
	// that it left behind may hold them open for ever.
	pipeDelay = 2 * time.Second
)

// Config is how a plugin is started.
type Config struct {
	// Path of the binary.
	Path string
	Args []string
	// Dir is the working directory.
	Dir string
	// Env is the whole environment.
	Env []string
	// StdinEnded reports whether standard input is at its end from the start. Otherwise
	// it is open until CloseStdin.
	StdinEnded bool
}

// Process is a running plugin.
type Process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout *greeted
	stderr *tail
	done   chan struct{}
}

// Start starts a plugin. It is killed when ctx ends.
func Start(ctx context.Context, config Config) (*Process, error) {
	cmd := exec.CommandContext(ctx, config.Path, config.Args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = config.Dir, config.Env, pipeDelay
	ownGroup(cmd)
	p := &Process{cmd: cmd, stdout: newGreeted(), stderr: &tail{}, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.stdout, p.stderr
	if !config.StdinEnded {
		stdin, err := cmd.StdinPipe()
		if err != nil {
			return nil, &StartError{Path: config.Path, Err: err}
		}
		p.stdin = stdin
	}
	if err := cmd.Start(); err != nil {
		return nil, &StartError{Path: config.Path, Err: err}
	}
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // how it ended is in ProcessState
		p.stdout.end()
	}()
	return p, nil
}

// PID is the id of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Ended is closed after the process ended and its output was read.
func (p *Process) Ended() <-chan struct{} { return p.done }

// Exit is how the process ended. It is for after Ended.
func (p *Process) Exit() *os.ProcessState { return p.cmd.ProcessState }

// WaitFor waits for the end of the process, and reports whether it came.
func (p *Process) WaitFor(ctx context.Context, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// CloseStdin ends the standard input.
func (p *Process) CloseStdin() {
	if p.stdin != nil {
		_ = p.stdin.Close()
	}
}

// Kill ends the process and what it started, also what it left behind, and waits
// for it.
func (p *Process) Kill() {
	killGroup(p.cmd)
	<-p.done
}

// Stdout is what was printed to standard output: the first line, and the rest.
func (p *Process) Stdout() (first, rest string) { return p.stdout.text() }

// Stderr is the end of what was printed to standard error.
func (p *Process) Stderr() string { return p.stderr.String() }

// StartError is a program that could not be started.
type StartError struct {
	Path string
	Err  error
}

func (e *StartError) Error() string {
	cause := e.Err
	if file, ok := errors.AsType[*fs.PathError](e.Err); ok {
		cause = file.Err // the path is named already
	}
	return fmt.Sprintf("plugin %s cannot be started: %v; give a program for this machine that you may execute", e.Path, cause)
}

func (e *StartError) Unwrap() error { return e.Err }
