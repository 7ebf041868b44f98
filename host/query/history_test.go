package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/sdk"
)

func TestMain(m *testing.M) {
	testbin.InMemory()
	os.Exit(m.Run())
}

// ask asks the history.
func ask(p *ledgertest.Workspace, req api.HistoryRequest) api.History {
	p.T.Helper()
	req.Where = p.Where()
	answer, err := History(p.T.Context(), p.Keeper, req)
	if err != nil {
		p.T.Fatal(err)
	}
	return answer
}

// refused asks something to be refused, and returns the error.
func refused(p *ledgertest.Workspace, req api.HistoryRequest) string {
	p.T.Helper()
	req.Where = p.Where()
	_, err := History(p.T.Context(), p.Keeper, req)
	if _, ok := errors.AsType[*api.UsageError](err); !ok {
		p.T.Errorf("%+v: %v", req, err)
		return ""
	}
	return err.Error()
}

func testNames(tests []api.TestHistory) []string {
	names := []string{}
	for _, t := range tests {
		names = append(names, t.Test)
	}
	return names
}

// checkered is a past with a test of each kind.
func checkered(t *testing.T) *ledgertest.Workspace {
	p := ledgertest.New(t)
	state := func(session, fingerprint string, results ...history.Result) {
		p.RunAs(history.Run{SessionID: session, Fingerprint: fingerprint, Environment: "e"}, results...)
	}
	state("a", "s1", historytest.Passed("f", "Good"), historytest.Passed("f", "Regression"), historytest.Failed("f", "Failing"), historytest.Failed("g", "Fixed"), historytest.Failed("g", "Recurring"), historytest.Passed("g", "Flaky"))
	state("b", "s2", historytest.Passed("f", "Good"), historytest.Failed("f", "Failing"), historytest.Failed("g", "Recurring"), historytest.Failed("g", "Flaky"))
	state("b", "s2", historytest.Passed("g", "Flaky"))
	state("c", "s3", historytest.Passed("f", "Good"), historytest.Failed("f", "Regression"), historytest.Passed("g", "Fixed"), historytest.Failed("g", "Recurring"), historytest.Passed("g", "NewGood"), historytest.Failed("g", "NewBad"))
	return p
}

func TestTheWorstTestsComeFirst(t *testing.T) {
	t.Parallel()
	p := checkered(t)
	answer := ask(p, api.HistoryRequest{})
	if got, want := testNames(answer.Tests), []string{"Recurring", "Flaky", "Regression", "Failing", "NewBad", "Fixed"}; !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if answer.Span.Runs != 4 || answer.Span.Sessions != 3 || answer.Span.Since == nil || answer.Message != "" {
		t.Errorf("span %+v, message %q", answer.Span, answer.Message)
	}
	for _, one := range answer.Tests {
		if one.File == "" || one.Line != 7 || one.Last == nil || one.Language != "x" {
			t.Errorf("%+v", one)
		}
	}
	if got := answer.Tests[0]; got.Pattern != "FFF" || got.FailedSessions != 3 || got.Last.Excerpt != "got 1, want 2" {
		t.Errorf("recurring: %+v", got)
	}
	if got := answer.Tests[1].Pattern; got != "PFP" {
		t.Errorf("pattern of the flaky test: %s", got)
	}
	if cut := ask(p, api.HistoryRequest{Limit: 2}); len(cut.Tests) != 2 || cut.TestsTotal != 6 {
		t.Errorf("%d of %d", len(cut.Tests), cut.TestsTotal)
	}
}

func TestRunsAndMendedSuitesAreNotListedAmongTests(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	own := func(suite string, outcome history.Outcome) history.Result {
		return history.Result{TestID: sdk.TestID{Suite: suite}, Outcome: outcome}
	}
	p.Run("a", own("", history.Failed), own("mended", history.Failed), own("broken", history.Passed), historytest.Failed("f", "Bad"))
	p.Run("b", own("mended", history.Passed), own("broken", history.Failed), historytest.Failed("f", "Bad"))
	var names []string
	for _, one := range ask(p, api.HistoryRequest{}).Tests {
		names = append(names, one.Suite+" "+one.Test)
	}
	if want := []string{"broken ", "s Bad"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func TestAListIsNarrowed(t *testing.T) {
	t.Parallel()
	p := checkered(t)
	for _, c := range []struct {
		req  api.HistoryRequest
		want string
	}{
		{api.HistoryRequest{Recurring: true}, "Recurring"},
		{api.HistoryRequest{Flaky: true}, "Flaky"},
		{api.HistoryRequest{Flaky: true, Recurring: true}, ""},
		{api.HistoryRequest{Classification: api.Gap}, "NewBad NewGood"},
		{api.HistoryRequest{Classification: api.Steady}, "Good"},
		{api.HistoryRequest{Classification: api.Regression}, "Regression"},
		{api.HistoryRequest{Classification: api.Failing}, "Recurring Failing"},
		{api.HistoryRequest{Classification: api.Failing, Recurring: true}, "Recurring"},
		{api.HistoryRequest{Classification: api.Fixed}, "Fixed"},
		{api.HistoryRequest{Classification: api.Unsteady}, "Flaky"},
		{api.HistoryRequest{Name: "f"}, "Regression Failing Good"},
		{api.HistoryRequest{Name: "f", Classification: api.Failing}, "Failing"},
		{api.HistoryRequest{Name: "s", Flaky: true}, "Flaky"},
	} {
		answer := ask(p, c.req)
		if got := strings.Join(testNames(answer.Tests), " "); got != c.want {
			t.Errorf("%+v: %q, want %q", c.req, got, c.want)
		}
		if c.want == "" && answer.Message == "" {
			t.Errorf("%+v: an empty answer does not say so", c.req)
		}
	}
}

func TestNonsensicalRequestsAreRefused(t *testing.T) {
	t.Parallel()
	p := checkered(t)
	p.Run("d", historytest.Failed("sub/f", "In/x"), historytest.Failed("other/f", "Out/x"))
	for _, c := range []struct {
		req  api.HistoryRequest
		says string
	}{
		{api.HistoryRequest{Classification: "bad"}, "gap, passed, fixed, regression, failing"},
		{api.HistoryRequest{Slow: true, Measures: []string{"m"}}, "separate lists"},
		{api.HistoryRequest{Slow: true, Flaky: true}, "cannot be filtered by"},
		{api.HistoryRequest{Rates: true, Slow: true}, "separate lists"},
		{api.HistoryRequest{Measures: []string{"m"}, Classification: api.Gap}, "cannot be filtered by"},
		{api.HistoryRequest{Name: "Good", Flaky: true}, "timeline"},
		{api.HistoryRequest{Name: "nothing"}, `no test or file "nothing" is on record`},
		{api.HistoryRequest{Name: "x"}, "several tests: s/In/x, s/Out/x"},
		{api.HistoryRequest{Name: "Good", Language: "y"}, "languages that have runs: x"},
		{api.HistoryRequest{Name: "evil\n\x1b[31mname"}, `evil\nname`},
	} {
		if err := refused(p, c.req); !strings.Contains(err, c.says) {
			t.Errorf("%+v: %s", c.req, err)
		}
	}
	if err := refused(p, api.HistoryRequest{Name: "/f"}); !strings.Contains(err, "no test or file") {
		t.Error(err)
	}
}

func TestTheTimelineOfATestIsNewestFirst(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	name := "T/a|b (c) \u202e\x01\n"
	p.RunAs(history.Run{SessionID: "a", Fingerprint: "s1", Commit: "c0ffee", Branch: "main"}, historytest.Passed("f", name))
	p.RunAs(history.Run{SessionID: "b", Fingerprint: "s2", MixedState: true, Seed: "7"}, historytest.Failed("f", name), historytest.Passed("f", name))
	p.RunAs(history.Run{SessionID: "b", Kind: api.KindTriage}, historytest.Passed("f", name))
	p.RunAs(history.Run{SessionID: "b"}, historytest.Did("f", name, history.Skipped), historytest.Passed("f", "Other"))
	answer := ask(p, api.HistoryRequest{Name: name})
	if len(answer.Tests) != 1 || answer.Tests[0].Test != name || answer.Tests[0].Pattern != "PFS" || answer.Tests[0].Classification != api.Regression {
		t.Fatalf("%+v", answer.Tests)
	}
	var got []string
	for _, point := range answer.Timeline {
		got = append(got, fmt.Sprint(point.RunID, " ", point.Kind, " ", point.Status, " ", point.Fingerprint, " ", point.Commit, " ", point.MixedState))
	}
	slices.Sort(got[1:3]) // two results of one run are in no order
	want := []string{
		"run0000004 run skipped   false", // the triage had other sources
		"run0000002 run failed s2  true", "run0000002 run passed s2  true", "run0000001 run passed s1 c0ffee false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if cut := ask(p, api.HistoryRequest{Name: name, Limit: 1}); len(cut.Timeline) != 1 || !cut.TimelineCut || cut.Tests[0].Pattern != "PFS" {
		t.Errorf("cut: %+v", cut)
	}
}

func TestAFileHasItsEntriesAndTests(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	for _, r := range []history.Result{historytest.Passed("d/f", "A"), historytest.Failed("d/f", "A")} {
		run := p.Run(fmt.Sprint("session", p.N), r)
		entries, err := standing.Entries(t.Context(), p.Ledger, run)
		if err == nil {
			err = p.History.PutEntries(t.Context(), entries, 10)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"d/f", "f", "./d/f", `d\f`} {
		answer := ask(p, api.HistoryRequest{Name: name})
		if answer.File != "d/f" || len(answer.Tests) != 1 || len(answer.Entries) != 2 || answer.Entries[0].Classification != api.Regression {
			t.Errorf("%s: %+v", name, answer)
		}
	}
}

func TestTheSlowestTestsAreListed(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	slow, fast, suite := historytest.Passed("f", "Slow"), historytest.Passed("f", "Fast"), historytest.Passed("f", "")
	slow.Duration, fast.Duration, suite.Duration = 3*time.Second, time.Second, 4*time.Second
	p.Run("a", slow, fast, suite)
	slow.Duration = 5 * time.Second
	p.Run("a", slow, fast)
	answer := ask(p, api.HistoryRequest{Slow: true})
	if len(answer.Durations) != 2 || answer.Durations[0].Test != "Slow" || answer.Durations[0].MeanS != 4 || answer.Durations[0].LastS != 5 || answer.Durations[0].Runs != 2 {
		t.Errorf("%+v", answer.Durations)
	}
	if one := ask(p, api.HistoryRequest{Slow: true, Name: "Fast"}); len(one.Durations) != 1 || one.Durations[0].Test != "Fast" {
		t.Errorf("%+v", one.Durations)
	}
	if cut := ask(p, api.HistoryRequest{Slow: true, Limit: 1}); len(cut.Durations) != 1 || cut.DurationsTotal != 2 {
		t.Errorf("%+v", cut)
	}
}

func TestTestsAreListedByHowOftenTheyFail(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	for range 3 {
		p.Run("a", historytest.Passed("f", "Sometimes"), historytest.Failed("f", "Always"), historytest.Passed("f", "Never"))
	}
	p.Run("a", historytest.Failed("f", "Sometimes"), historytest.Passed("f", "Sometimes"), historytest.Did("f", "Always", history.Skipped))
	answer := ask(p, api.HistoryRequest{Rates: true})
	if len(answer.Rates) != 2 || answer.Rates[0].Test != "Always" || answer.Rates[0].Failed != 3 || answer.Rates[0].Runs != 3 ||
		answer.Rates[1].Test != "Sometimes" || answer.Rates[1].Failed != 1 || answer.Rates[1].Runs != 4 {
		t.Errorf("%+v", answer.Rates)
	}
	if one := ask(p, api.HistoryRequest{Rates: true, Name: "Never"}); len(one.Rates) != 0 || one.Message == "" {
		t.Errorf("%+v", one)
	}
	if cut := ask(p, api.HistoryRequest{Rates: true, Limit: 1}); len(cut.Rates) != 1 || cut.RatesTotal != 2 {
		t.Errorf("%+v", cut)
	}
}

func TestMeasuresThatChangedComeFirst(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	with := func(test string, v int64) history.Result {
		r := historytest.Passed("f", test)
		r.Measures = []history.Measure{{Name: "m", Value: v}, {Name: "other", Value: 1}}
		return r
	}
	p.Run("a", with("Same", 900), with("Grown", 100), historytest.Passed("f", "None"))
	p.Run("a", with("Same", 900), with("Grown", 150))
	answer := ask(p, api.HistoryRequest{Measures: []string{"m"}})
	if len(answer.Measures) != 2 || answer.Measures[0].Test != "Grown" || len(answer.Measures[0].Values) != 2 || answer.Measures[0].Values[0].Value != 150 {
		t.Errorf("%+v", answer.Measures)
	}
	if one := ask(p, api.HistoryRequest{Measures: []string{"m"}, Name: "Same"}); len(one.Measures) != 1 || one.Measures[0].Test != "Same" {
		t.Errorf("%+v", one.Measures)
	}
	if none := ask(p, api.HistoryRequest{Measures: []string{"absent"}}); none.Message == "" {
		t.Errorf("%+v", none)
	}
}

func TestAnEmptyRecordSaysSo(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	if answer := ask(p, api.HistoryRequest{}); !strings.Contains(answer.Message, "nothing is on record") {
		t.Errorf("%+v", answer)
	}
	if err := refused(p, api.HistoryRequest{Name: "A"}); !strings.Contains(err, "the first run begins its history") {
		t.Error(err)
	}
}

func TestAnExportReplacesAFileAsAWhole(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	var entries []api.Entry
	for i := range api.MaxExportedEntries + 5 {
		entries = append(entries, api.Entry{
			File: fmt.Sprint("f", i), Status: api.StatusPassed, SessionID: "a", Classification: api.Gap,
			Timestamp: p.Now.Add(time.Duration(i) * time.Second).In(time.FixedZone("east", 3600)),
		})
	}
	if err := p.History.PutEntries(t.Context(), entries, 2*api.MaxExportedEntries); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "history.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := ExportHistory(t.Context(), p.Keeper, p.Where(), path)
	if err != nil || n != api.MaxExportedEntries {
		t.Fatalf("%d entries, %v", n, err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var back []map[string]string
	if err := json.Unmarshal(raw, &back); err != nil || len(back) != api.MaxExportedEntries {
		t.Fatalf("%d entries, %v", len(back), err)
	}
	if first := back[0]; len(first) != 5 || first["file"] != "f5" || first["status"] != "passed" || first["session_id"] != "a" ||
		first["classification"] != "gap" || first["timestamp"] != "2026-03-01T12:00:05Z" {
		t.Errorf("first entry: %v", first)
	}
	if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("the mode was not kept: %v, %v", info, err)
	}
}

func TestAnExportReplacesNothingButAFile(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	for _, path := range []string{filepath.Join(dir, "link"), dir, "", filepath.Join(dir, "missing", "h.json")} {
		if _, err := ExportHistory(t.Context(), p.Keeper, p.Where(), path); err == nil {
			t.Errorf("%q was written", path)
		}
	}
	if raw, err := os.ReadFile(target); err != nil || string(raw) != "precious" {
		t.Errorf("%q, %v", raw, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".proctor-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestATestThatFailedWithOthersInsideItIsNotListed(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	parent := historytest.Failed("f", "Parent")
	parent.Derived = true
	p.Run("a", parent, historytest.Failed("f", "Parent/inner"))
	if got := testNames(ask(p, api.HistoryRequest{}).Tests); !slices.Equal(got, []string{"Parent/inner"}) {
		t.Errorf("listed: %v", got)
	}
	if got := ask(p, api.HistoryRequest{Name: "Parent"}); len(got.Timeline) != 1 || !got.Timeline[0].Derived || got.Tests[0].Classification != api.Gap {
		t.Errorf("its own timeline: %+v", got)
	}
}
