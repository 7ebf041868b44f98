package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// composed are the arguments of each command of a run.
func composed(run api.Run) [][]string {
	var commands [][]string
	for _, c := range run.Commands {
		commands = append(commands, c.Argv)
	}
	return commands
}

func TestRerunComposesTheSeedsCommandWhereOneExpressionIsExact(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"pkg/a/a_test.go": tests("a", "TestAlpha", fail, "TestBeta", fail, "TestOne", pass),
		"pkg/b/b_test.go": tests("b", "TestGamma", fail, "TestTwo", pass),
	})
	run, _ := w.object("run", "--timeout", "100")
	want := [][]string{{"go", "test", "-json", "-count=1", "-fullpath", "-timeout=1m30s", "./..."}}
	if got := composed(run); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("run: %q, want %q", got, want)
	}
	run, _ = w.object("rerun", "--timeout", "100")
	want = [][]string{{"go", "test", "-json", "-count=1", "-fullpath", "-timeout=1m30s",
		"-run", "^(TestAlpha|TestBeta|TestGamma)$", "example.com/m/pkg/a", "example.com/m/pkg/b"}}
	if got := composed(run); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("rerun: %q, want %q", got, want)
	}
}

func TestRerunKeepsHowTheTestsAreBuilt(t *testing.T) {
	tagged := "//go:build special\n\n" + tests("a", "TestA", `if testing.Short() { t.Error("wrong") }`, "TestB", pass)
	tell(t, []story{{
		name: "tags and flags", tree: files{"a/a_test.go": tagged, "a/a.go": "package a\n"},
		steps: []step{
			{code: exitNothingRan, verdict: api.NothingRan},
			{call: "run -- -tags special -short", code: 1, verdict: api.Failed, outstanding: 1},
			{call: "rerun", code: 1, verdict: api.Failed, outstanding: 1, ran: "a TestA",
				says: []string{`"-tags","special"`, `"-short"`}},
			{call: "rerun", write: files{"a/a_test.go": "//go:build special\n\n" + tests("a", "TestA", pass, "TestB", pass)},
				verdict: api.Passed, ran: "a TestA", says: []string{`"-tags","special"`}},
		},
	}})
}

func TestEveryRunRunsTheCurrentTests(t *testing.T) {
	tell(t, []story{{
		name: "no result comes from a cache", tree: files{"a/a_test.go": tests("a", "TestA", pass)},
		steps: []step{{verdict: api.Passed, ran: "a TestA"}, {verdict: api.Passed, ran: "a TestA"}},
	}})
}

// Moved sources are another workspace, whatever is on record beside them: that nothing is
// outstanding would read as a result.
func TestMovedSourcesHaveNothingOutstandingOnlyOnceTheyRan(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", fail)})
	w.proctor("run").expect(t, exitFailed)
	for _, name := range []string{"go.mod", "a", ".proctor"} {
		if err := os.Rename(filepath.Join(w.dir, name), filepath.Join(w.dir, "..", name)); err != nil {
			t.Fatal(err)
		}
	}
	moved := *w
	moved.dir = filepath.Dir(w.dir)
	for _, args := range [][]string{{"rerun", "--list"}, {"rerun", "--list", "--lang", "go"}} {
		got := moved.proctor(args...)
		if got.expect(t, exitPassed, "no tests have been run here yet"); strings.Contains(got.stdout, "outstanding") {
			t.Errorf("%q:\n%s", args, got.stdout)
		}
	}
}

// Where nothing ran yet, the names on record are no help.
func TestWhyBeforeTheFirstRunSaysThatThereWasNone(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	w.proctor("rerun").expect(t, exitNothingRan, "no tests have been run here yet")
	r := w.proctor("why", "TestA")
	if r.expect(t, exitUsage, `no test or file "TestA" is on record; nothing is on record in this workspace yet`); strings.Contains(r.stderr, "proctor history") {
		t.Error(r.stderr)
	}
}

// What was left out stays outstanding, and the sentence of a pass says so.
func TestARerunOfSomeLeavesTheRest(t *testing.T) {
	red := files{"a.tests": shellTests("a", "TestA", shellFail, "TestSame", shellFail), "b.tests": shellTests("b", "TestSame", shellFail)}
	tell(t, []story{{
		name: "tests and suites", shell: true, tree: red,
		steps: []step{
			{code: 1, verdict: api.Failed, outstanding: 3},
			{call: "rerun ./b", code: 1, verdict: api.Failed, outstanding: 3, ran: "b TestSame"},
			{call: "rerun TestSame", code: 1, verdict: api.Failed, outstanding: 3, ran: "a TestSame, b TestSame"},
			{call: "rerun a/TestSame", write: files{"a.tests": shellTests("a", "TestA", shellFail, "TestSame", shellPass)},
				code: exitOutstanding, verdict: api.Passed, outstanding: 2, ran: "a TestSame", says: []string{"1 test passed (only a/TestSame, of 3 tests outstanding)"}},
			{call: "rerun b TestA", code: 1, verdict: api.Failed, outstanding: 2, ran: "a TestA, b TestSame"},
			{call: "rerun b", write: files{"b.tests": shellTests("b", "TestSame", shellPass)},
				code: exitOutstanding, verdict: api.Passed, outstanding: 1, ran: "b TestSame", says: []string{"(only b, of 2 tests outstanding)"}},
			{call: "rerun a", write: files{"a.tests": shellTests("a", "TestA", shellPass, "TestSame", shellPass)}, verdict: api.Passed, ran: "a TestA"},
		},
	}})
}
