//go:build unix

package cli

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testbin"
)

func TestTwoRunsOfAWorkspaceFollowOneAnother(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go": tests("a", "TestHang", `if os.Getenv("FIXED") == "" { select {} }`),
		"b/b_test.go": tests("b", "TestGood", pass),
	})
	first := w.start("run", "--json", "./a")
	await(t, "TestHang", func() bool { return w.hasRun("a TestHang") })
	// A run that is interrupted before it began ran nothing.
	impatient, said := w.in("another").waits("run", "./b")
	impatient.Process.Signal(syscall.SIGINT)
	impatient.Wait()
	if code := impatient.ProcessState.ExitCode(); code != exitInterrupted || !strings.HasSuffix(said.String(), "proctor: interrupted\n") {
		t.Errorf("interrupted while it waits: exit %d, %s", code, said)
	}
	second, stderr := w.in("another").waits("run", "./b")
	if w.hasRun("b TestGood") {
		t.Error("two runs went on at once")
	}
	w.proctor("runs").expect(t, 0, "running") // reads do not wait
	first.cmd.Process.Signal(syscall.SIGINT)
	var run api.Run
	decodeLine(t, first.end(), &run)
	if err := second.Wait(); err != nil {
		t.Errorf("the second run: %v\n%s", err, stderr)
	}
	if !strings.Contains(stderr.String(), "waiting for run "+run.RunID+" of session e2e (process ") || !w.hasRun("b TestGood") {
		t.Errorf("it waited for another than %s: %s", run.RunID, stderr)
	}
	w.ran()
}

// waits starts a proctor that has to wait for another one, and returns when it
// does.
func (w *module) waits(args ...string) (*exec.Cmd, *lockedBuffer) {
	w.t.Helper()
	cmd, stderr := w.command(args...), &lockedBuffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { cmd.Process.Kill() })
	await(w.t.(*testing.T), "a run that waits", func() bool { return strings.Contains(stderr.String(), "waiting for run ") })
	return cmd, stderr
}

// lockedBuffer can be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestARunWithinATestOfTheWorkspaceDoesNotWaitForIt(t *testing.T) {
	t.Parallel()
	inner := `c := exec.Command(os.Getenv("PROCTOR"), "run", "./b"); c.Dir = ".."; if out, err := c.CombinedOutput(); err != nil { t.Fatalf("%v: %s", err, out) }`
	test := strings.Replace(tests("a", "TestInner", inner), "import (", "import (\n\t\"os/exec\"", 1)
	w := newModule(t, files{"a/a_test.go": test, "b/b_test.go": tests("b", "TestGood", pass)})
	w.env = append(w.env, "PROCTOR="+filepath.Clean(testbin.Path("proctor")))
	w.proctor("run", "./a", "--timeout", "60").expect(t, 0, "PASSED")
	if !w.hasRun("b TestGood") {
		t.Error("the inner run ran nothing")
	}
	w.ran()
}

func TestARunThatCannotLockTheWorkspaceSaysSo(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestGood", pass), ".proctor/run.lock/x": ""})
	w.proctor("run").expect(t, 0, "another run in this workspace may have overlapped with this one")
	w.ran()
}
