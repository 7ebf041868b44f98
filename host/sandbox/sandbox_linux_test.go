package sandbox_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/host/sandbox"
	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// program finds bubblewrap. Without it these tests prove nothing, so in CI that is a
// failure.
func program(t *testing.T) sandbox.Program {
	t.Helper()
	p, err := sandbox.Available(t.Context(), os.Environ())
	if err != nil {
		needs.Missing(t, err.Error())
	}
	return p
}

// place is a box and the directory around it.
type place struct {
	t    *testing.T
	base string
	cfg  sandbox.Config
	env  []string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, base: base, cfg: sandbox.Config{
		Program:   program(t),
		Workspace: filepath.Join(base, "work"), Home: filepath.Join(base, "home"), Temp: filepath.Join(base, "tmp"),
		Inputs: filepath.Join(base, "inputs"), Machine: filepath.Join(base, "machine"),
	}}
	for _, dir := range []string{p.cfg.Workspace, p.cfg.Home, p.cfg.Temp, p.cfg.Inputs, p.cfg.Machine} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.env = sandbox.Environ(os.Environ(), nil, p.cfg.Home, p.cfg.Temp)
	return p
}

// command runs a role in the box.
func (p *place) command(role string, args ...string) runner.Config {
	p.t.Helper()
	box, err := sandbox.New(p.cfg)
	if err != nil {
		p.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	return box.Wrap(runner.Config{
		Argv: append([]string{self, "role", role}, args...), Dir: p.cfg.Workspace, Env: p.env, Deadline: time.Minute,
	})
}

func (p *place) run(role string, args ...string) string {
	p.t.Helper()
	result, err := runner.Run(p.t.Context(), p.command(role, args...))
	if err != nil {
		p.t.Fatal(err)
	}
	if result.Exit.Code != 0 {
		p.t.Fatalf("%s: exit %+v: %s", role, result.Exit, result.Stderr.String())
	}
	return result.Stdout.String()
}

// says fails unless the output has every wanted line.
func says(t *testing.T, out string, want ...string) {
	t.Helper()
	for _, line := range want {
		if !strings.Contains("\n"+out, "\n"+line+"\n") {
			t.Errorf("no line %q in:\n%s", line, out)
		}
	}
}

func (p *place) file(path, text string) string {
	p.t.Helper()
	return testfiles.Write(p.t, path, text)
}

func TestACommandInTheBoxReadsItsOwnFilesAndNoOthers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	source := p.file(filepath.Join(p.cfg.Workspace, "a", "source"), "mine")
	input := p.file(filepath.Join(p.cfg.Inputs, "input"), "given")
	record := p.file(filepath.Join(p.base, "records", "r"), "secret")
	beside := p.file(filepath.Join(p.base, "beside"), "secret")
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	self, err := filepath.EvalSymlinks("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	out := p.run("read", source, input, record, beside, "/etc/shadow", "/etc/hostname", "/proc/1/root/etc/shadow", filepath.Join(filepath.Dir(self), "nothing"))
	says(t, out, source+`: "mine" ok`, input+`: "given" ok`, record+`: "" not there`, beside+`: "" not there`,
		`/etc/shadow: "" not there`, `/etc/hostname: "" not there`)
	if strings.Contains(out, "root:") {
		t.Errorf("a shadow file was read:\n%s", out)
	}
	out = p.run("look", home, filepath.Dir(self), "/var", "/run", "/sys", "/root", "/home")
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, filepath.Dir(self)+": [") {
			if want := filepath.Dir(self) + ": [" + filepath.Base(self) + "] ok\n"; line != want {
				t.Errorf("beside the tool there is %q", line)
			}
			continue
		}
		if !strings.HasSuffix(line, ": [] not there\n") {
			t.Errorf("seen: %s", line)
		}
	}
}

func TestACommandInTheBoxWritesOnlyWhereItMay(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	sealed := p.file(filepath.Join(p.cfg.Workspace, ".sealed"), "")
	target := filepath.Join(p.base, "dependency")
	p.file(filepath.Join(target, "d"), "theirs")
	link := filepath.Join(p.cfg.Workspace, "deep", "lib")
	if err := os.MkdirAll(link, 0o755); err != nil {
		t.Fatal(err)
	}
	readable := filepath.Join(p.base, "cache")
	p.file(filepath.Join(readable, "c"), "theirs")
	p.cfg.Sealed = []string{sealed}
	p.cfg.Links = []sandbox.Link{{Path: link, Target: target}}
	p.cfg.Readable = []string{readable, filepath.Join(p.base, "absent")}
	may := []string{filepath.Join(p.cfg.Workspace, "w"), filepath.Join(p.cfg.Home, "w"), filepath.Join(p.cfg.Temp, "w"), "/tmp/w"}
	mayNot := []string{sealed, filepath.Join(link, "d"), filepath.Join(link, "new"), filepath.Join(readable, "c"),
		filepath.Join(p.cfg.Inputs, "w"), "/etc/hosts", "/etc/proctor-test", "/usr/bin/proctor-test", "/proctor-test",
		"/dev/proctor-test", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/self/oom_score_adj"}
	out := p.run("write", append(may, mayNot...)...)
	for _, path := range may {
		says(t, out, path+": ok")
	}
	for _, path := range mayNot {
		if strings.Contains(out, path+": ok\n") {
			t.Errorf("%s was written", path)
		}
	}
	says(t, p.run("read", filepath.Join(link, "d"), filepath.Join(readable, "c")), filepath.Join(link, "d")+`: "theirs" ok`, filepath.Join(readable, "c")+`: "theirs" ok`)
	// The parent of a link cannot be moved away, so nothing can replace it before the
	// next command.
	says(t, p.run("rename", filepath.Dir(link), filepath.Join(p.cfg.Workspace, "other")), "rename: device or resource busy")
	says(t, p.run("rename", sealed, filepath.Join(p.cfg.Workspace, "other")), "rename: device or resource busy")
}

func TestACommandInTheBoxHasAnEnvironmentMadeFromNothing(t *testing.T) {
	t.Setenv("PROCTOR_TEST_SECRET", "swordfish")
	p := newPlace(t)
	for line := range strings.Lines(p.run("environ")) {
		name, _, _ := strings.Cut(line, "=")
		switch name {
		case "PATH", "HOME", "TMPDIR", "LANG", "TZ", "NO_COLOR", "PWD", "OLDPWD", "SHLVL", "_":
		default:
			t.Errorf("the environment has %s", line)
		}
	}
	out := p.run("search", "swordfish")
	if !strings.HasSuffix(out, "found: 0\n") || strings.HasPrefix(out, "processes read: 0") {
		t.Errorf("through /proc: %s", out)
	}
}

func TestACommandInTheBoxHasNoNetworkButItsOwnLoopback(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan struct{})
	go func() {
		defer close(accepted)
		if conn, err := l.Accept(); err == nil {
			conn.Close()
			t.Error("the box reached a server of the machine")
		}
	}()
	out := p.run("dial", l.Addr().String(), "192.0.2.1:80", "[2001:db8::1]:80")
	if strings.Contains(out, "ok") {
		t.Error(out)
	}
	says(t, out, "192.0.2.1:80: network is unreachable")
	says(t, p.run("listen"), "loopback: <nil>")
	l.Close()
	<-accepted

	socket := filepath.Join(p.base, "s")
	u, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	says(t, p.run("unix", socket), "unix: not there")
	abstract, err := net.Listen("unix", "@proctor-test-"+filepath.Base(p.base)+t.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	says(t, p.run("unix", "@"+abstract.Addr().String()[1:]), "unix: connection refused")
}

func TestAToolBehindALinkRuns(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(p.base, "tool")
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	box, err := sandbox.New(p.cfg)
	if err != nil {
		t.Fatal(err)
	}
	result, err := runner.Run(t.Context(), box.Wrap(runner.Config{Argv: []string{link, "role", "listen"}, Env: p.env, Deadline: time.Minute}))
	if err != nil || result.Exit.Code != 0 {
		t.Errorf("%v, exit %+v: %s", err, result.Exit, result.Stderr.String())
	}
}

func TestABoxDoesNotShowAHomeAsAWhole(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	home := filepath.Join(p.base, "users", "u")
	p.file(filepath.Join(home, "cache", "c"), "")
	p.cfg.Hidden = []string{home}
	for path, want := range map[string]bool{home: true, filepath.Dir(home): true, "/": true, filepath.Join(home, "cache"): false} {
		for _, as := range []string{"readable", "link"} {
			cfg := p.cfg
			if as == "readable" {
				cfg.Readable = []string{path}
			} else {
				cfg.Links = []sandbox.Link{{Path: filepath.Join(cfg.Workspace, "l"), Target: path}}
			}
			_, err := sandbox.New(cfg)
			if exposes(err) != want {
				t.Errorf("%s as %s: %v", path, as, err)
			}
		}
	}
}

func exposes(err error) bool {
	return err != nil && strings.Contains(err.Error(), "the sandbox would show ")
}

// A link exposes its target, whatever its name.
func TestABoxDoesNotShowAHomeThroughALink(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(base, name) }
	for _, dir := range []string{"users/u/cache", "work", "elsewhere"} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"home": "users/u", "tohome": "users/u", "above": "users", "round": "tohome", "incache": "users/u/cache", "other": "elsewhere",
	} {
		if err := os.Symlink(at(target), at(link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, hidden := range []string{"users/u", "home"} {
		for path, want := range map[string]bool{
			"users/u": true, "users": true, "home": true, "tohome": true, "above": true, "round": true,
			"incache": false, "users/u/cache": false, "home/cache": false, "other": false, "absent": false,
		} {
			for as, cfg := range map[string]sandbox.Config{
				"readable": {Readable: []string{at(path)}},
				"a link":   {Links: []sandbox.Link{{Path: filepath.Join(t.TempDir(), "l"), Target: at(path)}}},
			} {
				cfg.Workspace, cfg.Hidden = at("work"), []string{"", at(hidden)}
				_, err := sandbox.New(cfg)
				if exposes(err) != want || !want && err != nil {
					t.Errorf("with %s hidden, %s as %s: %v", hidden, path, as, err)
				}
			}
		}
	}
}
