//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// leaves is a test that leaves a process which holds its output. The process
// writes its number down.
func leaves(attributes string) string {
	return `cmd := exec.Command("sleep", "300")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{` + attributes + `}
	if err := cmd.Start(); err != nil { t.Fatal(err) }
	os.WriteFile(os.Getenv("RAN_FILE")+".pid", []byte(fmt.Sprint(cmd.Process.Pid)), 0o600)`
}

func TestAProcessLeftBehindDelaysNothing(t *testing.T) {
	t.Parallel()
	for name, attributes := range map[string]string{"in the group of the tests": "", "that left the group": "Setsid: true"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newModule(t, files{"a/a_test.go": strings.Replace(
				tests("a", "TestA", leaves(attributes)), `"os"`, "\"os\"\n\t\"os/exec\"\n\t\"syscall\"", 1)})
			run, r := w.object("run", "--timeout", "4")
			pid := leftover(t, w)
			if attributes != "" {
				// Nobody else ends it.
				defer syscall.Kill(pid, syscall.SIGKILL)
			}
			// go test itself waits for whoever holds the output of a test.
			if r.code != exitTimedOut || run.Verdict == api.Passed {
				t.Errorf("exit %d, verdict %s: %s", r.code, run.Verdict, run.Reason)
			}
			if attributes == "" {
				await(t, "the end of the process in the group", func() bool { return syscall.Kill(pid, 0) != nil })
			}
		})
	}
}

func leftover(t *testing.T, w *module) int {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(w.home, "ran.pid"))
	pid, nerr := strconv.Atoi(string(raw))
	if err != nil || nerr != nil {
		t.Fatal(err, nerr)
	}
	return pid
}
