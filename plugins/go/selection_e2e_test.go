package gotest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/needs"
	gotest "github.com/proctorhq/proctor/plugins/go"
	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/sdk"
)

// awkward is a test file whose subtests have every kind of name that is special
// to an expression, to a path, or to package testing.
const awkward = `package p

import "testing"

var names = []string{
	"plain", "two words", "a|b", "(", ")", "(x)", "[", "]", "[x]", "[^x]", "a.b", "a*", "a+", "a?", "^", "$", "^x$",
	"back\\slash", "\\d", "{2}", "quote\"", "it's", "tab\there", "nul\x00", "bell\x07", "\xff\xfe", "ä", "日本", "e\u0301",
	"\u00a0", "\u200b", "", "", "dup", "dup", "dup", "dup#01", "#01", "-run", "=", "%v", "seed#1", "a/b/c", "a//d", "tail/",
}

func TestAwkward(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {})
	}
}

func TestNested(t *testing.T) {
	for _, outer := range []string{"one", "two words", "three|3"} {
		t.Run(outer, func(t *testing.T) {
			for _, inner := range []string{"x", "y", "(z)"} {
				t.Run(inner, func(t *testing.T) {})
			}
		})
	}
}

func TestPlain(t *testing.T) {}
func TestPlainer(t *testing.T) {}
func TestÜmlaut(t *testing.T) {}
func Test_(t *testing.T) {}
func FuzzSeeds(f *testing.F) {
	f.Add("a")
	f.Add("b")
	f.Fuzz(func(t *testing.T, _ string) {})
}
func ExampleNames() {
	// Output:
}
`

// packages returns how many packages have the awkward tests: go test links each of them
// in each run.
func packages() int {
	if needs.IsWhole() {
		return 12
	}
	return 4
}

// sameTestsInManyPackages has the awkward tests in some packages, plus one more test
// in each.
func sameTestsInManyPackages() files {
	tree := files{"go.mod": "module example.com/m\n\ngo 1.20\n"}
	for p := range packages() {
		dir := fmt.Sprintf("p%02d/", p)
		tree[dir+"p.go"] = "package p\n\nfunc Names() {}\n"
		tree[dir+"awkward_test.go"] = awkward
		tree[dir+"own_test.go"] = fmt.Sprintf("package p\n\nimport \"testing\"\n\nfunc TestOwn%d(t *testing.T) {}\n", p)
	}
	return tree
}

func TestRerunsRunExactlyTheRequestedTests(t *testing.T) {
	requireGo(t)
	for _, toolchain := range findToolchains(t) {
		t.Run(toolchain.name, func(t *testing.T) {
			ws := newWorkspace(t, sameTestsInManyPackages())
			toolchain.use(ws)
			d := detectorWithSpaces(t)
			flags := []string{"-vet=off"}
			plan, err := d.TestCmd(t.Context(), sdk.TestRequest{Workspace: ws, RunnerArgs: flags})
			if err != nil {
				t.Fatal(err)
			}
			all := runCommands(t, ws, plan.Commands)
			leaves := all.leaves()
			if len(leaves) < packages()*60 || all.failed > 0 {
				t.Fatalf("the full run has %d tests: %s", len(leaves), all.text)
			}
			// Each round has another subset in each package.
			random := rand.New(rand.NewPCG(3, uint64(len(toolchain.name))))
			for round := range toolchain.rounds {
				var targets []sdk.TestID
				for _, leaf := range leaves {
					if leaf.Suite != "example.com/m/p00" && random.IntN(4) == 0 {
						targets = append(targets, leaf)
					}
				}
				plan, err := d.RerunCmd(t.Context(), sdk.RerunRequest{Workspace: ws, Targets: targets, RunnerArgs: flags})
				command := singleCommand(t, plan, err)
				if len(command.Inputs) == 0 || !command.SelectsInsideTests {
					t.Fatalf("each package needs its own expression: %q", command.Argv)
				}
				result := runCommands(t, ws, plan.Commands)
				if diff := cmp.Diff(sortIDs(targets), result.leaves()); diff != "" {
					t.Errorf("round %d ran other tests than requested (-want +got):\n%s\n%s", round, diff, result.text)
				}
			}
		})
	}
}

// toolchain is a Go installation to try.
type toolchain struct {
	name, program string
	rounds        int
}

func (tc toolchain) use(ws sdk.Workspace) {
	if tc.program != "" {
		ws.Tools["go"] = tc.program
	}
}

// findToolchains returns the go command itself and, if they are in the module cache, the
// oldest supported version and one without build events.
func findToolchains(t *testing.T) []toolchain {
	t.Helper()
	all := []toolchain{{name: "default", rounds: 4}}
	for _, version := range []string{"go1.20", "go1.23"} {
		program := cachedToolchain(t, version)
		if program == "" {
			t.Logf("SKIPPED: there is no %s in the module cache to run this with", version)
			continue
		}
		all = append(all, toolchain{name: version, program: program, rounds: 1})
	}
	return all
}

// cachedToolchain finds a Go toolchain that the go command has downloaded. If programs
// in the cache lack permission to run, it creates a copy made of links that has it.
func cachedToolchain(t *testing.T, version string) string {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	cache := filepath.Join(home, "go", "pkg", "mod")
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		cache = dir
	}
	found, err := filepath.Glob(filepath.Join(cache, "golang.org", "toolchain@*-"+version+".*."+runtime.GOOS+"-"+runtime.GOARCH))
	if err != nil || len(found) == 0 {
		return ""
	}
	program := filepath.Join(found[0], "bin", "go")
	info, err := os.Stat(program)
	if err != nil || info.Mode()&0o111 == 0 {
		return ""
	}
	return program
}

// detectorWithSpaces returns a detector with this test binary under a path with a space
// and a quote.
func detectorWithSpaces(t *testing.T) *gotest.Detector {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "it's a plugin.exe")
	if err := os.Link(executable, link); err != nil {
		copyFile(t, executable, link)
	}
	return gotest.New(gotest.Config{Executable: link})
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestSharedExpressionRunsExactlyTheRequestedTests(t *testing.T) {
	requireGo(t)
	ws := newWorkspace(t, sameTestsInManyPackages())
	var targets []sdk.TestID
	for p := range packages() {
		targets = append(targets, parseIDs(fmt.Sprintf("p%02d:TestOwn%d p%02d:TestNested/one/x", p, p, p))...)
	}
	plan, err := newDetector(t).RerunCmd(t.Context(), sdk.RerunRequest{Workspace: ws, Targets: targets, RunnerArgs: []string{"-vet=off"}})
	command := singleCommand(t, plan, err)
	if len(command.Inputs) > 0 {
		t.Errorf("one -run serves all packages: %q", command.Argv)
	}
	if diff := cmp.Diff(sortIDs(targets), runCommands(t, ws, plan.Commands).leaves()); diff != "" {
		t.Errorf("other tests than requested ran (-want +got):\n%s", diff)
	}
}

func TestRerunChainsTheUsersExec(t *testing.T) {
	requireGo(t)
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"argument", "GOFLAGS"} {
		t.Run(way, func(t *testing.T) {
			ws := newWorkspace(t, sameTestsInManyPackages())
			record := filepath.Join(t.TempDir(), "the record")
			quoted, _ := goflags.Quote(record)
			program := executable + " " + userProgram + " " + quoted
			flags := []string{"-vet=off"}
			if way == "argument" {
				flags = append(flags, "-exec", program)
			} else {
				ws.Env["GOFLAGS"] = `"-exec=` + program + `"`
			}
			targets := parseIDs("p01:TestPlain p02:TestÜmlaut")
			plan, err := detectorWithSpaces(t).RerunCmd(t.Context(), sdk.RerunRequest{Workspace: ws, Targets: targets, RunnerArgs: flags})
			singleCommand(t, plan, err)
			result := runCommands(t, ws, plan.Commands)
			if diff := cmp.Diff(targets, result.leaves()); diff != "" {
				t.Errorf("other tests than requested ran (-want +got):\n%s\n%s", diff, result.text)
			}
			seen, err := os.ReadFile(record)
			if err != nil {
				t.Fatal("the user's program was not run:", err)
			}
			if got := strings.Count(string(seen), "-test.run=^Test"); got != 2 {
				t.Errorf("the user's program ran %d times, want 2:\n%s", got, seen)
			}
		})
	}
}

func TestRerunOfBenchmarksRunsOnlyThem(t *testing.T) {
	requireGo(t)
	const src = "package p\n\nimport \"testing\"\n\nfunc TestT(t *testing.T) {}\nfunc BenchmarkA(b *testing.B) {\n\tb.Run(\"x\", func(b *testing.B) { b.Fatal(\"ax\") })\n\tb.Run(\"y\", func(b *testing.B) { b.Fatal(\"ay\") })\n}\nfunc BenchmarkB(b *testing.B) { b.Fatal(\"b\") }\n"
	ws := newWorkspace(t, files{"go.mod": "module example.com/m\n", "a/a_test.go": src, "b/b_test.go": src})
	plan, err := newDetector(t).RerunCmd(t.Context(), sdk.RerunRequest{Workspace: ws, Targets: parseIDs("a:BenchmarkA/x b:BenchmarkB")})
	singleCommand(t, plan, err)
	result := runCommands(t, ws, plan.Commands)
	want := parseIDs("a:BenchmarkA/x b:BenchmarkB")
	if diff := cmp.Diff(want, result.leaves()); diff != "" {
		t.Errorf("other benchmarks than requested ran (-want +got):\n%s\n%s", diff, result.text)
	}
}

func TestPackageThatTheRerunWasNotPlannedForFails(t *testing.T) {
	requireGo(t)
	ws := newWorkspace(t, threeRealPackages)
	plan, err := newDetector(t).RerunCmd(t.Context(), sdk.RerunRequest{Workspace: ws, Targets: parseIDs("a:TestShared b:TestGamma")})
	command := singleCommand(t, plan, err)
	command.Argv = append(command.Argv, "example.com/m/c")
	result := runCommands(t, ws, []sdk.Command{command})
	if result.suites["example.com/m/c"] != "fail" || !strings.Contains(result.text, "no tests were planned for the package") {
		t.Errorf("package c must fail and say why: %v\n%s", result.suites, result.text)
	}
	if diff := cmp.Diff(parseIDs("a:TestShared b:TestGamma"), result.leaves()); diff != "" {
		t.Errorf("tests differ (-want +got):\n%s", diff)
	}
}

var threeRealPackages = files{
	"go.mod":      "module example.com/m\n",
	"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestAlpha(t *testing.T) {}\nfunc TestShared(t *testing.T) {}\n",
	"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestGamma(t *testing.T) {}\nfunc TestShared(t *testing.T) {}\n",
	"c/c_test.go": "package c\n\nimport \"testing\"\n\nfunc TestShared(t *testing.T) {}\n",
}
