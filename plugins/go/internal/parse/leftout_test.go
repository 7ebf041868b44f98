package parse

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// A TestMain may set -test.run: what it leaves out was not tested.
func TestASuiteThatLeavesTestsOutHasNotPassed(t *testing.T) {
	t.Parallel()
	const two = oneTest + "\nfunc TestB(t *testing.T) {}\n"
	only := func(status string) string {
		return new(script).start().run("TestA").end(status, "TestA").completed(status).String()
	}
	both := new(script).start().run("TestA").end("pass", "TestA").run("TestB").end("skip", "TestB").completed("pass").String()
	with := func(words ...string) []string { return append([]string{"go", "test", "-json"}, words...) }
	for _, tt := range []struct {
		name   string
		second string
		argv   []string
		target sdk.TestID
		stream string
		want   sdk.SuiteOutcome
	}{
		{"one of two", "", with("./..."), sdk.TestID{}, only("pass"), sdk.SuiteAborted},
		{"one of two failed", "", with("./..."), sdk.TestID{}, only("fail"), sdk.SuiteAborted},
		{"both", "", with("./..."), sdk.TestID{}, both, sdk.SuitePassed},
		{"the selected one", "", with("-run", "TestA"), sdk.TestID{}, only("pass"), sdk.SuitePassed},
		{"of more that are selected", "", with("-run", "Test[AB]/x"), sdk.TestID{}, only("pass"), sdk.SuiteAborted},
		{"the other is skipped", "", with("-skip=TestB"), sdk.TestID{}, only("pass"), sdk.SuitePassed},
		{"the command is not known", "", nil, sdk.TestID{}, only("pass"), sdk.SuitePassed},
		{"with an overlay", "", with("-overlay=x.json"), sdk.TestID{}, only("pass"), sdk.SuitePassed},
		{"with -v, where a start may be unheard", "", with("-v"), sdk.TestID{}, only("pass"), sdk.SuitePassed},
		{"behind -args", "", with("-args", "-test.run=TestA"), sdk.TestID{}, only("pass"), sdk.SuitePassed},
		{"of a rerun", "", with("-run=^TestA$"), sdk.TestID{Suite: pkg, Test: "TestA"}, only("pass"), sdk.SuitePassed},
		{"of a rerun by the plugin's program", "", with("-run=^$", "-exec=p"), sdk.TestID{Suite: pkg}, only("pass"), sdk.SuitePassed},
		{"of a whole suite that is run again", "", with(), sdk.TestID{Suite: pkg}, only("pass"), sdk.SuiteAborted},
		{"before Go 1.20", "", with("./..."), sdk.TestID{}, strings.TrimPrefix(only("pass"), new(script).start().String()), sdk.SuitePassed},
		{"an example that is not run", "func Example() {}\n", with("./..."), sdk.TestID{}, both, sdk.SuitePassed},
		{"an example that is", "func Example() {\n\t// Output:\n}\n", with("./..."), sdk.TestID{}, both, sdk.SuiteAborted},
		{"seeds", "func FuzzA(f *testing.F) {}\n", with("./..."), sdk.TestID{}, both, sdk.SuiteAborted},
		{"a benchmark", "func BenchmarkA(b *testing.B) {}\n", with("-bench=."), sdk.TestID{}, both, sdk.SuitePassed},
		{"a function in a text", "const x = `\nfunc TestC(t *testing.T) {}\n`\n", with("./..."), sdk.TestID{}, both, sdk.SuitePassed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := project(t, map[string]string{
				"a_test.go": two, "b_test.go": "package m\n\nimport \"testing\"\n\n" + tt.second,
				// Only some builds have these.
				"c_plan9_test.go": "package m\n\nfunc TestC(t *testing.T) {}\n", "d_test.go": "//go:build d\n\npackage m\n\nfunc TestD(t *testing.T) {}\n",
			})
			run.Command.Argv, run.Command.Targets = tt.argv, []sdk.TestID{tt.target}
			got := parse(run, tt.stream, sdk.Exit{})
			want := tt.want
			if got.suites[pkg] != want {
				t.Errorf("outcome is %v, want %v\n%v", got.suites[pkg], want, got.log)
			}
			if noted := strings.Contains(strings.Join(got.log, "\n"), "did not run although"); noted != (want == sdk.SuiteAborted) {
				t.Errorf("noted: %v", got.log)
			}
		})
	}
}
