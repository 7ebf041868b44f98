package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// Command is a program to measure.
type Command struct {
	Argv []string
	Dir  string
	// Env is added to this process's environment.
	Env []string
	// Piped reports whether standard output goes through a pipe that is read
	// immediately, as if into another program; otherwise the system discards it.
	Piped bool
	// Watch requests the peak memory of each program in the process tree.
	Watch bool
	// Exits are the expected exit codes; none means only 0.
	Exits []int
}

// Sample is one execution.
type Sample struct {
	Wall, CPU time.Duration
	// Peaks are the largest resident sets in bytes, by program name; nil unless watched
	// on a system that supports it.
	Peaks map[string]int64
}

// maxStderr is how much of a failed program's standard error is shown.
const maxStderr = 4 << 10

// Run executes a command once.
func Run(ctx context.Context, c Command) (Sample, error) {
	return run(ctx, c, nil)
}

// Output executes a command once and returns what it prints.
func Output(ctx context.Context, c Command) ([]byte, error) {
	out, _, err := Record(ctx, c)
	return out, err
}

// Record executes a command once and returns what it prints, and what it took.
func Record(ctx context.Context, c Command) ([]byte, Sample, error) {
	var out bytes.Buffer
	s, err := run(ctx, c, &out)
	return out.Bytes(), s, err
}

func run(ctx context.Context, c Command, out io.Writer) (Sample, error) {
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, append(os.Environ(), c.Env...)
	last := &ending{limit: maxStderr}
	cmd.Stderr = last
	switch {
	case out != nil:
		cmd.Stdout = out
	case c.Piped:
		cmd.Stdout = drain{}
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return Sample{}, err
	}
	peaks := func() map[string]int64 { return nil }
	if c.Watch {
		peaks = watch(cmd.Process.Pid)
	}
	err := cmd.Wait()
	s := Sample{Wall: time.Since(began), Peaks: peaks()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return s, err
	}
	if ctx.Err() != nil {
		return s, ctx.Err()
	}
	code := cmd.ProcessState.ExitCode()
	s.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if !c.expects(code) {
		return s, fmt.Errorf("%q ended with exit code %d, so its time means nothing; standard error:\n%s", c.Argv, code, last.b)
	}
	return s, nil
}

func (c Command) expects(code int) bool {
	return slices.Contains(c.Exits, code) || len(c.Exits) == 0 && code == 0
}

// drain reads and discards everything. It is not an *os.File, so that there is a pipe
// in front of it.
type drain struct{}

func (drain) Write(p []byte) (int, error) { return len(p), nil }

// ending keeps the end of what is written.
type ending struct {
	b     []byte
	limit int
}

func (e *ending) Write(p []byte) (int, error) {
	e.b = append(e.b, p...)
	if over := len(e.b) - e.limit; over > 0 {
		e.b = e.b[over:]
	}
	return len(p), nil
}
