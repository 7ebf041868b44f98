package artifacts_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestARunIDIsAPlainName(t *testing.T) {
	for id, want := range map[string]bool{
		"k3f9x2m7qa": true, "abcd": true, "run-1_b": true,
		"": false, "abc": false, "last": false, "prev": false, "../x": false, "a/bcd": false, ".hidden": false, "ABCD": false,
		"com1": false, "name.": false, "name\n": false, "é234567": false, string(make([]byte, 100)): false,
	} {
		if got := artifacts.IsRunID(id); got != want {
			t.Errorf("IsRunID(%q) = %t", id, got)
		}
	}
}

func TestOnlyFilesOfARecordAreArtifacts(t *testing.T) {
	for name, want := range map[string]bool{
		"run.json": true, "results.jsonl": true, "failures.jsonl": true, "0-stdout": true, "12-stderr": true,
		"alive": false, "00-stdout": false, "-1-stdout": false, "99999-stdout": false, "0-stdout.bak": false, "../0-stdout": false, "": false, "0-stdin": false,
	} {
		if got := artifacts.IsArtifact(name); got != want {
			t.Errorf("IsArtifact(%q) = %t", name, got)
		}
	}
}

// staged puts a run's record onto a stage.
func staged(t *testing.T, stage *artifacts.Stage, id string) {
	t.Helper()
	if err := stage.Add(id); err != nil {
		t.Fatal(err)
	}
	run := api.Run{Schema: api.Schema, RunID: id, SessionID: "s", State: api.StateFinished, Workspace: "/elsewhere"}
	if err := stage.Object(run); err != nil {
		t.Fatal(err)
	}
	w, err := stage.Create(id, "0-stdout")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "said"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAStagedRunIsSeenWhenItIsPublished(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	stage, err := artifacts.NewStage(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	staged(t, stage, "here000001")
	staged(t, stage, "never00001")
	if s.Has("here000001") {
		t.Error("it is seen before")
	}
	if err := stage.Publish("here000001"); err != nil {
		t.Fatal(err)
	}
	if !s.Alive("here000001") {
		t.Error("nothing says that somebody is still writing it")
	}
	if err := stage.Close(); err != nil {
		t.Fatal(err)
	}
	run, err := s.Object("here000001")
	if err != nil || run.Workspace != dir || s.Alive("here000001") {
		t.Errorf("%+v, %v, alive %t", run, err, s.Alive("here000001"))
	}
	if files, err := artifacts.ListFiles(s, "here000001"); err != nil || len(files) != 2 || files[0] != (artifacts.Artifact{Name: "0-stdout", Size: 4}) {
		t.Errorf("%v, %v", files, err)
	}
	if ids, err := artifacts.ListRunIDs(s); err != nil || !slices.Equal(ids, []string{"here000001"}) {
		t.Errorf("%v, %v", ids, err)
	}
	entries, _ := os.ReadDir(s.Dir())
	for _, e := range entries {
		if !slices.Contains([]string{".gitignore", "runs", "sessions"}, e.Name()) {
			t.Errorf("litter: %s", e.Name())
		}
	}
}

func TestAWithdrawnRunIsGone(t *testing.T) {
	s := open(t, t.TempDir(), "one")
	stage, err := artifacts.NewStage(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer stage.Close()
	staged(t, stage, "here000001")
	if err := stage.Publish("here000001"); err != nil {
		t.Fatal(err)
	}
	if err := stage.Withdraw("here000001"); err != nil || s.Has("here000001") {
		t.Errorf("%v", err)
	}
	// Only what was published here can be.
	finished(t, s, api.Run{RunID: "other00001", SessionID: "one", State: api.StateFinished})
	if err := stage.Withdraw("other00001"); err != nil || !s.Has("other00001") {
		t.Errorf("%v", err)
	}
}

func TestAStageOfAKilledProcessIsRemoved(t *testing.T) {
	s := open(t, t.TempDir(), "one")
	left := filepath.Join(s.Dir(), ".import-left", "run")
	if err := os.MkdirAll(left, 0o755); err != nil {
		t.Fatal(err)
	}
	stage, err := artifacts.NewStage(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer stage.Close()
	if _, err := os.Lstat(filepath.Dir(left)); err == nil {
		t.Error("it is still there")
	}
}

func TestAStageTakesNothingButFilesOfARecord(t *testing.T) {
	s := open(t, t.TempDir(), "one")
	stage, err := artifacts.NewStage(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer stage.Close()
	if err := stage.Add("../../evil"); err == nil {
		t.Error("a path was taken for a run")
	}
	if err := stage.Add("here000001"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"alive", "../evil", "x/../../evil", ""} {
		var store *artifacts.StoreError
		if _, err := stage.Create("here000001", name); !errors.As(err, &store) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if w, err := stage.Create("here000001", "0-stdout"); err != nil {
		t.Error(err)
	} else {
		w.Close()
	}
	if _, err := stage.Create("here000001", "0-stdout"); err == nil {
		t.Error("a file was written twice")
	}
}

func TestTheLastRunsOfRecentSessionsAreHeld(t *testing.T) {
	dir := t.TempDir()
	latest := time.Now()
	use := func(name string, ago time.Duration) (last string) {
		s, run := open(t, dir, name), newRun("go", name)
		finished(t, s, run)
		backdate(t, dir, latest.Add(-2*time.Hour-ago))
		return run.RunID
	}
	var today, old []string
	for i := range 25 {
		today = append(today, use(fmt.Sprint("today", i), time.Duration(i)*time.Minute))
	}
	for i := range 3 {
		old = append(old, use(fmt.Sprint("old", i), time.Duration(i+25)*time.Hour))
	}
	s := open(t, dir, "killed")
	killed := newRun("go", "killed")
	if err := s.Begin(t.Context(), killed); err != nil {
		t.Fatal(err)
	}
	backdate(t, dir, latest.Add(-100*time.Hour))
	held, err := artifacts.HeldRuns(s)
	if err != nil || len(held) != len(today)+1 || !held[killed.RunID] {
		t.Errorf("%d runs are held, error %v; want %d of today, and the killed one", len(held), err, len(today))
	}
	for _, id := range old {
		if held[id] {
			t.Errorf("the last run %s of a session of yesterday is held", id)
		}
	}
}

// backdate makes the sessions of the last hour older.
func backdate(t *testing.T, dir string, to time.Time) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, ".proctor", "sessions", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && time.Since(info.ModTime()) < time.Hour {
			err = os.Chtimes(path, to, to)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheLastRunsOfEachSessionAreHeld(t *testing.T) {
	dir := t.TempDir()
	one, two := open(t, dir, "one"), open(t, dir, "two")
	a, b, c := newRun("go", "one"), newRun("go", "one"), newRun("forge", "two")
	finished(t, one, a)
	finished(t, one, b)
	finished(t, two, c)
	held, err := artifacts.HeldRuns(one)
	if err != nil || len(held) != 2 || !held[b.RunID] || !held[c.RunID] {
		t.Errorf("%v, %v", held, err)
	}
	if artifacts.RunSize(one, a.RunID) == 0 || artifacts.RunSize(one, "absent") != 0 {
		t.Error("sizes")
	}
	if err := artifacts.RemoveRun(one, a.RunID); err != nil || one.Has(a.RunID) {
		t.Error(err)
	}
	for _, id := range []string{"absent", "../sessions", ""} {
		if err := artifacts.RemoveRun(one, id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, _, err := one.Slot("go"); err != nil {
		t.Error("the sessions are gone", err)
	}
}

// A record that came with a repository could lead anywhere.
func TestALinkIsNotAnArtifact(t *testing.T) {
	s := open(t, t.TempDir(), "one")
	run := newRun("go", "one")
	finished(t, s, run)
	secret := filepath.Join(t.TempDir(), "secret")
	testfiles.Write(t, secret, "x")
	if err := os.Symlink(secret, filepath.Join(s.Dir(), "runs", run.RunID, "0-stdout")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if _, err := artifacts.ListFiles(s, run.RunID); err == nil {
		t.Error("a link was listed")
	}
	if _, err := artifacts.OpenFile(s, run.RunID, "0-stdout"); err == nil {
		t.Error("a link was opened")
	}
	if _, err := artifacts.OpenFile(s, run.RunID, "../../sessions/one.json"); err == nil {
		t.Error("a path was opened")
	}
}
