package parse

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/proctorhq/proctor/sdk"
)

// formatPlaces runs tests that pass and returns where each result says it is declared.
func formatPlaces(run sdk.RunInfo, suite string, tests ...string) string {
	text := new(script).start()
	for _, name := range tests {
		text.run(name).end("pass", name)
	}
	stream := strings.ReplaceAll(text.completed("pass").String(), `"Package":"`+pkg+`"`, `"Package":"`+suite+`"`)
	all := map[string]string{}
	for _, r := range parseStream(run, stream, sdk.Exit{}).tests {
		all[r.Test] = fmt.Sprintf("%s:%d", r.Location.File, r.Location.Line)
	}
	var found []string
	for _, name := range tests {
		found = append(found, all[name])
	}
	return strings.Join(found, " ")
}

func TestAResultSaysWhereItsTestIsDeclared(t *testing.T) {
	const shared = "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"
	const twice = shared + "\nfunc TestB(t *testing.T) {}\n"
	large := "package m\n\nimport \"testing\"\n\nvar table = `\n" + strings.Repeat("func TestA(t *testing.T) {}\n", 190_000) + "`\n\nfunc TestA(t *testing.T) {}\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		argv  string
		suite string
		tests []string
		want  string
	}{
		{"subtests are where the outermost test is", map[string]string{"a_test.go": shared}, "", pkg, []string{"TestA", "TestA/x/y", "TestA/#00"}, "a_test.go:5 a_test.go:5 a_test.go:5"},
		{"a nested directory", map[string]string{"x/y/a_test.go": shared}, "", pkg + "/x/y", []string{"TestA"}, "x/y/a_test.go:5"},
		{"a nested module of a go.work", map[string]string{"go.work": "go 1.26\nuse ./x\n", "x/go.mod": "module example.com/x\n", "x/a_test.go": shared}, "", "example.com/x", []string{"TestA"}, "x/a_test.go:5"},
		{"another line end", map[string]string{"a_test.go": strings.ReplaceAll(shared, "\n", "\r\n")}, "", pkg, []string{"TestA"}, "a_test.go:5"},
		{"a large file", map[string]string{"a_test.go": large}, "", pkg, []string{"TestA"}, "a_test.go:190008"},
		{"not declared", map[string]string{"a_test.go": shared}, "", pkg, []string{"TestB", "TestB/x"}, ":0 :0"},
		{"an unknown package", map[string]string{"a_test.go": shared}, "", "example.com/other", []string{"TestA"}, ":0"},
		{"a file that is no test file", map[string]string{"a.go": shared, "_a_test.go": shared}, "", pkg, []string{"TestA"}, ":0"},

		{"two files in the build", map[string]string{"b_test.go": twice, "a_test.go": shared}, "", pkg, []string{"TestA", "TestB"}, "a_test.go:5 b_test.go:7"},
		{"a file that is left out", map[string]string{"a_test.go": "//go:build ignore\n\n" + shared, "b_test.go": shared}, "", pkg, []string{"TestA"}, "b_test.go:5"},
		{"the last file is left out", map[string]string{"b_test.go": "//go:build ignore\n\n" + shared, "a_test.go": shared}, "", pkg, []string{"TestA"}, "a_test.go:5"},
		{"another system", map[string]string{"a_plan9_test.go": shared, "b_test.go": shared}, "", pkg, []string{"TestA"}, "b_test.go:5"},
		{"a tag", map[string]string{"a_test.go": "//go:build !extra\n\n" + shared, "b_test.go": "//go:build extra\n\n" + shared}, "-tags=more,extra", pkg, []string{"TestA"}, "b_test.go:7"},
		{"no tag", map[string]string{"a_test.go": "//go:build extra\n\n" + shared, "b_test.go": "//go:build !extra\n\n" + shared}, "", pkg, []string{"TestA"}, "b_test.go:7"},
		{"the race detector", map[string]string{"a_test.go": "//go:build !race\n\n" + shared, "b_test.go": "//go:build race\n\n" + shared}, "-race", pkg, []string{"TestA"}, "b_test.go:7"},
		{"no file is in the build", map[string]string{"a_test.go": "//go:build one\n\n" + shared, "b_test.go": "//go:build two\n\n" + shared}, "", pkg, []string{"TestA"}, "a_test.go:7"},

		{"named files", map[string]string{"x/a_test.go": twice, "x/b_test.go": shared}, "x/b_test.go", namedSuite, []string{"TestA", "TestB"}, "x/b_test.go:5 :0"},
		{"a named file outside", map[string]string{"a_test.go": shared}, "../a_test.go", namedSuite, []string{"TestA"}, ":0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := newProject(t, tt.files)
			if tt.argv != "" {
				run.Command.Argv = []string{"go", "test", "-json", tt.argv}
			}
			if diff := cmp.Diff(tt.want, formatPlaces(run, tt.suite, tt.tests...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAMethodOfASuiteIsItsOwnPlace(t *testing.T) {
	const head = "package m\n\nimport \"github.com/stretchr/testify/suite\"\n\n"
	const method = "package m\n\nfunc (s *Store) TestPut() {}\n"
	const other = "package m\n\nfunc (s Cache) TestPut() {}\n"
	run := func(call string) string { return head + "func TestRun(t *testing.T) {\n\t" + call + "\n}\n" }
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"new", map[string]string{"a_test.go": run("suite.Run(t, new(Store))"), "b_test.go": method}, "b_test.go:3"},
		{"a pointer", map[string]string{"a_test.go": run("suite.Run(t, &Store{})"), "b_test.go": method}, "b_test.go:3"},
		{"a variable, and a package of another name", map[string]string{"a_test.go": run("s := Store{}\n\ttestifySuite.Run(t, &s)"), "b_test.go": method}, "b_test.go:3"},
		{"a generic type", map[string]string{"a_test.go": run("suite.Run(t, new(Store[int]))"), "b_test.go": "package m\n\nfunc (s *Store[T]) TestPut() {}\n"}, "b_test.go:3"},
		{"two suites", map[string]string{"a_test.go": run("suite.Run(t, new(Cache))"), "b_test.go": method, "c_test.go": other}, "c_test.go:3"},
		{"a method that the build leaves out", map[string]string{"a_test.go": run("suite.Run(t, new(Store))"), "b_test.go": "//go:build ignore\n\n" + method, "c_test.go": method}, "c_test.go:3"},
		{"a caller that the build leaves out", map[string]string{"a_test.go": head + "\nfunc TestRun(t *testing.T) {}\n", "a0_test.go": "//go:build ignore\n" + run("suite.Run(t, new(Store))"), "b_test.go": method}, "a_test.go:6"},
		{"two suites in one test", map[string]string{"a_test.go": run("suite.Run(t, new(Cache))\n\tsuite.Run(t, new(Store))"), "b_test.go": method, "c_test.go": other}, "a_test.go:5"},
		{"a type of another package", map[string]string{"a_test.go": run("suite.Run(t, new(shared.Store))"), "b_test.go": method}, "a_test.go:5"},
		{"a type that is not mentioned", map[string]string{"a_test.go": run("suite.Run(t, fresh())"), "b_test.go": method}, "a_test.go:5"},
		{"no suite", map[string]string{"a_test.go": run("t.Run(\"TestPut\", new(Store).test)"), "b_test.go": method}, "a_test.go:5"},
		{"no method", map[string]string{"a_test.go": run("suite.Run(t, new(Store))")}, "a_test.go:5"},
		{"a comment", map[string]string{"a_test.go": run("suite.Run(t, new(Store))"), "b_test.go": "package m\n\n// func (s *Store) TestPut() {}\n"}, "a_test.go:5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := strings.Join([]string{tt.want, tt.want, tt.want}, " ")
			got := formatPlaces(newProject(t, tt.files), pkg, "TestRun/TestPut", "TestRun/TestPut/deeper", "TestRun/TestPut#01")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFailureKeepsItsOwnPlace(t *testing.T) {
	run := newProject(t, map[string]string{"a_test.go": logSource})
	got := parseStream(run, new(script).start().run("TestA").out("TestA", "    a_test.go:17: failed\n").end("fail", "TestA").completed("fail").String(), red)
	if at := got.failure(t, "TestA").Location; at.Line != 17 {
		t.Errorf("the failure is at %v", at)
	}
	if at := got.tests[0].Location; at != (sdk.Location{File: "a_test.go", Line: 9}) {
		t.Errorf("the test is declared at %v", at)
	}
}

func TestWithoutAWorkspaceNothingIsDeclared(t *testing.T) {
	for _, suite := range []string{pkg, namedSuite} {
		run := recorded
		run.Command.Argv = []string{"go", "test", "-json", "place_test.go"}
		if got := formatPlaces(run, suite, "TestWithoutAWorkspaceNothingIsDeclared"); got != ":0" {
			t.Errorf("%s: declared at %s", suite, got)
		}
	}
}

func TestAFileOutsideTheWorkspaceIsNotTheLocationOfAResult(t *testing.T) {
	run := newProject(t, map[string]string{
		"go.work": "go 1.26\nuse (\n\t./in\n\t./out\n)\n", "in/go.mod": "module example.com/in\n", "out/go.mod": "module example.com/out\n",
		"in/a_test.go": logSource, "out/a_test.go": logSource,
	})
	run.Workspace.Root = filepath.Join(run.Workspace.Root, "in")
	want := map[string]string{"example.com/in": "a_test.go:9", "example.com/out": ":0"}
	for _, suite := range slices.Sorted(maps.Keys(want)) {
		if got := formatPlaces(run, suite, "TestA"); got != want[suite] {
			t.Errorf("%s: declared at %s, want %s", suite, got, want[suite])
		}
	}
}
