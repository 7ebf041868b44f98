package gotest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// suiteM is the package in the root of a module of tests.
const suiteM = "example.com/m"

func TestIndexReportsTestsThatEndDifferentlyAlone(t *testing.T) {
	ws := newModule(t, files{"m_test.go": `package m

import "testing"

var state int

func TestFirst(t *testing.T) { state++ }

func TestNeedsFirst(t *testing.T) {
	if state == 0 {
		t.Fatal("no state")
	}
}

func TestNeedsNone(t *testing.T) {
	if state > 0 {
		t.Fatal("state")
	}
}
`})
	found, _ := measureSuites(t, ws, sdk.IndexRequest{}, suiteM)
	suite := found.suites[suiteM]
	for name, want := range map[string][2]sdk.Status{
		"TestFirst": {sdk.Passed, sdk.Passed}, "TestNeedsFirst": {sdk.Failed, sdk.Passed}, "TestNeedsNone": {sdk.Passed, sdk.Failed},
	} {
		if test := findTest(t, suite, name); test.Alone != want[0] || test.Together != want[1] || (test.Opaque == "") != (name == "TestFirst") {
			t.Errorf("%s: %+v, want %v", name, test, want)
		}
	}
}

func TestIndexMeasuresTheOtherTestsIfOnePanicsOrHangs(t *testing.T) {
	for _, test := range []struct{ name, body, says string }{
		{"panics", `panic("no")`, "no coverage profile was left: exit status 2"},
		{"ends the process", `os.Exit(3)`, "no coverage profile was left: exit status 3"},
		{"hangs", `select {}`, "alone it did not end within"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ws := newModule(t, files{"m.go": "package m\n\nfunc F() {\n\tprintln()\n}\n", "m_test.go": `package m

import (
	"os"
	"testing"
	"time"
)

var _ = os.Exit

func TestGood(t *testing.T) { F() }

func TestBad(t *testing.T) {
	go time.Sleep(time.Hour) // keeps the runtime from reporting a deadlock
	F()
	` + test.body + `
}

func TestLater(t *testing.T) { F() }
`})
			found, _ := measureSuites(t, ws, sdk.IndexRequest{RunnerArgs: []string{"-timeout=2s"}}, suiteM)
			suite := found.suites[suiteM]
			if suite.Granularity != sdk.CoveragePerTest {
				t.Fatalf("%+v %q", suite, found.errors)
			}
			if bad := findTest(t, suite, "TestBad"); !strings.Contains(bad.Opaque, test.says) || bad.Together == sdk.Passed || bad.Alone == sdk.Passed {
				t.Errorf("%+v, want %q", bad, test.says)
			}
			for name, together := range map[string]sdk.Status{"TestGood": sdk.Passed, "TestLater": ""} {
				if good := findTest(t, suite, name); good.Opaque != "" || good.Alone != sdk.Passed || good.Together != together || startLines(suite, good.Blocks) != "m.go:3" {
					t.Errorf("%+v", good)
				}
			}
			if startLines(suite, suite.Whole) != "m.go:3" {
				t.Errorf("executed: %s", startLines(suite, suite.Whole))
			}
		})
	}
}

func TestIndexCoversTheWholeSuiteIfTestsCannotBeMeasuredAlone(t *testing.T) {
	const many = "func TestA(t *testing.T) { F() }\nfunc TestB(t *testing.T) {}\nfunc TestC(t *testing.T) {}\nfunc TestD(t *testing.T) {}\n" +
		"func TestE(t *testing.T) {}\nfunc TestG(t *testing.T) {}\nfunc TestH(t *testing.T) {}\nfunc TestI(t *testing.T) {}\n"
	for _, test := range []struct {
		name, text  string
		request     sdk.IndexRequest
		granularity sdk.CoverageGranularity
		says        string
	}{
		{
			"start is slow", "func init() { time.Sleep(200 * time.Millisecond) }\n" + many, sdk.IndexRequest{SuiteBudget: 10 * time.Millisecond},
			sdk.CoveragePerSuite, "for each of 8 tests: over the budget of 10ms",
		},
		{
			"tests are slow alone", strings.ReplaceAll(many, "{}", "{ t.Parallel(); time.Sleep(700 * time.Millisecond) }"), sdk.IndexRequest{SuiteBudget: time.Second},
			sdk.CoveragePerSuite, "the budget of 1s was exhausted after ",
		},
		{
			"TestMain runs none without a flag", "func TestMain(m *testing.M) {\n\tflag.Parse()\n\tif flag.Lookup(`test.run`).Value.String() != `` {\n\t\tos.Exit(7)\n\t}\n\tm.Run()\n}\n" + many, sdk.IndexRequest{},
			sdk.CoveragePerSuite, "without a test: no coverage profile was left: exit status 7",
		},
		{
			"TestMain never runs tests", "func TestMain(m *testing.M) { os.Exit(0) }\n" + many, sdk.IndexRequest{},
			sdk.CoverageNone, "no coverage profile was left: exit status 0",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			ws := newModule(t, files{
				"m.go":      "package m\n\nfunc F() {\n\tprintln()\n}\n",
				"m_test.go": "package m\n\nimport (\n\t\"flag\"\n\t\"os\"\n\t\"testing\"\n\t\"time\"\n)\n\nvar _, _, _ = flag.Parse, os.Exit, time.Now\n\n" + test.text,
			})
			found, _ := measureSuites(t, ws, test.request, suiteM)
			suite := found.suites[suiteM]
			if suite.Granularity != test.granularity || !strings.Contains(suite.Why, test.says) || len(suite.Tests) > 0 {
				t.Errorf("%+v %q; want %v, %q", suite, found.errors, test.granularity, test.says)
			}
			want := map[bool]string{true: "m.go:3"}[test.granularity == sdk.CoveragePerSuite]
			if got := startLines(suite, suite.Whole); got != want {
				t.Errorf("executed %q, want %q", got, want)
			}
		})
	}
}

func TestIndexReportsWhatElseATestDependsOn(t *testing.T) {
	ws := newModule(t, files{"testdata/x": "", "config": "", "m_test.go": `package m

import (
	"os"
	"os/exec"
	"testing"
)

func TestReads(t *testing.T) {
	if _, err := os.Stat("testdata/x"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(t.TempDir()+"/own", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir("testdata") // opens the directory first
	if _, err := os.ReadFile("../config"); err != nil {
		t.Fatal(err)
	}
	_, _ = os.ReadDir("missing")
}

func TestStarts(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := exec.Command(self, "-test.run=^$").Run(); err != nil {
		t.Fatal(err)
	}
}

func TestEnvironmentIsThatOfGoTest(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("PWD") != dir || os.Getenv("GOCOVERDIR") == "" || os.Getenv("GOTEST_EXEC_TABLE") != "" {
		t.Fatal(os.Environ())
	}
}
`})
	found, _ := measureSuites(t, ws, sdk.IndexRequest{}, suiteM)
	suite := found.suites[suiteM]
	reads := findTest(t, suite, "TestReads")
	if diff := cmp.Diff([]string{".", "config", "testdata/missing", "testdata/x"}, reads.Reads); diff != "" || reads.Opaque != "" {
		t.Errorf("reads differ, %q (-want +got):\n%s", reads.Opaque, diff)
	}
	if starts := findTest(t, suite, "TestStarts"); starts.Opaque != "it may start its own program, and what that reads then is unknown" {
		t.Errorf("%+v", starts)
	}
	if environment := findTest(t, suite, "TestEnvironmentIsThatOfGoTest"); environment.Alone != sdk.Passed || environment.Together != sdk.Passed {
		t.Errorf("%+v", environment)
	}
}

func TestIndexSaysWhichSuitesWereNotMeasured(t *testing.T) {
	ws := newModule(t, files{
		"good/g_test.go": "package good\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
		"none/n.go":      "package none\n\nfunc N() {}\n",
		"bad/b_test.go":  "package bad\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { nonsense }\n",
	})
	found, ran := measureSuites(t, ws, sdk.IndexRequest{}, "example.com/m/good", "example.com/m/none", "example.com/m/bad")
	for suite, want := range map[string]sdk.CoverageGranularity{"good": sdk.CoveragePerTest, "none": sdk.CoverageNone, "bad": sdk.CoverageNone} {
		if got := found.suites["example.com/m/"+suite]; got.Granularity != want || (got.Why == "") != (want == sdk.CoveragePerTest) {
			t.Errorf("%s: %+v", suite, got)
		}
	}
	if ran.suites["example.com/m/bad"] != "fail" {
		t.Errorf("the events do not say what failed: %v", ran.suites)
	}
}

func TestIndexMeasuresTheModulesOfTheWorkspace(t *testing.T) {
	requireGo(t)
	const code = "func F() {\n\tprintln()\n}\n"
	root := filepath.Join(testbin.Place(t), "with space")
	testfiles.WriteAll(t, root, files{
		"go.work":         "go 1.24\n\nuse (\n\t./one\n\t./two\n)\n",
		"one/go.mod":      "module example.com/one\n\ngo 1.24\n",
		"one/sub/m.go":    "package sub\n\n" + code,
		"two/go.mod":      "module example.com/two\n\ngo 1.24\n",
		"two/m.go":        "package two\n\n" + code,
		"two/gen.go":      "package two\n\n//line gen.y:1\nfunc Generated() {\n\tprintln()\n}\n",
		"two/m_test.go":   "package two\n\nimport (\n\t\"testing\"\n\n\t\"example.com/one/sub\"\n)\n\nfunc TestA(t *testing.T) { F(); sub.F(); Generated() }\n",
		"outside/go.mod":  "module example.com/outside\n",
		"outside/main.go": "package main\n",
	})
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	ws := sdk.Workspace{Root: root, Tools: map[string]string{}, Env: map[string]string{}}
	found, ran := measureSuites(t, ws, sdk.IndexRequest{}, "example.com/two")
	suite := found.suites["example.com/two"]
	if suite.Granularity != sdk.CoveragePerTest {
		t.Fatalf("%+v\n%s", suite, ran.text)
	}
	if got := startLines(suite, findTest(t, suite, "TestA").Blocks); got != "one/sub/m.go:3 two/m.go:3" {
		t.Errorf("executed %s", got)
	}
	if slices.ContainsFunc(suite.Files, func(f sdk.CoveredFile) bool { return strings.Contains(f.File, "gen") }) {
		t.Errorf("a file whose blocks are elsewhere counts as measured: %+v", suite.Files)
	}
}

func TestIndexKeepsTheUsersProgram(t *testing.T) {
	ws := newModule(t, files{"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(t.TempDir(), "record")
	found, _ := measureSuites(t, ws, sdk.IndexRequest{RunnerArgs: []string{"-exec", self + " " + userProgram + " " + record}}, suiteM)
	text, err := os.ReadFile(record)
	if err != nil || strings.Count(string(text), "m.test") != 3 || found.suites[suiteM].Granularity != sdk.CoveragePerTest {
		t.Errorf("error %v, %+v, the program was called with\n%s", err, found, text)
	}
}
