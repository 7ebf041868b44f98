package render_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

var (
	began     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("east", 3600))
	twoOfSpan = api.HistorySpan{Runs: 2, Sessions: 1, Since: &began, AgeS: 3600}
)

const onRecord = "on record: 2 runs in 1 session since 2026-03-01 11:00 UTC (1h ago)\n"

func TestAListOfTestsSaysHowEachStands(t *testing.T) {
	got := render.History(api.History{Span: twoOfSpan, TestsTotal: 5, Warnings: api.Notes("", "only some were looked at"), Tests: []api.TestHistory{
		{Suite: "s", Test: "A", File: "d/a", Line: 3, Pattern: "PF", Last: &api.TimelinePoint{
			RunID: "r2", SessionID: "b", AgeS: 90, Status: sdk.Failed, Excerpt: "got 1, want 2\nand more",
		}, Standing: api.Standing{
			Classification: api.Regression, Resolution: api.StatusUnresolved, FailedSessions: 1,
			LastPassed: &api.LastPassed{RunID: "r1", AgeS: 120},
		}},
		{Suite: "s", Test: "B", Pattern: "FP", Standing: api.Standing{Classification: api.Fixed, Resolution: api.StatusFixed, FailedSessions: 1}},
		{Suite: "s", Test: "C", Pattern: "FFFP", Standing: api.Standing{
			Classification: api.Steady, Resolution: api.StatusPassed, FailedSessions: 3, Recurring: true,
			Flaky: &api.Flaky{PassedRun: "r4", FailedRun: "r3", Seeds: []string{"1", "2"}},
		}},
		{Suite: "s", Pattern: "S"},
	}}, render.Style{})

	want := `note: only some were looked at
1. s A  d/a:3
   PF  regression: was passing; last passed 2m ago in run r1
   failed 1m ago in run r2 of session b: got 1, want 2
2. s B
   FP  fixed; failed in 1 session
3. s C
   FFFP  passed; recurring: failed in 3 sessions; flaky: passed in run r4 and failed in run r3 on the same sources, with seeds 1 and 2
4. s
   S  nothing on record proves anything about it
(1 more test; raise --limit)

` + onRecord
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestATimelineSaysOnWhatEachResultWasMade(t *testing.T) {
	h := api.History{
		Span: twoOfSpan, TimelineCut: true,
		Tests: []api.TestHistory{{
			Language: "x", Suite: "s", Test: "A", Pattern: "PF", FirstRun: "r0", FirstAt: began,
			Standing: api.Standing{Classification: api.Fixed, Resolution: api.StatusFixed},
		}},
		Timeline: []api.TimelinePoint{
			{
				RunID: "r2", SessionID: "b", Kind: api.KindRerun, AgeS: 90, Status: sdk.Unfinished, DurationS: 1.5, Fingerprint: "0123456789abcdef",
				MixedState: true, Commit: "c0ffeec0ffee", Branch: "main", Seed: "7", Signature: "fedcba9876543210", FailureKind: "panic", Excerpt: "boom\nmore",
			},
			{RunID: "r4", SessionID: "a", Kind: api.KindRun, AgeS: 90, Status: sdk.Failed, Signature: "fedcba9876543210", FailureKind: "panic", Excerpt: "boom"},
			{RunID: "r3", SessionID: "a", Kind: api.KindRun, AgeS: 90, Status: sdk.Failed, FailureKind: "assertion", Excerpt: "got 1"},
			{RunID: "r1", SessionID: "a", Kind: api.KindRun, AgeS: 90_000, Status: sdk.Passed},
		},
	}
	got := render.History(h, render.Style{})

	want := `s A (x)
   PF  fixed
   first seen in run r0, 2026-03-01 11:00 UTC

r2            1m ago  did not finish     1.50s  rerun, state 0123456789 (files changed during the run), commit c0ffeec0 on main, seed 7, session b
   [panic] boom  (failure fedcba)
r4            1m ago  failed             0.00s  state unknown, session a
r3            1m ago  failed             0.00s  state unknown, session a
   [assertion] got 1
r1           25h ago  passed             0.00s  state unknown, session a
(there are older ones; raise --limit)

` + onRecord
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	person := render.History(h, render.Style{Columns: 60})
	if line := "r2            1m ago  did not finish    1.50s  rerun, files changed during the run, main@c0ffeec, seed 7\n"; !strings.Contains(person, line) || strings.Contains(person, "session a") || strings.Contains(person, "assertion") {
		t.Errorf("at a terminal:\n%s", person)
	}
}

// It passed in the only session that ran it.
func TestATestWithoutAPriorSessionHasNoFailureOnRecord(t *testing.T) {
	got := render.History(api.History{TestsTotal: 1, Tests: []api.TestHistory{{
		Suite: "s", Test: "A", Pattern: "PP", Standing: api.Standing{Classification: api.Gap, Resolution: api.StatusPassed},
	}}}, render.Style{})
	if want := "PP  no failure on record\n"; !strings.Contains(got, want) {
		t.Errorf("%q is missing:\n%s", want, got)
	}
}

// With other settings it failed, which is on record.
func TestATestThatFailedOtherwiseIsNotWithoutAFailure(t *testing.T) {
	got := render.History(api.History{TestsTotal: 1, Tests: []api.TestHistory{{
		Suite: "s", Test: "A", Pattern: "P", Standing: api.Standing{Classification: api.Gap, Resolution: api.StatusPassed, Otherwise: &api.Otherwise{Failed: true, RunID: "r1"}},
	}}}, render.Style{})
	if strings.Contains(got, "no failure on record") || !strings.Contains(got, "r1") {
		t.Error(got)
	}
}

func TestAFileHasALineForEachSession(t *testing.T) {
	h := api.History{Span: twoOfSpan, File: "d/a", EntriesTotal: 2, Entries: []api.Entry{
		{File: "d/a", Status: api.StatusDeferred, SessionID: "b", Timestamp: began, Classification: api.Failing},
	}, Message: "no such test is on record"}
	got := render.History(h, render.Style{})

	want := `d/a
   2026-03-01 11:00 UTC  failing    deferred   session b
(1 more session; raise --limit)

no such test is on record
` + onRecord
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if person := render.History(h, render.Style{Columns: 80}); !strings.Contains(person, "UTC  failing    deferred\n") {
		t.Errorf("at a terminal:\n%s", person)
	}
}

func TestFiguresAreListed(t *testing.T) {
	slow := render.History(api.History{DurationsTotal: 1, Durations: []api.TestDuration{{Suite: "s", Test: "A", File: "d/a", MeanS: 1.25, LastS: 0.5, Runs: 3}}}, render.Style{})
	if want := "    mean      last  runs\n  1.250s    0.500s     3  s A  d/a\n\n"; slow != want {
		t.Errorf("got\n%s\nwant\n%s", slow, want)
	}
	measures := render.History(api.History{MeasuresTotal: 1, Measures: []api.TestMeasure{{Suite: "s", Test: "A", Name: "cost", Values: []api.MeasureValue{
		{RunID: "r3", AgeS: 60, Value: 150}, {RunID: "r1", AgeS: 3600, Value: 200},
	}}}}, render.Style{})

	if want := "s A  cost\n   150 ← 200  (run r3, 1m ago; -50 since run r1, 1h ago)\n\n"; measures != want {
		t.Errorf("got\n%s\nwant\n%s", measures, want)
	}
}

func TestWhatIsOnRecordStaysOnItsLine(t *testing.T) {
	evil := "x\n\x1b[31mpassed: all\u202e\x00\xff"
	point := api.TimelinePoint{
		RunID: evil, SessionID: evil, Kind: api.Kind(evil), Fingerprint: evil, Commit: evil, Branch: evil, Seed: evil,
		Signature: evil, FailureKind: evil, Excerpt: evil, Status: sdk.Failed,
	}
	one := api.TestHistory{
		Language: evil, Suite: evil, Test: evil, File: evil, FirstRun: evil, Last: &point, Standing: api.Standing{
			Classification: api.Unsteady, Resolution: api.StatusPassed,
			Flaky: &api.Flaky{PassedRun: evil, FailedRun: evil, Seeds: []string{evil, evil}},
		},
	}
	deferral := api.Deferral{Language: evil, Suite: evil, Test: evil, File: evil, Watched: true, SessionID: evil, Reason: evil}
	for name, text := range map[string]string{
		"list":      render.History(api.History{Tests: []api.TestHistory{one}, Warnings: api.Notes("", evil), Message: evil}, render.Style{}),
		"timeline":  render.History(api.History{Tests: []api.TestHistory{one}, Timeline: []api.TimelinePoint{point}}, render.Style{}),
		"file":      render.History(api.History{File: evil, Entries: []api.Entry{{File: evil, Status: api.EntryStatus(evil), SessionID: evil, Classification: api.Classification(evil)}}}, render.Style{}),
		"durations": render.History(api.History{Durations: []api.TestDuration{{Suite: evil, Test: evil, File: evil}}}, render.Style{}),
		"measures":  render.History(api.History{Measures: []api.TestMeasure{{Suite: evil, Test: evil, Name: evil, Values: []api.MeasureValue{{RunID: evil}}}}}, render.Style{}),
		"deferred":  render.Deferred(deferral, render.Style{}), "lifted": render.Lifted(deferral, render.Style{}),
		"deferrals": render.Deferrals(api.Deferrals{Deferred: []api.Deferral{deferral}}, render.Style{}),
	} {
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "passed") || strings.ContainsFunc(line, prose.Deceives) {
				t.Errorf("the %s lets a name act: %q", name, line)
			}
		}
	}
}

func TestALongExcerptIsCut(t *testing.T) {
	text := render.History(api.History{Tests: []api.TestHistory{{Suite: "s", Test: "A", Last: &api.TimelinePoint{Excerpt: strings.Repeat("long ", 1000)}}}}, render.Style{})
	for _, line := range strings.Split(text, "\n") {
		if len(line) > 400 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}

func TestDeferralsSayUntilWhen(t *testing.T) {
	d := api.Deferral{Language: "x", Suite: "s", Test: "A", File: "d/a", Watched: true, SessionID: "b", AgeS: 120, Reason: "later"}
	if got, want := render.Deferred(d, render.Style{}), "set aside: s A (x), until it passes or d/a changes; verdicts do not change\n"; got != want {
		t.Errorf("got %q", got)
	}
	d.Watched = false
	if got := render.Deferred(d, render.Style{}); !strings.Contains(got, "cannot be seen") {
		t.Errorf("got %q", got)
	}
	if got, want := render.Deferrals(api.Deferrals{Deferred: []api.Deferral{d}}, render.Style{}), "s A  d/a\n   2m ago in session b: later\n"; got != want {
		t.Errorf("got %q", got)
	}
	if got := render.Deferrals(api.Deferrals{}, render.Style{}); got != "no test is set aside\n" {
		t.Errorf("got %q", fmt.Sprint(got))
	}
}
