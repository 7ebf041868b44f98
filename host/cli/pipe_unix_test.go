//go:build unix

package cli

import (
	"bytes"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// closedPipe is the writing end of a pipe that nobody reads.
func closedPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	t.Cleanup(func() { w.Close() })
	return w
}

func TestAReaderThatStopsEarlyIsNotAnError(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass, "TestB", broken, "TestC", pass)})
	for _, format := range []string{"default", "testname", "dots", "quiet", "raw", "json"} {
		for setting, code := range map[string]int{"FIXED=": 1, "FIXED=1": 0} {
			cmd := w.command("run", "--format", format)
			cmd.Env = append(cmd.Env, setting)
			var stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = closedPipe(t), &stderr
			_ = cmd.Run()
			if cmd.ProcessState.ExitCode() != code {
				t.Errorf("%s, %s: %s, want exit code %d\n%s", format, setting, cmd.ProcessState, code, &stderr)
			}
			if run, _ := w.object("runs", "show"); run.Counts.Passed+run.Counts.Failed != 3 {
				t.Errorf("%s: the run was cut short: %+v", format, run.Counts)
			}
		}
	}
}

// The tests must not inherit what proctor does about broken pipes.
func TestABrokenPipeStillEndsTheProgramsOfTests(t *testing.T) {
	t.Parallel()
	newModule(t, files{"a/a_test.go": `package a

import (
	"os/exec"
	"testing"
)

func TestA(t *testing.T) {
	if out, err := exec.Command("sh", "-c", "kill -PIPE $$; echo survived").Output(); err == nil {
		t.Errorf("%s", out)
	}
}
`}).proctor("run").expect(t, 0)
}

func TestAnAnswerThatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("there is no full device here")
	}
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, format := range []string{"default", "testname", "json"} {
		cmd := w.command("run", "--format", format)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &stderr
		_ = cmd.Run()
		if cmd.ProcessState.ExitCode() != exitTool || !bytes.Contains(stderr.Bytes(), []byte("no space left")) {
			t.Errorf("%s: %s\n%s", format, cmd.ProcessState, &stderr)
		}
	}
}

func TestAnInterruptEndsAParseThatWaitsForInput(t *testing.T) {
	t.Parallel()
	w := newModule(t, nil)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	if _, err := write.WriteString("hello\n"); err != nil {
		t.Fatal(err)
	}
	cmd := w.command("ingest", "--dry-run", "--plugin", "go", "-")
	cmd.Stdin = read
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var killed atomic.Bool
	stuck := time.AfterFunc(patience, func() { killed.Store(true); cmd.Process.Kill() })
	defer stuck.Stop()
	await(t, "the input is read, and more waited for", func() bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(read.Fd()), Events: unix.POLLIN}}, 0)
		return n == 0 && err == nil
	})
	cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || killed.Load() {
		t.Errorf("%s, want exit code %d\n%s", cmd.ProcessState, exitInterrupted, &stderr)
	}
}
