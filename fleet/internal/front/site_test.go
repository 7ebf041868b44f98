package front

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/proctorhq/proctor/fleet/internal/server/servertest"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli"
	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// roleVariable makes the test binary act as proctor-fleet or proctor.
const roleVariable = "PROCTOR_FLEET_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "proctor-fleet":
		Main()
	case "proctor":
		cli.Main()
	case temporalRole:
		mainOfTemporal()
	}
	code := m.Run()
	shared.stop()
	os.Exit(code)
}

const (
	// temporalRole makes the test binary act as a Temporal server on PostgreSQL, whose ports are
	// its arguments.
	temporalRole = "temporal"
	temporalSays = "a Temporal server on PostgreSQL"
)

func mainOfTemporal() {
	database, _ := strconv.Atoi(os.Args[1])
	port, _ := strconv.Atoi(os.Args[2])
	if err := servertest.Serve(context.Background(), database, port, defaultNamespace, func() { fmt.Println(temporalSays) }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// goPlugin builds the Go plugin.
var goPlugin = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "proctor-fleet-test-*")
	if err != nil {
		return "", err
	}
	shared.remove = append(shared.remove, dir)
	path := filepath.Join(dir, "proctor-plugin-go")
	cmd := exec.Command("go", "build", "-o", path, "./cmd/proctor-plugin-go")
	cmd.Dir = filepath.Join("..", "..", "..")
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return path, err
})

// site is a machine with a fleet: its own home directories, and a port for a server.
type site struct {
	dir  string
	env  []string
	port int
	dev  *process // of the shared fleet
}

func newSite(t testing.TB, dir string) *site {
	t.Helper()
	plugin, err := goPlugin()
	if err != nil {
		t.Fatal(err)
	}
	s := &site{dir: dir, port: freePort(t)}
	s.env = append(slices.Clone(testbin.GoEnv()), "GOGC=100", // a server is long-lived
		"PATH="+os.Getenv("PATH"), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "TMPDIR="+os.TempDir(), "LANG=C.UTF-8",
		"PROCTOR_PLUGIN_GO="+plugin, "GOFLAGS="+testbin.GoFlags(), "GOPROXY=off", "GOTOOLCHAIN=local", "PROCTOR_SESSION=test",
		"GIT_CONFIG_NOSYSTEM=1", fmt.Sprint("TEMPORAL_ADDRESS=127.0.0.1:", s.port),
	)
	return s
}

// freePort finds a free port followed by seven free ones, below the range from which the system
// assigns ports.
func freePort(t testing.TB) int {
	for base := 20000 + os.Getpid()%1000*8; base < 30000; base += 8 {
		free := true
		for p := base; p < base+8 && free; p++ {
			l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", p))
			if free = err == nil; free {
				l.Close()
			}
		}
		taken.Lock()
		free = free && !taken.ports[base]
		taken.ports[base] = taken.ports[base] || free
		taken.Unlock()
		if free {
			return base
		}
	}
	t.Fatal("no ports are free")
	return 0
}

var taken = struct {
	sync.Mutex
	ports map[int]bool
}{ports: map[int]bool{}}

// command returns a command that runs one of the site's programs.
func (s *site) command(ctx context.Context, role, dir string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Dir, cmd.Env = dir, append(s.env[:len(s.env):len(s.env)], roleVariable+"="+role, "PWD="+dir)
	cmd.WaitDelay = time.Second
	return cmd
}

// process is a program running in the background.
type process struct {
	cmd *exec.Cmd
	log *log
	end chan struct{}
}

// start starts a program and waits until it prints a text.
func (s *site) start(t testing.TB, until string, args ...string) *process {
	t.Helper()
	p := &process{cmd: s.command(context.Background(), "proctor-fleet", s.dir, args...), log: newLog(), end: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = p.cmd.Wait(); close(p.end); p.log.close() }()
	if !p.log.waitFor(until) {
		t.Fatalf("proctor-fleet %s ended:\n%s", strings.Join(args, " "), p.log)
	}
	return p
}

// signal signals the process and waits for its end.
func (p *process) signal(sig syscall.Signal) {
	_ = p.cmd.Process.Signal(sig)
	<-p.end
}

// log collects what a program prints, for readers that wait for a text.
type log struct {
	mu     sync.Mutex
	grown  *sync.Cond
	text   bytes.Buffer
	closed bool
}

func newLog() *log {
	l := &log{}
	l.grown = sync.NewCond(&l.mu)
	return l
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.grown.Broadcast()
	return l.text.Write(p)
}

func (l *log) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.grown.Broadcast()
}

// waitFor waits until the program has printed a text, and reports whether it did.
func (l *log) waitFor(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !strings.Contains(l.text.String(), text) {
		if l.closed {
			return false
		}
		l.grown.Wait()
	}
	return true
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// answer is what a run printed and its exit code.
type answer struct {
	code           int
	stdout, stderr string
	runs           []api.Run
}

// run runs tests with proctor or proctor-fleet.
func (s *site) run(t testing.TB, role, dir string, args ...string) answer {
	t.Helper()
	cmd := s.command(t.Context(), role, dir, append([]string{"run", "--json"}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return readAnswer(t, cmd.ProcessState.ExitCode(), out.String(), errs.String())
}

func readAnswer(t testing.TB, code int, out, errs string) answer {
	t.Helper()
	a := answer{code: code, stdout: out, stderr: errs}
	for dec := json.NewDecoder(strings.NewReader(out)); dec.More(); {
		var run api.Run
		if err := dec.Decode(&run); err != nil {
			t.Fatalf("%v in %s\n%s", err, out, errs)
		}
		a.runs = append(a.runs, run)
	}
	return a
}

// shared is a server with two workers, for tests that do not disturb it.
var shared sharedFleet

type sharedFleet struct {
	once   sync.Once
	site   *site
	remove []string
}

func (f *sharedFleet) get(t testing.TB) *site {
	t.Helper()
	f.once.Do(func() {
		dir, err := os.MkdirTemp("", "proctor-fleet-test-*")
		if err != nil {
			t.Fatal(err)
		}
		f.remove = append(f.remove, dir)
		f.site = newSite(t, dir)
		f.site.dev = f.site.start(t, "2 slots ready", "dev", "--port", fmt.Sprint(f.site.port), "--slots", "2")
	})
	if f.site == nil || f.site.dev == nil {
		t.Skip("the shared server did not start")
	}
	return f.site
}

func (f *sharedFleet) stop() {
	if f.site != nil && f.site.dev != nil {
		f.site.dev.signal(syscall.SIGTERM)
	}
	for _, dir := range f.remove {
		_ = os.RemoveAll(dir)
	}
}

// files are the files of a repository, by path.
type files map[string]string

// repository makes a repository with one commit.
func repository(t testing.TB, f files) string {
	t.Helper()
	dir := t.TempDir()
	testfiles.WriteAll(t, dir, files{"go.mod": "module example.com/m\n\ngo 1.25\n", ".gitignore": ".proctor/\n"})
	testfiles.WriteAll(t, dir, f)
	git(t, dir, "init", "-q", "-b", "main", ".")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "all")
	return dir
}

func git(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// testFile returns a test file of a package; tests alternates names and bodies.
func testFile(pkg string, tests ...string) string {
	text := "package " + pkg + "\n\nimport (\n\t\"os\"\n\t\"testing\"\n\t\"time\"\n)\n\nvar _, _ = os.Args, time.Second\n"
	for i := 0; i+1 < len(tests); i += 2 {
		text += fmt.Sprintf("\nfunc %s(t *testing.T) { %s }\n", tests[i], tests[i+1])
	}
	return text
}
