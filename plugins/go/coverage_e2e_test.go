package gotest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	gotest "github.com/proctorhq/proctor/plugins/go"
	"github.com/proctorhq/proctor/plugins/go/internal/testexec"
	"github.com/proctorhq/proctor/sdk"
)

// measured collects what a reader of coverage reports.
type measured struct {
	suites map[string]sdk.SuiteCoverage
	errors []string
}

func (m *measured) Suite(s sdk.SuiteCoverage) { m.suites[s.Suite] = s }
func (m *measured) Error(text string)         { m.errors = append(m.errors, text) }

// measurePlan executes the commands of a plan and reads the coverage that they leave.
func measurePlan(t *testing.T, ws sdk.Workspace, plan sdk.Plan) (measured, ran) {
	t.Helper()
	found := measured{suites: map[string]sdk.SuiteCoverage{}}
	result := ran{ended: map[sdk.TestID]string{}, suites: map[string]string{}}
	for _, command := range plan.Commands {
		cmd := newProcess(t, ws, command)
		result.run(t, cmd)
		if command.Covers {
			readCoverage(t, ws, command, scratchOf(slices.Concat(cmd.Args, cmd.Env)), &found)
		}
	}
	return found, result
}

func readCoverage(t *testing.T, ws sdk.Workspace, command sdk.Command, scratch string, sink sdk.CoverageSink) {
	t.Helper()
	if err := newDetector(t).ParseCoverage(t.Context(), sdk.CoverageRequest{Workspace: ws, Command: command, Scratch: scratch}, sink); err != nil {
		t.Fatal(err)
	}
}

// scratchOf finds the scratch directory among a process's arguments.
func scratchOf(words []string) string {
	for _, word := range words {
		for _, prefix := range []string{testexec.TableVariable + "=", "-coverprofile="} {
			if path, is := strings.CutPrefix(word, prefix); is {
				return filepath.Dir(path)
			}
		}
	}
	return ""
}

// measureSuites measures suites as the host does.
func measureSuites(t *testing.T, ws sdk.Workspace, req sdk.IndexRequest, suites ...string) (measured, ran) {
	t.Helper()
	req.Workspace, req.Suites = ws, suites
	plan, err := newDetector(t).IndexCmd(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return measurePlan(t, ws, plan)
}

// startLines returns the lines, as "FILE:LINE", on which blocks of a set begin.
func startLines(suite sdk.SuiteCoverage, set sdk.BlockSet) string {
	var all []string
	at := 0
	for _, file := range suite.Files {
		for _, block := range file.Blocks {
			if set.Has(at) {
				all = append(all, file.File+":"+strconv.Itoa(block.StartLine))
			}
			at++
		}
	}
	return strings.Join(all, " ")
}

// findTest returns a test of a suite.
func findTest(t *testing.T, suite sdk.SuiteCoverage, name string) sdk.TestCoverage {
	t.Helper()
	for _, test := range suite.Tests {
		if test.Name == name {
			return test
		}
	}
	t.Fatalf("%s has no test %s: %+v", suite.Suite, name, suite)
	return sdk.TestCoverage{}
}

// newModule creates a workspace with a module of some files.
func newModule(t *testing.T, tree files) sdk.Workspace {
	t.Helper()
	requireGo(t)
	tree["go.mod"] = "module example.com/m\n\ngo 1.24\n"
	ws := newWorkspace(t, tree)
	program, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	ws.Tools["go"], ws.Cache = program, t.TempDir()
	return ws
}

func testBinary(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// detectorAt returns a detector whose plugin has a certain path.
func detectorAt(path string) *gotest.Detector { return gotest.New(gotest.Config{Executable: path}) }

func TestRunReportsTheLinesThatEachPackageExecutes(t *testing.T) {
	ws := newModule(t, files{
		"a/a.go": two["a/a.go"], "a/a_test.go": two["a/a_test.go"], "b/b.go": two["b/b.go"],
		"bad/bad_test.go":   "package bad\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { nonsense }\n",
		"panics/p.go":       "package panics\n\nfunc F() {}\n",
		"panics/p_test.go":  "package panics\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { panic(1) }\n",
		"failing/f.go":      "package failing\n\nfunc F() {\n\tprintln()\n}\n",
		"failing/f_test.go": "package failing\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { F(); t.Fail() }\n",
	})
	plan, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{Workspace: ws, Cover: true})
	if err != nil {
		t.Fatal(err)
	}
	found, _ := measurePlan(t, ws, plan)
	got := map[string]string{}
	for name, suite := range found.suites {
		got[name] = startLines(suite, suite.Whole)
	}
	want := map[string]string{"example.com/m/a": "a/a.go:7 a/a.go:9 a/a.go:10 a/a.go:13", "example.com/m/failing": "failing/f.go:3"}
	if diff := cmp.Diff(want, got); diff != "" || len(found.errors) > 0 {
		t.Errorf("lines differ, errors %q (-want +got):\n%s", found.errors, diff)
	}
}
