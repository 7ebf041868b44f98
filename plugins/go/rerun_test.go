package gotest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	gotest "github.com/proctorhq/proctor/plugins/go"
	"github.com/proctorhq/proctor/sdk"
)

// threePackages has TestAlpha and TestBeta only in a, TestGamma only in b, and
// TestShared in all of them.
var threePackages = files{
	"go.mod":      "module example.com/m\n",
	"a/a_test.go": "package a\nfunc TestAlpha(t *testing.T) {}\nfunc TestBeta(t *testing.T) {}\nfunc TestShared(t *testing.T) {}\nfunc BenchmarkA(b *testing.B) {}\n",
	"b/b_test.go": "package b\nfunc TestGamma(t *testing.T) {}\nfunc TestShared(t *testing.T) {}\nfunc FuzzB(f *testing.F) {}\n",
	"c/c_test.go": "package c\nfunc TestShared(t *testing.T) {}\nfunc ExampleC() {\n\t// Output:\n}\n",
}

// parseIDs parses "a:TestX b" into tests in packages of example.com/m.
func parseIDs(text string) []sdk.TestID {
	var targets []sdk.TestID
	for word := range strings.FieldsSeq(text) {
		suite, name, _ := strings.Cut(word, ":")
		if !strings.Contains(suite, ".") {
			suite = "example.com/m/" + suite
		}
		targets = append(targets, sdk.TestID{Suite: suite, Test: name})
	}
	return targets
}

// formatCommand returns a command as text, followed by the table of an -exec.
func formatCommand(t *testing.T, ws sdk.Workspace, command sdk.Command) string {
	t.Helper()
	text := strings.Join(command.Argv, " ")
	text = strings.TrimPrefix(text, "go test -json -count=1 -fullpath ")
	text = strings.ReplaceAll(text, "example.com/m/", "")
	for i, word := range command.Argv {
		if word == "-exec" {
			if program, _, ours := strings.Cut(command.Argv[i+1], " "+gotest.ExecCommand); ours {
				text = strings.Replace(text, program, "PLUGIN", 1)
			}
		}
	}
	for _, input := range command.Inputs {
		var table struct {
			Flag     string
			Packages []struct{ Dir, Expr string }
		}
		if err := json.Unmarshal(input.Data, &table); err != nil {
			t.Fatal(err)
		}
		text += " {" + table.Flag
		for _, pkg := range table.Packages {
			text += fmt.Sprintf(" %s=%s", strings.TrimPrefix(pkg.Dir, ws.Root+"/"), pkg.Expr)
		}
		text += "}"
	}
	return text
}

func TestRerunCmdComposesTheFewestExactCommands(t *testing.T) {
	for _, test := range []struct {
		name, targets, args string
		want                []string
	}{
		{"the seed's command", "a:TestAlpha a:TestBeta b:TestGamma", "", []string{
			"-run ^(TestAlpha|TestBeta|TestGamma)$ a b"}},
		{"one test", "a:TestAlpha", "", []string{"-run ^TestAlpha$ a"}},
		{"the same in each", "a:TestShared b:TestShared c:TestShared", "", []string{"-run ^TestShared$ a b c"}},
		{"one package also has the other's test", "a:TestShared b:TestGamma", "", []string{
			"-run ^$ -exec PLUGIN exec-helper a b {run a=^TestShared$ b=^TestGamma$}"}},
		{"subtests", "a:TestAlpha/x a:TestAlpha/y b:TestGamma", "", []string{
			"-run ^TestGamma$|^TestAlpha$/^(x|y)$ a b"}},
		{"different subtests of the same test", "a:TestShared/x b:TestShared/y", "", []string{
			"-run ^$ -exec PLUGIN exec-helper a b {run a=^TestShared$/^x$ b=^TestShared$/^y$}"}},
		{"the same subtest of the same test", "a:TestShared/x b:TestShared/x", "", []string{
			"-run ^TestShared$/^x$ a b"}},
		{"whole packages", "a b", "", []string{"a b"}},
		{"a whole package and a test", "a b:TestGamma", "", []string{
			"-run ^$ -exec PLUGIN exec-helper a b {run a= b=^TestGamma$}"}},
		{"a test of a whole package", "a a:TestAlpha", "", []string{"a"}},
		{"fuzz seed and example", "b:FuzzB/seed#1 c:ExampleC", "", []string{
			"-run ^ExampleC$|^FuzzB$/^seed#1$ b c"}},
		{"benchmark", "a:BenchmarkA a:TestAlpha", "", []string{
			"-run ^TestAlpha$ a", "-run ^$ -bench ^BenchmarkA$ a"}},
		{"twice", "a:TestAlpha a:TestAlpha", "", []string{"-run ^TestAlpha$ a"}},
		{"function is gone", "a:TestAlpha a:TestGone/x b:TestGone", "", []string{"-run ^TestAlpha$ a"}},
		{"package is gone", "gone gone2:TestX a:TestAlpha", "", []string{"-run ^TestAlpha$ a"}},
		{"everything is gone", "gone a:TestGone", "", nil},
		{"nothing", "", "", nil},
		{"unknown package, same expression", "other.example/x:TestAlpha a:TestAlpha", "", []string{
			"-run ^TestAlpha$ other.example/x a"}},
		{"unknown package may have the other's test", "other.example/x:TestOther a:TestAlpha", "", []string{
			"-run ^$ -exec PLUGIN exec-helper a {run a=^TestAlpha$}", "-run ^TestOther$ other.example/x"}},
		{"flags that build are kept, those that select are not", "a:TestAlpha", "-race -tags x -run Y -skip=Z -count=5 -shuffle on -failfast -coverprofile c.out -cover -v -timeout 1h -bench . -fuzz F -o x ./b", []string{
			"go test -json -count=1 -fullpath -run ^TestAlpha$ -race -tags x -cover -timeout 1h a"}},
		{"flags of the test binary", "a:TestAlpha", "-update -args -x", []string{"-run ^TestAlpha$ a -update -args -x"}},
		{"user's exec is chained", "a:TestShared b:TestGamma", "-race -exec 'qemu' ", []string{
			"-run ^$ -exec PLUGIN exec-helper 'qemu' -race a b {run a=^TestShared$ b=^TestGamma$}"}},
		{"user's exec stays where it is enough", "a:TestAlpha", "-exec qemu", []string{"-run ^TestAlpha$ -exec qemu a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			ws := newWorkspace(t, threePackages)
			plan, err := newDetector(t).RerunCmd(t.Context(), sdk.RerunRequest{
				Workspace: ws, Targets: parseIDs(test.targets), RunnerArgs: strings.Fields(test.args),
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, command := range plan.Commands {
				got = append(got, formatCommand(t, ws, command))
			}
			for i := range test.want {
				test.want[i] = strings.TrimPrefix(test.want[i], "go test -json -count=1 -fullpath ")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("commands differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRerunCmdNeedsMoreCommandsWithoutABinary(t *testing.T) {
	unquotable := filepath.Join(t.TempDir(), `it's "quoted" both ways`)
	if err := os.WriteFile(unquotable, nil, 0o755); err != nil {
		t.Skip("no such file names here:", err)
	}
	for _, executable := range []string{"", filepath.Join(t.TempDir(), "gone"), unquotable} {
		ws := newWorkspace(t, threePackages)
		plan, err := gotest.New(gotest.Config{Executable: executable}).RerunCmd(t.Context(), sdk.RerunRequest{
			Workspace: ws, Targets: parseIDs("a:TestShared b:TestGamma c:TestShared"),
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, command := range plan.Commands {
			got = append(got, formatCommand(t, ws, command))
		}
		if diff := cmp.Diff([]string{"-run ^TestShared$ a c", "-run ^TestGamma$ b"}, got); diff != "" {
			t.Errorf("commands differ (-want +got):\n%s", diff)
		}
	}
}

func TestRerunCmdAccountsForEveryTargetThatExists(t *testing.T) {
	ws := newWorkspace(t, threePackages)
	for _, targets := range []string{
		"a:TestAlpha b:TestGamma", "a:TestShared b:TestGamma", "a b:TestGamma/x b:TestGamma/y", "a a:TestAlpha/x a:BenchmarkA/y c:ExampleC",
	} {
		for _, widen := range []bool{false, true} {
			plan, err := newDetector(t).RerunCmd(t.Context(), sdk.RerunRequest{Workspace: ws, Targets: parseIDs(targets + " gone a:TestGone"), Widen: widen})
			if err != nil {
				t.Fatal(err)
			}
			covered := map[sdk.TestID]bool{}
			for _, command := range plan.Commands {
				for _, target := range command.Targets {
					covered[target] = true
				}
			}
			for _, target := range parseIDs(targets) {
				if !covered[target] {
					t.Errorf("%s, widen %v: %v is in no command", targets, widen, target)
				}
			}
			for _, target := range parseIDs("gone a:TestGone") {
				if covered[target] {
					t.Errorf("%v does not exist", target)
				}
			}
		}
	}
}

func TestRerunCmdWidensToTheOutermostTest(t *testing.T) {
	ws := newWorkspace(t, threePackages)
	plan, err := newDetector(t).RerunCmd(t.Context(), sdk.RerunRequest{
		Workspace: ws, Targets: parseIDs("a:TestShared/x b:TestShared/y/z a:TestShared/w"), Widen: true,
	})
	command := singleCommand(t, plan, err)
	if got, want := formatCommand(t, ws, command), "-run ^TestShared$ a b"; got != want {
		t.Errorf("command is %s\n       want %s", got, want)
	}
	if command.SelectsInsideTests {
		t.Error("whole tests are selected")
	}
	if want := parseIDs("a:TestShared"); !slices.Contains(command.Targets, want[0]) {
		t.Errorf("targets lack the test that runs: %v", command.Targets)
	}
}

func TestRerunCmdSaysWhenItRunsTestsInsteadOfTheirSubtests(t *testing.T) {
	ws := newWorkspace(t, threePackages)
	var targets []sdk.TestID
	for i := range 60 {
		targets = append(targets, parseIDs(fmt.Sprintf("a:TestAlpha/row%d", i))...)
	}
	plan, err := newDetector(t).RerunCmd(t.Context(), sdk.RerunRequest{Workspace: ws, Targets: targets})
	command := singleCommand(t, plan, err)
	if got, want := formatCommand(t, ws, command), "-run ^TestAlpha$ a"; got != want {
		t.Errorf("command is %s\n       want %s", got, want)
	}
	if diff := cmp.Diff(targets, command.Targets); diff != "" {
		t.Errorf("targets differ (-want +got):\n%s", diff)
	}
	if len(plan.Warnings) != 1 || !strings.Contains(plan.Warnings[0], "all of TestAlpha in example.com/m/a") {
		t.Errorf("warnings are %q", plan.Warnings)
	}
	if command.SelectsInsideTests {
		t.Error("the whole test is selected")
	}
}

func TestRerunCmdTakesNoSuiteForAFlagOrAPattern(t *testing.T) {
	ws := newWorkspace(t, threePackages)
	var targets []sdk.TestID
	for _, suite := range []string{"-exec=rm", "--run", "./...", "example.com/...", "all", "std", "work", "/abs", "..", "a b", "a\x00", "a@v1.0.0", "C:\\x"} {
		targets = append(targets, sdk.TestID{Suite: suite}, sdk.TestID{Suite: suite, Test: "TestX"})
	}
	plan, err := newDetector(t).RerunCmd(t.Context(), sdk.RerunRequest{Workspace: ws, Targets: targets})
	if err != nil || len(plan.Commands) > 0 {
		t.Errorf("commands %+v, error %v; want none", plan.Commands, err)
	}
}

func TestRerunCmdRunsEverythingForAFailureOfTheRun(t *testing.T) {
	ws := newWorkspace(t, threePackages)
	plan, err := newDetector(t).RerunCmd(t.Context(), sdk.RerunRequest{Workspace: ws, Targets: []sdk.TestID{{}, parseIDs("a:TestAlpha")[0]}, RunnerArgs: []string{"-race", "-run", "X"}})
	if got, want := formatCommand(t, ws, singleCommand(t, plan, err)), "-race ./..."; got != want {
		t.Errorf("command is %s, want %s", got, want)
	}
}

func TestRerunCmdKeepsArgumentsBelowTheLimit(t *testing.T) {
	tree := files{"go.mod": "module example.com/m\n"}
	var targets []sdk.TestID
	for p := range 3 {
		var src strings.Builder
		src.WriteString("package p\n")
		for i := range 6000 {
			name := fmt.Sprintf("TestWithARatherLongName%d_%d", p, i)
			fmt.Fprintf(&src, "func %s(t *testing.T) {}\n", name)
			targets = append(targets, sdk.TestID{Suite: fmt.Sprintf("example.com/m/p%d", p), Test: name})
		}
		tree[fmt.Sprintf("p%d/p_test.go", p)] = src.String()
	}
	ws := newWorkspace(t, tree)
	plan, err := newDetector(t).RerunCmd(t.Context(), sdk.RerunRequest{Workspace: ws, Targets: targets})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Commands) != 2 {
		t.Errorf("%d commands, want 2: each package takes two expressions", len(plan.Commands))
	}
	covered := 0
	for _, command := range plan.Commands {
		covered += len(command.Targets)
		for _, word := range command.Argv {
			if len(word) > 100<<10 {
				t.Errorf("an argument has %d bytes", len(word))
			}
		}
		var table struct{ Packages []struct{ Expr string } }
		if err := json.Unmarshal(command.Inputs[0].Data, &table); err != nil {
			t.Fatal(err)
		}
		for _, pkg := range table.Packages {
			if len(pkg.Expr) > 100<<10 {
				t.Errorf("an expression has %d bytes", len(pkg.Expr))
			}
		}
	}
	if covered != len(targets) {
		t.Errorf("%d of %d targets are in a command", covered, len(targets))
	}
}

// The goal is 50 ms for 100,000 tests; the rest is reading the sources of the 845
// packages.
func BenchmarkRerunCmd(b *testing.B) {
	tree := files{"go.mod": "module example.com/m\n"}
	var targets []sdk.TestID
	for p := range 845 {
		var src strings.Builder
		src.WriteString("package p\n\nimport \"testing\"\n\n")
		for i := range 119 {
			name := fmt.Sprintf("TestNumber%dOf%d", i, p%7)
			fmt.Fprintf(&src, "func %s(t *testing.T) {}\n", name)
			targets = append(targets, sdk.TestID{Suite: fmt.Sprintf("example.com/m/p%d", p), Test: name})
		}
		tree[fmt.Sprintf("p%d/p_test.go", p)] = src.String()
	}
	ws := newWorkspace(b, tree)
	d := newDetector(b)
	b.ReportMetric(float64(len(targets)), "tests")
	for b.Loop() {
		if _, err := d.RerunCmd(b.Context(), sdk.RerunRequest{Workspace: ws, Targets: targets}); err != nil {
			b.Fatal(err)
		}
	}
}
