package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// sent is an archive of one run, and the workspace that it came from.
type sent struct {
	from    *past
	run     history.Run
	archive string
}

func newSent(t *testing.T) sent {
	t.Helper()
	p := newPast(t)
	p.writeFile("a_test.x", "1")
	state := p.snap()
	results := []history.Result{passed("a_test.x", "A"), failed("a_test.x", "B|x (é)"), part("C", "C/x", history.Skipped)}
	results[0].Measures = []history.Measure{{Name: "fuel", Value: 42}}
	run := p.runAs(history.Run{
		ID: "origin0001", SessionID: "theirs", Whole: true, Fingerprint: state, Commit: "c0ffee00", Branch: "main",
		Environment: "env", Counts: record.Counts{Passed: 1, Failed: 1, Skipped: 1},
	}, results...)
	p.keep(run, results, record.Failure{ID: "f", Suite: "s", Test: "B|x (é)", Kind: "assertion", File: "a_test.x", Line: 12, Message: "got 1, want 2"})
	s := sent{from: p, run: run, archive: filepath.Join(t.TempDir(), "theirs.tar.gz")}
	done, err := p.host.ExportRuns(t.Context(), ExportRequest{Where: p.where(), Refs: []string{"orig", "origin0001"}, File: s.archive})
	if err != nil || !slices.Equal(done.Runs, []string{"origin0001"}) || done.Bytes == 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	return s
}

func (p *past) take(archive string) (record.Transfer, error) {
	p.t.Helper()
	return p.host.ImportRuns(p.t.Context(), ImportRequest{Where: p.where(), File: archive})
}

// tree is what lies below the records, without what the database and locks leave.
func (p *past) tree() []string {
	var files []string
	root := filepath.Join(p.dir, ".proctor")
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if below, _ := filepath.Rel(root, path); err == nil && !strings.HasPrefix(below, historyFile) {
			files = append(files, below)
		}
		return err
	})
	return files
}

func TestAnImportedRunIsOnRecordAsItWas(t *testing.T) {
	s := newSent(t)
	p := newPast(t)
	p.run("now", passed("a_test.x", "A"))
	done, err := p.take(s.archive)
	if err != nil || !slices.Equal(done.Runs, []string{s.run.ID}) || len(done.OnRecord) > 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	row, err := p.history.Run(t.Context(), s.run.ID)
	want := s.run
	want.SessionID, want.Origin, want.Reason, want.Order = "import:theirs", "theirs.tar.gz", "as it was", row.Order
	if diff := cmp.Diff(want, row); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	results := func(p *past) (all []history.Result) {
		if err := p.history.Results(t.Context(), s.run.ID, func(r history.Result) bool { all = append(all, r); return true }); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if diff := cmp.Diff(results(s.from), results(p)); diff != "" || len(results(p)) != 3 {
		t.Error(diff)
	}
	state, ok, err := p.history.State(t.Context(), s.run.Fingerprint)
	if theirs, _, _ := s.from.history.State(t.Context(), s.run.Fingerprint); err != nil || !ok || !slices.Equal(state.Files, theirs.Files) {
		t.Errorf("state %+v, %t, %v", state, ok, err)
	}
	shown, _, err := p.host.Show(t.Context(), LastRun{Where: p.where(), Ref: s.run.ID[:6]})
	if err != nil || len(shown.Results) != 3 || len(shown.Failures) != 1 || shown.Failures[0].Line != 12 || shown.Workspace != p.dir || shown.Origin != "theirs.tar.gz" {
		t.Errorf("show: %+v, %v", shown, err)
	}
	if raw, err := p.host.Raw(t.Context(), shown); err != nil || raw.Stdout != "what it said\n" || raw.Stderr != "and complained of\n" {
		t.Errorf("raw: %+v, %v", raw, err)
	}
	if w, err := p.host.Why(t.Context(), WhyRequest{Where: p.where(), Test: "B|x (é)"}); err != nil || w.Latest.RunID != s.run.ID || w.Latest.SessionID != "import:theirs" {
		t.Errorf("why: %+v, %v", w, err)
	}
	d, err := p.host.Diff(t.Context(), DiffRequest{Where: p.where(), Before: s.run.ID, Now: "last"})
	if err != nil || d.Now.RunID != "run0000001" || d.Before.Origin == "" {
		t.Errorf("diff: %+v, %v", d, err)
	}
}

func TestAnImportTouchesNeitherSlotsNorWhatIsOutstanding(t *testing.T) {
	s := newSent(t)
	p := newPast(t)
	if _, err := p.take(s.archive); err != nil {
		t.Fatal(err)
	}
	if languages, err := p.store.Languages(); err != nil || len(languages) > 0 {
		t.Errorf("slots of %v, %v", languages, err)
	}
	if set, known, _, err := p.history.Outstanding(t.Context(), "x"); err != nil || known || set.Len() > 0 {
		t.Errorf("outstanding %+v, %t, %v", set, known, err)
	}
	// Nor does it when somebody looks for runs that were killed.
	if err := p.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if row, err := p.history.Run(t.Context(), s.run.ID); err != nil || row.Verdict != record.Failed {
		t.Errorf("%+v, %v", row, err)
	}
	if _, err := p.host.RunID(t.Context(), p.where(), "last"); err == nil {
		t.Error("it is the last run of this session")
	}
}

func TestASecondImportChangesNothing(t *testing.T) {
	s := newSent(t)
	p := newPast(t)
	for n := range 2 {
		done, err := p.take(s.archive)
		if err != nil || (len(done.OnRecord) == 1) != (n == 1) || (len(done.Runs) == 1) != (n == 0) {
			t.Errorf("%+v, %v", done, err)
		}
	}
	// Nor does one into the workspace that it came from.
	if done, err := s.from.take(s.archive); err != nil || len(done.OnRecord) != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	if row, err := s.from.history.Run(t.Context(), s.run.ID); err != nil || row.Origin != "" || row.SessionID != "theirs" {
		t.Errorf("%+v, %v", row, err)
	}
}

// What a killed import leaves is a run that goes on for ever, or a folder.
func TestAnImportThatWasKilledIsDoneAgain(t *testing.T) {
	s := newSent(t)
	for _, left := range []string{"a folder", "a row", "an end that somebody else gave it"} {
		p := newPast(t)
		if _, err := p.take(s.archive); err != nil {
			t.Fatal(err)
		}
		row, err := p.history.Run(t.Context(), s.run.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.history.Remove(t.Context(), []string{s.run.ID}, nil); err != nil {
			t.Fatal(err)
		}
		row.State = record.StateRunning
		switch left {
		case "a row":
			rec, err := p.history.Begin(t.Context(), row)
			if err != nil {
				t.Fatal(err)
			}
			rec.Abandon()
		case "an end that somebody else gave it":
			rec, err := p.history.Begin(t.Context(), row)
			if err != nil {
				t.Fatal(err)
			}
			row.State, row.Verdict = record.StateFinished, record.Incomplete
			if err := rec.Finish(t.Context(), row); err != nil {
				t.Fatal(err)
			}
		}
		// What recall would end first is looked at as it is.
		done, err := p.host.ImportRuns(t.Context(), ImportRequest{Where: p.where(), File: s.archive})
		if err != nil || len(done.Runs) != 1 {
			t.Errorf("%s: %+v, %v", left, done, err)
			continue
		}
		if row, err := p.history.Run(t.Context(), s.run.ID); err != nil || row.State != record.StateFinished || row.Verdict != record.Failed {
			t.Errorf("%s: %+v, %v", left, row, err)
		}
		if set, known, _, err := p.history.Outstanding(t.Context(), "x"); err != nil || known || set.Len() > 0 {
			t.Errorf("%s: outstanding %+v", left, set)
		}
	}
}

func TestAnArchiveThatCannotBeReadIsAMisuse(t *testing.T) {
	p := newPast(t)
	var usage *UsageError
	for _, file := range []string{filepath.Join(t.TempDir(), "absent"), t.TempDir()} {
		if _, err := p.take(file); !errors.As(err, &usage) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestAnInterruptedImportLeavesNothing(t *testing.T) {
	s := newSent(t)
	p := newPast(t)
	before := p.tree()
	ctx, cancel := context.WithCancel(t.Context())
	m, err := p.host.recall(ctx, p.where())
	if err != nil {
		t.Fatal(err)
	}
	stage, err := m.store.Stage(ctx)
	if err != nil {
		t.Fatal(err)
	}
	in := &intake{stage: stage, origin: "x", now: s.from.now}
	if err := in.read(ctx, s.archive); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, _, err := m.take(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if err := in.close(); err != nil {
		t.Error(err)
	}
	p.tookNothing(t, before)
}

func TestAnExportReplacesNothingUnasked(t *testing.T) {
	s := newSent(t)
	p := s.from
	old, err := os.ReadFile(s.archive)
	if err != nil {
		t.Fatal(err)
	}
	export := func(file string, force bool) error {
		_, err := p.host.ExportRuns(t.Context(), ExportRequest{Where: p.where(), Refs: []string{s.run.ID}, File: file, Force: force})
		return err
	}
	if err := os.WriteFile(s.archive, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	var usage *UsageError
	if err := export(s.archive, false); !errors.As(err, &usage) {
		t.Errorf("err = %v", err)
	}
	if raw, _ := os.ReadFile(s.archive); string(raw) != "precious" {
		t.Errorf("the file is %q", raw)
	}
	if err := export(s.archive, true); err != nil {
		t.Error(err)
	}
	if raw, _ := os.ReadFile(s.archive); len(raw) < len(old)/2 {
		t.Errorf("%d bytes, were %d", len(raw), len(old))
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(s.archive, link); err == nil {
		if err := export(link, true); !errors.As(err, &usage) {
			t.Errorf("through a link: %v", err)
		}
	}
	if err := export(filepath.Join(t.TempDir(), "no", "such", "folder"), false); err == nil {
		t.Error("it was written nowhere")
	}
	if entries, _ := os.ReadDir(filepath.Dir(s.archive)); len(entries) != 1 {
		t.Errorf("litter: %v", entries)
	}
	t.Chdir(t.TempDir())
	done, err := p.host.ExportRuns(t.Context(), ExportRequest{Where: p.where(), Refs: []string{s.run.ID}})
	if err != nil || done.File != "proctor-origin0001.tar.gz" {
		t.Errorf("%+v, %v", done, err)
	}
}

// A killed process cuts its last line.
func TestARunWhoseListWasCutIsExportedWithoutThatLine(t *testing.T) {
	s := newSent(t)
	path := filepath.Join(s.from.dir, ".proctor", "runs", s.run.ID, "results.jsonl")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, `{"suite":"s","te`)
	f.Close()
	archive := filepath.Join(t.TempDir(), "cut.tar.gz")
	if _, err := s.from.host.ExportRuns(t.Context(), ExportRequest{Where: s.from.where(), Refs: []string{s.run.ID}, File: archive}); err != nil {
		t.Fatal(err)
	}
	p := newPast(t)
	if done, err := p.take(archive); err != nil || len(done.Runs) != 1 {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestAnImportDoesNotMoveTestsThatAreKnown(t *testing.T) {
	s := newSent(t)
	p := newPast(t)
	p.run("now", passed("here_test.x", "A"))
	if _, err := p.take(s.archive); err != nil {
		t.Fatal(err)
	}
	files := func() map[string]string {
		tests, err := p.history.Tests(t.Context(), history.TestFilter{Language: "x"})
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]string{}
		for _, test := range tests {
			at[test.Test.Test] = test.File
		}
		return at
	}
	if got := files(); got["A"] != "here_test.x" || got["B|x (é)"] != "a_test.x" {
		t.Errorf("declared in %v", got)
	}
	p.run("now", passed("moved_test.x", "B|x (é)"))
	if got := files(); got["B|x (é)"] != "moved_test.x" {
		t.Errorf("declared in %v", got)
	}
}

func TestNothingIsExportedIntoTheRecords(t *testing.T) {
	s := newSent(t)
	p := s.from
	records := filepath.Join(p.dir, ".proctor")
	link := filepath.Join(t.TempDir(), "link")
	targets := []string{filepath.Join(records, historyFile), filepath.Join(records, "new.json"), filepath.Join(records, "runs", s.run.ID, "x")}
	if err := os.Symlink(records, link); err == nil {
		targets = append(targets, filepath.Join(link, historyFile))
	}
	before := p.tree()
	for _, target := range targets {
		_, err := p.host.ExportRuns(t.Context(), ExportRequest{Where: p.where(), Refs: []string{s.run.ID}, File: target, Force: true})
		_, err2 := p.host.ExportHistory(t.Context(), p.where(), target)
		for _, err := range []error{err, err2} {
			var usage *UsageError
			if !errors.As(err, &usage) || !strings.Contains(err.Error(), "keeps its records") {
				t.Errorf("%s: %v", target, err)
			}
		}
	}
	if after := p.tree(); !slices.Equal(before, after) {
		t.Errorf("there is %v", after)
	}
	if _, err := p.host.ExportHistory(t.Context(), p.where(), filepath.Join(p.dir, "history.json")); err != nil {
		t.Error(err)
	}
}
