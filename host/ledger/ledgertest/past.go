package ledgertest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
)

// Workspace is a workspace with a history that a test makes up.
type Workspace struct {
	*historytest.Past
	*ledger.Ledger
}

func New(t testing.TB) *Workspace {
	t.Helper()
	p := &Workspace{Past: historytest.NewPast(t)}
	k := ledger.New(project.Config{Session: "now", StateHome: t.TempDir(), Now: func() time.Time { return p.Now }})
	t.Cleanup(func() { k.Close(t.Context()) })
	store, err := k.Store(p.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if p.Ledger, err = ledger.OpenHistory(t.Context(), k, store); err != nil {
		t.Fatal(err)
	}
	p.DB = p.Ledger.History
	return p
}

func (p *Workspace) Where() api.Where { return api.Where{Dir: p.Dir, Exact: true} }

func (p *Workspace) Must(err error) {
	p.T.Helper()
	if err != nil {
		p.T.Fatal(err)
	}
}

// Folders are the runs that have one.
func (p *Workspace) Folders() []string {
	ids, err := artifacts.ListRunIDs(p.Artifacts)
	if err != nil {
		p.T.Fatal(err)
	}
	slices.Sort(ids)
	return ids
}

// Snap puts the state of the workspace's files on record, and names it.
func (p *Workspace) Snap() string {
	p.T.Helper()
	state, err := p.WorkingTree(p.T.Context(), nil)
	if err == nil {
		err = p.History.SaveState(p.T.Context(), state)
	}
	if err != nil {
		p.T.Fatal(err)
	}
	return state.ID
}

// Keep writes the folder of a run, with its failures.
func (p *Workspace) Keep(run history.Run, results []history.Result, failures ...api.Failure) {
	p.T.Helper()
	object := api.Run{
		Schema: api.Schema, RunID: run.ID, SessionID: run.SessionID, Kind: run.Kind, Language: run.Language,
		State: api.StateFinished, Verdict: run.Verdict, Reason: "as it was", StartedAt: run.StartedAt, DurationS: run.Duration.Seconds(),
		Commands: []api.Command{{Argv: []string{"x"}, Dir: "."}}, Failures: failures, FailuresTotal: len(failures),
		Counts: run.Counts, Environment: run.Environment, MixedState: run.MixedState, Origin: run.Origin,
	}
	if run.Fingerprint != "" {
		object.Source = &api.Source{Fingerprint: run.Fingerprint, Kind: "walk", Commit: run.Commit, Branch: run.Branch, Dirty: 1}
	}
	rec, err := artifacts.NewRecorder(p.Artifacts, object)
	if err != nil {
		p.T.Fatal(err)
	}
	for _, r := range results {
		rec.Listen(&api.TestEnded{Result: api.Result{DurationS: r.Duration.Seconds(), TestResult: sdk.TestResult{
			TestID: r.TestID, Location: sdk.Location{File: r.File, Line: r.Line}, Root: r.Root,
			Status: sdk.Status(ledger.OutcomeWord(r.Outcome)),
		}}})
	}
	for _, f := range failures {
		rec.Listen(&api.FailureFound{Failure: f})
	}
	for n, text := range []string{"what it said", "and complained of"} {
		stream, err := rec.Stream(0, []string{"stdout", "stderr"}[n])
		if err != nil {
			p.T.Fatal(err)
		}
		fmt.Fprintln(stream, text)
	}
	if err := rec.Finish(object); err != nil {
		p.T.Fatal(err)
	}
}
