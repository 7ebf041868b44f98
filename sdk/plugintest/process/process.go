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
	// maxGreeting is the longest handshake line that a host reads. With a certificate it
	// takes about 1 KiB.
	maxGreeting = 8 << 10
	// maxKept is how many bytes are kept of each stream: enough to see what went wrong.
	maxKept = 64 << 10
	// pipeDelay is how long the pipes of an ended process are read: one that it left
	// behind may hold them open forever.
	pipeDelay = 2 * time.Second
)

// Config says how to start a plugin.
type Config struct {
	// Path is the path of the binary.
	Path string
	Args []string
	// Dir is the working directory.
	Dir string
	// Env is the complete environment.
	Env []string
	// StdinEnded reports whether standard input is at its end from the start; otherwise
	// it stays open until CloseStdin.
	StdinEnded bool
}

// Process is a running plugin.
type Process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout *outputStream
	stderr *tail
	done   chan struct{}
}

// Start starts a plugin. It is killed when ctx ends.
func Start(ctx context.Context, config Config) (*Process, error) {
	cmd := exec.CommandContext(ctx, config.Path, config.Args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = config.Dir, config.Env, pipeDelay
	ownGroup(cmd)
	p := &Process{cmd: cmd, stdout: newOutputStream(), stderr: &tail{}, done: make(chan struct{})}
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

// PID returns the id of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Ended is closed when the process has ended and its output has been read.
func (p *Process) Ended() <-chan struct{} { return p.done }

// Exit returns how the process ended. Call it after Ended.
func (p *Process) Exit() *os.ProcessState { return p.cmd.ProcessState }

// WaitFor waits for the end of the process, and reports whether it came in time.
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

// CloseStdin ends standard input.
func (p *Process) CloseStdin() {
	if p.stdin != nil {
		_ = p.stdin.Close()
	}
}

// Kill ends the process and what it started, including what it left behind, and waits
// for it.
func (p *Process) Kill() {
	killGroup(p.cmd)
	<-p.done
}

// Stdout returns what was printed to standard output: the first line, and the rest.
func (p *Process) Stdout() (first, rest string) { return p.stdout.text() }

// Stderr returns the end of what was printed to standard error.
func (p *Process) Stderr() string { return p.stderr.String() }

// StartError reports a program that could not be started.
type StartError struct {
	Path string
	Err  error
}

func (e *StartError) Error() string {
	cause := e.Err
	if file, ok := errors.AsType[*fs.PathError](e.Err); ok {
		cause = file.Err // it names the path already
	}
	return fmt.Sprintf("cannot start plugin %s: %v; give a program for this machine that you are allowed to execute", e.Path, cause)
}

func (e *StartError) Unwrap() error { return e.Err }
