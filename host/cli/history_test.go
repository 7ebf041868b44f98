package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Results recorded elsewhere say nothing about the workspace here.
func TestARecordedOutputDoesNotTouchTheNoteOrTheExport(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), "red.jsonl": events("TestA", "fail"), "green.jsonl": events("TestA", "pass")})
	w.proctor("run").expect(t, 0)
	told := func() string {
		return w.proctor("mcp", "context").stdout + w.proctor("history", "--export", "-").stdout
	}
	before := told()
	w.proctor("ingest", "--plugin", "go", "--exit-code", "1", "--at", "2026-01-02T03:04:05Z", "red.jsonl").expect(t, 1)
	if now := told(); now != before {
		t.Errorf("after an older failure: %s", now)
	}
	w.write(files{"a/a_test.go": tests("a", "TestA", fail)})
	cmd := w.command("run")
	cmd.Env = append(cmd.Env, "PROCTOR_SESSION=later")
	w.wait(cmd).expect(t, 1)
	if before = told(); !strings.Contains(before, "Recent regressions: a_test.go") {
		t.Error(before)
	}
	w.proctor("ingest", "--plugin", "go", "--exit-code", "0", "green.jsonl").expect(t, 0)
	if now := told(); now != before {
		t.Errorf("after a pass: %s", now)
	}
}

// A green run of other tests must not make a failing one "not exist".
func TestARunOfOtherTestsHidesNoFailure(t *testing.T) {
	t.Parallel()
	const old = "//go:build !other\n\n"
	w := newModule(t, files{"a/a_test.go": old + tests("a", "TestA", pass), "b/b_test.go": tests("b", "TestB", pass)})
	run := func(session, setting string, code int, args ...string) {
		t.Helper()
		cmd := w.command(append([]string{"run"}, args...)...)
		cmd.Env = append(cmd.Env, "PROCTOR_SESSION="+session, setting)
		w.wait(cmd).expect(t, code)
	}
	run("s1", "", 0)
	w.write(files{"a/a_test.go": old + tests("a", "TestA", fail)})
	run("s2", "", 1)
	before := w.proctor("mcp", "context").stdout + w.proctor("history", "--export", "-").stdout
	for _, c := range [][]string{{"", "--", "-run", "TestB"}, {"", "--", "-skip", "TestA"}, {"", "--", "-tags", "other"}, {"GOFLAGS=-tags=other"}} {
		run("s3", c[0], 0, c[1:]...)
		if now := w.proctor("mcp", "context").stdout; now == "" || !strings.HasPrefix(before, now) {
			t.Errorf("after %q: %q, before: %s", c, now, before)
		}
		w.proctor("history").expect(t, 0, "TestA", "regression")
	}
}

func TestEveryAnswerNamesSuitesInShortAndTakesThoseNames(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a_test.go": tests("m", "TestBoth", `t.Error("at the root")`), "m/a_test.go": tests("m", "TestBoth", `t.Error("below")`)})
	w.proctor("run").expect(t, 1, "✗ m TestBoth", "✗ m/m TestBoth")
	w.proctor("run").expect(t, 1)
	for _, args := range [][]string{{"rerun", "--list"}, {"diff"}, {"history"}, {"runs", "show"}, {"run", "--list"}, {"failures"}} {
		r := w.proctor(args...)
		if strings.Contains(r.stdout, "example.com") || !strings.Contains(r.stdout, "m/m") {
			t.Errorf("%v: %s", args, r.stdout)
		}
	}
	for name, says := range map[string]string{"m TestBoth": "at the root", "m/m TestBoth": "below"} {
		for _, args := range [][]string{{"why", name}, {"history", name}, {"output", name}} {
			r := w.proctor(args...)
			if r.code != 0 || !strings.Contains(r.stdout, says) {
				t.Errorf("%v: exit %d: %s%s", args, r.code, r.stdout, r.stderr)
			}
		}
	}
	w.proctor("quarantine", "add", "m TestBoth", "--reason", "x").expect(t, 0, "in quarantine: m TestBoth")
	w.proctor("rerun", "--list", "--drop", "m TestBoth").expect(t, 0, "taken off: m TestBoth", "m/m TestBoth")
}

// A name that was shown for a test that has passed since means no other one, and a name stands
// once for what is outstanding in several settings.
func TestAShortNameMeansOnlyWhatItIsShownFor(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a_test.go": tests("m", "TestBoth", `t.Error("at the root")`), "m/a_test.go": tests("m", "TestBoth", `t.Error("below")`)})
	w.proctor("run").expect(t, exitFailed)
	if r := w.proctor("history", "m"); r.code != exitPassed || !strings.Contains(r.stdout, "at the root") || strings.Contains(r.stdout, "m/m") {
		t.Errorf("history of m: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	w.proctor("why", "m").expect(t, exitPassed, "The package itself passed in run", "; its tests have answers of their own", "No failure of its own on record")
	w.write(files{"a_test.go": tests("m", "TestBoth", pass)})
	w.proctor("run", "-short").expect(t, exitFailed)
	w.proctor("rerun", "--list").expect(t, exitPassed, "with runner arguments -short", "m/m TestBoth", "m TestBoth")
	w.proctor("run", ".").expect(t, exitPassed)
	if r := w.proctor("rerun", "--drop", "m TestBoth"); r.code != exitUsage || !strings.Contains(r.stderr, "not outstanding: m TestBoth") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if r := w.proctor("rerun", "--drop", "m/m TestBoth"); r.code != exitPassed || strings.Count(r.stdout, "taken off: m/m TestBoth") != 1 {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	w.proctor("rerun", "--list").expect(t, exitPassed, "nothing is outstanding")
}

// Generated a moment before the run, and ignored: it is not known whether the run saw it.
func TestAFileThatIsNoSourceIsNotCalledEdited(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"m/made_test.go": tests("m", "TestMade", `t.Error("made")`), "n/plain_test.go": tests("n", "TestPlain", `t.Error("plain")`), ".gitignore": "made_*\n"})
	w.git("init", "-q")
	soon := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(w.dir, "m", "made_test.go"), soon, soon); err != nil {
		t.Fatal(err)
	}
	r := w.proctor("run")
	r.expect(t, exitFailed, "  m/made_test.go:", `▸ `)
	if strings.Contains(r.stdout, "edited since") {
		t.Error(r.stdout)
	}
}
