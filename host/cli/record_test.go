package cli

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/needs"
)

// in is the same workspace seen from another session.
func (w *module) in(session string) *module {
	other := *w
	other.env = append(w.env[:len(w.env):len(w.env)], "PROCTOR_SESSION="+session)
	return &other
}

// git runs git in the workspace.
func (w *module) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command(needs.Program(w.t, "git"), append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits everything, to a new repository if there is none.
func (w *module) commit() {
	w.t.Helper()
	if _, err := os.Stat(filepath.Join(w.dir, ".git")); err != nil {
		w.git("init", "-q")
	}
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "x", "--allow-empty")
}

// onlyFailure is the one failure that a run must have.
func onlyFailure(t *testing.T, run api.Run) api.Failure {
	t.Helper()
	if len(run.Failures) != 1 {
		t.Fatalf("%d failures, want 1: %+v", len(run.Failures), run.Failures)
	}
	return run.Failures[0]
}

func TestAnotherSessionSeesWhatIsStillOutstandingAndFromWhen(t *testing.T) {
	t.Parallel()
	w := newShellModule(t, files{"a.tests": shellTests("a", "TestA", shellBroken, "TestB", shellPass)})
	first, _ := w.in("one").object("run")
	two := w.in("two")
	since := "outstanding from earlier sessions: 1 test, since run " + first.RunID + " of session one"
	two.proctor("failures").expect(t, 0, noRunOfSession, since, "proctor rerun")
	rerun, r := two.object("rerun")
	if r.code != 1 || rerun.Outstanding != 1 || rerun.Counts.Failed != 1 {
		t.Errorf("exit %d, %d outstanding, %+v", r.code, rerun.Outstanding, rerun.Counts)
	}
	if !strings.Contains(fmt.Sprint(rerun.Warnings), since) {
		t.Errorf("the rerun does not say from when: %q", rerun.Warnings)
	}
	two.setenv(fixed...)
	two.proctor("rerun").expect(t, 0, "PASSED  1 test")
	w.in("three").proctor("failures").expect(t, 0, noRunYet)
	if text := w.in("three").proctor("failures").stdout; strings.Contains(text, "outstanding") {
		t.Errorf("what passed is still outstanding: %s", text)
	}
}

// A test whose suite was kept from running by another has not simply passed.
func TestWhyAndHistorySayThatAnotherSuiteKeptATestFromRunning(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a.go": "package a\n\nfunc A() {}\n", "b/b.go": "package b\n\nimport \"example.com/m/a\"\n\nfunc B() { a.A() }\n",
		"b/b_test.go": tests("b", "TestB", pass), "c/c_test.go": tests("c", "TestC", pass),
	})
	w.proctor("run").expect(t, 0)
	w.write(files{"a/a.go": "package a\n\nfunc A() { x() }\n"})
	w.proctor("run").expect(t, 1, "keeps from running: b")
	w.proctor("run", "./c").expect(t, 0)
	const told = "Its package did not build in run "
	w.proctor("why", "TestB").expect(t, 0, told, "undefined: x")
	w.proctor("why", "b").expect(t, 0, told)
	w.proctor("history", "TestB").expect(t, 0, told)
	w.write(files{"a/a.go": "package a\n\nfunc A() {}\n"})
	w.proctor("rerun").expect(t, 0)
	for _, name := range []string{"TestB", "b"} {
		if r := w.proctor("why", name); strings.Contains(r.stdout, "did not build") {
			t.Errorf("it ran since: %s", r.stdout)
		}
	}
}

// The life of a test over sessions and states of the sources.
func TestClassificationsFollowATestThroughSessions(t *testing.T) {
	t.Parallel()
	good, bad := shellTests("a", "TestA", shellPass, "TestB", shellPass), shellTests("a", "TestA", shellFail, "TestB", shellPass)
	w := newShellModule(t, files{"a.tests": good})
	w.commit()
	w.in("one").proctor("run").expect(t, 0)
	w.write(files{"a.tests": bad})
	two, _ := w.in("two").object("run")
	f := onlyFailure(t, two)
	if f.Standing == nil || f.Classification != api.Regression || f.FailedSessions != 1 || f.LastPassed == nil || f.SameFailure != nil {
		t.Fatalf("a test that passed before: %+v", f.Standing)
	}
	w.in("two").proctor("failures").expect(t, 0, "new since a.tests changed")
	w.write(files{"b.go": "package m\n"})
	again, _ := w.in("two").object("run")
	if f = onlyFailure(t, again); f.Classification != api.Regression || f.SameFailure == nil || f.SameFailure.Run != 2 || f.SameFailure.Edits != 1 {
		t.Errorf("the same failure again: %+v, %+v", f.Standing, f.SameFailure)
	}
	three, _ := w.in("three").object("run")
	if f = onlyFailure(t, three); f.Classification != api.Failing || f.FailedSessions != 2 || f.Recurring {
		t.Errorf("failing then and now: %+v", f.Standing)
	}
	four, _ := w.in("four").object("run")
	if f = onlyFailure(t, four); f.FailedSessions != 3 || !f.Recurring {
		t.Errorf("three sessions: %+v", f.Standing)
	}
	w.in("five").proctor("mcp", "context").expect(t, 0, "Recurring failures across sessions: a.tests. Failing: TestA of a.tests since run ")
	w.write(files{"a.tests": good})
	w.in("five").proctor("run").expect(t, 0)
	w.in("five").proctor("history", "--classification", "fixed").expect(t, 0, "TestA")
	w.write(files{"a.tests": bad})
	six, _ := w.in("six").object("run")
	if f = onlyFailure(t, six); f.Classification != api.Regression || f.Flaky != nil {
		t.Errorf("fixed in the session before, failing now: %+v", f.Standing)
	}
	w.in("seven").proctor("mcp", "context").expect(t, 0, "Recent regressions: a.tests (was passing, now failing).")
}

func TestOnlyEqualSourcesMakeATestFlaky(t *testing.T) {
	t.Parallel()
	// It fails on every other run; what it counts in is no part of the sources.
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", `
	if raw, _ := os.ReadFile(os.Getenv("RAN_FILE")); len(raw)/len("a TestA\n")%2 == 1 {
		t.Error("unlucky")
	}`)})
	w.commit()
	w.proctor("run").expect(t, 1)
	w.proctor("run").expect(t, 0)
	run, _ := w.object("run")
	f := onlyFailure(t, run)
	if f.Flaky == nil || f.Flaky.Fingerprint != run.Source.Fingerprint {
		t.Fatalf("red and green on the same sources: %+v", f.Standing)
	}
	w.proctor("history", "--flaky").expect(t, 0, "TestA", "flaky: passed in run")
}

func TestAChangeWhileTheRunGoesOnIsNoEvidence(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", `os.WriteFile("../made.txt", []byte(t.Name()), 0o644)`)})
	w.commit()
	run, r := w.object("run")
	if !run.MixedState || run.Source == nil || !strings.Contains(fmt.Sprint(run.Warnings), "made.txt") {
		t.Errorf("exit %d, mixed %v, %+v, %q", r.code, run.MixedState, run.Source, run.Warnings)
	}
	again, _ := w.object("run")
	if again.MixedState && again.Source.Fingerprint == run.Source.Fingerprint {
		t.Errorf("the file is there already: %q", again.Warnings)
	}
}

func TestOutputRedirectedIntoTheWorkspaceIsNoChangeOfItsSources(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	w.commit()
	clean, _ := w.object("run")
	cmd := w.command("run", "--json")
	out, err := os.Create(filepath.Join(w.dir, "out.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	w.remove("out.txt")
	if run, _ := w.object("runs", "show"); run.RunID == clean.RunID || run.MixedState || run.Source.Fingerprint != clean.Source.Fingerprint {
		t.Errorf("%+v, %+v without", run.Source, clean.Source)
	}
}

func TestAPassNamesTestsThatNoLongerVerifyAnything(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass, "TestB", pass, "TestC", pass)})
	w.in("one").proctor("run").expect(t, 0)
	w.write(files{"a/a_test.go": tests("a", "TestA", pass, "TestB", skip)})
	run, r := w.in("two").object("run")
	if i := run.Integrity; r.code != 0 || i == nil || i.VanishedTotal != 1 || i.NewlySkippedTotal != 1 || i.Vanished[0].Test != "TestC" || i.NewlySkipped[0].Test != "TestB" {
		t.Fatalf("exit %d, %+v", r.code, run.Integrity)
	}
	w.in("two").proctor("run", "-q").expect(t, 0, "1 test vanished since run", "TestC", "1 test newly skipped since run", "TestB")
	// A part of the tests is no comparison.
	if part, _ := w.in("two").object("run", "-f", "TestA"); part.Integrity != nil {
		t.Errorf("a filtered run: %+v", part.Integrity)
	}
}

func TestAnOldAnswerSaysWhatChangedSince(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a.go": "package a\n", "a/a_test.go": tests("a", "TestA", broken), "b/b_test.go": tests("b", "TestB", pass)})
	w.commit()
	w.proctor("run").expect(t, 1)
	if text := w.proctor("failures").stdout; strings.Contains(text, "changed since") {
		t.Errorf("nothing changed: %s", text)
	}
	w.write(files{"a/a.go": "package a\n\n// changed\n", "c.txt": "new"})
	w.proctor("failures").expect(t, 0, "(2 files changed since: a/a.go, c.txt; in or beside tests of example.com/m/a)")
	w.setenv(fixed...)
	w.proctor("run").expect(t, 0)
	w.write(files{"b/more.go": "package b\n"})
	w.proctor("failures").expect(t, 0, "PASSED", "(1 file changed since: b/more.go; in or beside tests of example.com/m/b)")
	w.proctor("rerun").expect(t, 0, "nothing to rerun", "(1 file changed since: b/more.go")
}

func TestADamagedHistoryIsSetAsideAndNothingIsGreenForIt(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", broken, "TestB", pass)})
	w.proctor("run").expect(t, 1)
	path := filepath.Join(w.dir, ".proctor", "history.db")
	garbage := []byte(strings.Repeat("no database ", 1000))
	if err := os.WriteFile(path, garbage, 0o644); err != nil {
		t.Fatal(err)
	}
	w.remove(".proctor/history.db-wal", ".proctor/history.db-shm")
	if r := w.proctor("run", "--list"); r.code != 0 || r.stderr != "" {
		t.Errorf("a list needs no record: exit %d: %s", r.code, r.stderr)
	}
	r := w.proctor("rerun")
	if r.code != 1 || !strings.Contains(r.stderr, "was set aside as "+path+".corrupt-") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	aside, err := filepath.Glob(path + ".corrupt-*")
	if err != nil || len(aside) == 0 {
		t.Fatal("nothing was set aside", err)
	}
	if raw, err := os.ReadFile(aside[0]); err != nil || string(raw) != string(garbage) {
		t.Errorf("what was set aside is not what was there: %v", err)
	}
	// The outstanding set is lost in every session, so everything is outstanding.
	w.in("other").setenv(fixed...)
	if run, _ := w.in("other").object("run", "-f", "TestB"); run.Outstanding == 0 {
		t.Error("a part that passed cleared what nobody knows")
	}
}

func TestARemovedHistoryLeavesNothingGreen(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", broken, "TestB", pass)})
	w.in("one").proctor("run").expect(t, 1)
	w.remove(".proctor/history.db", ".proctor/history.db-wal", ".proctor/history.db-shm")
	w.write(files{"a/a_test.go": "// edited\n" + tests("a", "TestA", broken, "TestB", pass)})
	w.in("one").proctor("failures").expect(t, 0, "a TestA", "FAILED  1 test")
	w.in("one").proctor("runs", "show").expect(t, 0, "a TestA", "FAILED  1 test")
	if r := w.in("one").proctor("runs"); strings.Contains(r.stdout, "no tests have been run") {
		t.Errorf("a run is on record, and it says %q", r.stdout)
	}
	w.remove(".proctor/history.db", ".proctor/history.db-wal", ".proctor/history.db-shm")
	two := w.in("two")
	if run, r := two.object("run", "-f", "TestB"); r.code != 0 || run.Outstanding == 0 {
		t.Errorf("exit %d, %d outstanding: what the removed history had is taken for passed", r.code, run.Outstanding)
	}
	two.setenv(fixed...)
	if run, _ := two.object("run"); run.Outstanding != 0 {
		t.Errorf("%d outstanding after a green run of everything", run.Outstanding)
	}
}

// A program that is older than the record shows what it can read, and calls nothing green.
func TestTheFailuresInARecordOfANewerProctorAreShown(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", broken, "TestB", pass)})
	w.proctor("run").expect(t, 1)
	edit(t, w, "PRAGMA user_version = 99")
	w.write(files{"a/a_test.go": "// edited\n" + tests("a", "TestA", broken, "TestB", pass)})
	w.proctor("failures").expect(t, 0, "a TestA", "FAILED  1 test")
	r := w.proctor("rerun")
	r.expect(t, exitTool, "made by a newer proctor")
	if strings.Contains(r.stdout, "no tests have been run") {
		t.Errorf("what was run is unknown, and it says %q", r.stdout)
	}
}

func TestARunPassesThoughItCannotBeRecorded(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	if err := os.MkdirAll(filepath.Join(w.dir, ".proctor", "history.db", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := w.proctor("run")
	r.expect(t, 0, "shown but not recorded: ", "history.db", "PASSED  1 test")
	w.proctor("failures").expect(t, 0, "PASSED")
}

func TestAMistypedSettingIsAnErrorBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), ".proctor.toml": "[history]\nrun = 5\n"})
	w.proctor("run").expect(t, exitUsage, ".proctor.toml:2: history.run is unknown; did you mean `runs`?")
	if ran := w.ran(); len(ran) > 0 {
		t.Errorf("%q ran", ran)
	}
	w.write(files{".proctor.toml": "[history]\nruns = 2\n"})
	for range 4 {
		w.proctor("run").expect(t, 0)
	}
	if kept, _ := filepath.Glob(filepath.Join(w.dir, ".proctor", "runs", "*")); len(kept) != 2 {
		t.Errorf("%d runs are kept, want 2", len(kept))
	}
}

func TestTwoWorktreesOfOneRepositoryDoNotMix(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", broken)})
	w.commit()
	other := *w
	other.dir = filepath.Join(t.TempDir(), "tree")
	w.git("worktree", "add", "-q", other.dir)
	here, _ := w.object("run")
	if r := other.proctor("failures"); strings.Contains(r.stdout, "outstanding") {
		t.Errorf("the other worktree: %s", r.stdout)
	}
	there, _ := other.object("run")
	if here.Source.Worktree == there.Source.Worktree || here.Source.Fingerprint != there.Source.Fingerprint {
		t.Errorf("%+v, %+v", here.Source, there.Source)
	}
	if f := onlyFailure(t, there); f.FailedSessions != 1 || f.SameFailure != nil {
		t.Errorf("it counts what failed in the other: %+v", f.Standing)
	}
	// Copied records are another workspace's, too.
	moved := *w
	moved.dir = filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(moved.dir, os.DirFS(w.dir)); err != nil {
		t.Fatal(err)
	}
	if r := moved.proctor("runs"); strings.Contains(r.stdout, here.RunID) {
		t.Errorf("runs of the original are taken for the copy's: %s", r.stdout)
	}
}

// A history that nobody can write to for a while must not forget a red.
func TestARunWhoseEndCouldNotBeWrittenIsRecordedLater(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", broken), "b/b_test.go": tests("b", "TestB", pass)})
	w.proctor("run", "./b").expect(t, 0)
	run, _ := w.object("run")
	// As if the end had not been written: the row of a run in progress, without results,
	// and no outstanding set since.
	edit(t, w, "UPDATE runs SET state = 'running' WHERE uid = '"+run.RunID+"'",
		"DELETE FROM results WHERE run = (SELECT id FROM runs WHERE uid = '"+run.RunID+"')",
		"DELETE FROM suspects",
		`UPDATE outstanding SET value = '{"entries":[]}'`)
	other := w.in("other")
	other.proctor("runs").expect(t, 0, run.RunID+"  ", "failed")
	other.proctor("history", "TestA").expect(t, 0, "failed")
	other.proctor("rerun", "--list").expect(t, 0, "   a TestA\n", "(the run)")
	w.proctor("runs", "show", run.RunID).expect(t, 0, "FAILED  1 test")
	other.setenv(fixed...)
	other.proctor("run").expect(t, 0)
	other.proctor("rerun", "--list").expect(t, 0, "nothing is outstanding")
}

// edit changes the history behind proctor's back.
func edit(t *testing.T, w *module, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(w.dir, ".proctor", "history.db")))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(s, err)
		}
	}
}

// A red that is skipped first and deleted later is mentioned when it goes.
func TestAnOutstandingTestThatIsDeletedIsNamedWhenRemoved(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", fail, "TestB", pass)})
	w.in("one").proctor("run").expect(t, 1)
	w.write(files{"a/a_test.go": tests("a", "TestA", skip, "TestB", pass)})
	w.in("two").proctor("run").expect(t, 0, "1 test still outstanding")
	w.in("three").proctor("run").expect(t, 0, "1 test still outstanding")
	w.write(files{"a/a_test.go": tests("a", "TestB", pass)})
	run, r := w.in("four").object("run")
	if r.code != 0 || run.Outstanding != 0 || run.Integrity == nil || len(run.Integrity.Gone) != 1 || run.Integrity.Gone[0].Test != "TestA" {
		t.Errorf("exit %d, %d outstanding, %+v", r.code, run.Outstanding, run.Integrity)
	}
}
