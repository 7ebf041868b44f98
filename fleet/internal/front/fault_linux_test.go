package front

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
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

	"github.com/proctorhq/proctor/fleet/internal/job"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// killsVariable says how many random kills the test makes, such as 200, or which of them, such
// as 25-50.
const killsVariable = "PROCTOR_FLEET_KILLS"

// fewKills is the default, enough to catch a broken fleet.
const fewKills = 4

// killableFleet is a fleet whose programs are killed. Where permitted, each worker is the
// first process of a PID namespace, as in a container.
type killableFleet struct {
	*site
	t       testing.TB
	server  *process
	workers []*process
}

func newKillableFleet(t testing.TB, workers int) *killableFleet {
	return newKillableFleetOn(t, workers, (*killableFleet).startServer)
}

func newKillableFleetOn(t testing.TB, workers int, startServer func(*killableFleet)) *killableFleet {
	w := &killableFleet{site: newSite(t, t.TempDir()), t: t}
	startServer(w)
	for n := range workers {
		w.workers = append(w.workers, nil)
		w.startWorker(n)
	}
	t.Cleanup(func() {
		for _, p := range append(w.workers, w.server) {
			if p != nil {
				killAlone(p)
			}
		}
	})
	return w
}

func (w *killableFleet) startServer() {
	w.server = w.start(w.t, "a Temporal server at", "dev", "--slots", "0", "--port", fmt.Sprint(w.port))
}

func (w *killableFleet) startWorker(n int) {
	cmd := w.command(context.Background(), "proctor-fleet", w.dir, "worker", "--slots", "1", "--dir", filepath.Join(w.dir, fmt.Sprint("worker", n)))
	p := startAlone(w.t, cmd)
	if !p.log.waitFor("1 slot ready") {
		w.t.Fatalf("the worker ended:\n%s", p.log)
	}
	w.workers[n] = p
}

// startAlone starts a program, where permitted as the first process of a PID namespace.
func startAlone(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, log: newLog(), end: make(chan struct{})}
	if exec.Command("unshare", "--pid", "--fork", "--mount-proc", "true").Run() == nil {
		p.cmd.Args = append([]string{"unshare", "--pid", "--fork", "--mount-proc", "--kill-child=KILL", p.cmd.Path}, p.cmd.Args[1:]...)
		p.cmd.Path, _ = exec.LookPath("unshare")
	}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = p.cmd.Wait(); close(p.end); p.log.close() }()
	return p
}

// startWorkerWith starts a worker with more environment variables.
func (w *killableFleet) startWorkerWith(n int, env ...string) {
	usual := w.env
	w.env = append(slices.Clone(usual), env...)
	w.startWorker(n)
	w.env = usual
}

// killAlone kills a program and, if it has a PID namespace, everything it started.
func killAlone(p *process) {
	pid := p.cmd.Process.Pid
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if strings.HasSuffix(p.cmd.Path, "unshare") {
		for _, child := range strings.Fields(string(raw)) {
			if n, err := strconv.Atoi(child); err == nil {
				_ = syscall.Kill(n, syscall.SIGKILL)
			}
		}
	}
	_ = p.cmd.Process.Kill()
	<-p.end
}

// clientRun is a run in progress, as its client sees it.
type clientRun struct {
	cmd *exec.Cmd
	out bytes.Buffer
	log *log
	end chan struct{}
}

func (s *site) startRun(t testing.TB, dir string, args ...string) *clientRun {
	t.Helper()
	c := &clientRun{end: make(chan struct{}), log: newLog()}
	c.cmd = s.command(context.Background(), "proctor-fleet", dir, append([]string{"run", "--json", "--silence", "4s"}, args...)...)
	c.cmd.Stdout, c.cmd.Stderr = &c.out, c.log
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = c.cmd.Wait(); close(c.end); c.log.close() }()
	return c
}

func (c *clientRun) answer(t testing.TB) answer {
	t.Helper()
	<-c.end
	return readAnswer(t, c.cmd.ProcessState.ExitCode(), c.out.String(), c.log.String())
}

// jobs returns the runs in the site's store.
func (s *site) jobs() []string {
	found, _ := filepath.Glob(filepath.Join(s.dir, "state", "proctor", "fleet", "store", "jobs", "*", "job.json"))
	for i, path := range found {
		found[i] = filepath.Base(filepath.Dir(path))
	}
	return found
}

// waitUntil waits for something that another process does.
func waitUntil(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); {
		if time.Now().After(deadline) {
			t.Fatalf("no sign of %s in two minutes", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func exists(pattern string) func() bool {
	return func() bool { found, _ := filepath.Glob(pattern); return len(found) > 0 }
}

// A failure seen by a machine that then died still counts: if the test passes on the next
// machine it is flaky, and the run is not green.
func TestAFailureSeenByADeadWorkerIsEvidence(t *testing.T) {
	t.Parallel()
	w := newKillableFleet(t, 1)
	marks := t.TempDir()
	once := fmt.Sprintf(`if _, err := os.Stat(%q); err != nil { _ = os.WriteFile(%q, nil, 0o600); t.Error("only once") }`, marks+"/seen", marks+"/seen")
	wait := fmt.Sprintf(`for { if _, err := os.Stat(%q); err == nil { return }; time.Sleep(10 * time.Millisecond) }`, marks+"/go")
	dir := repository(t, files{"a/a_test.go": testFile("a", "TestOnce", once, "TestWait", wait), "b/b_test.go": testFile("b", "TestB", "")})
	c := w.startRun(t, dir)
	waitUntil(t, "a stored failure", func() bool { // whose result may be stored before it
		found, _ := filepath.Glob(filepath.Join(w.dir, "state/proctor/fleet/store/jobs/*/attempts/*/*/red-*.json"))
		return slices.ContainsFunc(found, func(path string) bool {
			raw, _ := os.ReadFile(path)
			return strings.Contains(string(raw), "only once")
		})
	})
	killAlone(w.workers[0])
	if err := os.WriteFile(marks+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.startWorker(0)
	a := c.answer(t)
	if len(a.runs) != 1 {
		t.Fatalf("%s%s", a.stdout, a.stderr)
	}
	run := a.runs[0]
	if run.Verdict != api.Failed || a.code != 1 || run.Counts.Flaky != 1 || len(run.Retried) != 1 || run.Retried[0].Test != "TestOnce" || !run.Retried[0].Flaky {
		t.Errorf("exit %d, %s (%s), retried %+v\n%s", a.code, run.Verdict, run.Reason, run.Retried, a.stderr)
	}
	if run.Counts.Passed != 2 || len(run.Failures) != 1 || len(run.Merged.Problems) > 0 {
		t.Errorf("%s, failures %q, problems %q", counts(run), failed(run), run.Merged.Problems)
	}
}

// Whatever is killed, and whenever, no result is lost and none counts twice.
func TestARunSurvivesAnyKill(t *testing.T) {
	t.Parallel()
	w := newKillableFleet(t, 2)
	w.surviveKills(t, fewKills, []string{"a worker", "all workers", "the server", "the client"}, func(victim string, r *rand.Rand, restart func()) {
		switch victim {
		case "a worker":
			n := r.IntN(2)
			killAlone(w.workers[n])
			w.startWorker(n)
		case "all workers":
			killAlone(w.workers[0])
			killAlone(w.workers[1])
			w.startWorker(0)
			w.startWorker(1)
		case "the server":
			killAlone(w.server)
			w.startServer()
		case "the client":
			restart()
		}
	})
}

// kills returns which kills a test makes: as many as given, or as the variable says.
func kills(t *testing.T, end int) (from, to int) {
	first := 0
	if text := os.Getenv(killsVariable); text != "" {
		from, to, ok := strings.Cut(text, "-")
		if !ok {
			from, to = "0", text
		}
		var err, err2 error
		first, err = strconv.Atoi(from)
		if end, err2 = strconv.Atoi(to); err != nil || err2 != nil {
			t.Fatalf("%s=%s is neither a number of kills nor a range", killsVariable, text)
		}
	}
	return first, end
}

// surviveKills kills a victim, drawn from several, at a random moment of each of several runs, and
// compares these with a run without a fleet.
func (w *killableFleet) surviveKills(t *testing.T, few int, victims []string, kill func(victim string, r *rand.Rand, restart func())) {
	first, end := kills(t, few)
	tests := files{"broken/x_test.go": testFile("broken", "TestX", "nosuch()")}
	for n := range 6 {
		pkg := fmt.Sprint("p", n)
		tests[pkg+"/p_test.go"] = testFile(pkg, "TestShort", "", "TestRed", fmt.Sprintf("if %d == 2 { t.Error(%q) }", n, "red"), "TestLong", "time.Sleep(400 * time.Millisecond)", "TestSkip", `t.Skip("x")`)
	}
	green := files{}
	for name, text := range tests {
		if name != "broken/x_test.go" {
			green[name] = strings.ReplaceAll(text, "2 == 2", "2 == 3")
		}
	}
	dirs := []string{repository(t, tests), repository(t, green)}
	var near []api.Run
	for _, dir := range dirs {
		near = append(near, w.run(t, "proctor", dir).runs[0])
		w.run(t, "proctor-fleet", dir) // warms the build cache
	}
	for trial := first; trial < end; trial++ {
		r := rand.New(rand.NewPCG(uint64(trial), 1))
		which := trial % 2
		dir, here := dirs[which], near[which]
		known := w.jobs()
		began := time.Now()
		c := w.startRun(t, dir, "--shards", "6")
		time.Sleep(time.Duration(200+r.IntN(3500)) * time.Millisecond)
		victim := victims[r.IntN(len(victims))]
		kill(victim, r, func() {
			_ = c.cmd.Process.Kill()
			<-c.end
			again := []string{"--shards", "6"}
			for _, id := range w.jobs() {
				if !slices.Contains(known, id) {
					again = []string{"--attach", id}
				}
			}
			c = w.startRun(t, dir, again...) // a new run if the client was killed before it had stored the first
		})
		a := c.answer(t)
		if len(a.runs) != 1 {
			t.Errorf("trial %d, %s killed: exit %d\n%s%s", trial, victim, a.code, a.stdout, a.stderr)
			continue
		}
		run := a.runs[0]
		if run.Verdict != here.Verdict || counts(run) != counts(here) || !slices.Equal(failed(run), failed(here)) || run.Counts.Flaky > 0 || len(run.Merged.Problems) > 0 {
			t.Errorf("trial %d, %s killed: %s (%s), %s, problems %q; want %s, %s\n%s", trial, victim, run.Verdict, run.Reason, counts(run), run.Merged.Problems, here.Verdict, counts(here), a.stderr)
		}
		t.Logf("trial %d, %s killed: %s, %d attempts, %.1f s", trial, victim, run.Verdict, len(run.Merged.Shards), time.Since(began).Seconds())
	}
}

// A run may begin while its server is restarted.
func TestARunWaitsForItsServer(t *testing.T) {
	t.Parallel()
	w := newKillableFleetOn(t, 0, func(*killableFleet) {})
	dir := repository(t, files{"a/a_test.go": testFile("a", "TestA", "")})
	c := w.startRun(t, dir)
	if !c.log.waitFor("the Temporal server does not answer; waiting for it, for up to 1m0s") {
		t.Fatalf("it did not wait: %s", c.log)
	}
	w.startServer()
	w.workers = append(w.workers, nil)
	w.startWorker(0)
	if a := c.answer(t); a.code != 0 || len(a.runs) != 1 || a.runs[0].Counts.Passed != 1 {
		t.Errorf("exit %d\n%s%s", a.code, a.stdout, a.stderr)
	}
}

// A cancelled run stops its tests on all machines, and says what is missing.
func TestCtrlCStopsTestsOnAllMachines(t *testing.T) {
	t.Parallel()
	w := newKillableFleet(t, 2)
	marks := t.TempDir()
	hang := fmt.Sprintf(`_ = os.WriteFile(%q + t.Name(), []byte(strconv.Itoa(os.Getpid())), 0o600); time.Sleep(time.Hour)`, marks+"/")
	withPid := func(pkg, test string) string {
		return strings.Replace(testFile(pkg, test, hang), `"os"`, "\"os\"\n\t\"strconv\"", 1)
	}
	dir := repository(t, files{"a/a_test.go": withPid("a", "TestA"), "b/b_test.go": withPid("b", "TestB"), "c/c_test.go": withPid("c", "TestC")})
	c := w.startRun(t, dir, "--shards", "3")
	waitUntil(t, "two hanging tests", func() bool { found, _ := filepath.Glob(marks + "/*"); return len(found) == 2 })
	if seen := testProcesses(t, marks); len(seen) != 2 {
		t.Errorf("found %q, want two hanging tests", seen)
	}
	_ = c.cmd.Process.Signal(os.Interrupt)
	a := c.answer(t)
	if a.code != 130 || len(a.runs) != 1 || a.runs[0].Verdict != api.Incomplete || !strings.Contains(a.runs[0].Reason, "missing") {
		t.Errorf("exit %d\n%s%s", a.code, a.stdout, a.stderr)
	}
	if left := testProcesses(t, marks); len(left) > 0 {
		t.Errorf("still running: %q", left)
	}
}

// testProcesses returns the test programs still running whose binaries contain a mark.
func testProcesses(t *testing.T, mark string) (left []string) {
	t.Helper()
	processes, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, exe := range processes {
		program, err := os.Readlink(exe)
		if err != nil || !strings.HasSuffix(program, ".test") || !strings.Contains(program, "go-build") {
			continue
		}
		raw, _ := os.ReadFile(program)
		if bytes.Contains(raw, []byte(mark)) {
			left = append(left, program)
		}
	}
	return left
}

// proxy forwards bytes to and from the server until told to drop them.
type proxy struct {
	address string
	mu      sync.Mutex
	dropped bool
}

func newProxy(t testing.TB, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &proxy{address: l.Addr().String()}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			go p.pass(near, far)
			go p.pass(far, near)
		}
	}()
	return p
}

func (p *proxy) pass(to, from net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			to.Close()
			return
		}
		if !p.drops() {
			_, _ = to.Write(buf[:n])
		}
	}
}

func (p *proxy) drops() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dropped
}

func (p *proxy) set(dropped bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dropped = dropped
}

// A machine that the server no longer hears from keeps running while another does the same
// work.
// Both finish, and exactly one counts.
func TestAPartRunOnTwoMachinesCountsOnce(t *testing.T) {
	t.Parallel()
	w := newKillableFleet(t, 0)
	p := newProxy(t, fmt.Sprint("127.0.0.1:", w.port))
	marks := t.TempDir()
	body := fmt.Sprintf(`f, _ := os.CreateTemp(%q, "begun"); _ = f.Close(); for { if _, err := os.Stat(%q); err == nil { return }; time.Sleep(10 * time.Millisecond) }`, marks, marks+"/go")
	dir := repository(t, files{"a/a_test.go": testFile("a", "TestA", body)})
	w.workers = append(w.workers, nil, nil)
	w.startWorkerWith(0, "TEMPORAL_ADDRESS="+p.address)
	c := w.startRun(t, dir)
	begun := func(n int) func() bool {
		return func() bool { found, _ := filepath.Glob(marks + "/begun*"); return len(found) >= n }
	}
	waitUntil(t, "the first attempt", begun(1))
	p.set(true)
	w.startWorker(1)
	waitUntil(t, "a second attempt", begun(2))
	if err := os.WriteFile(marks+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := c.answer(t)
	waitUntil(t, "the report of both attempts", func() bool {
		found, _ := filepath.Glob(filepath.Join(w.dir, "state/proctor/fleet/store/jobs/*/attempts/*/*/report.json"))
		return len(found) == 2
	})
	p.set(false)
	if len(a.runs) != 1 || a.code != 0 || a.runs[0].Counts.Passed != 1 || a.runs[0].Counts.Repeats != 0 || a.runs[0].Counts.Flaky != 0 {
		t.Errorf("exit %d\n%s%s", a.code, a.stdout, a.stderr)
	}
	accepted, _ := filepath.Glob(filepath.Join(w.dir, "state/proctor/fleet/store/jobs/*/accepted/*"))
	if len(accepted) != 1 {
		t.Errorf("%d attempts were accepted, want 1", len(accepted))
	}
}

// Ctrl-C twice leaves the run to the workers, and a client can attach to it again.
func TestARunContinuesWithoutItsTerminal(t *testing.T) {
	t.Parallel()
	s := shared.get(t)
	marks := t.TempDir()
	wait := fmt.Sprintf(`_ = os.WriteFile(%q, nil, 0o600); for { if _, err := os.Stat(%q); err == nil { return }; time.Sleep(10 * time.Millisecond) }`, marks+"/begun", marks+"/go")
	dir := repository(t, files{"a/a_test.go": testFile("a", "TestA", wait)})
	c := s.startRun(t, dir)
	waitUntil(t, "a test that began", exists(marks+"/begun"))
	_ = c.cmd.Process.Signal(os.Interrupt)
	if !c.log.waitFor("press Ctrl-C again") {
		t.Fatalf("the client ended: %s", c.log)
	}
	time.Sleep(2 * echoWindow) // any sooner, and it would count as the same key press
	_ = c.cmd.Process.Signal(os.Interrupt)
	a := c.answer(t)
	_, id, said := strings.Cut(a.stderr, "proctor run --fleet --attach ")
	if a.code != 130 || !said || len(a.runs) > 0 {
		t.Fatalf("exit %d\n%s%s", a.code, a.stdout, a.stderr)
	}
	if err := os.WriteFile(marks+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	id = strings.Fields(id)[0]
	for _, says := range []string{"", "already on record as run " + id} {
		if a := s.run(t, "proctor-fleet", dir, "--attach", id); a.code != 0 || len(a.runs) != 1 || a.runs[0].Counts.Passed != 1 || a.runs[0].RunID != id || !strings.Contains(a.runs[0].Message, says) {
			t.Errorf("exit %d\n%s%s", a.code, a.stdout, a.stderr)
		}
	}
	// A machine that was taken for dead stores the failures it saw.
	attempts := filepath.Join(s.dir, "state/proctor/fleet/store/jobs", id, "attempts/00000")
	reports, _ := filepath.Glob(attempts + "/*/report.json")
	raw, err := os.ReadFile(reports[0])
	if err != nil {
		t.Fatal(err)
	}
	var run api.Run
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&run); err != nil { // its seal follows
		t.Fatal(err)
	}
	red := job.FailureObject{Run: run, Results: run.Results}
	red.Run.RunID, red.Run.Results = "latereport", nil
	for i := range red.Results {
		red.Results[i].Status = sdk.Failed
	}
	if raw, err = json.Marshal(red); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{id: true}
	for _, object := range []string{"red-000000.json", "red-000001.json"} {
		name := "0002-late/" + object
		testfiles.WriteAll(t, attempts, files{name: string(job.Seal("jobs/"+id+"/attempts/00000/"+name, raw))})
		a := s.run(t, "proctor-fleet", dir, "--attach", id)
		if a.code != 1 || len(a.runs) != 1 || a.runs[0].Counts.Flaky != 1 || seen[a.runs[0].RunID] {
			t.Fatalf("%s: exit %d\n%s%s", object, a.code, a.stdout, a.stderr)
		}
		seen[a.runs[0].RunID] = true
	}
}

// A part that a machine cannot run waits for another machine, even one that is busy.
func TestWhatOneMachineCannotRunWaitsForAnother(t *testing.T) {
	t.Parallel()
	w := newKillableFleet(t, 1)
	marks := t.TempDir()
	// The first test to begin waits, whichever part is handed out first.
	wait := fmt.Sprintf(`if _, err := os.OpenFile(%q, os.O_CREATE|os.O_EXCL, 0o600); err != nil { return }; for { if _, err := os.Stat(%q); err == nil { return }; time.Sleep(10 * time.Millisecond) }`, marks+"/begun", marks+"/go")
	dir := repository(t, files{"a/a_test.go": testFile("a", "TestA", wait), "b/b_test.go": testFile("b", "TestB", wait)})
	c := w.startRun(t, dir, "--shards", "2")
	waitUntil(t, "a busy machine", exists(marks+"/begun"))
	w.workers = append(w.workers, nil)
	w.startWorkerWith(1, "PATH="+brokenGo(t)+":"+os.Getenv("PATH"))
	waitUntil(t, "more attempts than a tool error needs to count", func() bool {
		return strings.Count(w.workers[1].log.String(), "could not be run") > 3 || strings.Contains(w.workers[1].log.String(), ": tool error")
	})
	if err := os.WriteFile(marks+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := c.answer(t)
	if len(a.runs) != 1 || a.runs[0].Verdict != api.Passed || a.runs[0].Counts.Passed != 2 {
		t.Errorf("exit %d\n%s%s\n%s", a.code, a.stdout, a.stderr, w.workers[1].log)
	}
}

// brokenGo returns the directory of a go command of the same version that cannot be started.
func brokenGo(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	version, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	testfiles.WriteAll(t, root, files{"VERSION": string(version), "bin/go": "#!/nosuch\n"})
	if err := os.Chmod(filepath.Join(root, "bin", "go"), 0o700); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "bin")
}

// A worker with another toolchain does not take part: its results would be those of another
// environment.
func TestAWorkerWithOtherToolsTakesNoPart(t *testing.T) {
	t.Parallel()
	w := newKillableFleet(t, 0)
	dir := repository(t, files{"a/a_test.go": testFile("a", "TestA", ""), "b/b_test.go": testFile("b", "TestB", "")})
	w.workers = append(w.workers, nil, nil)
	w.startWorkerWith(0, "GOEXPERIMENT=rangefunc", "CGO_ENABLED=0", "GOFLAGS=-tags=other")
	c := w.startRun(t, dir, "--shards", "2")
	waitUntil(t, "a refusal", func() bool { return strings.Contains(w.workers[0].log.String(), "the environment here") })
	if !c.log.waitFor("a part waits for another worker") || !c.log.waitFor("GOEXPERIMENT") {
		t.Errorf("the client does not say what differs:\n%s", c.log)
	}
	w.startWorker(1)
	killAlone(w.workers[0])
	a := c.answer(t)
	if len(a.runs) != 1 || a.runs[0].Verdict != api.Passed || a.runs[0].Counts.Passed != 2 {
		t.Errorf("exit %d\n%s%s", a.code, a.stdout, a.stderr)
	}
}
