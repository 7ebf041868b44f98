package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testbin"
)

// crossed has two packages in each of which one test fails whose name passes in the
// other, so an exact rerun needs the helper of the plugin.
func crossed() files {
	return files{
		"a/a_test.go": tests("a", "TestSame", broken, "TestA", pass),
		"b/b_test.go": tests("b", "TestSame", pass, "TestB", broken),
	}
}

// runAndRerun takes a crossed workspace from red to green.
func runAndRerun(t *testing.T, w *module) {
	t.Helper()
	for _, s := range []step{
		{code: 1, verdict: api.Failed, outstanding: 2, says: []string{`"file":"a/a_test.go"`}},
		{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestSame, b TestB"},
	} {
		w.ran()
		if !s.happens(t, w) {
			return
		}
	}
	w.proctor("output", "example.com/m/b/TestB").expect(t, 0)
}

func TestWorkspacesWithAwkwardPaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"with space ünï✓", "-leading", "it's $HOME `id`;#&", `"quoted" 100%s a=b,c:d`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && strings.ContainsAny(name, `"`+"`") {
				t.Skip("no file name on Windows")
			}
			runAndRerun(t, newModuleAt(t, filepath.Join(testbin.Place(t), name), crossed()))
		})
	}
}

// tempDir is a temporary folder with a name that says nothing: [testing.T.TempDir]
// takes characters out of the name of the test, but not all.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "proctor-e2e-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestAWorkspaceIsNamedWithAFlagFromOutside(t *testing.T) {
	t.Parallel()
	dir := testbin.Place(t)
	w := newModuleAt(t, filepath.Join(dir, "-C"), crossed())
	w.dir = dir
	w.proctor("run", "-C", "-C").expect(t, 1, "FAILED  2 tests")
	w.proctor("failures", "-C=./-C").expect(t, 0, "FAILED  2 tests")
	w.proctor("failures", "--workspace", filepath.Join(dir, "-C")).expect(t, 0, "FAILED  2 tests")
	w.proctor("failures").expect(t, 0, noRunYet)
}

func TestALinkedWorkspaceIsTheSameWorkspace(t *testing.T) {
	t.Parallel()
	w := newModule(t, crossed())
	link := filepath.Join(tempDir(t), "link")
	if err := os.Symlink(w.dir, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	real := w.dir
	w.dir = link
	w.setenv("PWD=" + link)
	w.proctor("run").expect(t, 1)
	w.proctor("failures", "-C", real).expect(t, 0, "FAILED", "a/a_test.go:")
	runAndRerun(t, w)
}

func TestPluginsInAFolderWithSpaces(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(tempDir(t), "my 'bin'")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"proctor", "proctor-plugin-go"} {
		if err := os.Link(testbin.Path(name), filepath.Join(dir, filepath.Base(testbin.Path(name)))); err != nil {
			t.Skip("no hard links here:", err)
		}
	}
	w := newModule(t, crossed())
	call := func(args ...string) reply {
		cmd := w.command(args...)
		cmd.Path = filepath.Join(dir, filepath.Base(testbin.Path("proctor")))
		return w.wait(cmd)
	}
	call("run").expect(t, 1, "FAILED  2 tests")
	w.ran()
	w.setenv(fixed...)
	call("rerun").expect(t, 0)
	if got := strings.Join(w.ran(), ", "); got != "a TestSame, b TestB" {
		t.Errorf("ran %s", got)
	}
}

// trap is a program that leaves a trace when it is executed.
const trap = "#!/bin/sh\ntouch \"$RAN_FILE.trap\"\nexit 1\n"

func TestProgramsOfTheWorkspaceAreNotExecuted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the traps are shell scripts")
	}
	traps := []string{"go", "git", "proctor-plugin-go", "proctor-plugin-x", "bin/proctor-plugin-go", "bin/proctor-plugin-x"}
	tree := crossed()
	for _, name := range traps {
		tree[name] = trap
	}
	w := newModule(t, tree)
	for _, name := range traps {
		if err := os.Chmod(filepath.Join(w.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.setenv("PATH=.::bin:" + filepath.Join(w.dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"))
	runAndRerun(t, w)
	w.proctor("doctor").expect(t, 0, "nothing is wrong")
	if _, err := os.Stat(filepath.Join(w.home, "ran.trap")); err == nil {
		t.Error("a program of the workspace was executed")
	}
}
