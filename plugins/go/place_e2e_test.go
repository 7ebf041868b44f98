package gotest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/go/testdata/corpus"
	"github.com/proctorhq/proctor/sdk"
)

// everyKind returns each kind of test, in two modules of a workspace.
func everyKind() files {
	return files{
		"go.work":  "go 1.20\n\nuse (\n\t./a\n\t./a/tools\n)\n",
		"a/go.mod": "module example.com/a\n\ngo 1.20\n",
		"a/a.go":   "package a\n\nfunc Double(n int) int { return 2 * n }\n",
		"a/dot_test.go": "package a\n\nimport . \"testing\"\n\nfunc TestDot(t *T) {\n\tt.Run(\"part\", func(t *T) {\n\t\tt.Run(\"of it\", func(t *T) {})\n\t})\n}\n\n" +
			"func TestFails(t *T) {\n\tt.Run(\"inside\", func(t *T) { t.Error(\"no\") })\n}\n\nfunc TestSkips(t *T) { t.Skip(\"later\") }\n\n" +
			"func FuzzDouble(f *F) {\n\tf.Add(1)\n\tf.Fuzz(func(t *T, n int) {})\n}\n",
		"a/example_test.go":      "package a_test\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/a\"\n)\n\nfunc ExampleDouble() {\n\tfmt.Println(a.Double(1))\n\t// Output: 2\n}\n",
		"a/external_test.go":     "package a_test\r\n\r\nimport \"testing\"\r\n\r\nfunc TestExternal(t *testing.T) {}\r\n",
		"a/slow/slow_test.go":    "package slow\n\nimport \"testing\"\n\nfunc BenchmarkSlow(b *testing.B) {\n\tb.Run(\"part\", func(b *testing.B) {})\n}\n",
		"a/deep/er/deep_test.go": "package er\n\nimport \"testing\"\n\n/*\nfunc TestDeep(t *testing.T) {}\n*/\nfunc TestDeep(t *testing.T) {}\n",
		"a/tools/go.mod":         "module example.com/tools\n\ngo 1.20\n",
		"a/tools/a_test.go":      "//go:build none\n\npackage tools\n\nimport \"testing\"\n\nfunc TestTool(t *testing.T) {}\n",
		"a/tools/b_test.go":      "package tools\n\nimport \"testing\"\n\nfunc TestTool(t *testing.T) {}\n",
	}
}

func TestEveryResultSaysWhereItsTestIsDeclared(t *testing.T) {
	requireGo(t)
	want := []string{
		"example.com/a ExampleDouble a/example_test.go:9",
		"example.com/a FuzzDouble a/dot_test.go:17",
		"example.com/a FuzzDouble/seed#0 a/dot_test.go:17",
		"example.com/a TestDot a/dot_test.go:5",
		"example.com/a TestDot/part a/dot_test.go:5",
		"example.com/a TestDot/part/of_it a/dot_test.go:5",
		"example.com/a TestExternal a/external_test.go:5",
		"example.com/a TestFails a/dot_test.go:11",
		"example.com/a TestFails/inside a/dot_test.go:11",
		"example.com/a TestSkips a/dot_test.go:15",
		"example.com/a/deep/er TestDeep a/deep/er/deep_test.go:8",
		"example.com/a/slow BenchmarkSlow a/slow/slow_test.go:5",
		"example.com/a/slow BenchmarkSlow/part a/slow/slow_test.go:5",
		"example.com/tools TestTool a/tools/b_test.go:5",
	}
	for _, toolchain := range findToolchains(t) {
		t.Run(toolchain.name, func(t *testing.T) {
			ws := newWorkspace(t, everyKind())
			toolchain.use(ws)
			ws.Env["GOTOOLCHAIN"] = "local"
			plan, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{Workspace: ws, RunnerArgs: []string{"-vet=off", "-bench=.", "-benchtime=1x"}})
			command := singleCommand(t, plan, err)
			got, _ := runDeclarations(t, ws, command)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// Without benchmarks and without -count, the second run comes from the cache.
			command.Argv = slices.DeleteFunc(command.Argv, func(arg string) bool {
				return arg == "-count=1" || strings.HasPrefix(arg, "-bench")
			})
			runDeclarations(t, ws, command)
			again, text := runDeclarations(t, ws, command)
			tests := slices.DeleteFunc(slices.Clone(want), func(line string) bool { return strings.Contains(line, "Benchmark") })
			if diff := cmp.Diff(tests, again); diff != "" || !strings.Contains(text, "(cached)") {
				t.Errorf("from the cache (-want +got):\n%s\n%s", diff, text)
			}
		})
	}
}

// runDeclarations runs a command and returns each test with its place, sorted, and what
// was printed.
func runDeclarations(t *testing.T, ws sdk.Workspace, command sdk.Command) (all []string, text string) {
	t.Helper()
	stdout, _ := newProcess(t, ws, command).Output() // a test fails
	seen := &corpus.Observed{}
	parser := newDetector(t).ParseTestFailures(t.Context(), sdk.RunInfo{Workspace: ws, Command: command}, seen)
	parser.Write(sdk.Stdout, stdout)
	parser.Close(sdk.Exit{Code: 1})
	for _, r := range seen.Tests {
		all = append(all, fmt.Sprintf("%s %s %s:%d", r.Suite, r.Test, r.Location.File, r.Location.Line))
	}
	slices.Sort(all)
	return all, string(stdout)
}
