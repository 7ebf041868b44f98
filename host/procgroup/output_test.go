//go:build unix

package procgroup

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// patience bounds what should happen at once, even on a busy machine.
const patience = time.Minute

// output is a pipe that processes write to. It does not end while one of them lives,
// which tells the tests who is alive.
type output struct {
	t     *testing.T
	read  *os.File
	write *os.File
	lines *bufio.Reader
}

func newOutput(t *testing.T) *output {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(); _ = w.Close() })
	return &output{t: t, read: r, write: w, lines: bufio.NewReader(r)}
}

// given closes our copy of the write end once a process has it.
func (o *output) given() { _ = o.write.Close() }

// await reads up to a line with this prefix.
func (o *output) await(prefix string) string {
	o.t.Helper()
	_ = o.read.SetReadDeadline(time.Now().Add(patience))
	for {
		line, err := o.lines.ReadString('\n')
		if err != nil {
			o.t.Fatalf("waiting for %q: %v", prefix, err)
		}
		if strings.HasPrefix(line, prefix) {
			return strings.TrimSpace(line)
		}
	}
}

// awaitEnd reads to the end, which comes when all writers are gone.
func (o *output) awaitEnd() string {
	o.t.Helper()
	_ = o.read.SetReadDeadline(time.Now().Add(patience))
	rest, err := io.ReadAll(o.lines)
	if err != nil {
		o.t.Fatalf("somebody who should be gone still holds the output: %v", err)
	}
	return string(rest)
}

// mustBeHeld fails if no writer is left.
func (o *output) mustBeHeld() {
	o.t.Helper()
	_ = o.read.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	for {
		_, err := o.lines.ReadString('\n')
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		if err != nil {
			o.t.Fatalf("nobody holds the output any longer: %v", err)
		}
	}
}

// startRole starts the test binary in a role, with an output as its stdout.
func startRole(t *testing.T, role, shell string) (*Process, *output) {
	t.Helper()
	out := newOutput(t)
	p, err := Start(t.Context(), Config{
		Group:  prepare(shell),
		Path:   os.Args[0],
		Env:    []string{roleEnv + "=" + role, quickExit},
		Stdout: out.write,
		Stderr: os.Stderr,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Release)
	out.given()
	return p, out
}

// wait waits for the leader to end.
func wait(t *testing.T, p *Process) Exit {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	exit, err := p.Wait(ctx)
	if err != nil {
		t.Fatalf("wait: %v", err)
	}
	return exit
}
