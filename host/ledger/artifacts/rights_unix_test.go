//go:build unix

package artifacts_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/host/ledger/artifacts"
)

// A run whose slot cannot be written is on record and not the last one: a green
// before it would be. So such a workspace has its records elsewhere.
func TestRecordsThatAreNotFullyWritableAreKeptElsewhere(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	for _, part := range []string{"", "runs", "sessions"} {
		for _, mode := range []os.FileMode{0o555, 0} {
			dir, state := t.TempDir(), t.TempDir()
			cfg := artifacts.Config{Workspace: dir, SessionID: "one", StateHome: state}
			green, red := newRun("go", "one"), newRun("go", "one")
			s, err := artifacts.Open(cfg)
			if err != nil {
				t.Fatal(err)
			}
			finished(t, s, green)
			closed := filepath.Join(dir, ".proctor", part)
			if err := os.Chmod(closed, mode); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(closed, 0o755) })
			s, err = artifacts.Open(cfg)
			if err != nil {
				t.Fatalf("%q %o: %v", part, mode, err)
			}
			if filepath.Dir(s.Dir()) != state {
				t.Errorf("%q %o: the records are in %s", part, mode, s.Dir())
			}
			// Before anything is recorded there: what the closed place has may matter.
			if !artifacts.HasOther(s, "runs") {
				t.Errorf("%q %o: nobody knows of the records before", part, mode)
			}
			finished(t, s, red)
			for _, again := range []os.FileMode{mode, 0o755} {
				if err := os.Chmod(closed, again); err != nil {
					t.Fatal(err)
				}
				s, ok := artifacts.OpenExisting(cfg)
				if !ok {
					t.Fatalf("%q %o: there are no records", part, again)
				}
				if run, err := s.Run("last"); err != nil || run.RunID != red.RunID {
					t.Errorf("%q %o: the last run is %s, %v", part, again, run.RunID, err)
				}
			}
		}
	}
}
