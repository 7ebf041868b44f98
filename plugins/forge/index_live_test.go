package forge_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

// coverage collects what a reader of coverage reports.
type coverage struct {
	suites map[string]sdk.SuiteCoverage
	errors []string
}

func (c *coverage) Suite(s sdk.SuiteCoverage) { c.suites[s.Suite] = s }
func (c *coverage) Error(text string)         { c.errors = append(c.errors, text) }

// index measures suites like a host, and also returns what the commands' parser
// reports.
func (l *live) index(suites ...string) (*coverage, *observed, sdk.Plan) {
	l.t.Helper()
	plan, err := l.detector.IndexCmd(l.t.Context(), sdk.IndexRequest{Workspace: l.ws, Suites: suites})
	if err != nil {
		l.t.Fatal(err)
	}
	got, seen := &coverage{suites: map[string]sdk.SuiteCoverage{}}, &observed{Conditions: map[string]string{}}
	for _, c := range plan.Commands {
		scratch := l.t.TempDir()
		p := l.detector.ParseTestFailures(l.t.Context(), sdk.RunInfo{Workspace: l.ws, Command: c}, seen)
		executed := c
		executed.Argv = slices.Clone(c.Argv)
		for i, word := range executed.Argv {
			executed.Argv[i] = strings.ReplaceAll(word, sdk.Scratch, scratch)
		}
		out := l.execute(executed)
		p.Write(sdk.Stdout, out.Stdout)
		p.Write(sdk.Stderr, out.Stderr)
		p.Close(sdk.Exit{Code: out.Code})
		err := l.detector.ParseCoverage(l.t.Context(), sdk.CoverageRequest{Workspace: l.ws, Command: c, Scratch: scratch, Exit: sdk.Exit{Code: out.Code}}, got)
		if err != nil {
			l.t.Fatal(err)
		}
	}
	return got, seen, plan
}

// codeLines returns each file's lines with code, marking executed ones.
func codeLines(s sdk.SuiteCoverage) map[string][]string {
	found := map[string][]string{}
	number := 0
	for _, file := range s.Files {
		for _, b := range file.Blocks {
			mark := "-"
			if s.Whole.Has(number) {
				mark = "+"
			}
			number++
			found[file.File] = append(found[file.File], mark+strings.Repeat("I", b.StartLine)+strings.Repeat("i", b.EndLine-b.StartLine))
		}
	}
	return found
}

func measuredProject() map[string]string {
	return map[string]string{
		"src/A.sol": "pragma solidity ^0.8.0;\ncontract A { function one(uint256 a) external pure returns (uint256) {\n" +
			"if (a > 1) {\nreturn\n2; }\nreturn 1; } }\n",
		"src/B.sol":      pinned + "contract B {}\n",
		"test/A.t.sol":   "pragma solidity ^0.8.0;\nimport \"../src/A.sol\";\ncontract ATest { function test_a() public { require(new A().one(1) == 1); } }\ncontract Other { function test_o() public {} }\n",
		"test/b/A.t.sol": "pragma solidity ^0.8.0;\nimport \"../../src/A.sol\";\ncontract ATest { function test_a() public { require(new A().one(5) == 2, \"no\"); } }\n",
	}
}

func TestTheIndexReportsWhatASuiteExecutes(t *testing.T) {
	l := newLive(t, measuredProject())
	l.list(sdk.ListRequest{})
	got, seen, plan := l.index("test/b/A.t.sol:ATest", "test/A.t.sol:ATest")
	if len(plan.Commands) != 2 || len(got.errors) > 0 || len(got.suites) != 2 {
		t.Fatalf("%d commands, errors %q, %d suites", len(plan.Commands), got.errors, len(got.suites))
	}
	for suite, want := range map[string][]string{
		"test/A.t.sol:ATest":   {"+II", "+III", "-IIIIi", "+IIIIII"},
		"test/b/A.t.sol:ATest": {"+II", "+III", "+IIIIi", "-IIIIII"},
	} {
		s := got.suites[suite]
		if diff := cmp.Diff(map[string][]string{"src/A.sol": want}, codeLines(s)); diff != "" || s.Granularity != sdk.CoveragePerSuite || s.Why == "" || len(s.Tests) > 0 {
			t.Errorf("%s: %v %q\n%s", suite, s.Granularity, s.Why, diff)
		}
	}
	for _, c := range plan.Commands {
		if !c.Covers || !c.Exclusive || len(c.Targets) != 1 || !slices.Contains(c.Argv, "--skip=src/B.sol") {
			t.Errorf("%+v", c)
		}
	}
	// Its output is not a result: everything was compiled differently.
	if len(seen.Tests) > 0 || len(seen.Failures) > 0 || seen.Damaged > 0 || len(seen.RunErrors) > 0 || len(seen.Suites) != 2 {
		t.Errorf("%+v", seen)
	}
}

// A failing test executes less than it might, so the report would say that no test
// executes code.
func TestAFailingSuiteIsNotMeasured(t *testing.T) {
	files := measuredProject()
	files["test/R.t.sol"] = pinned + `import "../src/A.sol";
contract Red { function test_r() public { require(false, "early"); new A().one(5); } }
contract Behind { function setUp() public { require(false, "no"); } function test_b() public { new A().one(5); } }
contract Removed { function test_k() public { require(new A().one(5) == 2); } function testFail_k() public { require(false); } }
`
	l := newLive(t, files)
	l.list(sdk.ListRequest{})
	got, seen, _ := l.index("test/R.t.sol:Red", "test/R.t.sol:Behind", "test/R.t.sol:Removed")
	for _, suite := range []string{"test/R.t.sol:Red", "test/R.t.sol:Behind"} {
		if s := got.suites[suite]; s.Granularity != sdk.CoverageNone || s.Cut || !strings.Contains(s.Why, "not all of its tests passed") {
			t.Errorf("%s: %+v", suite, s)
		}
	}
	// A test of a kind that forge has removed hides the others in a run, but not here.
	if diff := cmp.Diff(map[string][]string{"src/A.sol": {"+II", "+III", "+IIIIi", "-IIIIII"}}, codeLines(got.suites["test/R.t.sol:Removed"])); diff != "" || len(seen.Failures) > 0 {
		t.Errorf("%+v\n%s", seen.Failures, diff)
	}
}

func TestASuiteThatCannotBeMeasuredSaysSo(t *testing.T) {
	files := measuredProject()
	// Without via_ir the stack is too deep.
	files["foundry.toml"] = forgetest.Config + "via_ir = true\noptimizer = true\n"
	files["test/A.t.sol"] = deepError() + "contract ATest { function test_a() public { new Deep().f(1); } }\n"
	l := newLive(t, files)
	l.list(sdk.ListRequest{})
	got, seen, _ := l.index("test/A.t.sol:ATest", "test/b/A.t.sol:ATest")
	if s := got.suites["test/A.t.sol:ATest"]; s.Granularity != sdk.CoverageNone || s.Cut || !strings.Contains(s.Why, "via_ir") {
		t.Errorf("%+v", s)
	}
	if s := got.suites["test/b/A.t.sol:ATest"]; s.Granularity != sdk.CoveragePerSuite {
		t.Errorf("another suite: %+v", s)
	}
	if len(seen.Failures) != 1 || !strings.Contains(seen.Failures[0].Message, "Stack too deep") {
		t.Errorf("%+v", seen.Failures)
	}
}

func TestAnUnusableCoverageReportIsRejected(t *testing.T) {
	command := sdk.Command{Targets: []sdk.TestID{{Suite: "a.sol:A"}}}
	for name, test := range map[string]struct {
		text string
		exit sdk.Exit
		cut  bool
		errs int
	}{
		"nothing":     {exit: sdk.Exit{Code: 1}},
		"no test":     {exit: sdk.Exit{}},
		"red":         {text: "SF:a.sol\nDA:1,1\nend_of_record\n", exit: sdk.Exit{Code: 1}},
		"out of time": {exit: sdk.Exit{Code: -1, TimedOut: true}, cut: true},
		"half":        {text: "SF:a.sol\nDA:1,1\n", errs: 1},
		"no format":   {text: "SF:a.sol\nDA:x\n", errs: 1},
	} {
		dir := t.TempDir()
		if test.text != "" {
			forgetest.Write(t, dir, "coverage.lcov", test.text)
		}
		got := &coverage{suites: map[string]sdk.SuiteCoverage{}}
		err := newDetector().ParseCoverage(t.Context(), sdk.CoverageRequest{Command: command, Scratch: dir, Exit: test.exit}, got)
		if s := got.suites["a.sol:A"]; err != nil || s.Granularity != sdk.CoverageNone || s.Why == "" || s.Cut != test.cut || len(got.errors) != test.errs {
			t.Errorf("%s: %+v, errors %q, %v", name, s, got.errors, err)
		}
	}
}

// Forge omits functions outside of contracts and those of tests: their files must not
// look as if no test executed them.
func TestAFileThatForgeMeasuresPartlyIsLeftOut(t *testing.T) {
	files := measuredProject()
	files["src/Free.sol"] = pinned + "function free() pure returns (uint256) { return 1; }\ncontract Bound { function f() external pure returns (uint256) { return free(); } }\n"
	files["src/Lib.sol"] = pinned + "library Lib { function l() internal pure returns (uint256) {\nreturn 2; } }\ninterface I { function i() external; }\n"
	files["test/F.t.sol"] = pinned + `import "../src/Free.sol";
import "../src/Lib.sol";
contract Helper { uint256 public n = 1; function h() external { n += Lib.l(); } }
contract FTest { function test_f() public { new Bound().f(); new Helper().h(); } }
`
	l := newLive(t, files)
	l.list(sdk.ListRequest{})
	got, _, _ := l.index("test/F.t.sol:FTest")
	if diff := cmp.Diff(map[string][]string{"src/Lib.sol": {"+III", "+IIII"}}, codeLines(got.suites["test/F.t.sol:FTest"])); diff != "" {
		t.Errorf("errors %q\n%s", got.errors, diff)
	}
}

func TestSourcesOfACoverageReportAreNamedLikeLocations(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	outside := filepath.ToSlash(filepath.Join(dir, "Out.sol"))
	for dir, name := range map[string]string{root: "src/A.sol", dir: "Out.sol"} {
		forgetest.Write(t, dir, name, "contract C {\nuint256 public n = 1;\nuint256 public m = 2;\n}\n")
	}
	forgetest.Write(t, dir, "coverage.lcov", "SF:src/../src/A.sol\nDA:1,0\nend_of_record\nSF:"+filepath.ToSlash(root)+"/src/A.sol\nDA:1,2\nend_of_record\nSF:"+outside+"\nDA:3,0\nend_of_record\nSF:bad\xff.sol\nDA:3,0\nend_of_record\n")
	got := &coverage{suites: map[string]sdk.SuiteCoverage{}}
	err := newDetector().ParseCoverage(t.Context(), sdk.CoverageRequest{
		Workspace: sdk.Workspace{Root: root}, Command: sdk.Command{Targets: []sdk.TestID{{Suite: "a.sol:A"}}}, Scratch: dir,
	}, got)
	if diff := cmp.Diff(map[string][]string{outside: {"-III"}, "src/A.sol": {"+I"}}, codeLines(got.suites["a.sol:A"])); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}
