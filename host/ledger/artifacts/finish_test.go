package artifacts_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/host/ledger/artifacts"
)

func TestFinishReportsThatItCannotWrite(t *testing.T) {
	for _, tc := range []struct {
		name   string
		damage func(sessions string) error
	}{
		{"no folder", func(d string) error { return errors.Join(os.RemoveAll(d), os.WriteFile(d, nil, 0o600)) }},
		{"no lock", func(d string) error {
			return errors.Join(os.Remove(filepath.Join(d, "one.lock")), os.Mkdir(filepath.Join(d, "one.lock"), 0o755))
		}},
		{"slots damaged", func(d string) error { return os.WriteFile(filepath.Join(d, "one.json"), []byte("{"), 0o600) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, "one")
			if err := s.Finish(t.Context(), newRun("go", "one")); err != nil {
				t.Fatal(err)
			}
			if err := tc.damage(filepath.Join(dir, ".proctor", "sessions")); err != nil {
				t.Fatal(err)
			}
			var store *artifacts.StoreError
			if err := s.Finish(t.Context(), newRun("go", "one")); !errors.As(err, &store) {
				t.Errorf("%v; want a StoreError", err)
			}
		})
	}
}

func TestARunWhoseEndCannotBeWrittenLeavesAMark(t *testing.T) {
	t.Parallel()
	s, err := artifacts.Open(artifacts.Config{Workspace: t.TempDir(), SessionID: "one"})
	if err != nil {
		t.Fatal(err)
	}
	run := newRun("go", "one")
	rec, err := artifacts.NewRecorder(s, run)
	if err != nil {
		t.Fatal(err)
	}
	// A folder in its place, as a full disk, keeps the object from being written.
	object := filepath.Join(s.Dir(), "runs", run.RunID, "run.json")
	if err := os.Remove(object); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(object, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if artifacts.IsUnwritten(s, run.RunID) {
		t.Error("it is said before its end")
	}
	if err := rec.Finish(run); err == nil || !artifacts.IsUnwritten(s, run.RunID) {
		t.Errorf("%v, and no word of it", err)
	}
}
