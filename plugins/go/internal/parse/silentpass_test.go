package parse

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

const (
	oneTest = "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"
	noTest  = "package m\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) {}\n"
)

func TestASuiteOfWhichNothingWasHeard(t *testing.T) {
	const warned, silent = "testing: warning: no tests to run\nPASS\n", okLine
	all := []string{"go", "test", "-json", "./..."}
	with := func(words ...string) []string { return append([]string{"go", "test", "-json"}, words...) }
	for _, tt := range []struct {
		name, file, source string
		argv               []string
		text               string
		want               sdk.SuiteOutcome
	}{
		{"nothing said", "a_test.go", oneTest, all, silent, sdk.SuiteAborted},
		{"nothing said, no tests", "a_test.go", noTest, all, silent, sdk.SuiteNoTests},
		{"nothing said, command unknown", "a_test.go", noTest, nil, silent, sdk.SuiteAborted},
		{"nothing said, filtered out", "a_test.go", oneTest, with("-run=TestB"), silent, sdk.SuiteNoTests},
		{"nothing said, selected", "a_test.go", oneTest, with("-run", "A/x"), silent, sdk.SuiteAborted},
		{"nothing said, skipped", "a_test.go", oneTest, with("-skip", "TestA"), silent, sdk.SuiteNoTests},
		{"nothing said, a subtest skipped", "a_test.go", oneTest, with("-skip", "TestA/x"), silent, sdk.SuiteAborted},
		{"nothing said, for another platform", "a_plan9_test.go", oneTest, all, silent, sdk.SuiteAborted},
		{"nothing said, for no build", "_a_test.go", oneTest, all, silent, sdk.SuiteNoTests},
		{"listed", "a_test.go", oneTest, with("-list", "."), "TestA\n" + silent, sdk.SuiteNoTests},
		{"benchmarks only", "a_test.go", "package m\n\nfunc BenchmarkA(b *testing.B) {}\n", all, silent, sdk.SuiteNoTests},
		{"benchmarks selected", "a_test.go", "package m\n\nfunc BenchmarkA(b *testing.B) {}\n", with("-run=^$", "-bench=."), silent, sdk.SuiteAborted},
		{"fuzz target selected", "a_test.go", "package m\n\nfunc FuzzA(f *testing.F) {}\n", with("-run=^$", "-fuzz=."), silent, sdk.SuiteAborted},
		{"an example that is not run", "a_test.go", "package m\n\nfunc Example() {}\n", all, silent, sdk.SuiteNoTests},

		{"warned", "a_test.go", oneTest, all, warned, sdk.SuiteAborted},
		{"warned, glued", "a_test.go", oneTest, all, "x" + warned, sdk.SuiteAborted},
		{"warned, no tests", "a_test.go", noTest, all, warned, sdk.SuiteNoTests},
		{"warned, command unknown", "a_test.go", oneTest, nil, warned, sdk.SuiteNoTests},
		{"warned, filtered", "a_test.go", oneTest, with("-run=TestA"), warned, sdk.SuiteNoTests},
		{"warned, filtered behind -args", "a_test.go", oneTest, with("-args", "-test.run=x"), warned, sdk.SuiteNoTests},
		{"warned, run 0 times", "a_test.go", oneTest, with("-count=0"), warned, sdk.SuiteNoTests},
		{"warned, run twice", "a_test.go", oneTest, with("-count", "2"), warned, sdk.SuiteAborted},
		{"warned, for another platform", "a_plan9_test.go", oneTest, all, warned, sdk.SuiteNoTests},
		{"warned, for the own platform, as its name says", "a_linux_test.go", oneTest, all, warned, sdk.SuiteNoTests},
		{"warned, with a constraint", "a_test.go", "// A licence.\n\n//go:build !windows\n\n" + oneTest, all, warned, sdk.SuiteNoTests},
		{"warned, with an old constraint", "a_test.go", "// +build !windows\n\n" + oneTest, all, warned, sdk.SuiteNoTests},
		{"warned, with an overlay", "a_test.go", oneTest, with("-overlay=x.json"), warned, sdk.SuiteNoTests},
		{"benchmarks were looked for", "a_test.go", oneTest, with("-run=^$", "-bench=."), "PASS\n", sdk.SuiteNoTests},
		{"-v, glued", "a_test.go", noTest, with("-v"), "startingPASS\n", sdk.SuiteNoTests},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := project(t, map[string]string{tt.file: tt.source, "b_test.go": noTest})
			run.Command.Argv = tt.argv
			got := parse(run, new(script).start().out("", tt.text).died("pass").String(), sdk.Exit{})
			if got.suites[pkg] != tt.want {
				t.Errorf("outcome is %v, want %v", got.suites[pkg], tt.want)
			}
			if noted := strings.Contains(strings.Join(got.log, "\n"), "note"); noted != (tt.want == sdk.SuiteAborted) {
				t.Errorf("noted: %v", got.log)
			}
		})
	}
}

// The command line of such a rerun selects nothing, the plugin's program does.
func TestASuiteThatARerunIsAboutIsSelected(t *testing.T) {
	run := project(t, map[string]string{"a_test.go": oneTest})
	run.Command.Argv = []string{"go", "test", "-json", "-run", "^PLACEHOLDER$", "-exec", "prog", "."}
	run.Command.Targets = []sdk.TestID{{Suite: pkg, Test: "TestA"}}
	stream := new(script).start().out("", okLine).died("pass").String()
	if got := parse(run, stream, sdk.Exit{}); got.suites[pkg] != sdk.SuiteAborted {
		t.Errorf("outcome is %v", got.suites[pkg])
	}
}

func TestAPassWithoutTheLastWordNeedsAllTests(t *testing.T) {
	source := oneTest + "\nfunc TestB(t *testing.T) {}\n"
	one := new(script).start().run("TestA").end("pass", "TestA").out("", okLine)
	two := new(script).start().run("TestA").end("pass", "TestA").run("TestB").end("pass", "TestB").out("", okLine)
	for _, tt := range []struct {
		name   string
		stream *script
		argv   []string
		want   sdk.SuiteOutcome
	}{
		{"one of two", one, []string{"go", "test", "-json"}, sdk.SuiteAborted},
		{"the selected one", one, []string{"go", "test", "-json", "-run=TestA"}, sdk.SuitePassed},
		{"both", two, []string{"go", "test", "-json"}, sdk.SuitePassed},
		{"both, and there may be more rounds", two, []string{"go", "test", "-json", "-count=3"}, sdk.SuiteAborted},
		{"command unknown", two, nil, sdk.SuiteAborted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := project(t, map[string]string{"a_test.go": source})
			run.Command.Argv = tt.argv
			stream := tt.stream.String() + new(script).died("pass").String()
			if got := parse(run, stream, sdk.Exit{}); got.suites[pkg] != tt.want {
				t.Errorf("outcome is %v, want %v", got.suites[pkg], tt.want)
			}
		})
	}
}
