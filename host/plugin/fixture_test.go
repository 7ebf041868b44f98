//go:build unix

package plugin

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"go.uber.org/goleak"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// patience bounds what a test waits for on a busy machine.
const patience = time.Minute

// fixture is a place to start a plugin in some mode. It checks that the test leaves
// nothing of it behind.
type fixture struct {
	home   string
	config Config
	log    *lockedBuffer
}

func newFixture(t *testing.T, mode string) *fixture {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	// t.TempDir is too long for sockets.
	root, err := os.MkdirTemp("", "pp")
	if err != nil {
		t.Fatal(err)
	}
	root, err = filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{home: filepath.Join(root, "home"), log: &lockedBuffer{}}
	if err := os.Mkdir(f.home, 0o700); err != nil {
		t.Fatal(err)
	}
	f.config = Config{
		Candidate:        Candidate{Name: mode, Path: installBinary(t, root, mode)},
		RunDir:           filepath.Join(root, "run"),
		Environ:          []string{"HOME=" + f.home, "PATH=.:/bin:bin:", "SECRET=hunter2", "LC_ALL=C", "LANG=C"},
		Logger:           hclog.New(&hclog.LoggerOptions{Output: f.log, Level: hclog.Debug}),
		StartTimeout:     10 * time.Second,
		DescribeTimeout:  10 * time.Second,
		CallTimeout:      10 * time.Second,
		ParseIdleTimeout: 10 * time.Second,
		// Under the race detector each exit takes a second.
		CloseGrace: 200 * time.Millisecond,
	}
	t.Cleanup(func() {
		f.assertNoSurvivors(t)
		f.assertNoRunDirs(t)
		goleak.VerifyNone(t, leaks)
		_ = os.RemoveAll(root)
	})
	return f
}

// installBinary provides the test binary under a plugin's name.
func installBinary(t testing.TB, dir, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, manifest.BinaryPrefix+name)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// start starts the plugin and closes it at the end.
func (f *fixture) start(t *testing.T) *Plugin {
	t.Helper()
	p, err := Start(t.Context(), f.config)
	if err != nil {
		t.Fatalf("Start: %v\n%s", err, f.log)
	}
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return p
}

// pids are the processes that ran.
func (f *fixture) pids() []int {
	var pids []int
	data, _ := os.ReadFile(filepath.Join(f.home, "pids"))
	for _, line := range strings.Fields(string(data)) {
		pid, _ := strconv.Atoi(line)
		pids = append(pids, pid)
	}
	return pids
}

func (f *fixture) assertNoSurvivors(t *testing.T) {
	t.Helper()
	for _, pid := range f.pids() {
		if !gone(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
}

// gone waits for a process that is ending.
func gone(pid int) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if !processExists(pid) || isZombie(pid) {
			return true
		}
	}
	return false
}

// isZombie reports whether a process has ended without its adoptive parent noticing,
// which is nobody's fault here.
func isZombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	return bytes.HasPrefix(bytes.TrimSpace(stat[bytes.LastIndexByte(stat, ')')+1:]), []byte("Z"))
}

func (f *fixture) assertNoRunDirs(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(f.config.RunDir)
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
	for _, e := range entries {
		t.Errorf("left behind: %s", e.Name())
	}
}

// events records what a parser reports.
type events struct {
	mu       sync.Mutex
	failures []sdk.Failure
	notes    []string
}

var _ client.EventSink = (*events)(nil)

func (e *events) Test(sdk.TestResult)   {}
func (e *events) Suite(sdk.SuiteResult) {}
func (e *events) Unread(sdk.Unread)     {}
func (e *events) RunError(string)       {}
func (e *events) Condition(_, _ string) {}
func (e *events) Output([]byte)         {}
func (e *events) Progress(sdk.Progress) {}

func (e *events) Failure(f sdk.Failure) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failures = append(e.failures, f)
}

func (e *events) Note(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.notes = append(e.notes, text)
}

// lockedBuffer is a log for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(data)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
