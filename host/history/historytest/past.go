package historytest

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// Part returns a result of a part of a test.
func Part(root, test string, outcome history.Outcome) history.Result {
	r := Did("a_test.x", test, outcome)
	r.Root = root
	return r
}

// Past is a directory and a history, which a test fills run by run.
type Past struct {
	T   testing.TB
	DB  history.Store
	Dir string
	Now time.Time
	N   int
}

// NewPast makes an empty directory. The history is the caller's.
func NewPast(t testing.TB) *Past {
	return &Past{T: t, Dir: t.TempDir(), Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
}

// Run puts a run of a session on record, an hour after the previous one.
func (p *Past) Run(session string, results ...history.Result) history.Run {
	p.T.Helper()
	return p.RunAs(history.Run{SessionID: session}, results...)
}

// RunAs is Run for a run with other fields set.
func (p *Past) RunAs(run history.Run, results ...history.Result) history.Run {
	p.T.Helper()
	p.N++
	p.Now = p.Now.Add(time.Hour)
	if run.ID == "" {
		run.ID = fmt.Sprintf("run%07d", p.N)
	}
	if run.Kind == "" {
		run.Kind = api.KindRun
	}
	if run.Language == "" {
		run.Language = "x"
	}
	if run.StartedAt.IsZero() {
		run.StartedAt = p.Now
	}
	run.State = api.StateRunning
	ctx := p.T.Context()
	rec, err := p.DB.Begin(ctx, run)
	if err != nil {
		p.T.Fatal(err)
	}
	run.Verdict = api.Passed
	for _, r := range results {
		rec.Add(r)
		if r.Outcome.Bad() {
			run.Verdict = api.Failed
		}
	}
	run.State, run.Duration = api.StateFinished, time.Minute
	if err := rec.Finish(ctx, run); err != nil {
		p.T.Fatal(err)
	}
	if run, err = p.DB.Run(ctx, run.ID); err != nil {
		p.T.Fatal(err)
	}
	p.Now = p.Now.Add(2 * time.Minute)
	return run
}

// WriteFile writes a file of the workspace.
func (p *Past) WriteFile(name, content string) {
	p.T.Helper()
	testfiles.Write(p.T, filepath.Join(p.Dir, filepath.FromSlash(name)), content)
}

// Did returns the result of a test of suite "s" declared in file.
func Did(file, test string, outcome history.Outcome) history.Result {
	r := history.Result{TestID: sdk.TestID{Suite: "s", Test: test}, File: file, Line: 7, Outcome: outcome, Duration: time.Second}
	if outcome.Bad() {
		r.Signature, r.Kind, r.Excerpt = "0123456789abcdef", "assertion", "got 1, want 2"
	}
	return r
}

func Passed(file, test string) history.Result { return Did(file, test, history.Passed) }

func Failed(file, test string) history.Result { return Did(file, test, history.Failed) }

// Key returns the key of a test of suite "s".
func Key(test string) history.TestKey {
	return history.TestKey{Language: "x", TestID: sdk.TestID{Suite: "s", Test: test}}
}
