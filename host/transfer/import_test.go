package transfer

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

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// sent is an archive of one run, and the workspace it came from.
type sent struct {
	from    *ledgertest.Workspace
	run     history.Run
	archive string
}

func newSent(t *testing.T) sent {
	t.Helper()
	p := ledgertest.New(t)
	p.WriteFile("a_test.x", "1")
	state := p.Snap()
	results := []history.Result{historytest.Passed("a_test.x", "A"), historytest.Failed("a_test.x", "B|x (é)"), historytest.Part("C", "C/x", history.Skipped)}
	results[0].Measures = []history.Measure{{Name: "fuel", Value: 42}}
	run := p.RunAs(history.Run{
		ID: "origin0001", SessionID: "theirs", Whole: true, Fingerprint: state, Commit: "c0ffee00", Branch: "main",
		Environment: "env", Counts: api.Counts{Passed: 1, Failed: 1, Skipped: 1},
	}, results...)
	p.Keep(run, results, api.Failure{ID: "f", Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "B|x (é)"}, Kind: "assertion", Location: sdk.Location{File: "a_test.x", Line: 12}, Message: "got 1, want 2"}})
	s := sent{from: p, run: run, archive: filepath.Join(t.TempDir(), "theirs.tar.gz")}
	done, err := ExportRuns(t.Context(), p.Keeper, api.ExportRequest{Where: p.Where(), Refs: []string{"orig", "origin0001"}, File: s.archive})
	if err != nil || !slices.Equal(done.Runs, []string{"origin0001"}) || done.Bytes == 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	return s
}

func take(p *ledgertest.Workspace, archive string) (api.Transfer, error) {
	p.T.Helper()
	return ImportRuns(p.T.Context(), p.Keeper, api.ImportRequest{Where: p.Where(), File: archive})
}

// tree lists what is below the records, except for what the database and locks leave.
func tree(p *ledgertest.Workspace) []string {
	var files []string
	root := filepath.Join(p.Dir, ".proctor")
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if below, _ := filepath.Rel(root, path); err == nil && !strings.HasPrefix(below, "history.db") {
			files = append(files, below)
		}
		return err
	})
	return files
}

func TestAnImportedRunIsOnRecordAsItWas(t *testing.T) {
	s := newSent(t)
	p := ledgertest.New(t)
	p.Run("now", historytest.Passed("a_test.x", "A"))
	done, err := take(p, s.archive)
	if err != nil || !slices.Equal(done.Runs, []string{s.run.ID}) || len(done.OnRecord) > 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	row, err := p.History.Run(t.Context(), s.run.ID)
	want := s.run
	want.SessionID, want.Origin, want.Reason, want.Order = "import:theirs", "theirs.tar.gz", "as it was", row.Order
	if diff := cmp.Diff(want, row); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	results := func(p *ledgertest.Workspace) (all []history.Result) {
		if err := p.History.Results(t.Context(), s.run.ID, func(r history.Result) bool { all = append(all, r); return true }); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if diff := cmp.Diff(results(s.from), results(p)); diff != "" || len(results(p)) != 3 {
		t.Error(diff)
	}
	state, ok, err := p.History.State(t.Context(), s.run.Fingerprint)
	if theirs, _, _ := s.from.History.State(t.Context(), s.run.Fingerprint); err != nil || !ok || !slices.Equal(state.Files, theirs.Files) {
		t.Errorf("state %+v, %t, %v", state, ok, err)
	}
	shown, _, err := query.Show(t.Context(), p.Keeper, api.LastRun{Where: p.Where(), Ref: s.run.ID[:6]})
	if err != nil || len(shown.Results) != 3 || len(shown.Failures) != 1 || shown.Failures[0].Line != 12 || shown.Workspace != p.Dir || shown.Origin != "theirs.tar.gz" {
		t.Errorf("show: %+v, %v", shown, err)
	}
	if raw, err := engine.ReadRawOutput(t.Context(), p.Keeper, shown); err != nil || raw.Stdout != "what it said\n" || raw.Stderr != "and complained of\n" {
		t.Errorf("raw: %+v, %v", raw, err)
	}
	if w, err := query.Why(t.Context(), p.Keeper, api.WhyRequest{Where: p.Where(), Test: "B|x (é)"}); err != nil || w.Latest.RunID != s.run.ID || w.Latest.SessionID != "import:theirs" {
		t.Errorf("why: %+v, %v", w, err)
	}
	d, err := query.Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Before: s.run.ID, Now: "last"})
	if err != nil || d.Now.RunID != "run0000001" || d.Before.Origin == "" {
		t.Errorf("diff: %+v, %v", d, err)
	}
}

func TestAnImportTouchesNeitherSlotsNorWhatIsOutstanding(t *testing.T) {
	s := newSent(t)
	p := ledgertest.New(t)
	if _, err := take(p, s.archive); err != nil {
		t.Fatal(err)
	}
	if languages, err := p.Artifacts.Languages(); err != nil || len(languages) > 0 {
		t.Errorf("slots of %v, %v", languages, err)
	}
	if set, known, _, err := p.History.Outstanding(t.Context(), "x"); err != nil || known || set.Len() > 0 {
		t.Errorf("outstanding %+v, %t, %v", set, known, err)
	}
	// Nor when somebody looks for killed runs.
	if _, err := ledger.OpenAt(t.Context(), p.Keeper, p.Where()); err != nil {
		t.Fatal(err)
	}
	if row, err := p.History.Run(t.Context(), s.run.ID); err != nil || row.Verdict != api.Failed {
		t.Errorf("%+v, %v", row, err)
	}
	if _, err := ledger.FindRunID(t.Context(), p.Keeper, p.Where(), "last"); err == nil {
		t.Error("it is the last run of this session")
	}
}

func TestASecondImportChangesNothing(t *testing.T) {
	s := newSent(t)
	p := ledgertest.New(t)
	for n := range 2 {
		done, err := take(p, s.archive)
		if err != nil || (len(done.OnRecord) == 1) != (n == 1) || (len(done.Runs) == 1) != (n == 0) {
			t.Errorf("%+v, %v", done, err)
		}
	}
	// Nor into the workspace it came from.
	if done, err := take(s.from, s.archive); err != nil || len(done.OnRecord) != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	if row, err := s.from.History.Run(t.Context(), s.run.ID); err != nil || row.Origin != "" || row.SessionID != "theirs" {
		t.Errorf("%+v, %v", row, err)
	}
}

// A killed import leaves a run in progress forever, or a folder.
func TestAnImportThatWasKilledIsDoneAgain(t *testing.T) {
	s := newSent(t)
	for _, left := range []string{"a folder", "a row", "an end that somebody else gave it"} {
		p := ledgertest.New(t)
		if _, err := take(p, s.archive); err != nil {
			t.Fatal(err)
		}
		row, err := p.History.Run(t.Context(), s.run.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.History.Remove(t.Context(), []string{s.run.ID}, nil); err != nil {
			t.Fatal(err)
		}
		row.State = api.StateRunning
		switch left {
		case "a row":
			rec, err := p.History.Begin(t.Context(), row)
			if err != nil {
				t.Fatal(err)
			}
			rec.Abandon()
		case "an end that somebody else gave it":
			rec, err := p.History.Begin(t.Context(), row)
			if err != nil {
				t.Fatal(err)
			}
			row.State, row.Verdict = api.StateFinished, api.Incomplete
			if err := rec.Finish(t.Context(), row); err != nil {
				t.Fatal(err)
			}
		}
		// Runs that settling would end first are examined as they are.
		done, err := ImportRuns(t.Context(), p.Keeper, api.ImportRequest{Where: p.Where(), File: s.archive})
		if err != nil || len(done.Runs) != 1 {
			t.Errorf("%s: %+v, %v", left, done, err)
			continue
		}
		if row, err := p.History.Run(t.Context(), s.run.ID); err != nil || row.State != api.StateFinished || row.Verdict != api.Failed {
			t.Errorf("%s: %+v, %v", left, row, err)
		}
		if set, known, _, err := p.History.Outstanding(t.Context(), "x"); err != nil || known || set.Len() > 0 {
			t.Errorf("%s: outstanding %+v", left, set)
		}
	}
}

func TestAnArchiveThatCannotBeReadIsAMisuse(t *testing.T) {
	p := ledgertest.New(t)
	var usage *api.UsageError
	for _, file := range []string{filepath.Join(t.TempDir(), "absent"), t.TempDir()} {
		if _, err := take(p, file); !errors.As(err, &usage) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestAnInterruptedImportLeavesNothing(t *testing.T) {
	s := newSent(t)
	p := ledgertest.New(t)
	before := tree(p)
	ctx, cancel := context.WithCancel(t.Context())
	led, err := ledger.OpenAt(ctx, p.Keeper, p.Where())
	if err != nil {
		t.Fatal(err)
	}
	stage, err := artifacts.NewStage(ctx, led.Artifacts)
	if err != nil {
		t.Fatal(err)
	}
	in := &importer{stage: stage, origin: "x", now: s.from.Now, most: maxArchiveBytes}
	if err := in.read(ctx, s.archive); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, _, err := takeRuns(ctx, led, in); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if err := in.close(); err != nil {
		t.Error(err)
	}
	tookNothing(p, t, before)
}

func TestAnExportReplacesNothingUnasked(t *testing.T) {
	s := newSent(t)
	p := s.from
	old, err := os.ReadFile(s.archive)
	if err != nil {
		t.Fatal(err)
	}
	export := func(file string, force bool) error {
		_, err := ExportRuns(t.Context(), p.Keeper, api.ExportRequest{Where: p.Where(), Refs: []string{s.run.ID}, File: file, Force: force})
		return err
	}
	testfiles.Write(t, s.archive, "precious")
	var usage *api.UsageError
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
	done, err := ExportRuns(t.Context(), p.Keeper, api.ExportRequest{Where: p.Where(), Refs: []string{s.run.ID}})
	if err != nil || done.File != "proctor-origin0001.tar.gz" {
		t.Errorf("%+v, %v", done, err)
	}
}

// A killed process cuts its last line.
func TestARunWhoseListWasCutIsExportedWithoutThatLine(t *testing.T) {
	s := newSent(t)
	path := filepath.Join(s.from.Dir, ".proctor", "runs", s.run.ID, "results.jsonl")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, `{"suite":"s","te`)
	f.Close()
	archive := filepath.Join(t.TempDir(), "cut.tar.gz")
	if _, err := ExportRuns(t.Context(), s.from.Keeper, api.ExportRequest{Where: s.from.Where(), Refs: []string{s.run.ID}, File: archive}); err != nil {
		t.Fatal(err)
	}
	p := ledgertest.New(t)
	if done, err := take(p, archive); err != nil || len(done.Runs) != 1 {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestAnImportDoesNotMoveTestsThatAreKnown(t *testing.T) {
	s := newSent(t)
	p := ledgertest.New(t)
	p.Run("now", historytest.Passed("here_test.x", "A"))
	if _, err := take(p, s.archive); err != nil {
		t.Fatal(err)
	}
	files := func() map[string]string {
		tests, err := p.History.Tests(t.Context(), history.TestFilter{Language: "x"})
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]string{}
		for _, test := range tests {
			at[test.Test] = test.File
		}
		return at
	}
	if got := files(); got["A"] != "here_test.x" || got["B|x (é)"] != "a_test.x" {
		t.Errorf("declared in %v", got)
	}
	p.Run("now", historytest.Passed("moved_test.x", "B|x (é)"))
	if got := files(); got["B|x (é)"] != "moved_test.x" {
		t.Errorf("declared in %v", got)
	}
}

func TestNothingIsExportedIntoTheRecords(t *testing.T) {
	s := newSent(t)
	p := s.from
	records := filepath.Join(p.Dir, ".proctor")
	link := filepath.Join(t.TempDir(), "link")
	targets := []string{filepath.Join(records, "history.db"), filepath.Join(records, "new.json"), filepath.Join(records, "runs", s.run.ID, "x")}
	if err := os.Symlink(records, link); err == nil {
		targets = append(targets, filepath.Join(link, "history.db"))
	}
	before := tree(p)
	for _, target := range targets {
		_, err := ExportRuns(t.Context(), p.Keeper, api.ExportRequest{Where: p.Where(), Refs: []string{s.run.ID}, File: target, Force: true})
		_, err2 := query.ExportHistory(t.Context(), p.Keeper, p.Where(), target)
		for _, err := range []error{err, err2} {
			if _, ok := errors.AsType[*api.UsageError](err); !ok || !strings.Contains(err.Error(), "keeps its records") {
				t.Errorf("%s: %v", target, err)
			}
		}
	}
	if after := tree(p); !slices.Equal(before, after) {
		t.Errorf("there is %v", after)
	}
	if _, err := query.ExportHistory(t.Context(), p.Keeper, p.Where(), filepath.Join(p.Dir, "history.json")); err != nil {
		t.Error(err)
	}
}
