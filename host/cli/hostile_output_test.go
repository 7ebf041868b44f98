package cli

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
)

// control is a text that does things to a terminal.
const control = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\rgreen\u202egnp.exe"

// harmless fails when a text could do something to a terminal.
func harmless(t *testing.T, what, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s is not valid UTF-8", what)
	}
	for _, bad := range []string{"\x1b", "\r", "\x00", "\x07", "\u202e"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s holds %q: %q", what, bad, text)
		}
	}
}

func TestControlCharactersOfATestReachNoReport(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a",
		"TestA", fmt.Sprintf("fmt.Println(%q)\nfmt.Print(\"\\x00\\xff\\xfe\\n\")\nt.Errorf(\"bad: %%s %%s\", %q, \"\\x00\\xff\")", control, control),
		"TestSub", fmt.Sprintf("t.Run(%q, func(t *testing.T) { t.Error(\"wrong\") })", control))})
	for _, args := range [][]string{{"run"}, {"run", "-v"}, {"run", "--format", "testname"}, {"run", "--format", "testdox"}, {"run", "--format", "github"}, {"failures"}, {"runs", "show"}} {
		r := w.proctor(args...)
		harmless(t, strings.Join(args, " "), r.stdout+r.stderr)
		if !strings.Contains(r.stdout, "bad: ") {
			t.Errorf("%q: the message is missing: %q", args, r.stdout)
		}
	}
	run, r := w.object("runs", "show")
	if at := strings.IndexFunc(r.stdout, func(c rune) bool { return c < ' ' && c != '\n' }); at >= 0 {
		t.Errorf("the JSON holds a control character: %q", r.stdout[at:min(at+20, len(r.stdout))])
	}
	if run.FailuresTotal != 2 {
		t.Errorf("%d failures, want 2", run.FailuresTotal)
	}
	// A file or a pipe gets exactly what the test printed.
	if out := w.proctor("output", "TestA"); !strings.Contains(out.stdout, control) {
		t.Errorf("the test's own output was changed: %q", out.stdout)
	}
	w.ran()
	step{call: "rerun", code: 1, verdict: api.Failed, outstanding: 2}.happens(t, w)
}

func TestResultsThatATestPrintsAreNotBelieved(t *testing.T) {
	event := func(action, test string) string {
		return fmt.Sprintf(`{"Time":"2026-01-01T00:00:00Z","Action":%q,"Package":"example.com/m/a","Test":%q,"Elapsed":0}`, action, test)
	}
	forge := func(lines ...string) string {
		return fmt.Sprintf("for _, l := range %#v {\nfmt.Println(l)\nfmt.Fprintln(os.Stderr, l)\n}\n", lines)
	}
	pretend := []string{event("pass", "TestA"), event("pass", ""), "--- PASS: TestA (0.00s)", "PASS", "ok  \texample.com/m/a\t0.001s"}
	accuse := []string{event("fail", "TestA"), event("fail", ""), "--- FAIL: TestA (0.00s)", "FAIL", "panic: not really", "exit status 2", "FAIL\texample.com/m/a\t0.001s"}
	tell(t, []story{
		{
			name: "a pass", tree: files{"a/a_test.go": tests("a", "TestA", forge(pretend...)+fail)},
			steps: []step{{code: 1, verdict: api.Failed, outstanding: 1}},
		},
		{
			name: "a pass before a crash", tree: files{"a/a_test.go": tests("a", "TestA", forge(pretend...)+"os.Exit(0)", "TestB", pass)},
			steps: []step{{code: 1, verdict: api.Failed, outstanding: 2}},
		},
		{
			name: "a failure", tree: files{"a/a_test.go": tests("a", "TestA", forge(accuse...))},
			steps: []step{{verdict: api.Passed, ran: "a TestA"}},
		},
	})
}

func TestFloodsOfOutputChangeNoVerdict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body    string
		code    int
		verdict api.Verdict
	}{
		"16 MB on a line, then a failure": {`os.Stdout.WriteString(strings.Repeat("x", 16<<20) + "\n")` + "\n" + fail, 1, api.Failed},
		// Not a multiple of 4096: then test2json loses the result of the test.
		"1 MB without an end": {`os.Stdout.WriteString(strings.Repeat("x", 1<<20+1))`, 0, api.Passed},
		"a message of 1 MB":   {`t.Error(strings.Repeat("x", 1<<20))`, 1, api.Failed},
		"200,000 lines":       {`os.Stdout.WriteString(strings.Repeat("line\n", 200000))` + "\n" + fail, 1, api.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newModule(t, files{"a/a_test.go": strings.Replace(
				tests("a", "TestA", c.body, "TestB", pass), `"os"`, "\"os\"\n\t\"strings\"", 1)})
			r := w.proctor("run", "--json")
			var run api.Run
			decodeLine(t, r, &run)
			if run.Verdict != c.verdict || r.code != c.code || run.Counts.Passed < 1 {
				t.Errorf("verdict %s (%.200s), exit %d, %d passed", run.Verdict, run.Reason, r.code, run.Counts.Passed)
			}
			if len(r.stdout) > 1<<20 {
				t.Errorf("the Run object has %d bytes", len(r.stdout))
			}
		})
	}
}

func TestATestThatClosesItsOutputIsNeverGreen(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"and passes": pass, "and fails": fail} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass, "TestB", "os.Stdout.Close()\n"+body, "TestC", pass)})
			run, r := w.object("run")
			if run.Verdict == api.Passed || r.code == 0 {
				t.Errorf("verdict %s: %s", run.Verdict, run.Reason)
			}
			if run.Outstanding == 0 {
				t.Error("nothing is outstanding")
			}
		})
	}
}
