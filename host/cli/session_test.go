package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestSessionsDoNotMix(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", broken)})
	one, two := *w, *w
	one.env = append(one.env[:len(one.env):len(one.env)], "PROCTOR_SESSION=one")
	two.env = append(two.env[:len(two.env):len(two.env)], "PROCTOR_SESSION=two, with / in its name")
	run, _ := one.object("run")
	if run.SessionID != "one" || run.Outstanding != 1 {
		t.Errorf("session %q, %d outstanding", run.SessionID, run.Outstanding)
	}
	two.proctor("failures").expect(t, 0, noRunOfSession,
		"outstanding from earlier sessions: 1 test, since run "+run.RunID+" of session one")
	two.setenv(fixed...)
	green, r := two.object("run")
	r.expect(t, 0)
	one.proctor("failures").expect(t, 0, "FAILED  1 test")
	two.proctor("failures").expect(t, 0, "PASSED")
	// Runs have names beyond their session.
	one.proctor("runs", "show", green.RunID).expect(t, 0, "PASSED")
	// The outstanding set belongs to the workspace, and the test has passed since.
	one.proctor("rerun").expect(t, exitNothingRan, "nothing is outstanding, and the last run is not a pass")
}

// A terminal is only where one happens to sit: nobody has named the session.
func TestTheLastRunIsTheWorkspacesWhateverStartedIt(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go": tests("a", "TestA", broken, "TestB", pass)})
	agent, here := *w, *w
	agent.env = append(agent.env[:len(agent.env):len(agent.env)], "PROCTOR_SESSION=agent")
	here.env = append(here.env[:len(here.env):len(here.env)], "PROCTOR_SESSION=")
	here.proctor("failures").expect(t, 0, noRunYet)
	here.proctor("run", "-f", "TestB").expect(t, 0)
	red, _ := agent.object("run")
	for _, question := range [][]string{{"failures"}, {"runs", "show"}, {"runs", "show", "last"}, {"failures", "--session", "agent"}} {
		here.proctor(question...).expect(t, 0, red.RunID, "FAILED  1 test")
	}
	here.proctor("runs", "show", "prev").expect(t, 0, "PASSED")
	here.proctor("output", "TestA").expect(t, 0, "wrong")
	here.proctor("failures", "--session", "this").expect(t, 0, "PASSED")
	here.proctor("failures", "--session", "nobody").expect(t, 0, "no test run of session nobody is on record")
	here.setenv(fixed...)
	here.proctor("rerun").expect(t, 0, "PASSED  1 test")
	here.proctor("failures").expect(t, 0, "PASSED  1 test")
	agent.proctor("failures").expect(t, 0, "FAILED  1 test")
}

func TestTwoRunsAtOnceAreBothKept(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go": tests("a", "TestA", fail, "TestB", pass), "b/b_test.go": tests("b", "TestC", fail, "TestD", pass)})
	replies := make([]reply, 2)
	var wait sync.WaitGroup
	for i, p := range []string{"./a", "./b"} {
		cmd := w.command("run", p, "--json")
		wait.Go(func() { replies[i] = w.wait(cmd) })
	}
	wait.Wait()
	for _, r := range replies {
		var run api.Run
		decodeLine(t, r, &run)
		if r.code != 1 || run.FailuresTotal != 1 {
			t.Errorf("exit %d, %d failures", r.code, run.FailuresTotal)
		}
		w.proctor("runs", "show", run.RunID).expect(t, 0, "FAILED")
	}
	w.ran()
	step{call: "rerun", code: 1, verdict: api.Failed, outstanding: 2, ran: "a TestA, b TestC"}.happens(t, w)
}

func TestRecordsIgnoreThemselvesInGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git here:", err)
	}
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	status := func() string {
		cmd := exec.Command(git, "status", "--porcelain", "--untracked-files=all")
		cmd.Dir, cmd.Env = w.dir, w.env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git status: %v: %s", err, out)
		}
		return string(out)
	}
	cmd := exec.Command(git, "init", "-q")
	cmd.Dir, cmd.Env = w.dir, w.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	before := status()
	w.proctor("run").expect(t, 0)
	if after := status(); after != before {
		t.Errorf("git sees the records:\n%s\nbefore:\n%s", after, before)
	}
}

// A file in the place of the folder: a workspace that cannot be written, also
// for root.
func TestAWorkspaceThatCannotBeWrittenKeepsItsRecordsElsewhere(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass, "TestB", broken), ".proctor": ""})
	state := filepath.Join(w.home, "state")
	w.setenv("XDG_STATE_HOME=" + state)
	w.proctor("run").expect(t, 1)
	w.proctor("failures").expect(t, 0, "FAILED  1 test")
	w.proctor("output", "TestB").expect(t, 0, "wrong")
	w.ran()
	step{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestB"}.happens(t, w)
	if found, _ := filepath.Glob(filepath.Join(state, "proctor", "*", "runs", "*", "run.json")); len(found) != 2 {
		t.Errorf("%d runs are on record below the user's state folder, want 2", len(found))
	}
}

func TestARecordedRunIsNotLostToADamagedNeighbor(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", fail)})
	first, _ := w.object("run")
	second, _ := w.object("run")
	damaged := filepath.Join(w.dir, ".proctor", "runs", second.RunID)
	for _, file := range []string{"run.json", "failures.jsonl"} {
		testfiles.Write(t, filepath.Join(damaged, file), "{\"schema")
	}
	w.proctor("runs", "show", first.RunID).expect(t, 0, "FAILED")
	r := w.proctor("failures")
	if r.code == 0 || !strings.Contains(r.stderr, second.RunID) {
		t.Errorf("the damaged record goes unnoticed: exit %d %s%s", r.code, r.stdout, r.stderr)
	}
	w.proctor("rerun").expect(t, 1)
	w.proctor("failures").expect(t, 0, "FAILED  1 test")
}

func TestADamagedSessionFileIsNamedWithAWayOut(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", fail)})
	w.proctor("run").expect(t, 1)
	state := filepath.Join(w.dir, ".proctor", "sessions", "e2e.json")
	testfiles.Write(t, state, "{")
	for _, command := range []string{"failures", "rerun"} {
		r := w.proctor(command)
		if r.code == 0 {
			t.Errorf("%s is green", command)
		}
		r.expect(t, exitTool, state, "move the file away")
	}
	// A run is worth more than its record.
	w.proctor("run").expect(t, 1, "not recorded")
}

func TestARecordMadeByALinkIsRefused(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(w.dir, ".proctor")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	w.setenv("XDG_STATE_HOME=" + filepath.Join(w.home, "state"))
	w.proctor("run").expect(t, 0)
	if entries, _ := os.ReadDir(elsewhere); len(entries) > 0 {
		t.Errorf("proctor wrote through a link of the workspace: %v", entries)
	}
	w.proctor("failures").expect(t, 0, "PASSED")
}

func TestTheLastRunIsFoundWhereverItWasRecorded(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", broken)})
	w.setenv("XDG_STATE_HOME=" + filepath.Join(w.home, "state"))
	green := *w
	green.env = append(w.env[:len(w.env):len(w.env)], fixed...)
	green.proctor("run").expect(t, 0)
	// From now on the workspace cannot be written.
	w.remove(".proctor/runs")
	w.write(files{".proctor/runs": ""})
	w.proctor("run").expect(t, 1)
	w.proctor("failures").expect(t, 0, "FAILED  1 test")
}
