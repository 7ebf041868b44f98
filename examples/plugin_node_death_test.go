package examples_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pollInterval is how often waitUntil checks its condition.
const pollInterval = 20 * time.Millisecond

// waitingTest is a test that creates one file when it begins, and ends when another
// exists.
const waitingTest = `import { existsSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
test('waits', async () => {
  writeFileSync(DIR + '/begun', '');
  while (!existsSync(DIR + '/end')) await new Promise((done) => setTimeout(done, 20));
});
`

// waiting is a run in the middle of a test.
type waiting struct {
	cmd    *exec.Cmd
	out    bytes.Buffer
	errs   bytes.Buffer
	dir    string
	plugin int
}

// survivesKills kills the plugin, stops it, and kills proctor, each in the middle of a run.
func (p nodePlugin) survivesKills(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	for name, signal := range map[string]syscall.Signal{"a plugin that is killed": syscall.SIGKILL, "a plugin that is stopped": stopSignal} {
		t.Run(name+" is started again and reads the recorded output", func(t *testing.T) {
			t.Parallel()
			w := p.begin(t)
			if err := sendSignal(w.plugin, signal); err != nil {
				t.Fatal(err)
			}
			w.end(t)
			err := w.cmd.Wait()
			var r run
			if jerr := json.Unmarshal(w.out.Bytes(), &r); err != nil || jerr != nil || r.Verdict != "passed" || r.Counts.Passed != 1 {
				t.Errorf("%v %v\n%s%s", err, jerr, w.out.String(), w.errs.String())
			}
			waitUntilGone(t, w.plugin)
		})
	}
	t.Run("a plugin ends with the proctor that started it", func(t *testing.T) {
		t.Parallel()
		w := p.begin(t)
		if err := w.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = w.cmd.Wait()
		waitUntilGone(t, w.plugin)
	})
}

// begin starts a run, and returns when its test has begun.
func (p nodePlugin) begin(t *testing.T) *waiting {
	t.Helper()
	w := &waiting{dir: t.TempDir()}
	project := t.TempDir()
	place, err := json.Marshal(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"package.json":  `{"scripts": {"test": "node --test"}}`,
		"wait.test.mjs": strings.ReplaceAll(waitingTest, "DIR", string(place)),
	} {
		writeFile(t, filepath.Join(project, name), text)
	}
	w.cmd = exec.CommandContext(t.Context(), p.proctor, "run", "--json")
	w.cmd.Dir, w.cmd.Env, w.cmd.WaitDelay = project, p.env, outputDelay
	w.cmd.Stdout, w.cmd.Stderr = &w.out, &w.errs
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.cmd.Process.Kill() })
	waitUntil(t, "the test did not begin", func() bool {
		_, err := os.Stat(filepath.Join(w.dir, "begun"))
		return err == nil
	})
	w.plugin = childOf(t, w.cmd.Process.Pid, "proctor-plugin-node")
	return w
}

// end lets the test end.
func (w *waiting) end(t *testing.T) {
	t.Helper()
	writeFile(t, filepath.Join(w.dir, "end"), "")
}

// childOf returns the child of a process with a word in its command line.
func childOf(t *testing.T, parent int, word string) int {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range lines {
		line, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(line, []byte(word)) {
			continue
		}
		status, err := os.ReadFile(filepath.Join(filepath.Dir(file), "status"))
		if err == nil && strings.Contains(string(status), "\nPPid:\t"+strconv.Itoa(parent)+"\n") {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatalf("no child of %d has %q in its command line", parent, word)
	return 0
}

func waitUntilGone(t *testing.T, pid int) {
	t.Helper()
	waitUntil(t, "the plugin is still running", func() bool {
		status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
		return errors.Is(err, fs.ErrNotExist) || strings.Contains(string(status), "State:\tZ")
	})
}

// waitUntil waits for a condition, and fails the test with a message after a minute.
func waitUntil(t *testing.T, message string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for end := time.After(time.Minute); !done(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatal(message)
		}
	}
}
