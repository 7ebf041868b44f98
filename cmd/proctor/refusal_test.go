package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRequestsThatCannotBeMeantAreRefused(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), "events": "", "empty/readme": ""})
	w.proctor("failures", "--lang", "rust").expect(t, 0, "no run_tests call yet in this session")
	w.proctor("run", "--timeout", "0").expect(t, 0)
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"run", "--timeout", "-1"}, []string{`"-1"`, "0 for the default"}},
		{[]string{"rerun", "--timeout", "-5s"}, []string{`"-5s"`, "0 for the default"}},
		{[]string{"run", "--timeout", "nan"}, []string{`"nan"`, "seconds"}},
		{[]string{"failures", "--lang", "rust"}, []string{"no rust run", "languages that have runs: go"}},
		{[]string{"show", "--lang", "rust"}, []string{"no rust run", "languages that have runs: go"}},
		{[]string{"output", "--lang", "rust", "TestA"}, []string{"no rust run", "languages that have runs: go"}},
		{[]string{"parse", "--plugin", "go", "--raw", "events"}, []string{"--raw", "parse"}},
		{[]string{"parse", "--plugin", "go", "--format", "raw", "events"}, []string{"--raw", "parse"}},
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
