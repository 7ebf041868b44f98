package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMeaninglessRequestsAreRefused(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), "events": "", "empty/readme": ""})
	w.proctor("failures", "--lang", "rust").expect(t, 0, noRunYet)
	w.proctor("run", "--timeout", "0").expect(t, 0)
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"run", "--timeout", "-1"}, []string{`"-1"`, "a number of seconds"}},
		{[]string{"rerun", "--timeout", "-5s"}, []string{`"-5s"`, "a number of seconds"}},
		{[]string{"run", "--timeout", "nan"}, []string{`"nan"`, "seconds"}},
		{[]string{"failures", "--lang", "rust"}, []string{"no rust run", "languages that have runs: go"}},
		{[]string{"runs", "show", "--lang", "rust"}, []string{"no rust run", "languages that have runs: go"}},
		{[]string{"output", "--lang", "rust", "TestA"}, []string{"no rust run", "languages that have runs: go"}},
		{[]string{"ingest", "--dry-run", "--plugin", "go", "--raw", "events"}, []string{"--raw", "ingest"}},
		{[]string{"ingest", "--dry-run", "--plugin", "go", "--format", "raw", "events"}, []string{"--raw", "ingest"}},
		{[]string{"run", "-C", "empty"}, []string{"has none of foundry.toml, go.mod", "name the directory of a project"}},
	} {
		r := w.proctor(c.args...)
		r.expect(t, exitUsage, c.says...)
		if r.stdout != "" {
			t.Errorf("%q: standard output is not empty: %s", c.args, r.stdout)
		}
	}
	if _, err := os.Stat(filepath.Join(w.dir, "empty", ".proctor")); err == nil {
		t.Error("a refused run left a folder for records")
	}
}

func TestARawRunWithoutARecordSaysSo(t *testing.T) {
	t.Parallel()
	// The records vanish in the middle of the run.
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", `os.RemoveAll("../.proctor/runs")`)})
	r := w.proctor("run", "--raw")
	if r.stdout != "exit: 0\n" {
		t.Errorf("standard output: %q", r.stdout)
	}
	r.expect(t, r.code, "no output of run", "is on record")
}

func TestWhatTheRunnerRefusesIsNotARun(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go": tests("a", "TestA", pass), "b/b_test.go": tests("b", "TestB", fail),
		"own/own_test.go": "package own\n\nimport (\n\t\"flag\"\n\t\"testing\"\n)\n\nvar own = flag.Bool(\"own\", false, \"\")\n\nfunc TestOwn(t *testing.T) {}\n",
	})
	w.proctor("run", "./a").expect(t, 0)
	long := strings.Repeat("x", 120_000)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"run", "--", "-nosuchflag"}, "flag provided but not defined: -nosuchflag"},
		{[]string{"run", "--", "-args", "-nosuch"}, "flag provided but not defined: -nosuch"},
		{[]string{"run", "--", "-count=x"}, `invalid value "x" for flag -count`},
		{[]string{"run", "--", "-mod=nosuch"}, "-mod=nosuch not supported"},
		{[]string{"run", "--", "-cpu=0"}, `invalid value "0" for -test.cpu`},
		{[]string{"run", "--", "-run", "("}, "missing closing )"},
		{[]string{"run", "--", "-bench", "("}, "missing closing )"},
		{[]string{"run", "--", "-gcflags=-nosuch"}, "flag provided but not defined: -nosuch"},
		{[]string{"run", "example.org/no/such"}, "no required module provides package example.org/no/such"},
		{[]string{"run", "example.org/no/such/..."}, "matched no packages"},
		{[]string{"run", "-f", long}, "the filter has 120000 bytes"},
		{[]string{"run", "--", long}, "a runner argument has 120000 bytes"},
		{[]string{"run", "--list", "-f", long}, "the filter has 120000 bytes"},
		{[]string{"mcp", "call", "run_tests", `{"packages": ["example.org/no/such"]}`}, "no required module provides package"},
		{[]string{"mcp", "call", "run_tests", `{"filter": "a\u0000b"}`}, "NUL"},
	} {
		r := w.proctor(c.args...)
		r.expect(t, exitUsage)
		if !strings.Contains(r.stdout+r.stderr, c.says) || strings.Contains(r.stdout+r.stderr, "protocol") {
			t.Errorf("%.80q says %.300q and %.300q, want %q", c.args, r.stdout, r.stderr, c.says)
		}
	}
	w.proctor("runs", "--json").expect(t, 0, `"total":1}`)
	w.proctor("rerun", "--list").expect(t, 0, "nothing is outstanding")
	w.proctor("rerun").expect(t, 0)
	if dirs, err := os.ReadDir(filepath.Join(w.dir, ".proctor", "runs")); err != nil || len(dirs) != 1 {
		t.Errorf("folders of runs: %v, %v", dirs, err)
	}
}

func TestARunThatIsRefusedInPartIsStillARun(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go":     tests("a", "TestA", pass),
		"own/own_test.go": "package own\n\nimport (\n\t\"flag\"\n\t\"testing\"\n)\n\nvar own = flag.Bool(\"own\", false, \"\")\n\nfunc TestOwn(t *testing.T) {}\n",
	})
	// A package takes the flag, another one does not, and its tests never started.
	w.proctor("run", "--", "-args", "-own").expect(t, exitFailed, "CANNOT BE SET UP", "flag provided but not defined: -own")
	w.proctor("rerun", "--list").expect(t, 0, "   a\n")
	w.proctor("run").expect(t, 0)
	// A suite that does not exist cannot be outstanding.
	w.proctor("run", "./a", "example.org/no/such").expect(t, exitFailed, "no required module provides package example.org/no/such")
	if r := w.proctor("rerun", "--list"); strings.Contains(r.stdout, "no/such") || strings.Contains(r.stdout, "(the run)") {
		t.Errorf("it is outstanding:\n%s", r.stdout)
	}
}
