package gotest_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proctorhq/proctor/sdk"
)

// listed collects a listing as "suite: Test@file:line ...".
type listed struct {
	suites map[string]string
	errors []string
	// parts and the needs of suites are those of a listing with dependencies.
	parts         map[string]sdk.ListedPart
	needs, opaque map[string]string
}

func (l *listed) Suite(suite sdk.ListedSuite) {
	if suite.Incomplete != "" {
		l.errors = append(l.errors, suite.Incomplete)
	}
	var tests []string
	for _, test := range suite.Tests {
		text := fmt.Sprintf("%s@%s:%d", test.Name, test.Location.File, test.Location.Line)
		if test.OnRequest {
			text = "(" + text + ")"
		}
		tests = append(tests, text)
	}
	l.suites[suite.Suite] = strings.Join(tests, " ")
	if len(suite.Needs) > 0 {
		l.needs[suite.Suite] = strings.Join(suite.Needs, ", ")
	}
	if suite.Opaque != "" {
		l.opaque[suite.Suite] = suite.Opaque
	}
}

func (l *listed) Part(part sdk.ListedPart) { l.parts[part.Name] = part }

func (l *listed) Error(text string) { l.errors = append(l.errors, text) }

// runListing runs the real listing.
func runListing(t *testing.T, ws sdk.Workspace, selection sdk.Selection, args ...string) *listed {
	t.Helper()
	return listAs(t, sdk.ListRequest{Workspace: ws, Selection: selection, RunnerArgs: args})
}

// listAs runs the requested listing.
func listAs(t *testing.T, req sdk.ListRequest) *listed {
	t.Helper()
	plan, err := newDetector(t).ListCmd(t.Context(), req)
	command := singleCommand(t, plan, err)
	cmd := newProcess(t, req.Workspace, command)
	stdout, err := cmd.Output()
	exit := sdk.Exit{Code: cmd.ProcessState.ExitCode()}
	var stderr []byte
	if failed, ok := err.(*exec.ExitError); ok {
		stderr = failed.Stderr
	}
	return parseListing(t, req, exit, string(stdout), string(stderr), 7)
}

// parseListing feeds output in chunks.
func parseListing(t *testing.T, req sdk.ListRequest, exit sdk.Exit, stdout, stderr string, chunk int) *listed {
	t.Helper()
	return parseListingOf(t, req, sdk.Command{}, exit, stdout, stderr, chunk)
}

// parseListingOf feeds the output of a command in chunks.
func parseListingOf(t *testing.T, req sdk.ListRequest, command sdk.Command, exit sdk.Exit, stdout, stderr string, chunk int) *listed {
	t.Helper()
	got := &listed{suites: map[string]string{}, parts: map[string]sdk.ListedPart{}, needs: map[string]string{}, opaque: map[string]string{}}
	parser := newDetector(t).ParseList(t.Context(), req, command, got)
	parser.Write(sdk.Stderr, []byte(stderr))
	for piece := range slices.Chunk([]byte(stdout), chunk) {
		parser.Write(sdk.Stdout, piece)
	}
	parser.Close(exit)
	return got
}

const testA = "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\nfunc BenchmarkA(b *testing.B) {}\nfunc TestMain(m *testing.M) {}\n"

func TestListingHasTheTestsOfEveryPackage(t *testing.T) {
	requireGo(t)
	ws := newWorkspace(t, files{
		"go.mod":              "module example.com/m\n\ngo 1.20\n",
		"a/a.go":              "package a\n",
		"a/a_test.go":         testA,
		"a/x_test.go":         "package a_test\n\nfunc ExampleX() {\n\t// Output:\n}\nfunc FuzzX(f *testing.F) {}\n",
		"a/tagged_test.go":    "//go:build tagged\n\npackage a\n\nfunc TestTagged(t *testing.T) {}\n",
		"none/none.go":        "package none\n",
		"broken/b.go":         "package broken\nfunc {\n",
		"broken/b_test.go":    "package broken\n\nfunc TestBroken(t *testing.T) {}\n",
		"missing/m_test.go":   "package missing\n\nimport _ \"example.com/nowhere\"\n\nfunc TestMissing(t *testing.T) {}\n",
		"mixed/a.go":          "package one\n",
		"mixed/b.go":          "package two\n",
		"mixed/mixed_test.go": "package two\n\nfunc TestMixed(t *testing.T) {}\n",
	})
	const a = "TestA@a/a_test.go:5 (BenchmarkA@a/a_test.go:6) ExampleX@a/x_test.go:3 FuzzX@a/x_test.go:6"
	rest := map[string]string{
		"example.com/m/none":    "",
		"example.com/m/broken":  "TestBroken@broken/b_test.go:3",
		"example.com/m/missing": "TestMissing@missing/m_test.go:5",
		"example.com/m/mixed":   "TestMixed@mixed/mixed_test.go:3",
	}
	with := func(tests string) map[string]string {
		all := map[string]string{"example.com/m/a": tests}
		for suite, tests := range rest {
			all[suite] = tests
		}
		return all
	}
	for _, test := range []struct {
		name      string
		selection sdk.Selection
		args      []string
		want      map[string]string
	}{
		{"everything", sdk.Selection{}, nil, with(a)},
		{"tags", sdk.Selection{}, []string{"-tags", "tagged", "-run", "X", "-v"}, with("TestA@a/a_test.go:5 (BenchmarkA@a/a_test.go:6) TestTagged@a/tagged_test.go:5 ExampleX@a/x_test.go:3 FuzzX@a/x_test.go:6")},
		{"filter", sdk.Selection{Suites: []string{"./a"}, TestPattern: "^TestA$/x|Fuzz"}, nil, map[string]string{"example.com/m/a": "TestA@a/a_test.go:5 FuzzX@a/x_test.go:6"}},
		{"suite of a result", sdk.Selection{Suites: []string{"example.com/m/a"}}, []string{"./none"}, map[string]string{"example.com/m/a": a}},
		{"packages among the arguments", sdk.Selection{}, []string{"./none"}, map[string]string{"example.com/m/none": ""}},
		{"suite that is gone", sdk.Selection{Suites: []string{"example.com/m/gone", "example.com/m/none"}}, nil, map[string]string{"example.com/m/none": ""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := runListing(t, ws, test.selection, test.args...)
			if diff := cmp.Diff(test.want, got.suites); diff != "" {
				t.Errorf("suites differ (-want +got):\n%s", diff)
			}
			if len(got.errors) > 0 {
				t.Errorf("the listing is complete, but: %q", got.errors)
			}
		})
	}
}

func TestListingSaysWhetherItIsIncomplete(t *testing.T) {
	requireGo(t)
	for _, test := range []struct {
		name      string
		tree      files
		selection sdk.Selection
		says      string
	}{
		{"broken module file", files{"go.mod": "modul x\n"}, sdk.Selection{}, "go list failed"},
		{"package of another module", files{"go.mod": "module example.com/m\n"}, sdk.Selection{Suites: []string{"example.com/other"}}, "example.com/other"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := runListing(t, newWorkspace(t, test.tree), test.selection)
			if len(got.errors) != 1 || !strings.Contains(got.errors[0], test.says) {
				t.Errorf("errors are %q, want one that says %q", got.errors, test.says)
			}
		})
	}
}

// These arguments would narrow a run, so the listing must say that they do not narrow it.
func TestListingSaysWhichArgumentsDoNotNarrowIt(t *testing.T) {
	ws := newWorkspace(t, files{"go.mod": "module example.com/m\n", "a_test.go": testA})
	for args, want := range map[string]int{"": 0, "-tags=x": 0, "-run=TestA": 1, "-run=TestA -skip=TestB": 2} {
		plan, err := newDetector(t).ListCmd(t.Context(), sdk.ListRequest{Workspace: ws, RunnerArgs: strings.Fields(args)})
		if err != nil || len(plan.Warnings) != want {
			t.Errorf("%q: %q, %v", args, plan.Warnings, err)
		}
	}
}

// A test that -run excludes did not fail to start when the run was killed.
func TestListingOfARunIsNarrowedByItsArguments(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, files{
		"go.mod":    "module example.com/m\n\ngo 1.24\n",
		"a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\nfunc TestC(t *testing.T) {}\n",
	})
	for _, tc := range []struct {
		args string
		want []string
	}{
		{"-run TestA|TestB", []string{"TestA", "TestB"}},
		{"-run TestA/inner", []string{"TestA"}},
		{"-skip TestA", []string{"TestB", "TestC"}},
		{"-skip TestA/inner", []string{"TestA", "TestB", "TestC"}},
		{"-run Test -skip [AB]", []string{"TestC"}},
		{"-race", []string{"TestA", "TestB", "TestC"}},
	} {
		for _, selected := range []bool{true, false} {
			got := listAs(t, sdk.ListRequest{Workspace: ws, RunnerArgs: strings.Fields(tc.args), Selected: selected})
			var names []string
			for test := range strings.FieldsSeq(got.suites["example.com/m"]) {
				name, _, _ := strings.Cut(test, "@")
				names = append(names, name)
			}
			want := tc.want
			if !selected {
				want = []string{"TestA", "TestB", "TestC"}
			}
			if !slices.Equal(names, want) {
				t.Errorf("%s, selected: %t: %q, want %q", tc.args, selected, names, want)
			}
		}
	}
}

func TestListOutputThatCannotBeReadIsAnError(t *testing.T) {
	ws := newWorkspace(t, files{"go.mod": "module example.com/m\n", "a/a_test.go": testA})
	req := sdk.ListRequest{Workspace: ws}
	good := fmt.Sprintf("{\n\t\"ImportPath\": \"example.com/m/a\",\n\t\"Dir\": %q,\n\t\"TestGoFiles\": [\n\t\t\"a_test.go\"\n\t]\n}\n", filepath.Join(ws.Root, "a"))
	for _, test := range []struct {
		name, stdout, stderr string
		exit                 sdk.Exit
		says                 string
	}{
		{"whole", good, "go: warning: something\n", sdk.Exit{}, ""},
		{"recorded", good, "", sdk.Exit{Code: -1, Unknown: true}, ""},
		{"cut", good[:len(good)-3], "", sdk.Exit{}, "ends within"},
		{"failed", good, "go: it broke\n", sdk.Exit{Code: 1}, "it broke"},
		{"killed", good, "", sdk.Exit{Code: -1, Signal: "SIGKILL"}, "failed"},
		{"foreign", "hello\n}\n", "", sdk.Exit{}, "cannot read the output of go list"},
		{"file is gone", strings.Replace(good, "a_test.go", "b_test.go", 1), "", sdk.Exit{}, "b_test.go"},
		{"empty", "", "", sdk.Exit{}, ""},
	} {
		for _, chunk := range []int{1, 5, 1 << 20} {
			t.Run(fmt.Sprintf("%s in chunks of %d", test.name, chunk), func(t *testing.T) {
				got := parseListing(t, req, test.exit, test.stdout, test.stderr, chunk)
				said := strings.Join(got.errors, "\n")
				if (test.says == "") != (said == "") || !strings.Contains(said, test.says) {
					t.Errorf("errors are %q, want %q", said, test.says)
				}
			})
		}
	}
}

func FuzzListOutputNeverPanics(f *testing.F) {
	f.Add([]byte("{\n\t\"ImportPath\": \"a\",\n\t\"Dir\": \"/a\",\n\t\"Error\": {\"Err\": \"x\"}\n}\n"), uint8(3))
	f.Add([]byte("null\n}\n"), uint8(1))
	f.Add([]byte("{\n\t\"Name\": \"p\", \"ImportPath\": \"a [b]\", \"Dir\": \"/nowhere/a/\", \"Module\": {\"Dir\": \"/nowhere//\"}, \"GoFiles\": [\"\", \"/\", \"../x\"],\n\t\"EmbedPatterns\": [\"\", \"*/[\"], \"Imports\": [\"a\", \"C\"], \"DepsErrors\": [null]\n}\n"), uint8(9))
	f.Fuzz(func(t *testing.T, output []byte, chunk uint8) {
		req := sdk.ListRequest{Workspace: sdk.Workspace{Root: "/nowhere", Env: map[string]string{"GO_UPLOAD": "1"}}, Dependencies: chunk%2 == 1}
		whole := parseListing(t, req, sdk.Exit{}, string(output), "", 1<<20)
		pieces := parseListing(t, req, sdk.Exit{}, string(output), "", int(chunk)+1)
		if diff := cmp.Diff(whole, pieces, cmp.AllowUnexported(listed{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("chunks change the result (-whole +pieces):\n%s", diff)
		}
	})
}
