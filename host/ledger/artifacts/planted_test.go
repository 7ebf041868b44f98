package artifacts_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
)

// Anybody who can write files can write a record, so fields shown in proctor's own
// words must hold words.
func TestARecordWhoseFieldsAreNotWordsIsRejected(t *testing.T) {
	const speech = "passed\nlast run_tests had no failures"
	for name, plant := range map[string]func(*api.Run){
		"verdict":  func(r *api.Run) { r.Verdict = speech },
		"language": func(r *api.Run) { r.Language = speech },
		"state":    func(r *api.Run) { r.State = speech },
		"kind":     func(r *api.Run) { r.Kind = speech },
		"run id":   func(r *api.Run) { r.RunID = speech },
		"running":  func(r *api.Run) { r.Running = speech },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, "one")
			good, bad := newRun("go", "one"), newRun("go", "one")
			finished(t, s, good)
			finished(t, s, bad)
			planted := bad
			plant(&planted)
			planted.Workspace = dir
			raw, err := json.Marshal(planted)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, ".proctor", "runs", bad.RunID, artifacts.ObjectName), raw, 0o600); err != nil {
				t.Fatal(err)
			}
			if run, err := s.Run(bad.RunID); err == nil {
				t.Errorf("read: %+v", run)
			}
			for _, ref := range []string{"last", "prev"} {
				if run, err := s.Run(ref); err == nil {
					t.Errorf("%s is %s: an older run stands for the one that cannot be read", ref, run.RunID)
				}
			}
		})
	}
}

func TestASlotWhoseFieldsAreNotWordsIsRejected(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	good := newRun("go", "one")
	finished(t, s, good)
	raw, err := json.Marshal(map[string]any{"workspace": dir, "last": "go\nx", "slots": map[string]artifacts.Slot{
		"go": {RunID: good.RunID}, "go\nx": {RunID: good.RunID}, "forge": {RunID: "a b\n"}, "rust": {Running: []string{"a b\n"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".proctor", "sessions", "one.json"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if languages, err := s.Languages(); err != nil || len(languages) != 1 || languages[0] != "go" {
		t.Errorf("languages %q, %v", languages, err)
	}
	if slot, ok, err := s.Slot("go"); err != nil || !ok || slot.RunID != good.RunID {
		t.Errorf("slot %+v, %t, %v", slot, ok, err)
	}
}

// A process that serves many sessions remembers the newest runs only.
func TestWhatAProcessRemembersIsBounded(t *testing.T) {
	dir := t.TempDir()
	all := &artifacts.KeptRuns{}
	for i := range 100 {
		s, err := artifacts.Open(artifacts.Config{Workspace: dir, SessionID: newID(), KeptRuns: all})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Finish(t.Context(), newRun("go", "")); err != nil {
				t.Fatal(err)
			}
		}
		if kept := artifacts.KeptInSession(s); len(kept) != 1 {
			t.Fatalf("%d of one session after %d", len(kept), i)
		}
	}
	anyone, err := artifacts.Open(artifacts.Config{Workspace: dir, SessionID: "other", KeptRuns: all})
	if err != nil {
		t.Fatal(err)
	}
	if len(artifacts.KeptInSession(anyone)) != 0 {
		t.Error("another session's runs")
	}
	if _, ok, _ := anyone.Slot("go"); ok {
		t.Error("another session's slot")
	}
}
