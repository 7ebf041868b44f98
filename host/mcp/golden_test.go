package mcp

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/internal/fakeplugin"
	"github.com/proctorhq/proctor/internal/golden"
	"github.com/proctorhq/proctor/sdk"
)

// goldenReports are what the runs of TestEveryAnswerMatchesItsGoldenFile report: first everything
// is green, then tests fail, and then one of them passes again.
func goldenReports() (green, red, mended fakeplugin.Report) {
	place := func(line int) sdk.Location { return sdk.Location{File: "test/Token.t.sol", Line: line} }
	test := func(name string, status sdk.Status, line int) sdk.TestResult {
		return sdk.TestResult{TestID: sdk.TestID{Suite: "test/Token.t.sol:TokenTest", Test: name}, Status: status, Location: place(line)}
	}
	green.Tests = []sdk.TestResult{test("testTransfer()", sdk.Passed, 12), test("testMint()", sdk.Passed, 20)}
	red.Tests = []sdk.TestResult{test("testTransfer()", sdk.Failed, 12), test("testMint()", sdk.Failed, 20), test("testBurn()", sdk.Skipped, 30)}
	transfer := sdk.Failure{
		TestID: red.Tests[0].TestID, Kind: sdk.KindAssertion, Location: sdk.Location{File: "src/Token.sol", Line: 33}, TestFrame: place(14),
		Message: "balance differs", Diff: sdk.Diff{Got: "90", Want: "100"}, Also: []sdk.Also{{Location: place(15), Message: "supply differs"}},
		Stack:  []sdk.Frame{{Function: "Token.transfer", Location: sdk.Location{File: "src/Token.sol", Line: 33}}},
		Output: "emitted Transfer(90)\nreverted", Attributes: map[string]string{"seed": "0x2a"},
	}
	mint := sdk.Failure{TestID: red.Tests[1].TestID, Kind: sdk.KindPanic, Message: "arithmetic overflow"}
	red.Failures = []sdk.Failure{transfer, mint}
	mended.Tests = []sdk.TestResult{test("testTransfer()", sdk.Passed, 12), test("testMint()", sdk.Failed, 20)}
	mended.Failures = []sdk.Failure{mint}
	return green, red, mended
}

// Each answer, as text and as an object, is in testdata/golden; -update rewrites them.
func TestEveryAnswerMatchesItsGoldenFile(t *testing.T) {
	t.Parallel()
	green, red, mended := goldenReports()
	plugin := fakeplugin.New(t, fakeOther, fakeplugin.Script{})
	s := newSite(t, bare(), withoutGo(), func(h *project.Config, _ *Config) { h.Plugins[fakeOther] = plugin })
	c := s.connect(t)
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	test := with{"test": "testTransfer()"}
	for _, step := range []struct {
		name, tool string
		args       with
		reports    *fakeplugin.Report
	}{
		{name: "run_passed", tool: "run_tests", reports: &green},
		{name: "run_failed", tool: "run_tests", reports: &red},
		{tool: "last_test_failures"},
		{name: "last_test_failures_raw", tool: "last_test_failures", args: with{"output": "raw"}},
		{tool: "get_run"},
		{name: "get_run_results", tool: "get_run", args: with{"output": outputResults}},
		{tool: "get_test_output", args: test},
		{tool: "why_failing", args: test},
		{name: "why_diff", tool: "why_failing"},
		{name: "rerun", tool: "run_failing_tests", reports: &mended},
		{tool: "test_history"},
		{name: "test_history_test", tool: "test_history", args: test},
		{name: "test_history_slow", tool: "test_history", args: with{"slow": true}},
		{tool: "tests_covering", args: with{"file": "test/Token.t.sol", "lines": "12"}},
		{tool: "triage_failures"},
		{tool: "list_tests"},
		{tool: "workspace_info"},
		{tool: "cancel_run"},
	} {
		if step.name == "" {
			step.name = step.tool
		}
		if step.reports != nil {
			s.write(t, files{fakeplugin.ReportFile: step.reports.Encode()})
		}
		r := c.call(t, step.tool, step.args)
		object, err := golden.Object(r.raw)
		if err != nil {
			t.Fatalf("%s: %v in %s", step.name, err, r.raw)
		}
		got := strings.Join(r.texts, "\n--- block ---\n") + "\n--- object ---\n" + object
		for path, stand := range map[string]string{s.dir: "WORKSPACE", plugin: "PLUGIN", tool: "GO"} {
			got = strings.ReplaceAll(got, path, stand)
		}
		golden.Compare(t, "testdata/golden/"+step.name+".txt", golden.Text(got))
	}
}
