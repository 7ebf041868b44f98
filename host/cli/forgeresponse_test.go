package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/internal/fakeplugin"
	"github.com/proctorhq/proctor/sdk"
)

func TestForgeResponseOfAGreenRunIsThatOfTheSeedDocument(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	slow := unit("testB()", 8_500)
	skipped := sdk.TestResult{TestID: sdk.TestID{Suite: "test/A.t.sol:ATest", Test: "testS()"}, Status: sdk.Skipped, Attributes: map[string]string{"reason": "skipped: later"}}
	other := unit("testZ()", 5)
	other.Suite = "src/Z.t.sol:ZTest"
	green := these(slow, fuzz("testA(uint256)", 300, 200, "7"), skipped, other, passedTest("invariant_x()"))
	green.Elapsed = map[string]time.Duration{slow.Test: 258_562 * time.Nanosecond}
	m.run(green)
	const want = `{"suites":[{"file":"src/Z.t.sol:ZTest","passed":1,"failed":0,"skipped":0,"cases":[{"name":"testZ()","status":"Success","gas":5}]},` +
		`{"file":"test/A.t.sol:ATest","passed":3,"failed":0,"skipped":1,"cases":[` +
		`{"name":"invariant_x()","status":"Success"},` +
		`{"name":"testA(uint256)","status":"Success","gas":300},` +
		`{"name":"testB()","status":"Success","gas":8500,"duration":"258.562µs"},` +
		`{"name":"testS()","status":"Skipped","reason":"skipped: later"}]}],"passed":4,"failed":0}` + "\n"
	if r := m.proctor("runs", "show", "--format", "forge-response"); r.stdout != want || r.code != 0 {
		t.Errorf("exit %d\ngot  %s\nwant %s\n%s", r.code, r.stdout, want, r.stderr)
	}
}

func TestForgeResponseOfARedRunKeepsWhatPassedBesideTheError(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	red := these(unit("testA()", 1), failedTest("testB()"))
	red.Failures = []sdk.Failure{{TestID: red.Tests[1].TestID, Kind: "assertion", Message: "assertion failed: 1 != 2"}}
	m.run(red)
	const want = `{"suites":[{"file":"test/A.t.sol:ATest","passed":1,"failed":1,"skipped":0,"cases":[{"name":"testA()","status":"Success","gas":1},` +
		`{"name":"testB()","status":"Failure","reason":"assertion failed: 1 != 2"}]}],"passed":1,"failed":1,` +
		`"error":{"code":"TEST_ASSERTION_FAILED","message":"1 failure","retry":false}}` + "\n"
	if r := m.proctor("runs", "show", "--format", "forge-response"); r.stdout != want || r.code != 0 {
		t.Errorf("exit %d\ngot  %s\nwant %s\n%s", r.code, r.stdout, want, r.stderr)
	}
	m.write(files{fakeplugin.ReportFile: "{"})
	m.proctor("run", "--lang", fakeMeasured, "--plugin", fakeMeasured+"="+fakePlugin(t, fakeMeasured)).expect(t, exitIncomplete)
	m.proctor("runs", "show", "--format", "forge-response").expect(t, 0, `{"suites":[],"passed":0,"failed":0,"error":{"code":"TEST_FORGE_FAILED","message":"incomplete: `, `"retry":true}}`)
}

func TestForgeResponseErrorsHaveTheCodesOfTheSeedDocument(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[api.Verdict]string{
		api.Passed:       `null`,
		api.Failed:       `{"code":"TEST_ASSERTION_FAILED","message":"why","retry":false}`,
		api.BuildFailed:  `{"code":"TEST_FORGE_FAILED","message":"build_failed: why; no such type","retry":true}`,
		api.Incomplete:   `{"code":"TEST_FORGE_FAILED","message":"incomplete: why; no such type","retry":true}`,
		api.NothingRan:   `{"code":"TEST_FORGE_FAILED","message":"nothing_ran: why; no such type","retry":true}`,
		api.ToolError:    `{"code":"TEST_FORGE_FAILED","message":"tool_error: why; no such type","retry":true}`,
		"of a newer one": `{"code":"TEST_FORGE_FAILED","message":"of a newer one: why; no such type","retry":true}`,
	} {
		run := api.Run{State: api.StateFinished, Verdict: verdict, Reason: "why", Failures: []api.Failure{{Failure: sdk.Failure{Kind: "build", Message: "no such type"}}}}
		got, err := json.Marshal(report.ForgeErrorOf(run))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, want %s", verdict, got, want)
		}
	}
	running := report.ForgeErrorOf(api.Run{State: api.StateRunning, RunID: "r", Verdict: api.Passed})
	if running == nil || !running.Retry {
		t.Errorf("a run that goes on: %+v", running)
	}
	unfinished := report.ForgeResponseOf(api.Run{Verdict: api.Incomplete, Results: []api.Result{{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "t"}, Status: sdk.Unfinished}}}})
	if c := unfinished.Suites[0].Cases[0]; unfinished.Failed != 1 || c.Status != "Failure" || c.Reason == "" {
		t.Errorf("a test without an end: %+v", unfinished)
	}
}

func TestForgeResponseIsSortedByFileAndName(t *testing.T) {
	t.Parallel()
	var run api.Run
	for i := range 26 {
		name := string(rune('z' - i))
		run.Results = append(run.Results, api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "test/" + name, Test: name}}}, api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "test/m", Test: name + name}}})
	}
	response := report.ForgeResponseOf(run)
	byFile := func(a, b report.ForgeSuite) int { return strings.Compare(a.File, b.File) }
	if len(response.Suites) != 26 || !slices.IsSortedFunc(response.Suites, byFile) {
		t.Errorf("%d suites: %+v", len(response.Suites), response.Suites)
	}
	byName := func(a, b report.ForgeCase) int { return strings.Compare(a.Name, b.Name) }
	if cases := response.Suites[12].Cases; len(cases) != 27 || !slices.IsSortedFunc(cases, byName) {
		t.Errorf("%d cases: %+v", len(cases), cases)
	}
}

func TestForgeResponseOfAnythingElseIsAnInvalidRequest(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	refused := func(says string, args ...string) {
		t.Helper()
		r := w.proctor(append([]string{"runs", "show", "--format", "forge-response"}, args...)...)
		r.expect(t, exitUsage, "INVALID_REQUEST", says)
		if r.stdout != "" {
			t.Errorf("standard output: %s", r.stdout)
		}
	}
	refused(api.NoRunYet)
	run, _ := w.object("run")
	refused("no solidity run", []string{}...)
	refused("is of go tests", run.RunID)
	refused("is of go tests", "--lang", "go")
	refused(`no run "zzz"`, "zzz")
	w.proctor("runs", "show", "--format", "yaml").expect(t, exitUsage, "yaml", "forge-response")
	w.proctor("runs", "show", "--format", "forge-response", "--json").expect(t, exitUsage, "exclude each other")
	r := w.proctor("runs", "show", "--format", "json")
	var object api.Run
	decodeLine(t, r, &object)
}
