package host

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

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// ask asks the history, and fails if that fails.
func (p *past) ask(req HistoryRequest) record.History {
	p.t.Helper()
	req.Where = p.where()
	answer, err := p.host.History(p.t.Context(), req)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer
}

// refused asks what is to be refused, and returns the error.
func (p *past) refused(req HistoryRequest) string {
	p.t.Helper()
	req.Where = p.where()
	_, err := p.host.History(p.t.Context(), req)
	var usage *UsageError
	if !errors.As(err, &usage) {
		p.t.Errorf("%+v: %v", req, err)
		return ""
	}
	return err.Error()
}

func testNames(tests []record.TestHistory) []string {
	names := []string{}
	for _, t := range tests {
		names = append(names, t.Test)
	}
	return names
}

// checkered is a past with a test of each kind.
func checkered(t *testing.T) *past {
	p := newPast(t)
	state := func(session, fingerprint string, results ...history.Result) {
		p.runAs(history.Run{SessionID: session, Fingerprint: fingerprint, Environment: "e"}, results...)
	}
	state("a", "s1", passed("f", "Good"), passed("f", "Regression"), failed("f", "Failing"), failed("g", "Fixed"), failed("g", "Recurring"), passed("g", "Flaky"))
	state("b", "s2", passed("f", "Good"), failed("f", "Failing"), failed("g", "Recurring"), failed("g", "Flaky"))
	state("b", "s2", passed("g", "Flaky"))
	state("c", "s3", passed("f", "Good"), failed("f", "Regression"), passed("g", "Fixed"), failed("g", "Recurring"), passed("g", "NewGood"), failed("g", "NewBad"))
	return p
}

func TestTheWorstTestsComeFirst(t *testing.T) {
	t.Parallel()
	p := checkered(t)
	answer := p.ask(HistoryRequest{})
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
	if cut := p.ask(HistoryRequest{Limit: 2}); len(cut.Tests) != 2 || cut.TestsTotal != 6 {
		t.Errorf("%d of %d", len(cut.Tests), cut.TestsTotal)
	}
}

func TestARunAndAMendedSuiteAreNoTestsWorthKnowing(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	own := func(suite string, outcome history.Outcome) history.Result {
		return history.Result{Test: record.Test{Suite: suite}, Outcome: outcome}
	}
	p.run("a", own("", history.Failed), own("mended", history.Failed), own("broken", history.Passed), failed("f", "Bad"))
	p.run("b", own("mended", history.Passed), own("broken", history.Failed), failed("f", "Bad"))
	var names []string
	for _, one := range p.ask(HistoryRequest{}).Tests {
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
		req  HistoryRequest
		want string
	}{
		{HistoryRequest{Recurring: true}, "Recurring"},
		{HistoryRequest{Flaky: true}, "Flaky"},
		{HistoryRequest{Flaky: true, Recurring: true}, ""},
		{HistoryRequest{Classification: record.Gap}, "NewBad NewGood"},
		{HistoryRequest{Classification: record.Steady}, "Good"},
		{HistoryRequest{Classification: record.Regression}, "Regression"},
		{HistoryRequest{Classification: record.Failing}, "Recurring Failing"},
		{HistoryRequest{Classification: record.Failing, Recurring: true}, "Recurring"},
		{HistoryRequest{Classification: record.Fixed}, "Fixed"},
		{HistoryRequest{Classification: record.Unsteady}, "Flaky"},
		{HistoryRequest{Name: "f"}, "Regression Failing Good"},
		{HistoryRequest{Name: "f", Classification: record.Failing}, "Failing"},
		{HistoryRequest{Name: "s", Flaky: true}, "Flaky"},
	} {
		answer := p.ask(c.req)
		if got := strings.Join(testNames(answer.Tests), " "); got != c.want {
			t.Errorf("%+v: %q, want %q", c.req, got, c.want)
		}
		if c.want == "" && answer.Message == "" {
			t.Errorf("%+v: an empty answer does not say so", c.req)
		}
	}
}

func TestWhatCannotBeMeantIsRefused(t *testing.T) {
	t.Parallel()
	p := checkered(t)
	p.run("d", failed("sub/f", "In/x"), failed("other/f", "Out/x"))
	for _, c := range []struct {
		req  HistoryRequest
		says string
	}{
		{HistoryRequest{Classification: "bad"}, "gap, passed, fixed, regression, failing"},
		{HistoryRequest{Slow: true, Measures: []string{"m"}}, "two lists"},
		{HistoryRequest{Slow: true, Flaky: true}, "not listed by"},
		{HistoryRequest{Measures: []string{"m"}, Classification: record.Gap}, "not listed by"},
		{HistoryRequest{Name: "Good", Flaky: true}, "timeline"},
		{HistoryRequest{Name: "nothing"}, `no test or file "nothing" is on record; ` + "`proctor history`"},
		{HistoryRequest{Name: "x"}, "several tests: s/In/x (x), s/Out/x (x); give more of the name"},
		{HistoryRequest{Name: "Good", Language: "y"}, "languages that have runs: x"},
		{HistoryRequest{Name: "evil\n\x1b[31mname"}, `evil\nname`},
	} {
		if err := p.refused(c.req); !strings.Contains(err, c.says) {
			t.Errorf("%+v: %s", c.req, err)
		}
	}
	if err := p.refused(HistoryRequest{Name: "/f"}); !strings.Contains(err, "no test or file") {
		t.Error(err)
	}
}

func TestTheTimelineOfATestIsNewestFirst(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	name := "T/a|b (c) \u202e\x01\n"
	p.runAs(history.Run{SessionID: "a", Fingerprint: "s1", Commit: "c0ffee", Branch: "main"}, passed("f", name))
	p.runAs(history.Run{SessionID: "b", Fingerprint: "s2", MixedState: true, Seed: "7"}, failed("f", name), passed("f", name))
	p.runAs(history.Run{SessionID: "b", Kind: record.KindTriage}, passed("f", name))
	p.runAs(history.Run{SessionID: "b"}, did("f", name, history.Skipped), passed("f", "Other"))
	answer := p.ask(HistoryRequest{Name: name})
	if len(answer.Tests) != 1 || answer.Tests[0].Test != name || answer.Tests[0].Pattern != "PFS" || answer.Tests[0].Classification != record.Regression {
		t.Fatalf("%+v", answer.Tests)
	}
	var got []string
	for _, point := range answer.Timeline {
		got = append(got, fmt.Sprint(point.RunID, " ", point.Kind, " ", point.Status, " ", point.Fingerprint, " ", point.Commit, " ", point.MixedState))
	}
	slices.Sort(got[1:3]) // two results of one run are in no order
	want := []string{
		"run0000004 run skipped   false", // the triage was of other sources
		"run0000002 run failed s2  true", "run0000002 run passed s2  true", "run0000001 run passed s1 c0ffee false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if cut := p.ask(HistoryRequest{Name: name, Limit: 1}); len(cut.Timeline) != 1 || !cut.TimelineCut || cut.Tests[0].Pattern != "PFS" {
		t.Errorf("cut: %+v", cut)
	}
}

func TestAFileHasItsEntriesAndTests(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	for _, r := range []history.Result{passed("d/f", "A"), failed("d/f", "A")} {
		run := p.run(fmt.Sprint("session", p.n), r)
		entries, err := p.entries(t.Context(), run)
		if err == nil {
			err = p.history.PutEntries(t.Context(), entries, 10)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"d/f", "f", "./d/f", `d\f`} {
		answer := p.ask(HistoryRequest{Name: name})
		if answer.File != "d/f" || len(answer.Tests) != 1 || len(answer.Entries) != 2 || answer.Entries[0].Classification != record.Regression {
			t.Errorf("%s: %+v", name, answer)
		}
	}
}

func TestTheSlowestTestsAreListed(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	slow, fast, suite := passed("f", "Slow"), passed("f", "Fast"), passed("f", "")
	slow.Duration, fast.Duration, suite.Duration = 3*time.Second, time.Second, 4*time.Second
	p.run("a", slow, fast, suite)
	slow.Duration = 5 * time.Second
	p.run("a", slow, fast)
	answer := p.ask(HistoryRequest{Slow: true})
	if len(answer.Durations) != 2 || answer.Durations[0].Test != "Slow" || answer.Durations[0].MeanS != 4 || answer.Durations[0].LastS != 5 || answer.Durations[0].Runs != 2 {
		t.Errorf("%+v", answer.Durations)
	}
	if one := p.ask(HistoryRequest{Slow: true, Name: "Fast"}); len(one.Durations) != 1 || one.Durations[0].Test != "Fast" {
		t.Errorf("%+v", one.Durations)
	}
	if cut := p.ask(HistoryRequest{Slow: true, Limit: 1}); len(cut.Durations) != 1 || cut.DurationsTotal != 2 {
		t.Errorf("%+v", cut)
	}
}

func TestMeasuresThatChangedComeFirst(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	with := func(test string, v int64) history.Result {
		r := passed("f", test)
		r.Measures = []history.Measure{{Name: "m", Value: v}, {Name: "other", Value: 1}}
		return r
	}
	p.run("a", with("Same", 900), with("Grown", 100), passed("f", "None"))
	p.run("a", with("Same", 900), with("Grown", 150))
	answer := p.ask(HistoryRequest{Measures: []string{"m"}})
	if len(answer.Measures) != 2 || answer.Measures[0].Test != "Grown" || len(answer.Measures[0].Values) != 2 || answer.Measures[0].Values[0].Value != 150 {
		t.Errorf("%+v", answer.Measures)
	}
	if one := p.ask(HistoryRequest{Measures: []string{"m"}, Name: "Same"}); len(one.Measures) != 1 || one.Measures[0].Test != "Same" {
		t.Errorf("%+v", one.Measures)
	}
	if none := p.ask(HistoryRequest{Measures: []string{"absent"}}); none.Message == "" {
		t.Errorf("%+v", none)
	}
}

func TestAnEmptyRecordSaysSo(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	if answer := p.ask(HistoryRequest{}); !strings.Contains(answer.Message, "nothing is on record") {
		t.Errorf("%+v", answer)
	}
	if err := p.refused(HistoryRequest{Name: "A"}); !strings.Contains(err, "proctor run") {
		t.Error(err)
	}
}

func TestAnExportReplacesAFileAsAWhole(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	var entries []record.Entry
	for i := range MaxExportedEntries + 5 {
		entries = append(entries, record.Entry{
			File: fmt.Sprint("f", i), Status: record.StatusPassed, SessionID: "a", Classification: record.Gap,
			Timestamp: p.now.Add(time.Duration(i) * time.Second).In(time.FixedZone("east", 3600)),
		})
	}
	if err := p.history.PutEntries(t.Context(), entries, 2*MaxExportedEntries); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "history.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := p.host.ExportHistory(t.Context(), p.where(), path)
	if err != nil || n != MaxExportedEntries {
		t.Fatalf("%d entries, %v", n, err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var back []map[string]string
	if err := json.Unmarshal(raw, &back); err != nil || len(back) != MaxExportedEntries {
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
	p := newPast(t)
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	for _, path := range []string{filepath.Join(dir, "link"), dir, "", filepath.Join(dir, "missing", "h.json")} {
		if _, err := p.host.ExportHistory(t.Context(), p.where(), path); err == nil {
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
	p := newPast(t)
	parent := failed("f", "Parent")
	parent.Derived = true
	p.run("a", parent, failed("f", "Parent/inner"))
	if got := testNames(p.ask(HistoryRequest{}).Tests); !slices.Equal(got, []string{"Parent/inner"}) {
		t.Errorf("listed: %v", got)
	}
	if got := p.ask(HistoryRequest{Name: "Parent"}); len(got.Timeline) != 1 || !got.Timeline[0].Derived || got.Tests[0].Classification != record.Gap {
		t.Errorf("its own timeline: %+v", got)
	}
}
