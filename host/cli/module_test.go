package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// patience bounds one command on a busy machine.
const patience = 2 * time.Minute

// files is a tree: contents by slash-separated path.
type files map[string]string

// module is a Go module and a user who works in it.
type module struct {
	t   testing.TB
	dir string
	// home is the user's, and outside of the workspace.
	home string
	// env is the environment of proctor and so of the tests.
	env []string
}

// newModule makes a module of its own, without history.
func newModule(t testing.TB, tree files) *module {
	t.Helper()
	return newModuleAt(t, filepath.Join(testbin.Place(t), "ws"), tree)
}

// newShellModule makes a module whose tests are shell commands, for what does not depend on
// the language: they cost a fraction of Go's. A plugin that runs them takes the place of
// that for Go.
func newShellModule(t testing.TB, tree files) *module {
	t.Helper()
	w := newModule(t, tree)
	w.setenv("PROCTOR_PLUGIN_GO=" + fakePlugin(t, fakeShell))
	return w
}

func newModuleAt(t testing.TB, dir string, tree files) *module {
	t.Helper()
	if testing.Short() {
		t.Skip("runs go test through the built binaries")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	w := &module{t: t, dir: dir, home: testbin.Home(t)}
	w.env = userEnv(w.home)
	if _, own := tree["go.mod"]; !own && tree["go.work"] == "" {
		w.write(files{"go.mod": "module example.com/m\n\ngo 1.20\n"})
	}
	w.write(tree)
	return w
}

// userEnv is an environment with the build cache of the person who runs these tests,
// but without their settings.
func userEnv(home string) []string {
	return append(testbin.UserEnv(home), "LC_ALL=C.UTF-8",
		// Otherwise every process waits a second at its end for late reports.
		"GORACE=atexit_sleep_ms=10",
		"PROCTOR_SESSION=e2e", "RAN_FILE="+filepath.Join(home, "ran"))
}

// write puts files into the workspace.
func (w *module) write(tree files) {
	w.t.Helper()
	testfiles.WriteAll(w.t, w.dir, tree)
}

// remove deletes files or folders.
func (w *module) remove(names ...string) {
	w.t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(w.dir, filepath.FromSlash(name))); err != nil {
			w.t.Fatal(err)
		}
	}
}

// setenv adds settings; the last one of a name counts.
func (w *module) setenv(settings ...string) { w.env = append(w.env, settings...) }

// reply is what a command gave back.
type reply struct {
	code           int
	stdout, stderr string
}

// command prepares a call of proctor in the workspace.
func (w *module) command(args ...string) *exec.Cmd {
	cmd := exec.Command(testbin.Path("proctor"), args...)
	cmd.Dir, cmd.Env = w.dir, slices.Clone(w.env)
	return cmd
}

// proctor calls proctor and waits for its end.
func (w *module) proctor(args ...string) reply {
	w.t.Helper()
	return w.wait(w.command(args...))
}

// wait runs a prepared command.
func (w *module) wait(cmd *exec.Cmd) reply {
	w.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	stuck := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	if !stuck.Stop() {
		w.t.Fatalf("proctor %q did not end within %v\n%s%s", cmd.Args[1:], patience, &stdout, &stderr)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	r := reply{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
	if strings.Contains(r.stderr, "DATA RACE") {
		w.t.Errorf("proctor %q: data race\n%s", cmd.Args[1:], r.stderr)
	}
	return r
}

// object calls proctor with --json and returns the one object it must print.
func (w *module) object(args ...string) (api.Run, reply) {
	w.t.Helper()
	// Before "--", if there is one: the rest is the runner's.
	at := slices.Index(args, "--")
	if at < 0 {
		at = len(args)
	}
	r := w.proctor(slices.Insert(slices.Clone(args), at, "--json")...)
	var run api.Run
	decodeLine(w.t, r, &run)
	if run.Schema != api.Schema {
		w.t.Fatalf("proctor %q --json: no Run object: exit %d\n%s%s", args, r.code, r.stdout, r.stderr)
	}
	return run, r
}

// decodeLine decodes the one line of JSON that standard output must be.
func decodeLine(t testing.TB, r reply, into any) {
	t.Helper()
	if strings.Count(r.stdout, "\n") != 1 || !strings.HasSuffix(r.stdout, "\n") {
		t.Fatalf("want one line of JSON; exit %d\nstdout: %q\nstderr: %s", r.code, r.stdout, r.stderr)
	}
	dec := json.NewDecoder(strings.NewReader(r.stdout))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%v in %s", err, r.stdout)
	}
}

// expect compares the exit code and looks for texts in both outputs together.
func (r reply) expect(t testing.TB, code int, texts ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", r.code, code, r.stdout, r.stderr)
	}
	for _, text := range texts {
		if !strings.Contains(r.stdout+r.stderr, text) {
			t.Errorf("%q is missing\nstdout: %s\nstderr: %s", text, r.stdout, r.stderr)
		}
	}
}

// ran returns which tests have executed since the last call: a line each,
// "PACKAGE TEST", sorted.
func (w *module) ran() []string {
	w.t.Helper()
	path := filepath.Join(w.home, "ran")
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	os.Remove(path)
	lines := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	if len(raw) == 0 {
		return nil
	}
	slices.Sort(lines)
	return lines
}
