//go:build unix

package testexec_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/plugins/go/internal/testexec"
)

// waitForSignal prints that it is ready, and what it received. It handles the first
// signal if told to, and otherwise dies of it. It ends with its stdin.
func waitForSignal() {
	handled := make(chan os.Signal, 8)
	if os.Getenv("HANDLE") != "" {
		signal.Notify(handled)
	}
	fmt.Println("ready", os.Getpid())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(99)
	}()
	for sig := range handled {
		if sig == syscall.SIGURG {
			continue // the runtime sends it to itself
		}
		fmt.Println("got", sig)
		os.Exit(42)
	}
}

// process is a running program under test with a waiting child.
type process struct {
	cmd    *exec.Cmd
	output *bufio.Reader
	child  int
}

// startChild returns when the child is ready. The child ends with the test.
func startChild(t *testing.T, env ...string) process {
	t.Helper()
	dir := t.TempDir()
	return startIn(t, dir, append(env, writeTable(t, testexec.Table{Flag: "run", Packages: []testexec.Package{{Dir: dir, Expr: "A"}}}))...)
}

// startIn starts the program in a directory; a variable names its table.
func startIn(t *testing.T, dir string, env ...string) process {
	t.Helper()
	cmd := exec.Command(testBinary(t), asProgram, testBinary(t), asWaiter, "-test.run=^$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close() })
	p := process{cmd: cmd, output: bufio.NewReader(output)}
	line, err := p.output.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(line, "ready %d", &p.child); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return p
}

// wait returns how the program ended and what it printed meanwhile.
func (p process) wait(t *testing.T) (syscall.WaitStatus, string) {
	t.Helper()
	rest, err := io.ReadAll(p.output)
	if err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // the error is in the state
	return p.cmd.ProcessState.Sys().(syscall.WaitStatus), string(rest)
}

func TestSignalsArePassedOnToTheTests(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			if signal.Ignored(sig) {
				t.Skipf("SKIPPED: %v is ignored here, as below nohup, and so by every process that is started", sig)
			}
			p := startChild(t, "HANDLE=1")
			if err := p.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			status, output := p.wait(t)
			if status.ExitStatus() != 42 || !strings.Contains(output, "got "+sig.String()) {
				t.Errorf("ended with %v: %s", status, output)
			}
		})
	}
}

func TestASignalToTheGroupIsNotPassedOnTwice(t *testing.T) {
	p := startChild(t, "HANDLE=1")
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	status, output := p.wait(t)
	if status.ExitStatus() != 42 || !strings.Contains(output, "got interrupt") {
		t.Errorf("ended with %v: %s", status, output)
	}
}

func TestTheProgramDiesOfTheSignalThatEndedTheTests(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			p := startChild(t)
			if err := syscall.Kill(p.child, sig); err != nil {
				t.Fatal(err)
			}
			status, output := p.wait(t)
			if !status.Signaled() || status.Signal() != sig {
				t.Errorf("ended with %v, want %v: %s", status, sig, output)
			}
		})
	}
}

func TestOnlyTheTestsPrintStacks(t *testing.T) {
	p := startChild(t)
	if err := syscall.Kill(p.child, syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	status, output := p.wait(t)
	if status.ExitStatus() != 2 || strings.Count(output, "SIGQUIT: quit") != 1 {
		t.Errorf("ended with %v: %s", status, output)
	}
}

func TestKillingTheProgramKillsTheTests(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a child with its parent; elsewhere the process group does")
	}
	p := startChild(t)
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// The child holds the pipe: reading to its end waits for the child.
	status, _ := p.wait(t)
	if !status.Signaled() || status.Signal() != syscall.SIGKILL {
		t.Errorf("ended with %v", status)
	}
}
