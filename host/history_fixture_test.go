package host

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// past is a workspace with a history that a test makes up.
type past struct {
	*fixture
	*memory
}

func newPast(t testing.TB) *past {
	t.Helper()
	p := &past{fixture: newFixture(t)}
	h := New(Config{Session: "now", StateHome: t.TempDir(), Now: func() time.Time { return p.now }})
	t.Cleanup(func() { h.Close(t.Context()) })
	store, err := h.store(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	if p.memory, err = h.remember(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	p.db = p.memory.history
	return p
}

func (p *past) where() Where { return Where{Dir: p.dir, Exact: true} }

// fixture is a directory and a history, which a test fills run by run.
type fixture struct {
	t   testing.TB
	db  history.Store
	dir string
	now time.Time
	n   int
}

// newFixture makes an empty directory. The history is the caller's.
func newFixture(t testing.TB) *fixture {
	return &fixture{t: t, dir: t.TempDir(), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
}

// run puts a run of a session on record, an hour after the one before.
func (p *fixture) run(session string, results ...history.Result) history.Run {
	p.t.Helper()
	return p.runAs(history.Run{SessionID: session}, results...)
}

// runAs is run with what is not usual about it.
func (p *fixture) runAs(run history.Run, results ...history.Result) history.Run {
	p.t.Helper()
	p.n++
	p.now = p.now.Add(time.Hour)
	if run.ID == "" {
		run.ID = fmt.Sprintf("run%07d", p.n)
	}
	if run.Kind == "" {
		run.Kind = record.KindRun
	}
	if run.Language == "" {
		run.Language = "x"
	}
	if run.StartedAt.IsZero() {
		run.StartedAt = p.now
	}
	run.State = record.StateRunning
	ctx := p.t.Context()
	rec, err := p.db.Begin(ctx, run)
	if err != nil {
		p.t.Fatal(err)
	}
	run.Verdict = record.Passed
	for _, r := range results {
		rec.Add(r)
		if r.Outcome.Bad() {
			run.Verdict = record.Failed
		}
	}
	run.State, run.Duration = record.StateFinished, time.Minute
	if err := rec.Finish(ctx, run); err != nil {
		p.t.Fatal(err)
	}
	if run, err = p.db.Run(ctx, run.ID); err != nil {
		p.t.Fatal(err)
	}
	p.now = p.now.Add(2 * time.Minute)
	return run
}

// writeFile writes a file of the workspace.
func (p *fixture) writeFile(name, content string) {
	p.t.Helper()
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// did is the result of a test in file; its suite is "s".
func did(file, test string, outcome history.Outcome) history.Result {
	r := history.Result{Test: record.Test{Suite: "s", Test: test}, File: file, Line: 7, Outcome: outcome, Duration: time.Second}
	if outcome.Bad() {
		r.Signature, r.Kind, r.Excerpt = "0123456789abcdef", "assertion", "got 1, want 2"
	}
	return r
}

func passed(file, test string) history.Result { return did(file, test, history.Passed) }
func failed(file, test string) history.Result { return did(file, test, history.Failed) }

// key is the key of a test of suite "s".
func key(test string) history.TestKey {
	return history.TestKey{Language: "x", Test: record.Test{Suite: "s", Test: test}}
}
