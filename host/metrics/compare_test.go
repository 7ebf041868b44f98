package metrics_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/metrics"
	"github.com/proctorhq/proctor/sdk"
)

// run is a complete run of these tests.
func run(results ...api.Result) metrics.Set {
	return metrics.Set{Run: api.Run{RunID: "r", Kind: api.KindRun, Verdict: api.Passed, Language: "toy"}, Results: results}
}

// part is a rerun of these tests.
func part(results ...api.Result) metrics.Set {
	s := run(results...)
	s.Run.Kind = api.KindRerun
	return s
}

func passed(test string, measures ...sdk.Measure) api.Result {
	return api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: test}, Status: sdk.Passed, Measures: measures}}
}

func ended(test string, status sdk.Status, measures ...sdk.Measure) api.Result {
	return api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: test}, Status: status, Measures: measures}}
}

func cost(value string) sdk.Measure {
	return sdk.Measure{Name: "cost", Kind: "unit", Value: json.Number(value)}
}

func of(kind, value string, runs int64, seed string) sdk.Measure {
	return sdk.Measure{Name: "cost", Kind: kind, Value: json.Number(value), Runs: runs, Seed: seed}
}

func section(name, value string) sdk.Measure {
	return sdk.Measure{Name: "part", Section: name, Value: json.Number(value)}
}

// listed formats the findings of a comparison, one a line.
func listed(c metrics.Comparison) []string {
	lines := []string{}
	for _, x := range c.Changes {
		line := fmt.Sprintf("%s %s%s %s", x.Test, x.Kind, x.Section, x.Delta)
		for _, b := range x.Beside {
			line += fmt.Sprintf(" (%s %s)", b.Kind, b.Delta)
		}
		lines = append(lines, line)
	}
	for _, i := range c.Incomparable {
		lines = append(lines, strings.Join(strings.Fields(fmt.Sprint(i.Test, " ", i.Section, " ", i.Reason, " ", i.Detail)), " "))
	}
	return lines
}

func TestWhatIsComparedAndWhyNot(t *testing.T) {
	for name, c := range map[string]struct {
		before, now metrics.Set
		want        []string
		tests       int
		notRun      int
	}{
		"equal":                     {run(passed("a", cost("5"))), run(passed("a", cost("5"))), nil, 1, 0},
		"equal in another notation": {run(passed("a", cost("500"))), run(passed("a", cost("5e2"))), nil, 1, 0},
		"more":                      {run(passed("a", cost("5"))), run(passed("a", cost("7"))), []string{"a unit 2"}, 1, 0},
		"less, with a fraction":     {run(passed("a", cost("0.3"))), run(passed("a", cost("0.1"))), []string{"a unit -0.2"}, 1, 0},
		"256 bits": {
			run(passed("a", cost("115792089237316195423570985008687907853269984665640564039457584007913129639934"))),
			run(passed("a", cost("115792089237316195423570985008687907853269984665640564039457584007913129639935"))), []string{"a unit 1"}, 1, 0},
		"the median decides": {
			run(passed("a", of("fuzz_mean", "9", 256, "7"), of("fuzz_median", "5", 256, "7"))),
			run(passed("a", of("fuzz_mean", "99", 256, "7"), of("fuzz_median", "6", 256, "7"))), []string{"a fuzz_median 1 (fuzz_mean 90)"}, 1, 0},
		"an equal median is no difference": {
			run(passed("a", of("fuzz_mean", "9", 256, "7"), of("fuzz_median", "5", 256, "7"))),
			run(passed("a", of("fuzz_mean", "99", 256, "7"), of("fuzz_median", "5", 256, "7"))), nil, 1, 0},
		"a mean alone decides":                       {run(passed("a", of("fuzz_mean", "9", 256, "7"))), run(passed("a", of("fuzz_mean", "8", 256, "7"))), []string{"a fuzz_mean -1"}, 1, 0},
		"a different seed":                           {run(passed("a", of("fuzz_median", "9", 256, "7"))), run(passed("a", of("fuzz_median", "9", 256, "8"))), []string{"a other_seed 7 → 8"}, 0, 0},
		"a seed of one only":                         {run(passed("a", of("fuzz_median", "9", 256, ""))), run(passed("a", of("fuzz_median", "9", 256, "8"))), []string{"a other_seed none → 8"}, 0, 0},
		"more executions":                            {run(passed("a", of("fuzz_median", "9", 256, "7"))), run(passed("a", of("fuzz_median", "9", 512, "7"))), []string{"a other_runs 256 → 512"}, 0, 0},
		"one execution and an unsaid number of them": {run(passed("a", of("unit", "9", 0, ""))), run(passed("a", of("unit", "9", 1, ""))), nil, 1, 0},
		"another kind":                               {run(passed("a", cost("9"))), run(passed("a", of("fuzz_median", "9", 256, "7"))), []string{"a other_kind unit → fuzz_median"}, 0, 0},
		"failed now":                                 {run(passed("a", cost("9"))), run(ended("a", sdk.Failed, cost("1"))), []string{"a failed_now"}, 0, 0},
		"failed before":                              {run(ended("a", sdk.Failed, cost("1"))), run(passed("a", cost("9"))), []string{"a failed_before"}, 0, 0},
		"failed twice":                               {run(ended("a", sdk.Failed)), run(ended("a", sdk.Failed)), []string{"a failed_now"}, 0, 0},
		"failed of a kind without measures":          {run(passed("a")), run(ended("a", sdk.Failed)), nil, 0, 0},
		"skipped now":                                {run(passed("a", cost("9"))), run(ended("a", sdk.Skipped)), []string{"a skipped_now"}, 0, 0},
		"skipped twice":                              {run(ended("a", sdk.Skipped)), run(ended("a", sdk.Skipped)), nil, 0, 0},
		"unfinished now":                             {run(passed("a", cost("9"))), run(ended("a", sdk.Unfinished)), []string{"a unfinished_now"}, 0, 0},
		"new":                                        {run(passed("b", cost("1"))), run(passed("a", cost("9")), passed("b", cost("1"))), []string{"a new"}, 1, 0},
		"new and failed":                             {run(), run(ended("a", sdk.Failed)), []string{"a failed_now"}, 0, 0},
		"gone":                                       {run(passed("a", cost("9"))), run(), []string{"a gone"}, 0, 0},
		"not in the rerun":                           {run(passed("a", cost("9")), passed("b", cost("1"))), part(passed("b", cost("1"))), nil, 1, 1},
		"not in the one before":                      {part(passed("b", cost("1"))), run(passed("a", cost("9")), passed("b", cost("1"))), []string{"a not_run_before"}, 1, 0},
		"measures nothing now":                       {run(passed("a", cost("9"))), run(passed("a")), []string{"a not_measured_now"}, 0, 0},
		"measures since now":                         {run(passed("a")), run(passed("a", cost("9"))), []string{"a not_measured_before"}, 0, 0},
		"nothing to measure":                         {run(passed("a")), run(passed("a")), nil, 0, 0},
		"sections on their own":                      {run(passed("a", section("x", "1"), section("y", "1"))), run(passed("a", section("x", "3"), section("z", "1"))), []string{"a x 2", "a y not_measured_now", "a z not_measured_before"}, 1, 0},
		"several values":                             {run(passed("a", cost("9")), passed("a", cost("8"))), run(passed("a", cost("9"))), []string{"a ambiguous"}, 0, 0},
		"the same value twice":                       {run(passed("a", cost("9")), passed("a", cost("9"))), run(passed("a", cost("9"))), nil, 1, 0},
		"a pass and a failure":                       {run(passed("a", cost("9"))), run(passed("a", cost("9")), ended("a", sdk.Failed)), []string{"a failed_now"}, 0, 0},
		"no number":                                  {run(passed("a", cost("nine"))), run(passed("a", cost("9"))), []string{"a no_number"}, 0, 0},
		"a number that is a trap":                    {run(passed("a", cost("1e99999"))), run(passed("a", cost("9"))), []string{"a no_number"}, 0, 0},
		"a fixture is no test": {
			run(api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "setUp()"}, Status: sdk.Passed, Fixture: true, Measures: []sdk.Measure{cost("1")}}}),
			run(api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "setUp()"}, Status: sdk.Failed, Fixture: true}}), nil, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := metrics.Compare(metrics.Request{Before: c.before, Now: c.now})
			if lines := listed(got); !slices.Equal(lines, c.want) || got.Counts.Tests != c.tests || got.Counts.NotRun != c.notRun {
				t.Errorf("got %q, %+v; want %q, %d tests, %d not run", lines, got.Counts, c.want, c.tests, c.notRun)
			}
		})
	}
}

func TestOtherConditionsAreNamed(t *testing.T) {
	before, now := run(passed("a", cost("1"))), run(passed("a", cost("1")))
	before.Run.Conditions = map[string]string{"tool": "1.0", "mode": "fast", "same": "x"}
	now.Run.Conditions = map[string]string{"tool": "1.1", "same": "x"}
	c := metrics.Compare(metrics.Request{Before: before, Now: now})
	if got := metrics.Differences(c.Conditions); got != "mode fast → none, tool 1.0 → 1.1" {
		t.Errorf("got %q", got)
	}
	if got := listed(c); !slices.Equal(got, []string{"a other_conditions"}) || !strings.Contains(c.Message, "tool 1.0 → 1.1") {
		t.Errorf("got %q, %q", got, c.Message)
	}
}

func TestOnlyTheNamedMeasuresCount(t *testing.T) {
	before, now := run(passed("a", cost("1"), section("x", "1"))), run(passed("a", cost("2"), section("x", "5")))
	c := metrics.Compare(metrics.Request{Before: before, Now: now, Names: []string{"part"}})
	if got := listed(c); !slices.Equal(got, []string{"a x 4"}) || c.Counts.Measures != 1 {
		t.Errorf("got %q, %+v", got, c.Counts)
	}
}

func TestAThresholdIsTheDecimalNumberThatWasWritten(t *testing.T) {
	for _, c := range []struct {
		before, now string
		percent     float64
		within      bool
	}{
		{"1000", "1007", 0.7, true},
		{"1000", "1008", 0.7, false},
		{"1000", "993", 0.7, true},
		{"1000", "992", 0.7, false},
		{"1000", "1011", 1.1, true},
		{"0", "1", 1000, false}, // nothing grew: no percentage allows it
		{"1", "1", 0, false},
		{"-100", "-101", 1, true},
		{"-100", "-102", 1, false},
	} {
		got := metrics.Compare(metrics.Request{Before: run(passed("a", cost(c.before))), Now: run(passed("a", cost(c.now))), ThresholdPercent: c.percent})
		if within := got.Counts.Within == 1; within != c.within {
			t.Errorf("%s → %s, %g%%: %+v", c.before, c.now, c.percent, got.Counts)
		}
	}
}

func TestFromZeroThereIsNoPercentage(t *testing.T) {
	c := metrics.Compare(metrics.Request{Before: run(passed("a", cost("0"))), Now: run(passed("a", cost("3")))})
	if len(c.Changes) != 1 || c.Changes[0].Percent != nil || c.Totals[0].Percent != nil {
		t.Errorf("got %+v", c)
	}
	huge := metrics.Compare(metrics.Request{Before: run(passed("a", cost("1e-999"))), Now: run(passed("a", cost("1e999")))})
	if _, err := json.Marshal(huge); err != nil || len(huge.Changes) != 1 || huge.Changes[0].Percent != nil {
		t.Errorf("beyond a float64: %v, %+v", err, huge.Counts)
	}
}

func TestARunIsOnlyWholeIfEverythingEnded(t *testing.T) {
	whole := api.Run{Kind: api.KindRun, Verdict: api.Failed}
	if !metrics.IsWhole(whole) {
		t.Error("a run of everything is not whole")
	}
	for name, change := range map[string]func(*api.Run){
		"rerun":         func(r *api.Run) { r.Kind = api.KindRerun },
		"filtered":      func(r *api.Run) { r.Selection.Filter = "x" },
		"arguments":     func(r *api.Run) { r.Selection.RunnerArgs = []string{"-x"} },
		"incomplete":    func(r *api.Run) { r.Verdict = api.Incomplete },
		"never started": func(r *api.Run) { r.Counts.NeverStarted = 1 },
		"unfinished":    func(r *api.Run) { r.Counts.Unfinished = 1 },
		"not built":     func(r *api.Run) { r.Counts.BuildFailed = 1 },
	} {
		run := whole
		if change(&run); metrics.IsWhole(run) {
			t.Errorf("%s: it is whole", name)
		}
	}
}
