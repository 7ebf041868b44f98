package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testbin"
)

// environmentOf is the environment in which a test ran last.
func (w *module) environmentOf(test string) string {
	w.t.Helper()
	var answer api.History
	decodeLine(w.t, w.proctor("history", test, "--json"), &answer)
	if len(answer.Timeline) == 0 || answer.Timeline[0].Environment == "" {
		w.t.Fatalf("%s has no environment: %+v", test, answer)
	}
	return answer.Timeline[0].Environment
}

func TestTheEnvironmentIsTheSameOnAnotherMachine(t *testing.T) {
	t.Parallel()
	tree := files{"a/a_test.go": tests("a", "TestA", pass)}
	here, there := newModule(t, tree), newModuleAt(t, filepath.Join(t.TempDir(), "runner", "work", "m", "m"), tree)
	here.setenv("USER=ada", "GITHUB_RUN_ID=1", "HOSTNAME=one", "TMPDIR="+t.TempDir())
	// GOFLAGS names a file of the workspace, which lies elsewhere there.
	flags := func(w *module) string {
		return "GOFLAGS=" + testbin.GoFlags() + " -modfile=" + filepath.Join(w.dir, "go.mod")
	}
	cache := filepath.Join(t.TempDir(), "cache")
	if err := os.Symlink(goEnv(t, "GOCACHE")["GOCACHE"], cache); err != nil {
		t.Skip(err)
	}
	there.setenv("USER=runner", "LOGNAME=runner", "GITHUB_RUN_ID=2", "GITHUB_SHA=abc", "CI=true", "HOSTNAME=two", "TMPDIR="+t.TempDir(),
		"GOPATH="+t.TempDir(), "GOCACHE="+cache, "XDG_CACHE_HOME="+t.TempDir(), "AWS_SECRET_ACCESS_KEY=hidden-here")
	here.setenv(flags(here))
	there.setenv(flags(there))
	here.proctor("run").expect(t, exitPassed)
	there.proctor("run").expect(t, exitPassed)
	one := here.environmentOf("TestA")
	if two := there.environmentOf("TestA"); one != two {
		t.Errorf("two clones have environments %s and %s", one, two)
	}
	for name, change := range map[string][]string{
		"flags":      {"GOFLAGS=" + testbin.GoFlags()},
		"a tag":      {flags(here) + " -tags=x"},
		"debug":      {"GODEBUG=panicnil=1"},
		"processors": {"GOMAXPROCS=1"},
	} {
		before := here.env
		here.setenv(change...)
		here.proctor("run").expect(t, exitPassed)
		if here.environmentOf("TestA") == one {
			t.Errorf("%s makes no difference", name)
		}
		here.env = before
	}
	here.proctor("run", "--", "-race").expect(t, exitPassed)
	if here.environmentOf("TestA") == one {
		t.Error("an argument makes no difference")
	}
	// Nothing of a secret is kept.
	err := filepath.WalkDir(filepath.Join(there.dir, ".proctor", "runs"), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), "hidden-here") {
			t.Errorf("%s has the value of a variable", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAVariableThatTheWorkspaceNamesCounts(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), ".proctor.toml": "env = [\"FEATURE_*\"]\n"})
	seen := map[string]string{}
	for _, setting := range []string{"FEATURE_X=1", "FEATURE_X=2", "OTHER=1"} {
		before := w.env
		w.setenv(setting)
		w.proctor("run").expect(t, exitPassed)
		env := w.environmentOf("TestA")
		if other, twice := seen[env]; twice {
			t.Errorf("%s and %s are one environment", setting, other)
		}
		seen[env] = setting
		w.env = before
	}
	w.proctor("run").expect(t, exitPassed)
	if seen[w.environmentOf("TestA")] != "OTHER=1" {
		t.Error("a variable that nobody names counts")
	}
}

// In CI each run has an id of its own.
func TestAFlakyTestIsSeenAcrossRunsOfCI(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": `package a

import (
	"os"
	"testing"
)

func TestDraws(t *testing.T) {
	if os.Getenv("GITHUB_RUN_ID") == "2" {
		t.Fatal("got 1, want 2")
	}
}
`})
	w.setenv("PROCTOR_SESSION=")
	ci := func(id string) reply {
		cmd := w.command("run")
		cmd.Env = append(cmd.Env, "CI=true", "GITHUB_RUN_ID="+id, "GITHUB_RUN_ATTEMPT=1", "HOSTNAME=fv-az"+id)
		return w.wait(cmd)
	}
	ci("1").expect(t, exitPassed)
	ci("2").expect(t, exitFailed, "flaky")
	w.proctor("history", "TestDraws").expect(t, 0, "flaky")
	w.proctor("why", "TestDraws").expect(t, 0, "flaky", "Variables that do not count had other values", "GITHUB_RUN_ID, HOSTNAME")
	var why api.Why
	decodeLine(t, w.proctor("why", "TestDraws", "--json"), &why)
	if why.Unlike == nil || len(why.Unlike.Decides) > 0 || !slices.Equal(why.Unlike.Variables, []string{"GITHUB_RUN_ID", "HOSTNAME"}) {
		t.Errorf("%+v", why.Unlike)
	}
	// Under another GOFLAGS it is another environment, and the answer says so.
	cmd := w.command("run", "--", "-race")
	cmd.Env = append(cmd.Env, "GITHUB_RUN_ID=3")
	w.wait(cmd).expect(t, exitPassed)
}

// People work on a module and on one that replaces its dependency at once.
func TestAnEditOfAModuleOutsideOfTheWorkspaceMakesNoTestFlaky(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"go.mod":        "module example.com/m\n\ngo 1.20\n\nrequire example.com/lib v1.0.0\n\nreplace example.com/lib => ../lib\n",
		"a/a_test.go":   "package a\n\nimport (\n\t\"testing\"\n\n\t\"example.com/lib\"\n)\n\nfunc TestA(t *testing.T) {\n\tif !lib.OK() {\n\t\tt.Fatal(\"not ok\")\n\t}\n}\n",
		"../lib/go.mod": "module example.com/lib\n\ngo 1.20\n", "../lib/lib.go": "package lib\n\nfunc OK() bool { return true }\n",
	})
	w.proctor("run").expect(t, exitPassed)
	one := w.environmentOf("TestA")
	w.write(files{"../lib/lib.go": "package lib\n\nfunc OK() bool { return false }\n"})
	w.proctor("run").expect(t, exitFailed)
	w.proctor("why", "TestA").expect(t, 0, "sources in ../lib")
	if r := w.proctor("history", "TestA"); strings.Contains(r.stdout+r.stderr, "flaky") {
		t.Errorf("it is called flaky:\n%s", r.stdout)
	}
	w.write(files{"../lib/lib.go": "package lib\n\nfunc OK() bool { return true }\n"})
	w.proctor("rerun").expect(t, exitPassed)
	if two := w.environmentOf("TestA"); two != one {
		t.Errorf("the same sources outside have environments %s and %s", one, two)
	}
}
