package history_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

// start is when the first run of a test starts.
var start = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// fixture is a store, with what keeps tests of it short.
type fixture struct {
	history.Store
	t    *testing.T
	runs int
}

func newFixture(t *testing.T, open opener) *fixture {
	t.Helper()
	return &fixture{t: t, Store: openStore(t, open, t.TempDir(), "/workspace")}
}

func openStore(t *testing.T, open opener, dir, root string) history.Store {
	t.Helper()
	store, err := open(t.Context(), dir, root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// option changes a run of the fixture.
type option func(*history.Run)

func in(session string) option     { return func(r *history.Run) { r.SessionID = session } }
func on(fingerprint string) option { return func(r *history.Run) { r.Fingerprint = fingerprint } }
func kind(k api.Kind) option       { return func(r *history.Run) { r.Kind = k } }
func language(l string) option     { return func(r *history.Run) { r.Language = l } }

// begin puts the next run on record: r1, r2, and so on.
func (f *fixture) begin(options ...option) (history.Run, history.Recorder) {
	f.t.Helper()
	f.runs++
	run := history.Run{
		ID: fmt.Sprintf("r%d", f.runs), SessionID: "session", Kind: api.KindRun, Language: "l",
		State: api.StateRunning, StartedAt: start.Add(time.Duration(f.runs) * time.Minute),
	}
	for _, o := range options {
		o(&run)
	}
	recorder, err := f.Begin(f.t.Context(), run)
	if err != nil {
		f.t.Fatal(err)
	}
	return run, recorder
}

// run records a finished run.
func (f *fixture) run(results []history.Result, options ...option) history.Run {
	f.t.Helper()
	run, recorder := f.begin(options...)
	for _, r := range results {
		recorder.Add(r)
	}
	run.State = api.StateFinished
	if err := recorder.Finish(f.t.Context(), run); err != nil {
		f.t.Fatal(err)
	}
	return run
}

// result returns a result of a test of suite s.
func result(test string, o history.Outcome) history.Result {
	return history.Result{TestID: sdk.TestID{Suite: "s", Test: test}, Outcome: o}
}

func results(r ...history.Result) []history.Result { return r }

// results returns the results of a run.
func (f *fixture) results(run string) []history.Result {
	f.t.Helper()
	var all []history.Result
	f.must(f.Results(f.t.Context(), run, func(r history.Result) bool {
		all = append(all, r)
		return true
	}))
	return all
}

// written waits until a running run has results on record.
func (f *fixture) written(run string) {
	f.t.Helper()
	for deadline := time.Now().Add(time.Minute); len(f.results(run)) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.t.Fatal("results of a running run are not written")
		}
	}
}

// timeline returns the timeline of a test of suite s, or nil.
func (f *fixture) timeline(test string, filter history.TimelineFilter) *history.Timeline {
	f.t.Helper()
	filter.Language = "l"
	filter.Tests = []sdk.TestID{{Suite: "s", Test: test}}
	var found *history.Timeline
	f.must(f.Timeline(f.t.Context(), filter, func(l history.Timeline) bool {
		found = &l
		return true
	}))
	return found
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// reporter is a test or a rapid test.
type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// same fails the test if two values differ. Empty and nil are equal.
func same[T any](t reporter, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// names returns the names of tests.
func names(tests []history.Test) []string {
	var all []string
	for _, t := range tests {
		all = append(all, t.TestKey.Test)
	}
	return all
}

// ids returns the ids of runs.
func ids(runs []history.Run) []string {
	var all []string
	for _, r := range runs {
		all = append(all, r.ID)
	}
	return all
}
