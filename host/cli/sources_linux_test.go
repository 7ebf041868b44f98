package cli

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// hostileUpload is a set of Go tests that fail where they get what they must not
// have, and one that fails in any case, after it has put into the place of its
// source what nobody outside may read. It is one set, as each compiles the
// standard library anew, which takes twenty seconds of CPU.
var hostileUpload = files{
	"a/a.go": "package a\n\nfunc Two() int { return 2 }\n",
	"a/a_test.go": `package a

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"upload/b"
)

func TestUsesADependencyAndAnotherPackage(t *testing.T) {
	if diff := cmp.Diff(Two(), b.Two); diff != "" {
		t.Error(diff)
	}
	if data, err := os.ReadFile("testdata/x.txt"); err != nil || string(data) != "data" {
		t.Error(string(data), err)
	}
}

func TestReadsNoSecret(t *testing.T) {
	for _, path := range []string{"/etc/shadow", "HOME/secret", "HOME/ws/go.mod"} {
		if data, err := os.ReadFile(path); err == nil {
			t.Errorf("%s: %q", path, data)
		}
	}
	environs, _ := filepath.Glob("/proc/*/environ")
	for _, path := range environs {
		if data, _ := os.ReadFile(path); strings.Contains(string(data), "swordfish") {
			t.Error(path)
		}
	}
	if os.Getenv("HOME") == "HOME" {
		t.Error("the user's home is the home")
	}
}

// socket is one of package syscall: the compile of package net would take seconds.
func socket(t *testing.T) int {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	return fd
}

func connect(t *testing.T, to syscall.Sockaddr) error {
	fd := socket(t)
	if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &syscall.Timeval{Sec: 1}); err != nil {
		t.Fatal(err)
	}
	return syscall.Connect(fd, to)
}

func TestReachesNothing(t *testing.T) {
	for _, address := range []syscall.SockaddrInet4{{Addr: [4]byte{192, 0, 2, 1}, Port: 80}, {Addr: [4]byte{127, 0, 0, 1}, Port: PORT}} {
		if err := connect(t, &address); err == nil {
			t.Error(address)
		}
	}
	own := socket(t)
	if err := syscall.Bind(own, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal("its own server:", err)
	}
	if err := syscall.Listen(own, 1); err != nil {
		t.Fatal("its own server:", err)
	}
	address, err := syscall.Getsockname(own)
	if err != nil {
		t.Fatal("its own server:", err)
	}
	if err := connect(t, address); err != nil {
		t.Error("its own server:", err)
	}
}

func TestWritesNowhereElse(t *testing.T) {
	// Where the home is below /tmp, this writes to the memory of the box.
	_ = os.WriteFile("HOME/w", nil, 0o600)
	for _, path := range []string{"/usr/w", "/etc/w", "/w", "../.proctor"} {
		if f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
			f.Close()
			t.Error(path)
		}
	}
	if err := os.WriteFile(filepath.Join(t.TempDir(), "w"), nil, 0o600); err != nil {
		t.Error(err)
	}
}

func TestLeavesADaemon(t *testing.T) {
	if err := exec.Command("sleep", "300").Start(); err != nil {
		t.Error(err)
	}
}
`,
	"a/testdata/x.txt": "data",
	"b/b.go":           "package b\n\nconst Two = 2\n",
	"c/c_test.go": `package c

import (
	"os"
	"syscall"
	"testing"
)

func TestReplacesItsSources(t *testing.T) {
	must := func(err error) {
		if err != nil {
			t.Fatal("not replaced:", err)
		}
	}
	must(os.Remove("c_test.go"))
	must(syscall.Mkfifo("c_test.go", 0o600))
	must(syscall.Mkfifo("c.go", 0o600))
	must(os.Symlink("/dev/zero", "a_test.go"))
	must(os.Symlink("HOME/secret", "b_test.go"))
	must(os.WriteFile("d_test.go", nil, 0o600))
	must(os.Truncate("d_test.go", 255<<20))
	must(os.Remove("../go.mod"))
	must(syscall.Mkfifo("../go.mod", 0o600))
	t.Error("replaced")
}
`,
}

func TestAnUploadOfGoIsTestedInTheSandbox(t *testing.T) {
	t.Parallel()
	needs.WholeSuite(t)
	root := moduleFiles(t)
	w := newModule(t, files{"go.mod": root["go.mod"], "go.sum": root["go.sum"], "x.go": "package m\n"})
	needsBubblewrap(t, w)
	w.setenv("SECRET=swordfish", "TMPDIR="+t.TempDir())
	// The module cache is where it usually is, in the user's home.
	if err := os.MkdirAll(filepath.Join(w.home, "go", "pkg"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(goEnv(t, "GOMODCACHE")["GOMODCACHE"], filepath.Join(w.home, "go", "pkg", "mod")); err != nil {
		t.Fatal(err)
	}
	testfiles.Write(t, filepath.Join(w.home, "secret"), "swordfish")
	_, port, err := net.SplitHostPort(listening(t))
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]string{}
	for name, text := range hostileUpload {
		set[name] = strings.NewReplacer("HOME/", w.home+"/", `"HOME"`, strconv.Quote(w.home), "PORT", port).Replace(text)
	}
	raw, err := json.Marshal(map[string]any{"sources": set})
	if err != nil {
		t.Fatal(err)
	}
	upload := filepath.Join(t.TempDir(), "set.json")
	if err := os.WriteFile(upload, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	// Half of the time goes into what these leave out of the standard library.
	run, r := w.object("run", "--sources", upload, "--", "-vet=off", "-gcflags=all=-l -dwarf=false", "-ldflags=-w")
	r.expect(t, exitFailed, "nothing of this run is kept")
	if run.Verdict != api.Failed || run.Counts.Passed != 5 || len(run.Failures) != 1 {
		t.Fatalf("%s, %d passed, %d failures\n%s%s", run.Verdict, run.Counts.Passed, len(run.Failures), r.stdout, r.stderr)
	}
	// The plugin reads what the tests have left, outside of the sandbox.
	f := run.Failures[0]
	if f.Test != "TestReplacesItsSources" || !strings.Contains(f.Message, "replaced") || strings.Contains(f.Message, "not replaced") {
		t.Errorf("%+v", f)
	}
	if f.Repro != "" {
		t.Errorf("%q shows nothing again: the sources are gone", f.Repro)
	}
	for _, path := range []string{filepath.Join(w.dir, ".proctor"), filepath.Join(w.home, "w")} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s was written", path)
		}
	}
}

func TestFlagsOfUploadsAreChecked(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"x.go": "package m\n", "up/go.mod": "module x\n", "up/x.go": "package x\n", "link/x.go": ""})
	if err := os.Symlink("/etc/passwd", filepath.Join(w.dir, "link", "l.go")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	needsBubblewrap(t, w)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--allow-unsandboxed"}, "needs --sources"},
		{[]string{"--sources", ""}, "--sources is empty"},
		{[]string{"--sources", "nowhere"}, "nowhere"},
		{[]string{"--sources", "x.go"}, "neither a directory nor a .json file"},
		{[]string{"--sources", "up"}, "go.mod: proctor creates the module of an upload"},
		{[]string{"--sources", "link"}, "symbolic link"},
		{[]string{"--sources", "up", "--lang", "go", "--lang", "rust"}, "an upload has one language"},
	} {
		r := w.proctor(append([]string{"run"}, c.args...)...)
		if r.code != exitUsage || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%q: exit code %d: %s", c.args, r.code, r.stderr)
		}
	}
}

func TestAnUploadWithoutASandboxIsRefused(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"up/x_test.go": tests("x", "TestX", pass)})
	bin := t.TempDir()
	if err := os.Symlink(filepath.Join(goEnv(t, "GOROOT")["GOROOT"], "bin", "go"), filepath.Join(bin, "go")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	w.setenv("PATH=" + bin)
	if r := w.proctor("run", "--sources", "up"); r.code != exitTool || !strings.Contains(r.stderr, "--allow-unsandboxed") || r.stdout != "" {
		t.Errorf("exit code %d: %s%s", r.code, r.stdout, r.stderr)
	}
}

// needsBubblewrap fails in CI where it is missing. It is looked for with the
// user's PATH, as proctor does.
func needsBubblewrap(t *testing.T, w *module) {
	t.Helper()
	probe := filepath.Join(t.TempDir(), "empty")
	if err := os.Mkdir(probe, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(probe, "x.unknown"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := w.proctor("run", "--sources", probe)
	if !strings.Contains(r.stderr, "there is no sandbox") {
		return
	}
	needs.Missing(t, r.stderr)
}
