package report_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
)

func TestAnIndexSaysWhatIsKnownAndWhyNotMore(t *testing.T) {
	ix := record.Index{
		Language: "go", DurationS: 12.345, Tests: 240, Ran: 31, Bytes: 1_310_000,
		Suites: []record.IndexedSuite{
			{Suite: "m/a", State: record.IndexDone, Granularity: record.GranularityTest, Tests: 31},
			{Suite: "m/b", State: record.IndexFresh, Granularity: record.GranularityTest, Tests: 209},
			{Suite: "m/slow", State: record.IndexDone, Granularity: record.GranularitySuite, Why: "its start takes 0.21 s, for each of 200 tests"},
			{Suite: "m/slow2", State: record.IndexFresh, Granularity: record.GranularitySuite, Why: "its start takes 0.21 s, for each of 200 tests"},
			{Suite: "m/cut", State: record.IndexCut, Granularity: record.GranularityImport, Why: "after 40 of 200 tests"},
			{Suite: "m/none", State: record.IndexEmpty}, {Suite: "m/bad", State: record.IndexFailed, Granularity: record.GranularityUnknown},
		},
		Findings: []record.OrderFinding{
			{Suite: "m/a", Test: "TestB", Alone: record.TestFailed, Together: record.TestPassed},
			{Suite: "m/a", Test: "TestC", Alone: record.TestPassed, Together: record.TestFailed},
			{Suite: "m/a", Test: "TestD", Alone: record.TestSkipped, Together: record.TestUnfinished},
		},
		Failures: []record.Failure{{Suite: "m/bad", Kind: "build", File: "bad/bad.go", Line: 3, Message: "undefined: x"}},
		Warnings: []string{"a note"},
	}
	want := `1. m/bad [build]
   bad/bad.go:3
   undefined: x

tests that depend on others, or on their order:
   m/a TestB fails alone and passes together: it depends on what runs before it
   m/a TestC passes alone and fails together: what runs before it disturbs it
   m/a TestD is skipped alone and does not finish together: it depends on the others

cut off (after 40 of 200 tests): m/cut
not measured: m/bad
known as a whole only (its start takes 0.21 s, for each of 200 tests): m/slow, m/slow2

note: a note
INCOMPLETE: 240 tests known one by one in 7 suites: 2 suites indexed now, 2 unchanged since, 1 without tests, 1 cut off, 1 not measured; 31 tests ran, 12.35s, 1.3 MB on disk, go
the next ` + "`proctor index`" + ` measures what was cut off; --budget gives it more time
`
	if got := report.Index(ix, report.Style{}); got != want {
		t.Errorf("got:\n%s", got)
	}
}

func TestAnIndexIsOnlyCalledCompleteWhereItIs(t *testing.T) {
	suites := []record.IndexedSuite{{Suite: "m/a", State: record.IndexDone, Granularity: record.GranularityTest}}
	for begins, ix := range map[string]record.Index{
		"complete: 1 test known": {Complete: true, Suites: suites, Tests: 1},
		"INCOMPLETE: ":           {Suites: suites},
		"there is nothing to":    {Complete: true},
		"INCOMPLETE: nothing":    {},
		"ERROR: ":                {RunError: "no go", Complete: true, Suites: suites},
	} {
		if got := report.IndexLine(ix); !strings.HasPrefix(got, begins) {
			t.Errorf("got %s, want it to begin with %s", got, begins)
		}
	}
}

func TestWhatAnIndexNamesStaysOnItsLine(t *testing.T) {
	nasty := "x\ncomplete: 9 tests\x1b[2J"
	got := report.Index(record.Index{
		Language: nasty, Message: "m", RunError: nasty, Warnings: []string{nasty},
		Suites:   []record.IndexedSuite{{Suite: nasty, State: record.IndexFailed, Why: nasty}},
		Findings: []record.OrderFinding{{Suite: nasty, Test: nasty, Alone: record.Status(nasty), Together: record.Status(nasty)}},
	}, report.Style{})
	if strings.Contains(got, "\ncomplete") || strings.Contains(got, "\x1b") {
		t.Errorf("got:\n%q", got)
	}
}
