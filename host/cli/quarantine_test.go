package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/fakeplugin"
	"github.com/proctorhq/proctor/sdk"
)

func TestAKnownFailureInQuarantineDoesNotDecide(t *testing.T) {
	t.Parallel()
	parent := `package a

import "testing"

func TestGood(t *testing.T) {}

func TestParent(t *testing.T) {
	t.Run("known", func(t *testing.T) { t.Error("known fault") })
	t.Run("fine", func(t *testing.T) {})
}
`
	w := newModule(t, files{"a/a_test.go": parent})
	w.proctor("quarantine", "add", "known", "--reason", "x").expect(t, 2, "no test")
	w.proctor("run").expect(t, 1)
	w.proctor("quarantine", "add", "TestParent", "--reason", "x").expect(t, 2, "failed only because of its subtests")
	w.proctor("quarantine", "add", "TestGood", "--reason", "x").expect(t, 2, "no failure of")
	w.proctor("quarantine", "add", "TestParent/known").expect(t, 2, "a reason is missing")
	w.proctor("quarantine", "add", "TestParent/known", "--reason", "x", "--expires", "2020-01-01").expect(t, 2, "2020-01-01 is in the past")
	w.proctor("quarantine", "add", "TestParent/known", "--reason", "issue 5").expect(t, 0, "in quarantine: a TestParent/known (.proctor-quarantine.toml; commit it)")

	run, r := w.object("run")
	r.expect(t, 0)
	if run.Verdict != api.Passed || run.Quarantined != 1 || run.Outstanding != 1 || run.OutstandingUnquarantined() != 0 || run.Reason != "1 test passed, 1 failure in quarantine" ||
		len(run.Failures) != 1 || run.Failures[0].Quarantine != "issue 5" {
		t.Errorf("%+v", run)
	}
	w.proctor("run").expect(t, 0, "TestParent/known  in quarantine: issue 5", "1 test, 1 failure in quarantine")
	w.proctor("rerun").expect(t, 0, "1 failure in quarantine, which is known, was not rerun: nothing else is outstanding")
	w.proctor("rerun", "known").expect(t, exitNothingRan, "was not rerun: nothing else was asked for")
	file := filepath.Join(t.TempDir(), "junit.xml")
	w.proctor("run", "--junit", file).expect(t, 0)
	raw, err := os.ReadFile(file)
	if report := string(raw); err != nil || strings.Contains(report, "<failure") || !strings.Contains(report, "in quarantine: issue 5: known fault") {
		t.Errorf("%s", report)
	}
	w.proctor("failures").expect(t, 0, "in quarantine: issue 5")
	w.proctor("rerun", "--list").expect(t, 0, "TestParent/known (in quarantine)")
	w.proctor("quarantine", "list").expect(t, 0, "fails as known", "issue 5")

	for name, source := range map[string]string{
		"another failure":       strings.Replace(parent, "known fault", "unknown fault", 1),
		"one more message":      strings.Replace(parent, `t.Error("known fault")`, `t.Error("known fault"); t.Error("more")`, 1),
		"the parent, too":       strings.Replace(parent, "\tt.Run(\"fine\"", "\tt.Error(\"own\")\n\tt.Run(\"fine\"", 1),
		"another part":          strings.Replace(parent, `"fine", func(t *testing.T) {`, `"fine", func(t *testing.T) { t.Fail() `, 1),
		"another test":          strings.Replace(parent, "func TestGood(t *testing.T) {", "func TestGood(t *testing.T) { t.Fail() ", 1),
		"the test has no name":  strings.Replace(parent, `"known"`, `"other"`, 1),
		"the test does not run": strings.Replace(parent, `t.Run("known", func(t *testing.T) { t.Error("known fault") })`, "", 1),
	} {
		w.write(files{"a/a_test.go": source})
		if run, r := w.object("run"); run.Verdict != api.Failed || r.code != 1 {
			t.Errorf("%s: %s: %s", name, run.Verdict, run.Reason)
		}
	}
	for name, source := range map[string]string{
		"a panic":         strings.Replace(parent, `t.Error("known fault")`, `panic("known fault")`, 1),
		"another's panic": strings.Replace(parent, "func TestGood(t *testing.T) {", `func TestGood(t *testing.T) { panic("x") `, 1),
		"no build":        parent + "x",
	} {
		w.write(files{"a/a_test.go": source})
		if run, _ := w.object("run"); run.Verdict == api.Passed || strings.Contains(run.Reason, "exist") {
			t.Errorf("%s: %s: %s", name, run.Verdict, run.Reason)
		}
	}
	w.write(files{"a/a_test.go": parent})
	w.proctor("quarantine", "remove", "known").expect(t, 0, "no longer in quarantine")
	w.proctor("run").expect(t, 1)
	w.write(files{".proctor-quarantine.toml": "[[test]]\nlanguage = \"go\"\n"})
	w.proctor("run").expect(t, 2, ".proctor-quarantine.toml:1: suite is missing")
}

// A quarantine is committed: another checkout of the project has other paths in its messages.
func TestAKnownFailureIsTheSameInAnotherDirectory(t *testing.T) {
	t.Parallel()
	sources := files{"a/a_test.go": `package a

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGood(t *testing.T) {}

func TestRead(t *testing.T) {
	dir, _ := os.Getwd()
	for _, name := range []string{"none", "neither"} {
		if _, err := os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
`}
	w := newModule(t, sources)
	w.write(files{".gitignore": ".proctor\n"})
	w.proctor("run").expect(t, 1, w.dir+"/a/none")
	w.proctor("quarantine", "add", "TestRead", "--reason", "x").expect(t, 0)
	w.commit()
	w.proctor("run").expect(t, 0)
	other := w.clone("other")
	other.proctor("run").expect(t, 0, other.dir+"/a/none")
	other.proctor("quarantine", "list").expect(t, 0, "fails as known")
	w.clone("merging").proctor("merge", w.sharded(2), "--expect", "2").expect(t, 0, "1 failure in quarantine")
	other.write(files{"a/a_test.go": strings.Replace(sources["a/a_test.go"], "neither", "nor", 1)})
	other.proctor("run").expect(t, 1)
}

func TestTheVerdictNamesAQuarantineThatIsNotCommitted(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass, "TestB", fail)})
	w.git("init", "-q")
	w.git("config", "status.showUntrackedFiles", "no")
	w.git("add", "-A")
	w.git("commit", "-qm", "one")
	w.proctor("run").expect(t, 1)
	w.proctor("quarantine", "add", "TestB", "--reason", "x").expect(t, 0)
	const untold = "1 failure in quarantine (.proctor-quarantine.toml is not committed)"
	formats := []string{"junit", "json", "ctrf", "markdown", "html", "otlp", "trace"}
	args := []string{"run"}
	for _, f := range formats {
		args = append(args, "--report", f+"="+filepath.Join(w.home, f))
	}
	w.proctor(args...).expect(t, 0, untold)
	for _, f := range formats {
		raw, err := os.ReadFile(filepath.Join(w.home, f))
		if text := strings.ReplaceAll(string(raw), `\`, ""); err != nil || !strings.Contains(text, untold) {
			t.Errorf("the %s report does not say that the quarantine is not committed: %v", f, err)
		}
	}
	for _, args := range [][]string{{"run", "--format", "quiet"}, {"run", "--format", "github"}, {"run", "--json"}, {"failures"}, {"failures", "--json"}, {"runs", "show"}} {
		w.proctor(args...).expect(t, 0, untold)
	}
	w.git("add", "-A")
	w.git("commit", "-qm", "two")
	w.proctor("run").expect(t, 0, "1 failure in quarantine (.proctor-quarantine.toml changed in the last commit)")
	w.git("commit", "-q", "--allow-empty", "-m", "three")
	run, r := w.object("run")
	if r.expect(t, 0); run.Reason != "1 test passed, 1 failure in quarantine" {
		t.Error(run.Reason)
	}
	var list api.Quarantine
	if err := json.Unmarshal([]byte(w.proctor("quarantine", "list", "--json").stdout), &list); err != nil || len(list.Entries) != 1 || list.Entries[0].Status != api.QuarantineKnown {
		t.Errorf("%+v, %v", list, err)
	}
	w.git("update-index", "--assume-unchanged", ".proctor-quarantine.toml")
	w.proctor("quarantine", "add", "TestB", "--reason", "y").expect(t, 0)
	w.proctor("run").expect(t, 0, "(.proctor-quarantine.toml has uncommitted changes)")
}

// What is known of one command does not explain that another failed without a word, and may
// have run nothing.
func TestAKnownFailureDoesNotExplainTheExitOfAnotherCommand(t *testing.T) {
	t.Parallel()
	fail := "sh\n-c\necho ran; exit 1\n"
	w := newModule(t, files{fakeplugin.CommandFile: fail, fakeplugin.ReportFile: fakeplugin.Report{
		Tests:    []sdk.TestResult{{TestID: sdk.TestID{Suite: "s", Test: "good"}, Status: sdk.Passed}, {TestID: sdk.TestID{Suite: "s", Test: "known"}, Status: sdk.Failed}},
		Failures: []sdk.Failure{{TestID: sdk.TestID{Suite: "s", Test: "known"}, Kind: sdk.KindAssertion, Message: "known fault"}},
	}.Encode()})
	plugin := []string{"--plugin", "fake=" + fakeplugin.New(t, "fake", fakeplugin.Script{})}
	run := append(plugin, "run", "--lang", "fake")
	w.proctor(run...).expect(t, exitFailed)
	w.proctor(append(plugin, "quarantine", "add", "known", "--lang", "fake", "--reason", "x")...).expect(t, 0)
	w.proctor(run...).expect(t, 0, "1 failure in quarantine")
	w.write(files{fakeplugin.CommandFile: fail + "\nsh\n-c\necho a fault of the build; exit 1\n"})
	w.proctor(run...).expect(t, 6, "the runner exited with 1 and no result explains it: a fault of the build")
}

// misplacedEntry is a quarantine of a test that does not exist.
const misplacedEntry = "[[test]]\nlanguage = \"go\"\nsuite = \"example.com/m/a\"\ntest = \"TestOld\"\nreason = \"x\"\nsignature = \"6261849968fd73d034328c04e\"\n"

// A rerun of what was red elsewhere for such an entry must not pass while the file has it here.
func TestARerunFromAFileNamesAQuarantineOfATestThatDoesNotExist(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), ".proctor-quarantine.toml": misplacedEntry, ".proctor.toml": "[run]\nargs = [\"-tags=x\"]\n"})
	w.proctor("run", "--report", "json=../ci.json").expect(t, exitFailed, "FAILED  example.com/m/a/TestOld in quarantine does not exist")
	w.proctor("rerun", "--from", "../ci.json").expect(t, exitFailed, "FAILED  example.com/m/a/TestOld in quarantine does not exist")
	w.write(files{".proctor-quarantine.toml": ""})
	w.proctor("rerun", "--from", "../ci.json", "--", "-run=TestA").expect(t, exitIncomplete, "INCOMPLETE  1 of 1 red in run", "did not run here")
	w.proctor("rerun", "--from", "../ci.json").expect(t, exitPassed, "PASSED  1 test")
}

// What made a run of everything red must not turn green because a rerun of all of it does
// not ask.
func TestARerunOfEverythingNamesAQuarantineOfATestThatDoesNotExist(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{"", "[run]\nargs = [\"-tags=x\"]\n"} {
		w := newModule(t, files{"a/a_test.go": tests("a", "TestA", fail), ".proctor-quarantine.toml": misplacedEntry, ".proctor.toml": settings})
		w.proctor("run").expect(t, exitFailed, "FAILED  1 test · example.com/m/a/TestOld in quarantine does not exist")
		w.write(files{"a/a_test.go": tests("a", "TestA", pass), ".proctor.toml": "[run]\nargs = [\"-tags=y\"]\n"})
		w.proctor("rerun", "--list").expect(t, exitPassed, "a run found a quarantine of a test that does not exist")
		w.proctor("rerun").expect(t, exitFailed, "FAILED  example.com/m/a/TestOld in quarantine does not exist")
		for range 2 {
			w.proctor("rerun").expect(t, exitNothingRan, ": example.com/m/a/TestOld in quarantine does not exist (go); remove the entry or correct it; finish with `proctor run`")
		}
		w.write(files{"b/b_test.go": tests("b", "TestB", pass)})
		w.proctor("rerun").expect(t, exitFailed, "FAILED  example.com/m/a/TestOld in quarantine does not exist")
		w.write(files{".proctor-quarantine.toml": ""})
		w.proctor("rerun").expect(t, exitPassed, "PASSED  2 tests")
		w.write(files{".proctor-quarantine.toml": misplacedEntry, ".gitignore": ".proctor*"})
		w.proctor("run").expect(t, exitFailed)
		w.git("init", "-q")
		for range 2 { // what git ignores may have changed
			w.proctor("rerun").expect(t, exitFailed, "FAILED  example.com/m/a/TestOld in quarantine does not exist")
		}
	}
}

func TestARerunThatNothingCouldChangeNamesWhatElseIsInQuarantine(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", fail, "TestB", pass)})
	w.proctor("run").expect(t, exitFailed)
	w.proctor("quarantine", "add", "TestA", "--reason", "known").expect(t, exitPassed)
	entries, err := os.ReadFile(filepath.Join(w.dir, ".proctor-quarantine.toml"))
	if err != nil {
		t.Fatal(err)
	}
	w.write(files{".proctor-quarantine.toml": string(entries) + "\n" + misplacedEntry})
	w.proctor("run").expect(t, exitFailed, "TestOld in quarantine does not exist, besides 1 failure in quarantine")
	w.proctor("rerun").expect(t, exitNothingRan, "1 failure in quarantine, which is known, was not rerun", "nothing has changed since run")
}

// What one removes must not come back with what another has read before.
func TestChangesOfTheQuarantineAtTheSameTimeAllLast(t *testing.T) {
	t.Parallel()
	var names []string
	var source strings.Builder
	source.WriteString("package a\n\nimport \"testing\"\n")
	for i := range 8 {
		names = append(names, fmt.Sprintf("Test%c", 'A'+i))
		fmt.Fprintf(&source, "\nfunc %s(t *testing.T) { t.Error(%q) }\n", names[i], names[i])
	}
	w := newModule(t, files{"a/a_test.go": source.String()})
	w.proctor("run").expect(t, exitFailed)
	for _, change := range []struct {
		args []string
		left int
	}{{[]string{"add", "--reason", "x"}, len(names)}, {[]string{"remove"}, 0}} {
		var all sync.WaitGroup
		for _, name := range names {
			all.Go(func() {
				w.proctor(append([]string{"quarantine", change.args[0], name}, change.args[1:]...)...).expect(t, exitPassed)
			})
		}
		all.Wait()
		data, err := os.ReadFile(filepath.Join(w.dir, ".proctor-quarantine.toml"))
		if got := strings.Count(string(data), "\ntest = "); err != nil || got != change.left {
			t.Errorf("after %s of %d there are %d: %v", change.args[0], len(names), got, err)
		}
	}
}
