package artifacts_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

func baseline(language, runID string) artifacts.Baseline {
	return artifacts.Baseline{
		Run: api.Run{RunID: runID, Language: language, Seed: "7", Conditions: map[string]string{"tool": "1.0"}},
		Results: []api.Result{{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "t"}, Status: sdk.Passed, Measures: []sdk.Measure{
			{Name: "cost", Value: "115792089237316195423570985008687907853269984665640564039457584007913129639935"}}}}},
	}
}

func TestABaselineIsReadAsItWasSet(t *testing.T) {
	dir := t.TempDir()
	one, two := open(t, dir, "one"), open(t, dir, "two")
	if _, ok, err := artifacts.ReadBaseline(one, "toy"); ok || err != nil {
		t.Fatalf("there is a baseline before one was set, %v", err)
	}
	for _, id := range []string{"first00000", "second0000"} {
		if _, err := artifacts.SetBaseline(one, baseline("toy", id)); err != nil {
			t.Fatal(err)
		}
		// It is the workspace's and not the session's.
		b, ok, err := artifacts.ReadBaseline(two, "toy")
		if err != nil || !ok || b.Run.RunID != id || b.Run.Seed != "7" || b.Run.Conditions["tool"] != "1.0" {
			t.Fatalf("got %+v, %v, %v", b.Run, ok, err)
		}
		if got, want := b.Results[0].Measures[0].Value, baseline("", "").Results[0].Measures[0].Value; got != want {
			t.Errorf("the value is %s, want %s", got, want)
		}
	}
	if _, ok, _ := artifacts.ReadBaseline(one, "other"); ok {
		t.Error("another language has the baseline")
	}
	entries, err := os.ReadDir(filepath.Join(dir, ".proctor", "baselines"))
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files are left, %v", len(entries), err)
	}
}

func TestABaselineOfAnotherWorkspaceDoesNotCount(t *testing.T) {
	dir, copied := t.TempDir(), t.TempDir()
	if _, err := artifacts.SetBaseline(open(t, dir, "one"), baseline("toy", "first00000")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if b, ok, err := artifacts.ReadBaseline(open(t, copied, "one"), "toy"); ok || err != nil {
		t.Errorf("got that of run %s, %v", b.Run.RunID, err)
	}
}

func TestADamagedBaselineIsNamedWithAWayOut(t *testing.T) {
	s := open(t, t.TempDir(), "one")
	path, err := artifacts.SetBaseline(s, baseline("toy", "first00000"))
	if err != nil {
		t.Fatal(err)
	}
	testfiles.Write(t, path, "{")
	_, ok, err := artifacts.ReadBaseline(s, "toy")
	if ok || err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "move the file away") {
		t.Errorf("got %v, %v", ok, err)
	}
}

func TestBaselinesAreNotReadOrWrittenThroughALink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	s := open(t, dir, "one")
	if err := os.Symlink(elsewhere, filepath.Join(dir, ".proctor", "baselines")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	// A baseline that would do, but for where it lies.
	raw, err := json.Marshal(artifacts.Baseline{Run: api.Run{Language: "toy", Workspace: dir}})
	if err == nil {
		err = os.WriteFile(filepath.Join(elsewhere, "toy.json"), raw, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := artifacts.SetBaseline(s, baseline("toy", "first00000")); err == nil {
		t.Error("it was written")
	}
	if now, _ := os.ReadFile(filepath.Join(elsewhere, "toy.json")); string(now) != string(raw) {
		t.Errorf("it was written: %s", now)
	}
	if _, ok, err := artifacts.ReadBaseline(s, "toy"); ok || err != nil {
		t.Errorf("read %v, %v", ok, err)
	}
}

func TestFinishedRunsAreThoseOfTheLanguageAndTheSession(t *testing.T) {
	dir := t.TempDir()
	one, two := open(t, dir, "one"), open(t, dir, "two")
	first, other, foreign, last := newRun("toy", "one"), newRun("go", "one"), newRun("toy", "two"), newRun("toy", "one")
	last.StartedAt = first.StartedAt.Add(time.Second)
	finished(t, one, first)
	finished(t, one, other)
	finished(t, two, foreign)
	finished(t, one, last)
	runs := artifacts.FinishedRuns(one, "toy")
	if len(runs) != 2 || runs[0].RunID != last.RunID || runs[1].RunID != first.RunID {
		t.Errorf("got %v", runs)
	}
}
