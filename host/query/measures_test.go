package query

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/metrics"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// bench is a session in which runs are recorded as if they had been made.
type bench struct {
	t      *testing.T
	keeper *ledger.Keeper
	root   string
	now    time.Time
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, root: t.TempDir(), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	b.keeper = ledger.New(project.Config{Session: "s", Now: func() time.Time { return b.now }})
	return b
}

// costs returns the results of tests that passed with a cost.
func costs(pairs ...string) []api.Result {
	var results []api.Result
	for i := 0; i < len(pairs); i += 2 {
		results = append(results, api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: pairs[i]}, Status: sdk.Passed,
			Measures: []sdk.Measure{{Name: "cost", Value: json.Number(pairs[i+1])}}}})
	}
	return results
}

// ran records a finished run, a minute after the previous one.
func (b *bench) ran(id, language string, results []api.Result) api.Run {
	b.t.Helper()
	b.now = b.now.Add(time.Minute)
	run := api.Run{
		Schema: api.Schema, RunID: id, SessionID: b.keeper.Cfg.Session, Kind: api.KindRun, Language: language, Workspace: b.root,
		State: api.StateFinished, Verdict: api.Passed, StartedAt: b.now,
	}
	b.record(run, results)
	return run
}

func (b *bench) record(run api.Run, results []api.Result) {
	b.t.Helper()
	store, err := b.keeper.Store(b.root)
	if err != nil {
		b.t.Fatal(err)
	}
	rec, err := artifacts.NewRecorder(store, run)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, r := range results {
		rec.Listen(&api.TestEnded{Result: r})
	}
	if err := rec.Finish(run); err != nil {
		b.t.Fatal(err)
	}
	if run.State != api.StateFinished {
		return
	}
	if err := store.Finish(b.t.Context(), run); err != nil {
		b.t.Fatal(err)
	}
}

// ask compares, and wants one answer for each of the languages.
func (b *bench) ask(against string, languages ...string) []metrics.Answer {
	b.t.Helper()
	answers, err := Measures(b.t.Context(), b.keeper, api.MeasureRequest{Where: api.Where{Dir: b.root, Exact: true}, Names: []string{"cost"}, Against: against})
	if err != nil || len(answers) != len(languages) {
		b.t.Fatalf("%d answers, %v", len(answers), err)
	}
	for i, l := range languages {
		if answers[i].Language != l {
			b.t.Errorf("answer %d is of %q, want %q", i, answers[i].Language, l)
		}
	}
	return answers
}

func TestTheRunBeforeIsTheNearestThatMeasuredTheSame(t *testing.T) {
	b := newBench(t)
	b.ran("first00000", "toy", costs("a", "1", "b", "1"))
	b.ran("second0000", "toy", costs("b", "2"))
	b.ran("third00000", "toy", nil)
	b.ran("fourth0000", "toy", costs("a", "5"))
	b.now = b.now.Add(time.Hour)
	a := b.ask("", "toy")[0]
	if a.Before.RunID != "first00000" || a.Now.RunID != "fourth0000" || a.Changes[0].Delta != "4" {
		t.Errorf("got %+v", a.Comparison)
	}
	if a.NowAge != time.Hour || a.BeforeAge != time.Hour+3*time.Minute {
		t.Errorf("they are %v and %v old", a.NowAge, a.BeforeAge)
	}
	b.ran("fifth00000", "toy", costs("c", "5"))
	if a := b.ask("last", "toy")[0]; !a.IsEmpty() || a.Before.RunID != "fourth0000" || !strings.Contains(a.Message, "passed in both") {
		t.Errorf("got %+v", a.Comparison)
	}
}

func TestAWholeRunIsNotComparedWithTheRerunBeforeIt(t *testing.T) {
	b := newBench(t)
	b.ran("first00000", "toy", costs("a", "1", "b", "1", "c", "1", "d", "1"))
	b.ran("second0000", "toy", costs("b", "2"))
	b.ran("third00000", "toy", costs("a", "1", "b", "2", "c", "1", "d", "1"))
	if a := b.ask("", "toy")[0]; a.Before.RunID != "first00000" || a.Counts.Tests != 4 {
		t.Errorf("got %+v", a.Comparison)
	}
	b.ran("fourth0000", "toy", costs("b", "3"))
	if a := b.ask("", "toy")[0]; a.Before.RunID != "third00000" {
		t.Errorf("a rerun is compared with %+v", a.Before)
	}
}

func TestEachLanguageThatMeasuredSomethingHasAnAnswer(t *testing.T) {
	b := newBench(t)
	b.ran("first00000", "toy", costs("a", "1"))
	b.ran("plain00000", "plain", nil)
	b.ran("second0000", "toy", costs("a", "1"))
	b.ran("other00000", "other", costs("a", "1"))
	answers := b.ask("", "other", "toy")
	if !strings.Contains(answers[0].Message, "is the only one") || answers[1].IsEmpty() {
		t.Errorf("got %q and %q", answers[0].Message, answers[1].Message)
	}
	here := api.Where{Dir: b.root, Exact: true}
	_, err := SetBaseline(t.Context(), b.keeper, api.BaselineRequest{Where: here, Names: []string{"cost"}})
	var usage *api.UsageError
	if !errors.As(err, &usage) || !strings.Contains(usage.Error(), "other, toy") {
		t.Errorf("a baseline of both: %v", err)
	}
	set, err := SetBaseline(t.Context(), b.keeper, api.BaselineRequest{Where: here, Names: []string{"cost"}, Language: "toy"})
	if err != nil || set.Run.RunID != "second0000" || set.Tests != 1 {
		t.Errorf("got %+v, %v", set, err)
	}
	_, err = SetBaseline(t.Context(), b.keeper, api.BaselineRequest{Where: here, Names: []string{"cost"}, Ref: "plain"})
	if !errors.As(err, &usage) || !strings.Contains(usage.Error(), "no test of run plain00000 passed and measured cost") {
		t.Errorf("a baseline without measures: %v", err)
	}
	_, err = Measures(t.Context(), b.keeper, api.MeasureRequest{Where: here, Language: "toy", Against: "other"})
	if !errors.As(err, &usage) || !strings.Contains(usage.Error(), "is of other tests, not of toy tests") {
		t.Errorf("a run of another language: %v", err)
	}
}

func TestARunInProgressIsNotComparedWith(t *testing.T) {
	b := newBench(t)
	b.ran("first00000", "toy", costs("a", "1"))
	b.record(api.Run{RunID: "running000", SessionID: "s", Kind: api.KindRun, Language: "toy", Workspace: b.root, State: api.StateRunning, StartedAt: b.now}, costs("a", "9"))
	if a := b.ask("running", "toy")[0]; !a.IsEmpty() || a.Before != nil || !strings.Contains(a.Message, "run running000 is still in progress") {
		t.Errorf("got %+v", a.Comparison)
	}
	_, err := SetBaseline(t.Context(), b.keeper, api.BaselineRequest{Where: api.Where{Dir: b.root, Exact: true}, Ref: "running"})
	if usage, ok := errors.AsType[*api.UsageError](err); !ok || !strings.Contains(usage.Error(), "in progress") {
		t.Errorf("as the baseline: %v", err)
	}
}

func TestADamagedRunDoesNotHideTheOneBeforeIt(t *testing.T) {
	b := newBench(t)
	b.ran("first00000", "toy", costs("a", "1"))
	b.ran("damaged000", "toy", costs("a", "7"))
	b.ran("last000000", "toy", costs("a", "2"))
	damage := func(id string) {
		testfiles.Write(t, filepath.Join(b.root, ".proctor", "runs", id, "results.jsonl"), "}\n")
	}
	damage("damaged000")
	if a := b.ask("", "toy")[0]; a.Before == nil || a.Before.RunID != "first00000" {
		t.Errorf("got %+v", a.Comparison)
	}
	// But it must neither pass for the last run, nor be skipped if it is.
	damage("last000000")
	where := api.Where{Dir: b.root, Exact: true}
	if answers, err := Measures(t.Context(), b.keeper, api.MeasureRequest{Where: where}); err == nil || !strings.Contains(err.Error(), "last000000") {
		t.Errorf("got %+v, %v", answers, err)
	}
}
