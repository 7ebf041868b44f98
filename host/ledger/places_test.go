package ledger_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
)

// While a workspace could not be written, its runs went on in the state folder, and
// what was red there is not known in the workspace.
func TestFailuresRecordedElsewhereMeanwhileAreNotForgotten(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	p.Run("now", historytest.Passed("a", "A"))
	sum := sha256.Sum256([]byte(p.Dir))
	elsewhere := filepath.Join(p.Keeper.Cfg.StateHome, hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	history := filepath.Join(elsewhere, "history.db")
	if err := os.WriteFile(history, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		changed time.Time
		want    int
	}{{time.Now().Add(-time.Hour), 0}, {time.Now().Add(time.Hour), 1}} {
		if err := os.Chtimes(history, tc.changed, tc.changed); err != nil {
			t.Fatal(err)
		}
		k := ledger.New(p.Keeper.Cfg)
		l, err := ledger.OpenHistory(t.Context(), k, p.Artifacts)
		if err != nil {
			t.Fatal(err)
		}
		set, err := l.Outstanding(t.Context(), "x")
		k.Close(t.Context())
		if err != nil || set.Len() != tc.want {
			t.Errorf("changed %v: %d outstanding, %v; want %d", tc.changed, set.Len(), err, tc.want)
		}
	}
}

// What those runs left is known to nobody.
func TestRunsElsewhereWithoutAHistoryLeaveEverythingOutstanding(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	sum := sha256.Sum256([]byte(p.Dir))
	elsewhere := filepath.Join(p.Keeper.Cfg.StateHome, hex.EncodeToString(sum[:8]))
	outstanding := func() int {
		t.Helper()
		set, err := p.Ledger.Outstanding(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		return set.Len()
	}
	if n := outstanding(); n != 0 {
		t.Errorf("%d outstanding before there was a run", n)
	}
	run := filepath.Join(elsewhere, "runs", "k3f9sq2xwa")
	p.Must(os.MkdirAll(run, 0o700))
	p.Must(os.WriteFile(filepath.Join(run, "run.json"), []byte("cut o"), 0o600))
	if n := outstanding(); n != 1 {
		t.Errorf("%d outstanding after a run whose history is lost, want everything", n)
	}
	p.Must(os.WriteFile(filepath.Join(elsewhere, "history.db"), nil, 0o600))
	if n := outstanding(); n != 0 {
		t.Errorf("%d outstanding although the other place has a history, which is taken over", n)
	}
}
