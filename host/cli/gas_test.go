package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/metrics"
	"github.com/proctorhq/proctor/internal/fakeplugin"
	"github.com/proctorhq/proctor/sdk"
)

// measured is a project whose tests measure gas.
type measured struct{ *module }

func newMeasured(t testing.TB) measured {
	t.Helper()
	w := newModule(t, files{"go.mod": "module example.com/m\n"})
	return measured{w}
}

// reports writes what the next run reports.
func (m measured) reports(r fakeplugin.Report) {
	m.t.Helper()
	m.write(files{fakeplugin.ReportFile: r.Encode()})
}

// run makes a run that reports these results.
func (m measured) run(r fakeplugin.Report) api.Run {
	m.t.Helper()
	m.reports(r)
	run, _ := m.object("run", "--lang", fakeMeasured, "--plugin", fakeMeasured+"="+fakePlugin(m.t, fakeMeasured))
	return run
}

// gas asks for a comparison, as an object.
func (m measured) gas(args ...string) (metrics.Comparison, reply) {
	m.t.Helper()
	r := m.proctor(append([]string{"gas", "--json"}, args...)...)
	var c metrics.Comparison
	decodeLine(m.t, r, &c)
	if c.Schema != metrics.Schema {
		m.t.Fatalf("schema %q", c.Schema)
	}
	return c, r
}

// unit is a passed unit test.
func unit(name string, gas int) sdk.TestResult {
	return passedTest(name, sdk.Measure{Name: "gas", Kind: "unit", Value: json.Number(fmt.Sprint(gas))})
}

// fuzz is a passed fuzz test.
func fuzz(name string, mean, median int, seed string) sdk.TestResult {
	return passedTest(name, sdk.Measure{Name: "gas", Kind: "fuzz_mean", Value: json.Number(fmt.Sprint(mean)), Runs: 256, Seed: seed},
		sdk.Measure{Name: "gas", Kind: "fuzz_median", Value: json.Number(fmt.Sprint(median)), Runs: 256, Seed: seed})
}

func passedTest(name string, measures ...sdk.Measure) sdk.TestResult {
	return sdk.TestResult{TestID: sdk.TestID{Suite: "test/A.t.sol:ATest", Test: name}, Status: sdk.Passed, Measures: measures}
}

func failedTest(name string) sdk.TestResult {
	return sdk.TestResult{TestID: sdk.TestID{Suite: "test/A.t.sol:ATest", Test: name}, Status: sdk.Failed}
}

func these(tests ...sdk.TestResult) fakeplugin.Report {
	return fakeplugin.Report{Conditions: map[string]string{"forge": "1.7.1"}, Tests: tests}
}

func TestGasOfAnUnchangedProjectShowsNoDifference(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	before := m.run(these(unit("testA()", 100), fuzz("testB(uint256)", 30, 20, "7")))
	now := m.run(these(unit("testA()", 100), fuzz("testB(uint256)", 30, 20, "7")))
	c, r := m.gas("--check")
	r.expect(t, 0, "no difference: 2 tests compared")
	if c.Before.RunID != before.RunID || c.Now.RunID != now.RunID || c.Counts.Equal != 2 || len(c.Changes) != 0 {
		t.Errorf("got %s", r.stdout)
	}
	m.proctor("gas").expect(t, 0, "gas of run "+now.RunID, "against run "+before.RunID, "no difference: 2 tests compared")
}

func TestGasShowsTheTestsThatChangedAndOnlyThose(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	m.run(these(unit("testA()", 1000), unit("testB()", 400), unit("testC()", 5), fuzz("testD(uint256)", 300, 200, "7")))
	m.run(these(unit("testA()", 1001), unit("testB()", 300), unit("testC()", 5), fuzz("testD(uint256)", 500, 203, "7")))
	c, r := m.gas()
	r.expect(t, 0, "2 measures increased, 1 decreased: 4 tests compared")
	var got []string
	for _, change := range c.Changes {
		got = append(got, fmt.Sprintf("%s %s %s %s %.2f", change.Test, change.Kind, change.After, change.Delta, *change.Percent))
	}
	want := []string{"testB() unit 300 -100 -25.00", "testD(uint256) fuzz_median 203 3 1.50", "testA() unit 1001 1 0.10"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if b := c.Changes[1].Beside; len(b) != 1 || b[0].Kind != "fuzz_mean" || b[0].Delta != "200" {
		t.Errorf("beside the median: %+v", b)
	}
	r = m.proctor("gas")
	r.expect(t, 0, "-25.00%", "400 →  300  test/A.t.sol:ATest testB()", "fuzz_mean 300 → 500, +200", "suites:", "-96")
	if strings.Contains(r.stdout, "testC") {
		t.Errorf("an unchanged test is listed\n%s", r.stdout)
	}
	c, r = m.gas("--threshold", "1%")
	r.expect(t, 0, "1 measure increased, 1 decreased by more than 1%", "1 measure changed by less")
	if c.Counts.Within != 1 || len(c.Changes) != 2 {
		t.Errorf("got %+v", c.Counts)
	}
	m.proctor("gas", "--threshold", "30").expect(t, 0, "no difference by more than 30%: 4 tests compared, 3 measures changed by less")
}

func TestGasCheckExitCodes(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	m.proctor("gas").expect(t, 0, "no run_tests call yet in this session")
	m.proctor("gas", "--check").expect(t, exitNothingRan, "no run_tests call yet in this session")
	m.run(these(unit("testA()", 1000)))
	m.proctor("gas").expect(t, 0, "nothing could be compared", "is the only one", "--against RUN")
	m.proctor("gas", "--check").expect(t, exitNothingRan)
	m.run(these(unit("testA()", 1010)))
	m.proctor("gas").expect(t, 0, "1 measure increased")
	m.proctor("gas", "--check").expect(t, 1, "+1.00%")
	m.proctor("gas", "--check", "--threshold", "1%").expect(t, 0, "no difference by more than 1%")
	m.proctor("gas", "--check", "--threshold", "0.99%").expect(t, 1)
	m.run(these(unit("testA()", 10)))
	m.proctor("gas", "--check").expect(t, 0, "1 decreased")
	for _, bad := range []string{"-1", "nan", "inf", "much", "1%%"} {
		m.proctor("gas", "--threshold", bad).expect(t, exitUsage, "such as 1%")
	}
}

func TestGasNeverComparesWhatCannotBe(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	m.run(these(unit("testA()", 100), unit("testGone()", 1), failedTest("testRed()"), fuzz("testF(uint256)", 3, 2, "7"), unit("testBreaks()", 7)))
	m.run(these(unit("testA()", 100), unit("testNew()", 1), unit("testRed()", 9), fuzz("testF(uint256)", 4, 5, "9"), failedTest("testBreaks()")))
	c, r := m.gas()
	var got []string
	for _, i := range c.Incomparable {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", i.Test, i.Reason, i.Detail)))
	}
	want := []string{"testBreaks() failed_now", "testF(uint256) other_seed 7 → 9", "testGone() gone", "testNew() new", "testRed() failed_before"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	r.expect(t, 0, "no difference: 1 test compared, 4 tests and 1 measure not comparable")
	m.proctor("gas").expect(t, 0, "not comparable, other seed 7 → 9: 1 test\n", "not comparable, failed before (1)")

	other := these(unit("testA()", 50))
	other.Conditions = map[string]string{"forge": "1.8.0", "optimizer": "true 200"}
	m.run(other)
	m.proctor("gas", "--check").expect(t, exitNothingRan, "the conditions differ: forge 1.7.1 → 1.8.0, optimizer none → true 200", "nothing could be compared: the runs had different conditions")
}

func TestGasDoesNotHideThatTheLatestRunMeasuredNothing(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	m.run(these(unit("testA()", 100)))
	m.run(these(unit("testA()", 100)))
	m.proctor("gas", "--check").expect(t, 0)
	last := m.run(these(failedTest("testA()")))
	m.proctor("gas", "--check").expect(t, exitNothingRan, "run "+last.RunID+", the latest, measured nothing (failed)")
	m.proctor("gas", "baseline", "set").expect(t, exitUsage, "measured nothing (failed)")
}

func TestGasAgainstABaselineOutlivesTheRun(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	m.proctor("gas", "baseline", "set").expect(t, exitUsage, "no run_tests call yet", "`proctor run`")
	first := m.run(these(unit("testA()", 100), unit("testB()", 100), failedTest("testC()")))
	m.proctor("gas", "--against", "baseline").expect(t, 0, "no baseline of solidity is set", "`proctor gas baseline set`")
	m.proctor("gas", "--against", "baseline", "--check").expect(t, exitNothingRan)
	m.proctor("gas", "baseline", "set").expect(t, 0, "baseline: run "+first.RunID, "2 tests", "left out: 1 test that did not pass")
	m.proctor("gas", "--against", "baseline", "--check").expect(t, exitNothingRan, "the baseline is run "+first.RunID+" itself")
	m.run(these(unit("testA()", 90)))
	m.run(these(unit("testA()", 120), unit("testB()", 100), unit("testC()", 3)))
	m.remove(".proctor/runs/" + first.RunID)
	c, r := m.gas("--against", "baseline")
	if !c.Before.Baseline || c.Before.RunID != first.RunID || len(c.Changes) != 1 || c.Changes[0].Delta != "20" {
		t.Errorf("got %s", r.stdout)
	}
	r.expect(t, 0, `"reason":"failed_before"`)
	m.proctor("gas", "--against", "baseline").expect(t, 0, "against the baseline, run "+first.RunID)
}

func TestGasAgainstANamedRun(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	first := m.run(these(unit("testA()", 100)))
	m.run(these(unit("testA()", 110)))
	last := m.run(these(unit("testA()", 120)))
	c, _ := m.gas("--against", first.RunID[:5])
	if c.Before.RunID != first.RunID || c.Changes[0].Delta != "20" {
		t.Errorf("got %+v", c)
	}
	m.proctor("gas", "--against", last.RunID, "--check").expect(t, exitNothingRan, "is itself the last one")
	m.proctor("gas", "--against", "zzz").expect(t, exitUsage, `no run "zzz"`)
	m.proctor("gas", "--lang", "rust").expect(t, exitUsage, "no rust run")
	m.proctor("gas", "more").expect(t, exitUsage, "proctor gas --help")
}

func TestARunOfSomeTestsSpeaksOfItsOwnTestsOnly(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	first := m.run(these(unit("testA()", 100), unit("testB()", 100), failedTest("testC()")))
	m.reports(these(unit("testA()", 130), unit("testC()", 3)))
	run, _ := m.object("rerun", "--plugin", fakeMeasured+"="+fakePlugin(t, fakeMeasured), "--lang", fakeMeasured)
	if run.Kind != api.KindRerun {
		t.Fatalf("the run is a %s", run.Kind)
	}
	c, r := m.gas()
	if c.Now.RunID != run.RunID || c.Before.RunID != first.RunID || c.Now.Whole || len(c.Changes) != 1 || c.Counts.NotRun != 1 {
		t.Errorf("got %s", r.stdout)
	}
	m.proctor("gas").expect(t, 0, "gas of rerun "+run.RunID, "1 test not run now")
	m.proctor("gas", "baseline", "set").expect(t, exitUsage, "not one of all tests (a rerun)", run.RunID)
	m.proctor("gas", "baseline", "set", run.RunID).expect(t, 0, "2 tests")
}

func TestGasOfAProjectThatMeasuresNoneSaysSo(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	w.proctor("run").expect(t, 0)
	w.proctor("gas").expect(t, 0, "nothing could be compared: no run of this session measured gas (the last one, ")
	w.proctor("gas", "--check").expect(t, exitNothingRan)
	w.proctor("gas", "baseline", "set").expect(t, exitUsage, "measured gas")
}

func TestGasTakesNumbersAndNamesAsTheyCome(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	const most = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	hostile := func(value string) fakeplugin.Report {
		return these(unit("testA()", 1), passedTest("test\x1b[2JB\nno difference: 9 tests compared", sdk.Measure{Name: "gas_snapshot", Section: "g/n", Value: json.Number(value)}))
	}
	m.run(hostile("0"))
	m.run(hostile(most))
	c, _ := m.gas()
	if len(c.Changes) != 1 || c.Changes[0].Delta != json.Number(most) || c.Changes[0].Percent != nil {
		t.Errorf("got %+v", c.Changes)
	}
	r := m.proctor("gas", "--threshold", "1000")
	r.expect(t, 0, "+"+most, "1 measure increased", "[g/n]")
	if strings.Contains(r.stdout, "\x1b") || strings.Contains(r.stdout, "\nno difference") {
		t.Errorf("a test's name took over\n%q", r.stdout)
	}
	other := these(unit("testA()", 1))
	other.Conditions = map[string]string{"forge": "1.7.1\x1b[2J\nno difference: 9 tests compared"}
	m.run(other)
	r = m.proctor("gas")
	r.expect(t, 0, "the conditions differ: forge 1.7.1 →")
	if strings.Contains(r.stdout, "\x1b") || strings.Contains(r.stdout, "\nno difference") {
		t.Errorf("a condition took over\n%q", r.stdout)
	}
}

func TestBaselinesLieBesideTheRecords(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	m.run(these(unit("testA()", 1)))
	m.proctor("gas", "baseline", "set").expect(t, 0)
	if _, err := os.Stat(filepath.Join(m.dir, ".proctor", "baselines", "solidity.json")); err != nil {
		t.Error(err)
	}
}
