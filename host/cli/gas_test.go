package cli

import (
	"encoding/json"
	"fmt"
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

func TestGasTakesAnyNumberAndName(t *testing.T) {
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
