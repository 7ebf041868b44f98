package cli

import (
	"strings"
	"testing"
)

func TestAnAgentGetsTheSameAnswersAboutCoverage(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	tool := func(name, args string, code int, says ...string) {
		t.Helper()
		w.proctor("mcp", "call", name, args).expect(t, code, says...)
	}
	tool("tests_covering", `{"file":"README.md"}`, 0, "this says nothing about any test", `tests_covering{"measure":120}`, "This does not mean that no test covers it")
	w.index()
	tool("tests_covering", `{"file":"lib/lib.go","lines":3}`, 0, "2 tests execute lib/lib.go:3", "example.com/m/lib TestA", "example.com/m/use TestUse")
	tool("tests_covering", `{}`, 0, "nothing has changed since HEAD")
	tool("run_tests", `{"affected":"HEAD"}`, exitNothingRan, "no test was chosen: nothing has changed since HEAD", "run_tests without affected runs everything")
	w.write(files{"lib/lib.go": strings.Replace(layered["lib/lib.go"], "return 2", "return 1 + 1", 1)})
	tool("tests_covering", `{}`, 0, "lib/lib.go:5", "example.com/m/lib TestB", "STALE")
	tool("run_tests", `{"affected":"HEAD"}`, 0, "it executes B, which changed", "example.com/m/lib TestB", "left out: ", "this is not a pass of everything: finish with run_tests without affected")
	for args, says := range map[string]string{
		`{"affected":"nosuch"}`:             "git knows no revision nosuch here",
		`{"affected":"HEAD","filter":"T"}`:  "changes select the tests, so nothing else can",
		`{"affected":"HEAD","sources":{}}`:  "Leave out affected, or sources",
		`{"affected":"HEAD","packages":[]}`: "",
	} {
		code := exitUsage
		if says == "" {
			code = 0
		}
		tool("run_tests", args, code, says)
	}
	tool("tests_covering", `{"lines":"3"}`, exitUsage, "lines need a file")
}

// Where nothing changed that is known to, an answer has the code that the failing test
// reaches; otherwise, what changed.
func TestAnAgentSeesTheCodeThatAFailingTestReaches(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	const wrong = "return 20 + 0"
	w.write(files{"lib/lib.go": strings.Replace(layered["lib/lib.go"], "return 2", wrong, 1)})
	const reached, changed = "reached by the failing tests, likeliest first:", "not committed:"
	r := w.proctor("mcp", "call", "run_tests", "{}")
	r.expect(t, exitFailed, wrong, changed)
	if strings.Contains(r.stdout, reached) {
		t.Errorf("it has what is reached, too:\n%s", r.stdout)
	}
	// What is only called the same is in no test's program.
	w.write(files{"other/other.go": "package other\n\nfunc B() int { return 3 }\n", "_old/old.go": "package old\n\nfunc B() int { return 4 }\n"})
	w.git("add", ".")
	w.git("commit", "-q", "-a", "-m", "wrong")
	r = w.proctor("mcp", "call", "run_tests", "{}")
	r.expect(t, exitFailed, reached+"\n   lib/lib.go:5\n", wrong)
	if strings.Contains(r.stdout, "other/other.go") || strings.Contains(r.stdout, "_old/") {
		t.Errorf("it has code that no test can reach:\n%s", r.stdout)
	}
	object := w.proctor("mcp", "call", "--json", "get_run", "{}")
	object.expect(t, 0, `"reached_code":[{"file":"lib/lib.go","line":5,"lines":[`, wrong)
	if strings.Contains(object.stdout, "changed_lines") {
		t.Errorf("it has changes, too:\n%s", object.stdout)
	}
	w.write(files{"lib/lib.go": layered["lib/lib.go"]})
	if after := w.proctor("mcp", "call", "get_run", "{}"); strings.Contains(after.stdout, "return 2") {
		t.Errorf("it has code that the run did not see:\n%s", after.stdout)
	}
}
