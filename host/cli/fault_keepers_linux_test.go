package cli

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// strike is the beginning of a test that ends who watches over it: the processes of
// its user are all within its reach.
const strike = `stat := func(pid int) []string {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return strings.Fields(string(raw[strings.LastIndex(string(raw), ")")+1:]))
	}
	parent := func(pid int) (n int) { fmt.Sscan(stat(pid)[1], &n); return n }
	proctor := parent(os.Getppid())
	plugin := func() int {
		all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, path := range all {
			var pid int
			fmt.Sscanf(path, "/proc/%d/", &pid)
			if raw, _ := os.ReadFile(path); strings.Contains(string(raw), "proctor-plugin-go") && parent(pid) == proctor { return pid }
		}
		return 0
	}
	`

// A test that ends those who watch over it, or spoils what they have written down, gets
// no green for it.
func TestATestThatKillsItsSupervisorsIsNotGreen(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		does    string
		verdict api.Verdict
	}{
		// The failure that follows is on record all the same.
		"the watcher and the plugin": {`syscall.Kill(syscall.Getpgrp(), syscall.SIGKILL); syscall.Kill(plugin(), syscall.SIGKILL)`, api.Failed},
		"the records of its run": {`for _, pattern := range []string{"*/*.jsonl", "*/0-*"} {
			all, _ := filepath.Glob("../.proctor/runs/" + pattern)
			for _, path := range all { os.Truncate(path, 0) }
		}
		syscall.Kill(0, 0)
		all, _ := filepath.Glob("../.proctor/runs/*/alive")
		for _, path := range append(all, "../.proctor/run.lock") { os.Remove(path) }
		_ = plugin`, api.Failed},
		"go and the whole group": {`_ = plugin; syscall.Kill(0, syscall.SIGKILL); select {}`, api.Incomplete},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newModule(t, files{"a/a_test.go": strings.Replace(
				tests("a", "TestGood", pass, "TestStrike", strike+tc.does, "TestBad", broken),
				`"os"`, "\"os\"\n\t\"path/filepath\"\n\t\"strings\"\n\t\"syscall\"", 1)})
			run, r := w.object("run")
			if run.Verdict != tc.verdict || r.code == 0 {
				t.Errorf("exit %d, verdict %s: %s", r.code, run.Verdict, run.Reason)
			}
			last, _ := w.object("failures")
			if last.RunID != run.RunID || last.Verdict != tc.verdict {
				t.Errorf("the last run is %s, verdict %s", last.RunID, last.Verdict)
			}
			if text := w.proctor("rerun", "--list"); !strings.Contains(text.stdout, "TestBad") {
				t.Errorf("what failed is not outstanding: %s", text.stdout)
			}
		})
	}
}
