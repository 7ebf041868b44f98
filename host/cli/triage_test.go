package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/internal/testbin"
)

// repository is a module in a git repository of its own.
type repository struct {
	*module
	// top is the root of the repository, and temp where checkouts of it are made.
	top, temp string
}

// newRepository makes a module at a place in a repository and commits it.
func newRepository(t *testing.T, within string, tree files) *repository {
	t.Helper()
	needs.Program(t, "git")
	place := testbin.Place(t)
	top, temp := filepath.Join(place, "a repo"), filepath.Join(place, "temp")
	w := &repository{module: newModuleAt(t, filepath.Join(top, within), tree), top: top, temp: temp}
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	w.setenv("TMPDIR="+temp, "TMP="+temp, "TEMP="+temp, "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
	t.Cleanup(func() {
		if left, _ := filepath.Glob(filepath.Join(temp, "proctor-checkouts-*", "*-*")); len(left) > 0 {
			t.Errorf("checkouts were left behind: %q", left)
		}
	})
	w.git("init", "-q", "-b", "main")
	w.commit()
	return w
}

func (w *repository) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir, cmd.Env = w.top, append(slices.Clone(w.env), "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *repository) commit() {
	w.t.Helper()
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "x")
}

// triage asks for one answer.
func (w *repository) triage(args ...string) (api.Triage, reply) {
	w.t.Helper()
	r := w.proctor(append([]string{"triage", "--json"}, args...)...)
	var answer api.Triage
	decodeLine(w.t, r, &answer)
	if answer.Schema != api.TriageSchema || answer.Introduced+answer.PreExisting+answer.Unknown+answer.Gone != len(answer.Tests) {
		w.t.Errorf("no sound answer: %s", r.stdout)
	}
	return answer, r
}

// found are the findings of an answer by the names of the tests.
func found(answer api.Triage) map[string]string {
	findings := map[string]string{}
	for _, t := range answer.Tests {
		text := string(t.Finding)
		switch t.Likeness {
		case api.OtherMessage, api.OtherPlace, api.OtherKind:
			text += " differently"
		}
		findings[strings.TrimPrefix(t.Suite, "example.com/m/")+" "+t.Test] = text
	}
	return findings
}

func expectFound(t *testing.T, answer api.Triage, want map[string]string) {
	t.Helper()
	got := found(answer)
	for name, finding := range want {
		if got[name] != finding {
			t.Errorf("%s is %q, want %q", name, got[name], finding)
		}
	}
	if len(got) != len(want) {
		t.Errorf("findings %v, want %v", got, want)
	}
}

func TestATriageSaysWhoseEachFailureIs(t *testing.T) {
	t.Parallel()
	w := newRepository(t, ".", files{
		"a/a_test.go": tests("a", "TestOld", `t.Error("wrong as ever")`, "TestMine", pass, "TestChanged", `t.Error("wrong then")`,
			"TestParts", sub("old", fail)+sub("mine", pass), "TestSkipped", skip, "TestGood", pass),
		"b/b_test.go": tests("b", "TestB", "nosuch()"),
		"c/c_test.go": tests("c", "TestC", pass),
		"d/d_test.go": tests("d", "TestD", "nosuch()"),
		"e/e_test.go": tests("e", "TestE", fail) + testMain("os.Exit(m.Run())"),
	})
	w.write(files{
		"a/a_test.go": tests("a", "TestOld", `t.Error("wrong as ever")`, "TestMine", fail, "TestChanged", `t.Error("wrong now")`,
			"TestParts", sub("old", fail)+sub("mine", fail)+sub("new", fail), "TestSkipped", fail, "TestGood", pass, "TestNew", fail),
		"b/b_test.go":     tests("b", "TestB", fail),
		"c/c_test.go":     tests("c", "TestC", "nosuch()"),
		"e/e_test.go":     tests("e", "TestE", pass) + testMain("m.Run(); os.Exit(3)"),
		"new/new_test.go": tests("new", "TestN", fail),
	})
	last, _ := w.object("run")
	w.ran()
	answer, r := w.triage()
	if r.code != 0 {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	expectFound(t, answer, map[string]string{
		"a TestOld": "pre_existing", "a TestMine": "introduced", "a TestChanged": "pre_existing differently",
		"a TestParts/old": "pre_existing", "a TestParts/mine": "introduced", "a TestParts/new": "unknown", "a TestSkipped": "unknown",
		"a TestNew": "introduced", "b TestB": "unknown", "c ": "introduced", "d ": "pre_existing", "e ": "introduced", "new TestN": "introduced",
	})
	if got := strings.Join(w.ran(), ", "); strings.Contains(got, "TestGood") || !strings.Contains(got, "a TestMine") {
		t.Errorf("ran %s", got)
	}
	// The record has it as what it is, and nothing else has changed.
	run, _ := w.object("runs", "show", answer.RunID)
	if run.Kind != api.KindTriage || run.State != api.StateFinished || run.Source == nil || run.Source.Fingerprint != answer.Base.Fingerprint {
		t.Errorf("on record as %s, %s, of %+v", run.Kind, run.State, run.Source)
	}
	if now, _ := w.object("runs", "show"); now.RunID != last.RunID || now.Outstanding != last.Outstanding {
		t.Errorf("the last run is %s with %d outstanding, want %s with %d", now.RunID, now.Outstanding, last.RunID, last.Outstanding)
	}
	w.proctor("output", "--run", answer.RunID, "TestOld").expect(t, 0, "wrong as ever")
	w.proctor("triage", "TestMine", "TestParts").expect(t, 0, "2 introduced, 1 pre-existing, 1 unknown: 4 failing tests, run on a clean checkout of HEAD", "introduced: a TestMine: it passes there")
	w.proctor("triage", "TestGood").expect(t, exitUsage, "no test named")
	w.proctor("triage", "--base", "nowhere").expect(t, exitUsage, `"nowhere" does not name a commit`)
}

// shortTree has a test that fails unless tests are to be short.
func shortTree() files {
	return files{
		"go.mod":      "module example.com/m\n\ngo 1.24\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tif !testing.Short() {\n\t\tt.Error(\"wrong\")\n\t}\n}\n",
		".gitignore":  ".proctor\n",
	}
}

// With other variables a test may pass on the base, whatever has changed since.
func TestATriageRunsWithTheVariablesOfTheFailure(t *testing.T) {
	t.Parallel()
	w := newRepository(t, "", shortTree())
	w.write(files{"a/new.txt": "edited\n"})
	w.proctor("run").expect(t, 1)
	w.setenv("GOFLAGS=" + testbin.GoFlags() + " -short")
	answer, r := w.triage()
	expectFound(t, answer, map[string]string{"a TestA": "pre_existing"})
	if !strings.Contains(r.stdout, "as when these tests failed") {
		t.Errorf("no note of the variables: %s", r.stdout)
	}
}

// A renamed test is looked up by its old name, whether or not that ever ran here, and a
// test that no longer exists is not called introduced.
func TestATriageKnowsWhatWasRenamedAndWhatIsGone(t *testing.T) {
	t.Parallel()
	const wrong = `t.Error("wrong as ever")`
	w := newRepository(t, ".", files{"a/a_test.go": tests("a", "TestGood", pass, "TestOld", wrong)})
	w.write(files{"a/a_test.go": tests("a", "TestBefore", pass+"\nif 1 > 2 { t.Error() }", "TestGood", pass, "TestNew", wrong)})
	if run, _ := w.object("run"); run.Verdict != api.Failed {
		t.Fatalf("the run is %s", run.Verdict)
	}
	answer, _ := w.triage()
	expectFound(t, answer, map[string]string{"a TestNew": "pre_existing"})
	if len(answer.Tests) == 1 && answer.Tests[0].Why != "as TestOld: it fails there too, in the same way" {
		t.Errorf("TestNew is %q", answer.Tests[0].Why)
	}
	w.write(files{"b/b_test.go": tests("b", "TestParts", sub("x", pass)+sub("y", wrong))})
	w.commit()
	w.write(files{"b/b_test.go": tests("b", "TestPieces", sub("x", pass)+sub("y", wrong))})
	w.object("run", "./b")
	answer, _ = w.triage()
	expectFound(t, answer, map[string]string{"b TestPieces/y": "pre_existing"})
	w.object("run", "./a")
	// By another name again, before it ran: what the last run says is of the old one.
	w.write(files{"a/a_test.go": tests("a", "TestGood", pass, "TestNewer", wrong)})
	answer, _ = w.triage()
	expectFound(t, answer, map[string]string{"a TestNew": "gone"})
	w.proctor("triage").expect(t, 0, "1 gone: 1 failing test, against HEAD (", "gone: a TestNew: it failed, and is now example.com/m/a")
	w.write(files{"a/a_test.go": tests("a", "TestGood", pass)})
	w.proctor("triage").expect(t, 0, "gone: a TestNew: it failed, and no longer exists")
}

func TestADiffReportsARenamedTestOnce(t *testing.T) {
	t.Parallel()
	const wrong = `t.Error("wrong as ever")`
	w := newModule(t, files{"a/a_test.go": tests("a", "TestGood", pass+"\nt.Log(1)", "TestOld", wrong, "TestParts", sub("x", pass)+sub("y", fail), "TestGone", pass)})
	w.object("run")
	w.write(files{"a/a_test.go": tests("a", "TestFirst", pass+"\nt.Log(2)", "TestFine", pass+"\nt.Log(1)", "TestNew", wrong, "TestPieces", sub("x", pass)+sub("y", fail))})
	w.object("run")
	var diff api.RunDiff
	decodeLine(t, w.proctor("diff", "--json"), &diff)
	if c := diff.Counts; c.NewFailures != 0 || c.StillFailing != 2 || c.Vanished != 1 || c.New != 1 || c.Renamed != 1 {
		t.Errorf("%+v", c)
	}
	w.proctor("diff").expect(t, 0, "TestNew (was TestOld)", "TestPieces/y (was TestParts/y)", "TestFine (was TestGood)", "1 renamed")
}

// A test whose new name is known has not vanished, and what is on record of its old
// name is not denied.
func TestARunReportsARenamedTestOnce(t *testing.T) {
	t.Parallel()
	const wrong = `t.Error("wrong as ever")`
	w := newModule(t, files{"a/a_test.go": tests("a", "TestOld", wrong, "TestFine", pass+"\nt.Log(1)", "TestGone", pass)})
	w.write(files{"a/b/b_test.go": tests("b", "TestMoved", wrong), "a/c/c_test.go": tests("c", "TestOther", pass)})
	w.setenv("PROCTOR_SESSION=before")
	before, _ := w.object("run")
	w.setenv("PROCTOR_SESSION=now")
	w.write(files{"a/a_test.go": tests("a", "TestNew", wrong, "TestFiner", pass+"\nt.Log(1)\n"+fail)})
	w.write(files{"a/b/b_test.go": "package b", "a/c/c_test.go": tests("c", "TestOther", pass, "TestMoved", wrong)})
	w.proctor("run").expect(t, 1, "note: 1 test vanished since run "+before.RunID+": a TestGone", "renamed: a TestOld is now TestNew",
		"a TestNew  was TestOld until run "+before.RunID+", where it failed", "renamed: a TestFine is now TestFiner", "a TestFiner  was TestFine until run "+before.RunID+", where it passed",
		"a/c TestMoved  was example.com/m/a/b TestMoved until run "+before.RunID+", where it failed")
	for test, says := range map[string]string{"TestNew": "It was TestOld until run " + before.RunID + ", where it failed. By its new name it never passed", "TestFiner": "It was TestFine until run " + before.RunID + ", where it passed. By its new name it never passed"} {
		w.proctor("why", test).expect(t, 0, says)
	}
}

func TestASecondTriageRunsNothing(t *testing.T) {
	t.Parallel()
	w := newRepository(t, ".", files{"a/a_test.go": tests("a", "TestOld", fail, "TestMine", pass)})
	w.write(files{"a/a_test.go": tests("a", "TestOld", fail, "TestMine", fail)})
	w.proctor("run").expect(t, 1)
	first, _ := w.triage()
	w.ran()
	want := map[string]string{"a TestOld": "pre_existing", "a TestMine": "introduced"}
	second, _ := w.triage()
	expectFound(t, second, want)
	if ran := w.ran(); len(ran) > 0 || second.RunID != "" || !second.Tests[0].Cached || second.Tests[0].RunID != first.RunID {
		t.Errorf("a second triage ran %q: %+v", ran, second.Tests)
	}
	w.proctor("triage").expect(t, 0, "(seen ", "files that git ignores may have changed since")
	third, _ := w.triage("--no-cache")
	expectFound(t, third, want)
	if ran := w.ran(); len(ran) != 2 || third.RunID == "" {
		t.Errorf("with --no-cache %q ran", ran)
	}
	// Other runner arguments are another question.
	w.proctor("run", "--", "-tags", "x").expect(t, 1)
	w.ran()
	if w.triage(); len(w.ran()) != 2 {
		t.Error("an answer for other runner arguments was taken")
	}
	// And so is another base.
	w.commit()
	w.write(files{"x.txt": "dirty"})
	w.proctor("run").expect(t, 1)
	w.ran()
	answer, _ := w.triage("--base", "HEAD~1")
	expectFound(t, answer, want)
	if ran := w.ran(); len(ran) > 0 {
		t.Errorf("the same sources under another name ran %q", ran)
	}
	answer, _ = w.triage()
	expectFound(t, answer, map[string]string{"a TestOld": "pre_existing", "a TestMine": "pre_existing"})
}

func TestTheRunOfACleanTreeIsItsOwnAnswer(t *testing.T) {
	t.Parallel()
	w := newRepository(t, ".", files{"a/a_test.go": tests("a", "TestOld", fail)})
	w.proctor("run").expect(t, 1)
	w.ran()
	answer, _ := w.triage()
	expectFound(t, answer, map[string]string{"a TestOld": "pre_existing"})
	if ran := w.ran(); len(ran) > 0 || !strings.Contains(answer.Tests[0].Why, "these very sources") {
		t.Errorf("ran %q: %s", ran, answer.Tests[0].Why)
	}
	w.proctor("triage").expect(t, 0, "was of HEAD itself", "--base HEAD~1", "merge-base:BRANCH")
	w.write(files{"a/a_test.go": tests("a", "TestOld", pass)})
	w.proctor("run").expect(t, 0)
	w.proctor("triage").expect(t, 0, "nothing to triage: run ", "passed")
}

func TestATriageTouchesNothingOfTheRepository(t *testing.T) {
	t.Parallel()
	w := newRepository(t, "svc/api", files{
		"a/a_test.go":      tests("a", "TestA", `if _, err := os.Stat("../../../shared.txt"); err != nil { t.Fatal(err) }`),
		"../../shared.txt": "x",
	})
	w.write(files{"a/a_test.go": tests("a", "TestA", fail), "untracked.txt": "mine"})
	w.git("add", "svc/api/a")
	evil := filepath.Join(w.home, "evil")
	ran := filepath.Join(w.home, "executed")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\necho x >> '"+ran+"'\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, setting := range []string{"core.fsmonitor", "filter.evil.smudge", "filter.evil.clean", "core.pager", "core.sshCommand", "diff.external"} {
		w.git("config", setting, evil)
	}
	for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction"} {
		if err := os.Symlink(evil, filepath.Join(w.top, ".git", "hooks", hook)); err != nil {
			t.Fatal(err)
		}
	}
	w.write(files{"../../.git/info/attributes": "* filter=evil\n"})
	w.proctor("run").expect(t, 1)
	os.Remove(ran)
	before := treeOf(t, filepath.Join(w.top, ".git"))
	answer, _ := w.triage()
	expectFound(t, answer, map[string]string{"a TestA": "introduced"})
	if after := treeOf(t, filepath.Join(w.top, ".git")); after != before {
		t.Errorf("the repository changed:\n%s\nwas\n%s", after, before)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("something that the repository names was executed")
	}
	if w.git("-c", "core.fsmonitor=false", "worktree", "list"); !strings.HasSuffix(w.git("-c", "core.fsmonitor=false", "worktree", "list"), "[main]") {
		t.Error("there is another worktree")
	}
}

// treeOf lists a directory: names, sizes and times.
func treeOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && !entry.IsDir() {
			b.WriteString(path + " " + info.ModTime().String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestATriageIncludesIgnoredDependencies(t *testing.T) {
	t.Parallel()
	w := newRepository(t, ".", files{
		".gitignore":  "/deps/\n",
		"a/a_test.go": tests("a", "TestA", `if _, err := os.Stat("../deps/x"); err != nil { t.Fatal(err) }`),
	})
	w.write(files{"deps/x": "installed", "a/a_test.go": tests("a", "TestA", fail)})
	w.proctor("run").expect(t, 1)
	answer, _ := w.triage()
	expectFound(t, answer, map[string]string{"a TestA": "introduced"})
	if !strings.Contains(fmt.Sprint(answer.Warnings), "that git ignores were copied from the working tree") {
		t.Errorf("warnings %q", answer.Warnings)
	}
}

func TestATriageWithoutWhatItNeedsSaysSo(t *testing.T) {
	t.Parallel()
	w := newRepository(t, ".", files{"go.mod": "module example.com/m\n\ngo 1.20\n", "a/a_test.go": tests("a", "TestA", pass)})
	w.proctor("triage").expect(t, exitNothingRan, api.NoRunYet)
	// A module outside of the repository, that the checkout cannot reach.
	outside := filepath.Join(filepath.Dir(w.top), "outside")
	write := func(dir string, tree files) { (&module{t: t, dir: dir}).write(tree) }
	write(outside, files{"go.mod": "module example.com/outside\n\ngo 1.20\n", "o.go": "package outside\n\nconst O = 1\n"})
	w.write(files{
		"go.mod":      "module example.com/m\n\ngo 1.20\n\nrequire example.com/outside v0.0.0\n\nreplace example.com/outside => ../outside\n",
		"a/o_test.go": "package a\n\nimport _ \"example.com/outside\"\n",
	})
	w.commit()
	w.write(files{"a/a_test.go": tests("a", "TestA", fail)})
	w.proctor("run").expect(t, 1)
	answer, _ := w.triage()
	if len(answer.Tests) != 1 || answer.Tests[0].Finding != api.Undecided || answer.Tests[0].Why == "" {
		t.Errorf("%+v", answer.Tests)
	}
	// A commit without the project at all.
	answer, _ = w.triage("--base", w.git("commit-tree", "-m", "empty", w.git("hash-object", "-t", "tree", "-w", "/dev/null")))
	expectFound(t, answer, map[string]string{"a TestA": "unknown"})
	if err := os.RemoveAll(filepath.Join(w.top, ".git")); err != nil {
		t.Fatal(err)
	}
	w.proctor("triage").expect(t, exitUsage, "is not in a git repository")
}

func TestATriageInASubmoduleAndBesideOne(t *testing.T) {
	t.Parallel()
	lib := newRepository(t, ".", files{"go.mod": "module example.com/lib\n\ngo 1.20\n", "l.go": "package lib\n\nconst L = 1\n", "l_test.go": tests("lib", "TestL", pass)})
	w := newRepository(t, ".", files{
		"go.mod":      "module example.com/m\n\ngo 1.20\n\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ./lib\n",
		"a/a_test.go": strings.Replace(tests("a", "TestA", `if lib.L != 1 { t.Error("wrong") }`), "import (", "import (\n\t\"example.com/lib\"", 1),
	})
	w.git("submodule", "--quiet", "add", lib.top, "lib")
	w.commit()
	w.write(files{"lib/l.go": "package lib\n\nconst L = 2\n"})
	w.proctor("run").expect(t, 1)
	answer, _ := w.triage()
	expectFound(t, answer, map[string]string{"a TestA": "introduced"})

	inside := *w
	inside.module = &module{t: t, dir: filepath.Join(w.dir, "lib"), home: w.home, env: w.env}
	inside.write(files{"l_test.go": tests("lib", "TestL", fail)})
	inside.proctor("run").expect(t, 1)
	answer, _ = inside.triage()
	expectFound(t, answer, map[string]string{"example.com/lib TestL": "introduced"})
}

func TestAFoundryProjectIsTriagedWithItsInstalledLibrary(t *testing.T) {
	token := func(body string) string {
		return `pragma solidity ^0.8.0;
import "lib/dep/Dep.sol";
contract ATest {
    function test_old() public pure { require(Dep.one() == 2, "old"); }
    function test_mine() public pure { ` + body + ` }
}
`
	}
	w := newFoundry(t, files{
		"test/A.t.sol": token(""), ".gitignore": "/lib/\n/out/\n/cache/\n",
		"lib/dep/Dep.sol": "pragma solidity ^0.8.0;\nlibrary Dep { function one() internal pure returns (uint256) { return 1; } }\n",
	})
	r := &repository{module: w, top: w.dir}
	r.git("init", "-q", "-b", "main")
	r.commit()
	w.write(files{"test/A.t.sol": token(`revert("mine");`)})
	w.proctor("run").expect(t, 1)
	answer, _ := r.triage()
	expectFound(t, answer, map[string]string{
		"test/A.t.sol:ATest test_old()": "pre_existing", "test/A.t.sol:ATest test_mine()": "introduced",
	})
}

func TestWithoutARunInTheSessionWhatIsOutstandingIsTriaged(t *testing.T) {
	t.Parallel()
	w := newRepository(t, ".", files{"a/a_test.go": tests("a", "TestOld", fail, "TestMine", pass)})
	w.write(files{"a/a_test.go": tests("a", "TestOld", fail, "TestMine", fail)})
	w.proctor("run", "--", "-tags", "x").expect(t, 1)
	w.setenv("PROCTOR_SESSION=another")
	answer, _ := w.triage()
	expectFound(t, answer, map[string]string{"a TestOld": "pre_existing", "a TestMine": "introduced"})
	if answer.Of != "" || answer.Tests[0].Likeness == "" && answer.Tests[1].Likeness == "" {
		t.Errorf("of run %q: %+v", answer.Of, answer.Tests)
	}
	run, _ := w.object("runs", "show", answer.RunID)
	if got := strings.Join(run.Selection.RunnerArgs, " "); got != "-tags x" {
		t.Errorf("it ran with %q", got)
	}
}
