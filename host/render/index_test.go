package render

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func TestAnIndexSaysWhatIsKnownAndWhyNotMore(t *testing.T) {
	ix := api.Index{
		Language: "go", DurationS: 12.345, Tests: 240, Ran: 31, Bytes: 1_310_000,
		Suites: []api.IndexedSuite{
			{Suite: "m/a", State: api.IndexDone, Granularity: api.GranularityTest, Tests: 31},
			{Suite: "m/b", State: api.IndexFresh, Granularity: api.GranularityTest, Tests: 209},
			{Suite: "m/slow", State: api.IndexDone, Granularity: api.GranularitySuite, Why: "its start takes 0.21 s, for each of 200 tests"},
			{Suite: "m/slow2", State: api.IndexFresh, Granularity: api.GranularitySuite, Why: "its start takes 0.21 s, for each of 200 tests"},
			{Suite: "m/cut", State: api.IndexCut, Granularity: api.GranularityImport, Why: "after 40 of 200 tests"},
			{Suite: "m/none", State: api.IndexEmpty}, {Suite: "m/bad", State: api.IndexFailed, Granularity: api.GranularityUnknown},
		},
		Findings: []api.OrderFinding{
			{Suite: "m/a", Test: "TestB", Alone: sdk.Failed, Together: sdk.Passed},
			{Suite: "m/a", Test: "TestC", Alone: sdk.Passed, Together: sdk.Failed},
			{Suite: "m/a", Test: "TestD", Alone: sdk.Skipped, Together: sdk.Unfinished},
		},
		Failures: []api.Failure{{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "m/bad"}, Kind: "build", Location: sdk.Location{File: "bad/bad.go", Line: 3}, Message: "undefined: x"}}},
		Warnings: api.Notes("", "a note"),
	}
	want := `✗ bad
  bad/bad.go:3
  build: undefined: x

tests that depend on others, or on their order:
   m/a TestB fails alone and passes together: it depends on what runs before it
   m/a TestC passes alone and fails together: what runs before it disturbs it
   m/a TestD is skipped alone and does not finish together: it depends on the others

cut off (after 40 of 200 tests): m/cut
not measured: m/bad
known only as a whole (its start takes 0.21 s, for each of 200 tests): m/slow, m/slow2

note: a note
INCOMPLETE: indexed 240 tests in 7 suites (2 now, 2 unchanged since, 1 without tests, 1 cut off, 1 not measured) in 12.3s (1.3 MB)
the next ` + "`proctor covering index`" + ` measures what was cut off; --budget gives it more time
`
	if got := Index(ix, Style{}); got != want {
		t.Errorf("got:\n%s", got)
	}
	ix.SuiteNoun = "package"
	narrow := Index(ix, Style{Columns: 60})
	if !strings.Contains(narrow, "in 7 packages (") || strings.Contains(narrow, "suite") {
		t.Errorf("in the words of Go:\n%s", narrow)
	}
	for line := range strings.Lines(narrow) {
		if Cells(strings.TrimSuffix(line, "\n")) > 60 {
			t.Errorf("too wide: %s", line)
		}
	}
	if !strings.Contains(narrow, "`proctor covering index`") {
		t.Errorf("a command to paste is broken:\n%s", narrow)
	}
}

func TestAnIndexIsOnlyCalledCompleteWhereItIs(t *testing.T) {
	suites := []api.IndexedSuite{{Suite: "m/a", State: api.IndexDone, Granularity: api.GranularityTest}}
	for begins, ix := range map[string]api.Index{
		"indexed 1 test in ":  {Complete: true, Suites: suites, Tests: 1},
		"INCOMPLETE: ":        {Suites: suites},
		"there is nothing to": {Complete: true},
		"INCOMPLETE: nothing": {},
		"ERROR: ":             {RunError: "no go", Complete: true, Suites: suites},
	} {
		if got := IndexLine(ix); !strings.HasPrefix(got, begins) {
			t.Errorf("got %s, want it to begin with %s", got, begins)
		}
	}
}

func TestWhatAnIndexNamesStaysOnItsLine(t *testing.T) {
	nasty := "x\ncomplete: 9 tests\x1b[2J"
	got := Index(api.Index{
		Language: nasty, Message: "m", RunError: nasty, Warnings: api.Notes("", nasty),
		Suites:   []api.IndexedSuite{{Suite: nasty, State: api.IndexFailed, Why: nasty}},
		Findings: []api.OrderFinding{{Suite: nasty, Test: nasty, Alone: sdk.Status(nasty), Together: sdk.Status(nasty)}},
	}, Style{})
	if strings.Contains(got, "\ncomplete") || strings.Contains(got, "\x1b") {
		t.Errorf("got:\n%q", got)
	}
}
