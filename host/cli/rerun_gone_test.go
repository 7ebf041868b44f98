package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/internal/fakeplugin"
	"github.com/proctorhq/proctor/sdk"
)

// A test that a complete listing no longer has leaves the outstanding set by name, and
// only once everything that may replace it has run.
func TestTestsThatNoLongerExistAreRemovedAndNamed(t *testing.T) {
	one := files{"a/a_test.go": tests("a", "TestA", pass, "TestOld", fail)}
	shellOne := files{"a.tests": shellTests("a", "TestA", shellPass, "TestOld", shellFail)}
	tell(t, []story{
		{
			name: "a renamed test that was fixed", shell: true, tree: shellOne,
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", write: files{"a.tests": shellTests("a", "TestA", shellPass, "TestNew", shellPass)},
					verdict: api.Passed, ran: "a TestNew",
					requested: "a TestNew: passed, a TestOld: did_not_run", says: []string{`"renamed_to"`, "it no longer exists"}},
				{call: "rerun", ran: "-", says: []string{"nothing to rerun"}},
			},
		},
		{
			name: "a renamed test that still fails", shell: true, tree: shellOne,
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", write: files{"a.tests": shellTests("a", "TestA", shellPass, "TestNew", shellFail)},
					code: 1, verdict: api.Failed, outstanding: 1, ran: "a TestNew",
					requested: "a TestNew: failed, a TestOld: did_not_run", says: []string{`"renamed_to"`}},
			},
		},
		{
			name: "one of two failed tests renamed and still failing, the other fixed", shell: true,
			tree: files{"a.tests": shellTests("a", "TestA", shellFail, "TestB", shellFail)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 2},
				{call: "rerun", write: files{"a.tests": shellTests("a", "TestA2", shellFail, "TestB", shellPass)},
					code: 1, verdict: api.Failed, outstanding: 1, ran: "a TestA2, a TestB",
					requested: "a TestA: did_not_run, a TestA2: failed, a TestB: passed"},
			},
		},
		{
			name: "a removed test", shell: true, tree: shellOne,
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", write: files{"a.tests": shellTests("a", "TestA", shellPass)},
					code: exitNothingRan, verdict: api.NothingRan, ran: "-", requested: "a TestOld: did_not_run", says: []string{`"was":"failed"`}},
				{verdict: api.Passed},
			},
		},
		{
			name: "a failed part of a test that was moved and now skips itself, beside one that always does",
			tree: files{"a/a_test.go": parts("a", "TestA", "s", fail)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{remove: []string{"a"}, write: files{"b/b_test.go": parts("b", "TestA", "s", `t.Skip("later")`)}, verdict: api.Passed, outstanding: 1},
				{call: "rerun", code: exitOutstanding, verdict: api.Passed, outstanding: 1},
				{verdict: api.Passed, outstanding: 1},
				{write: files{"b/b_test.go": parts("b", "TestA", "s", pass)}, verdict: api.Passed},
			},
		},
		{
			name: "a failed part of a test that was renamed and now skips itself",
			tree: files{"a/a_test.go": parts("a", "TestA", "s", fail)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{write: files{"a/a_test.go": parts("a", "TestB", "s", `t.Skip("later")`)}, verdict: api.Passed, outstanding: 1},
				{verdict: api.Passed, outstanding: 1},
				{write: files{"a/a_test.go": tests("a", "TestB", pass)}, verdict: api.Passed},
			},
		},
		{
			name: "a failed part that was renamed and now skips itself, beside one that always does",
			tree: files{"a/a_test.go": parts("a", "TestA", "s", fail)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", write: files{"a/a_test.go": parts("a", "TestA", "t", `t.Skip("later")`)}, code: exitOutstanding, verdict: api.Passed, outstanding: 1},
				{verdict: api.Passed, outstanding: 1},
				{write: files{"a/a_test.go": parts("a", "TestA", "t", pass)}, verdict: api.Passed},
			},
		},
		{
			name: "a removed package",
			tree: files{"a/a_test.go": tests("a", "TestA", fail), "b/b_test.go": tests("b", "TestB", broken, "TestC", pass)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 2},
				{call: "rerun", remove: []string{"a"}, env: fixed,
					verdict: api.Passed, ran: "b TestB", requested: "a TestA: did_not_run, b TestB: passed"},
			},
		},
		{
			name: "beside a failure that has nothing to do with it", shell: true,
			tree: files{"a.tests": shellTests("a", "TestOld", shellFail), "b.tests": shellTests("b", "TestRed", shellFail)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 2},
				{write: files{"a.tests": shellTests("a", "TestA", shellPass)}, code: 1, verdict: api.Failed, outstanding: 1, says: []string{`"was":"failed"`}},
			},
		},
		{
			name: "in a run of its suite alone",
			tree: files{"a/a_test.go": tests("a", "TestA", pass, "TestOld", fail), "b/b_test.go": tests("b", "TestRed", fail)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 2},
				{call: "run ./b", write: files{"a/a_test.go": tests("a", "TestA", pass)}, code: 1, verdict: api.Failed, outstanding: 1},
				{call: "run -f TestA", verdict: api.Passed, outstanding: 1},
			},
		},
		{
			name: "a test that was moved to another package, red", tree: one,
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", write: files{"a/a_test.go": tests("a", "TestA", pass), "b/b_test.go": tests("b", "TestOld", fail)},
					code: 1, verdict: api.Failed, outstanding: 1, ran: "b TestOld", says: []string{`"renamed_to"`}},
			},
		},
		{
			name: "a package that was moved, red", tree: one,
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", remove: []string{"a"}, write: files{"c/a_test.go": tests("c", "TestA", pass, "TestOld", fail)},
					code: 1, verdict: api.Failed, outstanding: 1, ran: "c TestOld"},
			},
		},
		{
			name: "a test that a build tag hides", tree: one,
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", write: files{"a/a_test.go": tests("a", "TestA", pass), "a/o_test.go": "//go:build slow\n\npackage a\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) { t.Error(1) }\n"},
					code: exitNothingRan, verdict: api.NothingRan, outstanding: 1, ran: "-"},
				{verdict: api.Passed, outstanding: 1},
			},
		},
		{
			name: "a test that came in with a build tag",
			tree: files{"a/a_test.go": tests("a", "TestA", pass), "a/o_test.go": "//go:build slow\n\npackage a\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) { t.Error(1) }\n"},
			steps: []step{
				{call: "run -- -tags slow", code: 1, verdict: api.Failed, outstanding: 1},
				{verdict: api.Passed, outstanding: 1, ran: "a TestA"},
			},
		},
		{
			name: "renamed, and skipped", tree: one,
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", write: files{"a/a_test.go": tests("a", "TestA", pass, "TestNew", `t.Skip("later")`)},
					code: exitNothingRan, verdict: api.NothingRan, outstanding: 1},
				{verdict: api.Passed, outstanding: 1},
			},
		},
		{
			name: "renamed in a suite that never ran whole", shell: true, tree: shellOne,
			steps: []step{
				{call: "run -f TestOld", code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", write: files{"a.tests": shellTests("a", "TestA", shellPass, "TestNew", shellFail)},
					code: 1, verdict: api.Failed, outstanding: 1, ran: "a TestA, a TestNew"},
			},
		},
		{
			name: "a parent that was renamed",
			tree: files{"a/a_test.go": tests("a", "TestT", sub("x", pass)+sub("y", fail))},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", write: files{"a/a_test.go": tests("a", "TestU", sub("x", pass)+sub("y", fail))},
					code: 1, verdict: api.Failed, outstanding: 1, ran: "a TestU, a TestU/x, a TestU/y"},
			},
		},
		{
			name: "a new test beside the fixed one", shell: true,
			tree: files{"a.tests": shellTests("a", "TestA", shellPass, "TestB", shellFail), "b.tests": shellTests("b", "TestC", shellPass)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", write: files{
					"a.tests": shellTests("a", "TestA", shellPass, "TestB", shellPass, "TestD", shellFail),
					"b.tests": shellTests("b", "TestC", shellPass, "TestE", shellFail),
				}, code: 1, verdict: api.Failed, outstanding: 1, ran: "a TestB, a TestD",
					requested: "a TestB: passed, a TestD: failed"},
			},
		},
	})
}

func TestATestThatWasRedInTwoWaysIsGoneOnce(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), "a/old_test.go": "package a\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) { t.Error(\"no\") }\n"})
	w.proctor("run").expect(t, 1)
	w.proctor("run", "-tags", "x").expect(t, 1)
	if err := os.Remove(filepath.Join(w.dir, "a/old_test.go")); err != nil {
		t.Fatal(err)
	}
	w.proctor("run").expect(t, 0, "note: gone: a TestOld, was failing\n")
	w.proctor("rerun", "--list").expect(t, 0, "gone: a TestOld, was failing, as run")
}

func TestRerunOfASubtestWidensOnceWhereThePartProvesNothing(t *testing.T) {
	tell(t, []story{
		{
			name: "a renamed row",
			tree: files{"a/a_test.go": tests("a", "TestT", sub("x", pass)+sub("y", fail), "TestU", pass)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", write: files{"a/a_test.go": tests("a", "TestT", sub("x", pass)+sub("z", pass), "TestU", pass)},
					verdict: api.Passed,
					ran:     "a TestT, a TestT, a TestT/x, a TestT/z", requested: "a TestT/y: did_not_run", says: []string{`"was":"failed"`}},
			},
		},
		{
			name: "a renamed row that still fails",
			tree: files{"a/a_test.go": tests("a", "TestT", sub("x", pass)+sub("y", fail))},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", write: files{"a/a_test.go": tests("a", "TestT", sub("x", pass)+sub("z", fail))},
					code: 1, verdict: api.Failed, outstanding: 2, requested: "a TestT/y: did_not_run"},
			},
		},
		{
			name: "a row that needs the one before it",
			tree: files{"a/a_test.go": tests("a", "TestT", "ready := false\n"+
				`t.Run("x", func(t *testing.T) { ran(t); ready = true })`+"\n"+
				`t.Run("y", func(t *testing.T) { ran(t); if !ready || os.Getenv("FIXED") == "" { t.Error("wrong") } })`)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", env: fixed, verdict: api.Passed,
					ran: "a TestT, a TestT, a TestT/x, a TestT/y, a TestT/y", requested: "a TestT/y: passed"},
			},
		},
		{
			name: "a row whose time is up before the whole test can run",
			tree: files{
				"a/a_test.go": tests("a", "TestT", sub("x", pass)+sub("y", broken)),
				"b/b_test.go": tests("b", "TestHang", "if os.Getenv(\"HANG\") != \"\" { time.Sleep(time.Hour) }\n"+broken),
			},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 2},
				{call: "rerun --timeout 5", env: []string{"HANG=1"}, code: exitTimedOut, verdict: api.Failed, outstanding: 2,
					ran: "a TestT, a TestT/y, b TestHang", requested: "a TestT/y: failed, b TestHang: failed", says: []string{"no time was left"}},
				{call: "rerun", env: []string{"HANG=", "FIXED=1"}, verdict: api.Passed},
			},
		},
		{
			name: "a row that fails alone and with the others",
			tree: files{"a/a_test.go": tests("a", "TestT", sub("x", pass)+sub("y", fail))},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", code: 1, verdict: api.Failed, outstanding: 1,
					ran: "a TestT, a TestT, a TestT/x, a TestT/y, a TestT/y", requested: "a TestT/y: failed"},
			},
		},
	})
}

// A plugin may overlook how the command of its listing ended.
func TestAListingThatExitedWithAnErrorLacksNoTest(t *testing.T) {
	t.Parallel()
	w := newShellModule(t, files{"a.tests": shellTests("a", "TestA", shellPass, "TestOld", shellFail)})
	w.proctor("run").expect(t, exitFailed)
	w.write(files{"a.tests": shellTests("a", "TestA", shellPass), fakeplugin.ShellList: "exit 3"})
	if run, r := w.object("run"); r.code != 0 || run.Outstanding != 1 {
		t.Errorf("exit %d, %d outstanding: what a failed listing lacks is taken to be gone", r.code, run.Outstanding)
	}
	w.write(files{fakeplugin.ShellList: "exit 0"})
	if run, r := w.object("run"); r.code != 0 || run.Outstanding != 0 {
		t.Errorf("exit %d, %d outstanding after a complete listing", r.code, run.Outstanding)
	}
}

// What is not built yet would be, just to say how many other tests there are.
func TestAListingDoesNotHoldUpASelection(t *testing.T) {
	t.Parallel()
	w := newShellModule(t, files{"a.tests": shellTests("a", "TestA", shellPass, "TestB", shellPass), fakeplugin.ShellList: "exec sleep 3600"})
	began := time.Now()
	w.proctor("run", "-f", "TestA").expect(t, 0, "PASSED  1 test (filtered")
	if took := time.Since(began); took > project.ListDeadline/2 {
		t.Errorf("it took %v", took)
	}
}

// A part that failed may go on as one that skips itself, however often it has done so since, and
// among however many others; once that one is gone, the part is.
func TestAFailedPartStaysBesideOneThatSkipsItself(t *testing.T) {
	t.Parallel()
	for others, runs := range map[int]int{1: standing.LeastPoints + 2, outstanding.MaxSkippedParts: 1} {
		report := fakeplugin.Report{Tests: []sdk.TestResult{{TestID: sdk.TestID{Suite: "s", Test: "T"}, Status: sdk.Passed}}}
		add := func(part string, status sdk.Status) {
			report.Tests = append(report.Tests, sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "T/" + part}, Status: status, Root: "T"})
		}
		for i := range others {
			add(fmt.Sprint("elsewhere", i), sdk.Skipped)
		}
		without := report.Encode()
		add("old", sdk.Failed)
		w := newModule(t, files{fakeplugin.ReportFile: report.Encode()})
		plugin := []string{"run", "--lang", fakeMeasured, "--plugin", fakeMeasured + "=" + fakePlugin(t, fakeMeasured)}
		w.proctor(plugin...).expect(t, exitFailed)
		report.Tests = report.Tests[:others+1]
		add("new", sdk.Skipped)
		w.write(files{fakeplugin.ReportFile: report.Encode()})
		for n := range runs {
			if run, r := w.object(plugin...); r.code != exitPassed || run.Outstanding != 1 {
				t.Fatalf("%d others, run %d: exit %d, %d outstanding\n%s", others, n, r.code, run.Outstanding, r.stderr)
			}
		}
		if w.write(files{fakeplugin.ReportFile: without}); others > 1 {
			continue
		}
		if run, r := w.object(plugin...); r.code != exitPassed || run.Outstanding != 0 {
			t.Errorf("exit %d, %d outstanding without the new part", r.code, run.Outstanding)
		}
	}
}

// parts is the source of a test with a part, and with one that always skips itself.
func parts(pkg, test, part, body string) string {
	return tests(pkg, test, `t.Run("`+part+`", func(t *testing.T) { `+body+` }); t.Run("elsewhere", func(t *testing.T) { t.Skip("always") })`)
}
