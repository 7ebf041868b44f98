package ledger_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// What is opened ahead must be what is there when it is asked for, and what is wrong with
// it must be told as ever.
func TestAHistoryOpenedAheadIsTheOneInPlace(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before, meanwhile func(t *testing.T, path string)
		runs              int
		told              string
	}{
		"as it is": {runs: 1},
		"damaged": {before: func(t *testing.T, path string) {
			testfiles.Write(t, path, strings.Repeat("no database", 1000))
		}, told: "set aside"},
		"replaced meanwhile": {meanwhile: func(t *testing.T, path string) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}, runs: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := ledgertest.New(t)
			p.Run("now", historytest.Passed("a", "A"))
			p.Keeper.Close(t.Context())
			path := filepath.Join(p.Artifacts.Dir(), "history.db")
			var told []string
			cfg := p.Keeper.Cfg
			cfg.Notice = func(text string) { told = append(told, text) }
			k := ledger.New(cfg)
			defer k.Close(t.Context())
			if tc.before != nil {
				tc.before(t, path)
			}
			k.OpenAhead(t.Context(), p.Dir)
			k.AwaitAhead()
			if tc.meanwhile != nil {
				tc.meanwhile(t, path)
			}
			l, err := ledger.OpenHistory(t.Context(), k, p.Artifacts)
			if err != nil {
				t.Fatal(err)
			}
			if !l.History.InPlace() {
				t.Error("what is written would go into a file that is gone")
			}
			runs, err := l.History.Runs(t.Context(), history.RunFilter{State: api.StateFinished})
			if err != nil || len(runs) != tc.runs {
				t.Errorf("%d runs, %v; want %d", len(runs), err, tc.runs)
			}
			if all := strings.Join(told, "\n"); !strings.Contains(all, tc.told) || tc.told == "" && all != "" {
				t.Errorf("told: %q", all)
			}
		})
	}
}

func TestAHistoryOpenedAheadIsClosedIfUnused(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	p.Run("now", historytest.Passed("a", "A"))
	p.Keeper.Close(t.Context())
	k := ledger.New(p.Keeper.Cfg)
	k.OpenAhead(t.Context(), p.Dir)
	k.Close(t.Context())
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc to look into")
	}
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(to, p.Artifacts.Dir()) {
			t.Error("still open: " + to)
		}
	}
}
