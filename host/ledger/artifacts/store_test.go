package artifacts_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

func open(t *testing.T, workspace, id string) *artifacts.Store {
	t.Helper()
	s, err := artifacts.Open(artifacts.Config{Workspace: workspace, SessionID: id, StateHome: filepath.Join(t.TempDir(), "state")})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// finished records a run and makes it its session's last.
func finished(t *testing.T, s *artifacts.Store, run api.Run) {
	t.Helper()
	rec, err := artifacts.NewRecorder(s, run)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if err := rec.Finish(run); err != nil {
		t.Fatal(err)
	}
}

func newRun(language, session string) api.Run {
	return api.Run{Schema: api.Schema, RunID: newID(), SessionID: session, Language: language, StartedAt: time.Now(), State: api.StateFinished}
}

func newID() string { return artifacts.NewRunID() }

func TestSlotsAreKeptByLanguageAndSession(t *testing.T) {
	dir := t.TempDir()
	one, two := open(t, dir, "one"), open(t, dir, "two")
	golang, forge := newRun("go", "one"), newRun("forge", "one")
	finished(t, one, golang)
	finished(t, one, forge)
	for language, want := range map[string]string{"go": golang.RunID, "forge": forge.RunID, "": forge.RunID} {
		if slot, ok, err := one.Slot(language); err != nil || !ok || slot.RunID != want {
			t.Errorf("Slot(%q) = %v, %t, %v; want %s", language, slot, ok, err, want)
		}
	}
	if _, ok, err := two.Slot(""); ok || err != nil {
		t.Errorf("the other session has a slot (%v)", err)
	}
	if _, ok, _ := one.Slot("rust"); ok {
		t.Error("a language that never ran has a slot")
	}
}

func TestRecordsIgnoreThemselvesInGit(t *testing.T) {
	dir := t.TempDir()
	open(t, dir, "one")
	if raw, err := os.ReadFile(filepath.Join(dir, ".proctor", ".gitignore")); err != nil || string(raw) != "*\n" {
		t.Errorf(".gitignore = %q, %v", raw, err)
	}
}

// A cloned repository could carry a .proctor that leads elsewhere.
func TestARecordFolderThatIsALinkIsNotUsed(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(dir, ".proctor")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	s := open(t, dir, "one")
	if strings.HasPrefix(s.Dir(), dir) {
		t.Errorf("records are in %s", s.Dir())
	}
	if left, _ := os.ReadDir(elsewhere); len(left) > 0 {
		t.Errorf("the link's target was written to: %v", left)
	}
}

func TestAWorkspaceThatCannotBeWrittenHasItsRecordsElsewhere(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".proctor"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, "one")
	run := newRun("go", "one")
	finished(t, s, run)
	if got, err := s.Run(run.RunID); err != nil || got.RunID != run.RunID {
		t.Errorf("Run = %v, %v", got, err)
	}
	_, err := artifacts.Open(artifacts.Config{Workspace: dir, SessionID: "one"})
	if _, ok := errors.AsType[*artifacts.StoreError](err); !ok {
		t.Errorf("without a state folder: %v, want a StoreError", err)
	}
}

// Processes that finish at the same moment must not lose each other's slots.
func TestConcurrentFinishesLoseNothing(t *testing.T) {
	dir := t.TempDir()
	const writers = 30
	var wg sync.WaitGroup
	for i := range writers {
		s := open(t, dir, "one")
		wg.Go(func() {
			artifacts.ForgetSessions(s, time.Now()) // which removes locks that nobody uses
			if err := s.Finish(t.Context(), newRun(fmt.Sprint(i), "one")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	languages, err := open(t, dir, "one").Languages()
	if err != nil || len(languages) != writers {
		t.Errorf("%d of %d slots, %v", len(languages), writers, err)
	}
}

func TestADamagedSessionIsAnErrorThatNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	finished(t, s, newRun("go", "one"))
	path := filepath.Join(dir, ".proctor", "sessions", "one.json")
	testfiles.Write(t, path, `{"slots": {"go"`)
	_, _, err := s.Slot("go")
	if store, ok := errors.AsType[*artifacts.StoreError](err); !ok || store.Path != path || store.Fix == "" {
		t.Errorf("err = %v", err)
	}
	if raw, _ := os.ReadFile(path); len(raw) == 0 {
		t.Error("the damaged file is gone")
	}
}

func TestRunsAreFoundByAPrefixOfTheirIDs(t *testing.T) {
	s := open(t, t.TempDir(), "one")
	first, second := newRun("go", "one"), newRun("go", "one")
	first.RunID, second.RunID = "abcd000001", "abce000002"
	second.StartedAt = first.StartedAt.Add(time.Second)
	finished(t, s, first)
	finished(t, s, second)
	for ref, want := range map[string]string{
		"abcd": first.RunID, "abce000002": second.RunID, "last": second.RunID, "prev": first.RunID,
	} {
		if run, err := s.Run(ref); err != nil || run.RunID != want {
			t.Errorf("Run(%q) = %s, %v; want %s", ref, run.RunID, err, want)
		}
	}
	for _, ref := range []string{"abc", "zzz", "", "../sessions"} {
		_, err := s.Run(ref)
		if _, ok := errors.AsType[*api.UnknownRunError](err); !ok {
			t.Errorf("Run(%q): %v, want a NoRunError", ref, err)
		}
	}
}

// The record of a killed process is readable up to its last whole line.
func TestAnAmbiguousPrefixNamesTheRuns(t *testing.T) {
	s := open(t, t.TempDir(), "one")
	for id, verdict := range map[string]api.Verdict{"abcd000001": api.Passed, "abcd000002": api.Failed, "bbbb000001": api.Passed} {
		run := newRun("go", "one")
		run.RunID, run.Kind, run.Verdict = id, api.KindRun, verdict
		finished(t, s, run)
	}
	var missing *api.UnknownRunError
	want := `run "abcd" is not unique: 2 begin with it; give more of the id: abcd000001 (run, passed), abcd000002 (run, failed)`
	if _, err := s.Run("abcd"); !errors.As(err, &missing) || len(missing.Matches) != 2 || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if run, err := s.Run("b"); err != nil || run.RunID != "bbbb000001" {
		t.Errorf("Run(b) = %s, %v", run.RunID, err)
	}
}

func TestACutListIsReadUpToTheCut(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	run := newRun("go", "one")
	rec, err := artifacts.NewRecorder(s, run)
	if err != nil {
		t.Fatal(err)
	}
	rec.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "A"}}}})
	rec.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "B"}}}})
	if err := rec.Finish(run); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ".proctor", "runs", run.RunID, "results.jsonl")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw[:len(raw)-10], 0o600); err != nil {
		t.Fatal(err)
	}
	var tests []string
	if err := s.Results(run.RunID, func(r api.Result) bool { tests = append(tests, r.Test); return true }); err != nil {
		t.Error(err)
	}
	if len(tests) != 1 || tests[0] != "A" {
		t.Errorf("results = %q, want the whole ones", tests)
	}
}

func TestRewriteKeepsWhatItIsToldAndGoesOn(t *testing.T) {
	s := open(t, t.TempDir(), "one")
	run := newRun("go", "one")
	rec, err := artifacts.NewRecorder(s, run)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A", "B", "C"} {
		rec.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Test: name}}}})
		rec.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Test: name}}}})
	}
	err = rec.Rewrite(
		func(r api.Result) bool { return r.Test != "B" },
		func(f api.Failure) bool { return f.Test == "B" })
	if err != nil {
		t.Fatal(err)
	}
	rec.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Test: "D"}}}})
	rec.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Test: "D"}}}})
	if err := rec.Finish(run); err != nil {
		t.Fatal(err)
	}
	var results, failures string
	_ = s.Results(run.RunID, func(r api.Result) bool { results += r.Test; return true })
	_ = s.Failures(run.RunID, func(f api.Failure) bool { failures += f.Test; return true })
	if results != "ACD" || failures != "BD" {
		t.Errorf("results %q, failures %q; want ACD, BD", results, failures)
	}
}

// A lock that ends with the process tells a killed run from one that goes on.
func TestARunIsAliveUntilItsProcessReleasesItsLock(t *testing.T) {
	s := open(t, t.TempDir(), "one")
	run := newRun("go", "one")
	rec, err := artifacts.NewRecorder(s, run)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Begin(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	slot, ok, err := s.Slot("go")
	if err != nil || !ok || slot.RunID != "" || len(slot.Running) != 1 {
		t.Errorf("slot = %+v, %t, %v; want only the running run", slot, ok, err)
	}
	if !s.Alive(run.RunID) {
		t.Error("a run that is being recorded is not alive")
	}
	if err := rec.Finish(run); err != nil {
		t.Fatal(err)
	}
	if s.Alive(run.RunID) || s.Alive("nosuchrun0") {
		t.Error("a run that nobody makes is alive")
	}
	if err := s.Finish(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if slot, _, _ := s.Slot("go"); slot.RunID != run.RunID || len(slot.Running) != 0 {
		t.Errorf("slot = %+v after the end", slot)
	}
}

// An ingested run is recognized by its id, also by a later version.
func TestTheRunIDOfADigestIsStable(t *testing.T) {
	sum := sha256.Sum256([]byte("x"))
	if got, want := artifacts.RunIDOf(sum[:]), "fx2tnsxze4"; got != want {
		t.Errorf("RunIDOf = %s, want %s", got, want)
	}
	if artifacts.RunIDOf(sum[:7]) != artifacts.RunIDOf(sum[:]) {
		t.Error("the id depends on more than the first bytes")
	}
}

func TestRunIDsAreShortAndDifferent(t *testing.T) {
	seen := map[string]bool{}
	for range 10_000 {
		id := newID()
		if len(id) != 10 || strings.Trim(id, "abcdefghijkmnpqrstuvwxyz23456789") != "" || seen[id] {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}
