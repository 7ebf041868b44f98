package mcp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/mcp/directory"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/internal/fakeplugin"
	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// patience bounds one call on a busy machine.
const patience = 2 * time.Minute

// pluginDir contains the plugin for Go and nothing else. built puts it there for the
// first test that needs it.
var (
	pluginDir string
	built     = sync.OnceValue(func() error {
		path := testbin.Path("proctor-plugin-go")
		return os.Symlink(path, filepath.Join(pluginDir, filepath.Base(path)))
	})
)

// TestMain checks for leaked goroutines. The test binary also acts as the fake plugins.
func TestMain(m *testing.M) {
	if fakeplugin.Serve() {
		return
	}
	var err error
	if pluginDir, err = os.MkdirTemp("", "proctor-mcp-*"); err == nil {
		err = os.Mkdir(filepath.Join(pluginDir, "none"), 0o700)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testbin.PlayMoreAtOnce()
	code := m.Run()
	os.RemoveAll(pluginDir)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// files is a tree: contents by slash-separated path.
type files map[string]string

// site is a workspace with a server. The workspace is a Go module without dependencies,
// unless the tree says otherwise.
type site struct {
	dir, home string
	keeper    *ledger.Keeper
	server    *Server
}

// setting changes how a site is made.
type setting func(*project.Config, *Config)

// The fake plugins, and what they do.
const (
	fakeOther   = "other"
	fakeNoTool  = "notool"
	fakeMute    = "mute"
	fakeHang    = "hang"
	fakeHostile = "hostile"
	fakePanics  = "panics"
	fakeShell   = "shell"
)

var fakes = map[string]fakeplugin.Script{
	fakeNoTool:  {Tools: []string{"no-such-program-for-proctor"}},
	fakeMute:    {Silent: true},
	fakeHang:    {Hangs: true},
	fakeHostile: {Report: hostileReport()},
	fakePanics:  {Panic: "at work"},
	fakeShell:   {Shell: true},
}

// withPlugin makes a fake plugin available.
func withPlugin(t testing.TB, name string) setting {
	path := fakeplugin.New(t, name, fakes[name])
	return func(h *project.Config, _ *Config) { h.Plugins[name] = path }
}

// withoutGo leaves the plugin for Go out.
func withoutGo() setting {
	return func(h *project.Config, _ *Config) { h.Executable = filepath.Join(pluginDir, "none", "proctor") }
}

// withLease sets the times of a server.
func withLease(lease, heartbeat time.Duration) setting {
	return func(_ *project.Config, c *Config) { c.Lease, c.Heartbeat = lease, heartbeat }
}

// clock is the time of a site. It moves only when a test moves it, so that tests
// control ages.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Now()} }

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// withClock makes a site use a clock.
func withClock(c *clock) setting { return func(h *project.Config, _ *Config) { h.Now = c.time } }

// newSite creates a workspace and a server. Nothing has run, and no plugin has been
// started. The end of the test ends both. Without a tree there is no plugin either.
func newSite(t testing.TB, tree files, settings ...setting) *site {
	t.Helper()
	if testing.Short() {
		t.Skip("runs go test")
	}
	s := &site{dir: filepath.Join(testbin.Place(t), "ws"), home: testbin.Home(t)}
	if _, own := tree["go.mod"]; !own && len(tree) > 0 {
		s.write(t, files{"go.mod": "module example.com/m\n\ngo 1.20\n"})
	}
	s.write(t, tree)
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	hc := project.Config{
		Version: "test", Executable: filepath.Join(pluginDir, "proctor"), Plugins: map[string]string{}, Env: siteEnv(s.home),
		Session: "site", StateHome: filepath.Join(s.home, "state"),
	}
	var mu sync.Mutex
	sessions := 0
	c := Config{
		Version: "test", Place: directory.Server{Env: hc.Env, Dir: s.dir}, Heartbeat: 50 * time.Millisecond, Introduction: time.Minute,
		NewSession: func() string {
			mu.Lock()
			defer mu.Unlock()
			sessions++
			return fmt.Sprintf("client%d", sessions)
		},
	}
	for _, set := range settings {
		set(&hc, &c)
	}
	if len(tree) > 0 && filepath.Dir(hc.Executable) == pluginDir {
		if err := built(); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	s.keeper = ledger.New(hc)
	t.Cleanup(func() { s.keeper.Close(context.WithoutCancel(t.Context())) })
	c.Keeper = s.keeper
	s.server = New(c)
	return s
}

// newShellSite creates a site whose tests are shell commands, for what does not depend on
// the language: they cost a fraction of Go's.
func newShellSite(t testing.TB, tree files, settings ...setting) *site {
	t.Helper()
	return newSite(t, tree, append(shell(t), settings...)...)
}

// shell makes the tests of a site shell commands.
func shell(t testing.TB) []setting { return []setting{withoutGo(), withPlugin(t, fakeShell)} }

// siteEnv returns an environment without settings of the user who runs these tests, but
// with their build cache.
func siteEnv(home string) []string {
	return append(testbin.UserEnv(home), "HOLD="+holdPath(home))
}

// write adds files to the workspace.
func (s *site) write(t testing.TB, tree files) {
	t.Helper()
	testfiles.WriteAll(t, s.dir, tree)
}

// recorded returns a run as it is on record.
func (s *site) recorded(t testing.TB, id string) api.Run {
	t.Helper()
	run, _, err := query.Show(t.Context(), s.keeper, api.LastRun{Where: api.Where{Dir: s.dir}, Ref: id})
	if err != nil {
		t.Fatalf("run %q: %v", id, err)
	}
	return run
}

// latest returns the newest run on record, of any session.
func (s *site) latest(t testing.TB) api.Run {
	t.Helper()
	runs, err := query.Runs(t.Context(), s.keeper, api.RunsRequest{Where: api.Where{Dir: s.dir}, Limit: 1})
	if err != nil || len(runs.Runs) == 0 {
		t.Fatalf("no run is on record: %v", err)
	}
	return s.recorded(t, runs.Runs[0].RunID)
}

// until waits for something that another process or goroutine does.
func until(t testing.TB, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !happened(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not happen within %v", what, patience)
		}
	}
}

// held is a test that reports that it is waiting, and waits as long as the site holds it:
// see site.hold.
const held = `: >"$HOLD.held"; while [ -e "$HOLD" ]; do sleep 0.01; done`

// bad is a test that fails and says so.
const bad = "echo bad; false"

func holdPath(home string) string { return filepath.Join(home, "hold") }

// hold makes the tests held wait until the returned function is called.
func (s *site) hold(t testing.TB) (release func()) {
	t.Helper()
	path := holdPath(s.home)
	os.Remove(path + ".held")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	release = func() { os.Remove(path) }
	t.Cleanup(release)
	return release
}

// isHeld reports whether a test is waiting.
func (s *site) isHeld() bool {
	_, err := os.Stat(holdPath(s.home) + ".held")
	return err == nil
}

// tests returns a file of tests from alternating names and bodies.
func tests(pairs ...string) string {
	var b strings.Builder
	b.WriteString("package m\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n\t\"time\"\n)\n\nvar (\n\t_ = fmt.Sprint\n\t_ = os.Getenv\n\t_ = time.Now\n)\n")
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, "\nfunc %s(t *testing.T) {%s}\n", pairs[i], pairs[i+1])
	}
	return b.String()
}

// shellTests returns a file of tests from alternating names and commands.
func shellTests(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintln(&b, pairs[i], pairs[i+1])
	}
	return b.String()
}

func TestAClientSeesTheServerAndItsTools(t *testing.T) {
	t.Parallel()
	c := newSite(t, files{"a_test.go": "package a\n"}).connect(t)
	if got := c.session.InitializeResult().ServerInfo.Name; got != "proctor" {
		t.Errorf("the server is %q", got)
	}
	list, err := c.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != len(tools()) {
		t.Errorf("%d tools of %d", len(list.Tools), len(tools()))
	}
}
