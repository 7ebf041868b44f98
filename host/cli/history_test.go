package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// moody is a file of tests that fail where they are named in the environment.
func moody(names ...string) string {
	text := "package shop\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n"
	for _, n := range names {
		text += "\nfunc " + n + "(t *testing.T) {\n\tif os.Getenv(\"" + strings.ToUpper(n) + "\") != \"\" {\n\t\tt.Fatal(\"got 1, want 2\")\n\t}\n}\n"
	}
	return text
}

// fails edits a source and runs everything in a session, with the tests failing that
// are named. Without the edit they would be flaky.
func (w *module) fails(session string, names ...string) {
	w.t.Helper()
	w.write(files{"shop/edited.go": "package shop\n\n// " + session + ": " + strings.Join(names, " ") + "\n"})
	cmd := w.command("run")
	cmd.Env = append(cmd.Env, "PROCTOR_SESSION="+session)
	for _, n := range names {
		cmd.Env = append(cmd.Env, strings.ToUpper(n)+"=1")
	}
	code := exitPassed
	if len(names) > 0 {
		code = exitFailed
	}
	w.wait(cmd).expect(w.t, code)
}

func newMoodyModule(t *testing.T) *module {
	return newModule(t, files{
		"shop/billing_test.go":  moody("TestBill", "TestTax"),
		"shop/checkout_test.go": moody("TestCheckout"),
	})
}

func TestASessionBeginsWithWhatIsKnown(t *testing.T) {
	t.Parallel()
	w := newMoodyModule(t)
	if r := w.proctor("context"); r.code != 0 || r.stdout+r.stderr != "" {
		t.Errorf("without a record: %+v", r)
	}
	if _, err := os.Stat(filepath.Join(w.dir, ".proctor")); err == nil {
		t.Error("asking left a record")
	}
	w.fails("s1", "TestBill")
	w.fails("s2", "TestBill", "TestTax")
	if r := w.proctor("context"); r.code != 0 || r.stdout != "Outstanding: 2 tests (TestBill; TestTax).\n" || r.stderr != "" {
		t.Errorf("with nothing but what is outstanding: %+v", r)
	}
	w.fails("s3", "TestTax", "TestCheckout")
	const note = "Recurring failures across sessions: billing_test.go. Recent regressions: checkout_test.go (was passing, now failing)."
	if r := w.proctor("context"); r.code != 0 || !strings.HasPrefix(r.stdout, note+" Failing: TestTax of billing_test.go since run ") || !strings.HasSuffix(r.stdout, " Outstanding: 2 tests (TestTax; TestCheckout).\n") || r.stderr != "" {
		t.Errorf("the note: %+v", r)
	}
	var answer api.Context
	decodeLine(t, w.proctor("context", "--json"), &answer)
	if answer.Schema != api.ContextSchema || !strings.HasPrefix(answer.Text, note) || answer.Outstanding != 2 || len(answer.Recurring) != 1 || answer.Recurring[0].File != "shop/billing_test.go" {
		t.Errorf("%+v", answer)
	}
	w.proctor("defer", "TestCheckout", "--reason", "later").expect(t, 0, "set aside", "TestCheckout", "shop/checkout_test.go changes", "verdicts do not change")
	w.proctor("defer", "--list").expect(t, 0, "TestCheckout", "later")
	if r := w.proctor("context"); !strings.HasPrefix(r.stdout, "Recurring failures across sessions: billing_test.go. Failing: TestTax ") {
		t.Errorf("with a deferral: %+v", r)
	}
	w.fails("s4", "TestTax", "TestCheckout") // it is red all the same
	w.proctor("failures").expect(t, 0)
	w.write(files{"shop/checkout_test.go": moody("TestCheckout") + "\n// edited\n"})
	w.proctor("defer", "--list").expect(t, 0, "no test is set aside")
}

func TestTheHistoryAnswers(t *testing.T) {
	t.Parallel()
	w := newMoodyModule(t)
	w.proctor("history").expect(t, 0, "nothing is on record")
	w.proctor("history", "TestBill").expect(t, exitUsage, "nothing is on record", "the first run begins its history")
	w.fails("s1")
	w.fails("s2", "TestBill")
	w.proctor("history").expect(t, 0, "TestBill", "shop/billing_test.go:", "PF", "regression", "got 1, want 2", "2 runs in 2 sessions since")
	w.proctor("history", "TestBill").expect(t, 0, "failed", "passed", "session s1", "session s2", "state ")
	w.proctor("history", "billing_test.go").expect(t, 0, "gap", "passed", "session s1", "regression", "unresolved", "session s2", "TestTax")
	w.proctor("history", "--slow").expect(t, 0, "TestTax", "mean")
	w.proctor("history", "--gas").expect(t, 0, "nothing of the kind was measured")
	w.proctor("history", "--classification", "passed").expect(t, 0, "TestTax", "TestCheckout")
	w.proctor("history", "--recurring").expect(t, 0, "no test on record is recurring")
	var answer api.History
	decodeLine(t, w.proctor("history", "--limit", "1", "--json"), &answer)
	if answer.Schema != api.HistorySchema || len(answer.Tests) != 1 || answer.Tests[0].Test != "TestBill" || answer.Tests[0].LastPassed == nil {
		t.Errorf("%+v", answer)
	}

	w.proctor("history", "--export", "out.json").expect(t, 0, "entries written to out.json: 4")
	raw, err := os.ReadFile(filepath.Join(w.dir, "out.json"))
	if err != nil {
		t.Fatal(err)
	}
	var entries []map[string]string
	if err := json.Unmarshal(raw, &entries); err != nil || len(entries) != 4 || entries[0]["session_id"] != "s1" || len(entries[0]) != 5 {
		t.Errorf("%v, %s", err, raw)
	}
	if r := w.proctor("history", "--export", "-"); r.stdout != string(raw) {
		t.Errorf("on standard output: %+v", r)
	}
}

func TestAQuestionThatCannotBeMeantIsRefused(t *testing.T) {
	t.Parallel()
	w := newMoodyModule(t)
	w.fails("s1", "TestBill")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"history", "TestNone"}, "no test or file"},
		{[]string{"history", "a", "b"}, "too many"},
		{[]string{"history", "--classification", "new"}, "gap, passed, fixed, regression, failing"},
		{[]string{"history", "--slow", "--gas"}, "lists of their own"},
		{[]string{"history", "--export", "x", "--slow"}, "leave out --slow"},
		{[]string{"history", "--export", "x", "TestBill"}, "leave out TestBill"},
		{[]string{"history", "--lang", "rust"}, "languages that have runs: go"},
		{[]string{"defer"}, "name the test"},
		{[]string{"defer", "--list", "TestBill"}, "takes nothing else"},
		{[]string{"defer", "TestTax"}, "not failing"},
		{[]string{"defer", "TestNone"}, "no test or file"},
		{[]string{"defer", "TestBill", "--lift"}, "no deferred test"},
		{[]string{"context", "x"}, "takes no argument"},
	} {
		r := w.proctor(c.args...)
		r.expect(t, exitUsage, c.says)
		if r.stdout != "" {
			t.Errorf("%q: standard output is not empty: %s", c.args, r.stdout)
		}
	}
	w.proctor("history", "--export", "shop").expect(t, exitTool, "not a regular file")
}

// What was recorded elsewhere says nothing of the workspace as it is here.
func TestARecordedOutputDoesNotTouchTheNoteOrTheExport(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass), "red.jsonl": events("TestA", "fail"), "green.jsonl": events("TestA", "pass")})
	w.proctor("run").expect(t, 0)
	told := func() string { return w.proctor("context").stdout + w.proctor("history", "--export", "-").stdout }
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
	before := w.proctor("context").stdout + w.proctor("history", "--export", "-").stdout
	for _, c := range [][]string{{"", "--", "-run", "TestB"}, {"", "--", "-skip", "TestA"}, {"", "--", "-tags", "other"}, {"GOFLAGS=-tags=other"}} {
		run("s3", c[0], 0, c[1:]...)
		if now := w.proctor("context").stdout; now == "" || !strings.HasPrefix(before, now) {
			t.Errorf("after %q: %q, before: %s", c, now, before)
		}
		w.proctor("history").expect(t, 0, "TestA", "regression")
	}
}
