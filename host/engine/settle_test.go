package engine

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

func TestARerunLeavesOutstandingOnlyWhatItAskedFor(t *testing.T) {
	test := func(name string) sdk.TestID { return sdk.TestID{Suite: "p", Test: name} }
	p := &Plan{Chosen: &outstanding.Selection{Requested: []outstanding.Target{{TestID: test("A")}}}}
	for name, want := range map[string]bool{"A": true, "Waiting": false} {
		after := outstanding.Set{Entries: []outstanding.Entry{{TestID: test(name)}}}
		if got := p.leavesRequested(after); got != want {
			t.Errorf("%s is outstanding: %v", name, got)
		}
	}
}

// A test that was red with two sets of arguments is one test: "2 outstanding, 4 of these" is no sentence.
func TestWhatIsRedInSeveralOtherWaysCountsOnce(t *testing.T) {
	t.Parallel()
	p := &Plan{merged: &Merged{argsKey: "now"}}
	red := func(test, args string) outstanding.Entry {
		return outstanding.Entry{TestID: sdk.TestID{Suite: "p", Test: test}, Args: args, Way: outstanding.WayOf([]string{args}, nil)}
	}
	left := outstanding.Set{Entries: []outstanding.Entry{red("A", "-race"), red("A", "-tags=x"), red("B", "now")}}
	if n := p.countOtherwise(left); n != 1 {
		t.Errorf("%d of 2 tests failed with other arguments", n)
	}
}

func TestAPassInAnotherWaySaysWhatStaysOutstanding(t *testing.T) {
	t.Parallel()
	red := func(test string, way *outstanding.Way) outstanding.Entry {
		return outstanding.Entry{TestID: sdk.TestID{Suite: "p", Test: test}, Way: way}
	}
	var many []outstanding.Entry
	for _, test := range []string{"A", "B", "C", "D", "E", "F"} {
		many = append(many, red(test, outstanding.WayOf([]string{"0000 -k", "0001 x"}, nil)))
	}
	for name, tc := range map[string]struct {
		left []outstanding.Entry
		want []string
	}{
		"nothing": {nil, nil},
		"one": {[]outstanding.Entry{red("A", outstanding.WayOf([]string{"-tags=a b"}, nil))}, []string{
			"passed with other arguments: 1 test passed here, but was red with '-tags=a b' and not run like that since: p/A"}},
		"many": {many, []string{
			"passed with other arguments: 6 tests passed here, but were red with -k x and not run like that since: p/A, p/B, p/C, p/D, p/E and 1 more"}},
	} {
		got := describePassedOtherwise(tc.left)
		for i, n := range got {
			if len(got) != len(tc.want) || n != (api.Note{Code: api.NotePassedOtherwise, Text: tc.want[i], Advice: api.Advice{Operation: api.AdviseRerun}}) {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

func TestARerunOfAMistypedSuiteNamesTheWayOut(t *testing.T) {
	t.Parallel()
	asked := []outstanding.Target{{TestID: sdk.TestID{Suite: "cart"}}, {TestID: sdk.TestID{Suite: "p", Test: "A"}}}
	for want, failure := range map[api.Advice]api.Failure{
		{Operation: api.AdviseDropSlip, Of: "cart"}: {Failure: sdk.Failure{TestID: sdk.TestID{Suite: "cart"}, Kind: sdk.KindSetup}},
		{}: {Failure: sdk.Failure{TestID: sdk.TestID{Suite: "cart"}, Kind: sdk.KindBuild}},
	} {
		if got := ledger.AdviseMissingSuite(api.Run{Failures: []api.Failure{failure, {Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p"}, Kind: sdk.KindSetup}}}}, asked); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// leftRed puts a red run of a language on record, as another process would, and returns
// the workspace and the folder of its records.
func leftRed(t *testing.T) (root, dir string) {
	t.Helper()
	root = t.TempDir()
	k := ledger.New(project.Config{Session: "other"})
	defer k.Close(t.Context())
	store, err := k.Store(root)
	if err != nil {
		t.Fatal(err)
	}
	led, err := ledger.OpenHistory(t.Context(), k, store)
	if err != nil {
		t.Fatal(err)
	}
	run := api.Run{
		Schema: api.Schema, RunID: ledger.NewRunID(), SessionID: "other", Kind: api.KindRun, Language: "toy", Workspace: store.Workspace(),
		State: api.StateFinished, Verdict: api.Failed, StartedAt: time.Now(),
	}
	rec, err := artifacts.NewRecorder(store, run)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ledger.NewWriter(t.Context(), led, run)
	if err != nil {
		t.Fatal(err)
	}
	set := outstanding.Set{Entries: []outstanding.Entry{{TestID: sdk.TestID{Suite: "p", Test: "A"}, Reason: outstanding.ReasonFailed, RunID: run.RunID, LastRunID: run.RunID}}}
	if _, err := led.UpdateOutstanding(t.Context(), "toy", func(outstanding.Set) outstanding.Set { return set }); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{c.Finish(t.Context(), run, false, nil), rec.Finish(run), store.Finish(t.Context(), run)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return root, store.Dir()
}

// A red must not be lost with a part of its record.
func TestWhatIsOutstandingSurvivesTheLossOfItsRecord(t *testing.T) {
	t.Parallel()
	remove := func(t *testing.T, dir string, names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	database := []string{"history.db", "history.db-wal", "history.db-shm"}
	damage := func(t *testing.T, dir string) {
		t.Helper()
		remove(t, dir, database...)
		testfiles.Write(t, filepath.Join(dir, "history.db"), "no database")
	}
	for name, tc := range map[string]struct {
		lose           func(t *testing.T, dir string)
		language, test string
		why            outstanding.Why
	}{
		"nothing is lost":      {func(*testing.T, string) {}, "toy", "A", ""},
		"the sessions are":     {func(t *testing.T, dir string) { remove(t, dir, "sessions") }, "toy", "A", ""},
		"the history is":       {func(t *testing.T, dir string) { remove(t, dir, database...) }, "toy", "", outstanding.WhyLost},
		"the history is wrong": {damage, "toy", "", outstanding.WhyLost},
		"only a damaged history is left": {func(t *testing.T, dir string) {
			damage(t, dir)
			remove(t, dir, "sessions", "runs")
			if err := os.Mkdir(filepath.Join(dir, "sessions"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "", "", outstanding.WhyLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, dir := leftRed(t)
			tc.lose(t, dir)
			k := ledger.New(project.Config{Session: "mine"})
			defer k.Close(t.Context())
			here := api.OutstandingRequest{Where: api.Where{Dir: root, Exact: true}}
			for range 2 { // however often it is asked
				got, err := query.Outstanding(t.Context(), k, here)
				if err != nil || got.Total != 1 || got.Tests[0].Language != tc.language || got.Tests[0].Test != tc.test || got.Tests[0].Why != string(tc.why) {
					t.Fatalf("%+v, %v", got, err)
				}
			}
			note, err := query.Context(t.Context(), k, here.Where)
			if err != nil || note.Outstanding != 1 {
				t.Errorf("at the start of a session: %+v, %v", note, err)
			}
			if tc.why == outstanding.WhyLost {
				here.Drop = []string{"(the run)"}
				if got, err := query.Outstanding(t.Context(), k, here); err != nil || got.Total != 0 {
					t.Errorf("taken off: %+v, %v", got, err)
				}
			}
		})
	}
}

func TestARunThatHeardOfEverySuiteItWasAskedForLeftNothingUnnamed(t *testing.T) {
	t.Parallel()
	tl := tally.NewTally()
	if !tl.IsUntold() || tl.ReportedOn(sdk.Selection{}) {
		t.Error("something was told before anything was")
	}
	tl.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteUnfinished}})
	for want, suites := range map[bool][]string{true: {"p"}, false: {"p", "q"}} {
		if got := tl.ReportedOn(sdk.Selection{Suites: suites}); got != want {
			t.Errorf("%q: %t", suites, got)
		}
	}
	if tl.IsUntold() {
		t.Error("a suite was told")
	}
}
