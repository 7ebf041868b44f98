package ledger_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestAWatchReportsWhetherSourcesChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		testfiles.Write(t, path, content)
	}
	write("a.go", "package a")
	k := ledger.New(project.Config{Version: "test", Env: os.Environ(), StateHome: t.TempDir(), Session: "s"})
	defer k.Close(t.Context())
	where := api.Where{Dir: dir, Exact: true}
	check := func(ctx context.Context, w *ledger.SourceWatch, unchanged, known bool) {
		t.Helper()
		if u, kn := w.Unchanged(ctx); u != unchanged || kn != known {
			t.Errorf("unchanged %v, known %v", u, kn)
		}
	}
	w := ledger.WatchSources(t.Context(), k, where)
	defer w.Close()
	check(t.Context(), w, true, true)
	write(".proctor/runs/x", "ours")
	check(t.Context(), w, true, true)
	write("a.go", "package a // edited")
	check(t.Context(), w, false, true)
	late := ledger.WatchSources(t.Context(), k, where)
	defer late.Close()
	check(t.Context(), late, true, true)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if u, _ := late.Unchanged(over); u {
		t.Error("nobody looked, and they are unchanged")
	}
	// Where nobody knows what the workspace is, nothing is known.
	nowhere := ledger.WatchSources(t.Context(), k, api.Where{Dir: t.TempDir()})
	defer nowhere.Close()
	check(t.Context(), nowhere, false, false)
}

// What a run was planned from is what it ran, unless something changed in between.
func TestAStateSeenBeforeTheRunIsTheRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(content string) {
		t.Helper()
		testfiles.Write(t, filepath.Join(dir, "a.go"), content)
	}
	k := ledger.New(project.Config{Version: "test", Env: os.Environ(), StateHome: t.TempDir(), Session: "s"})
	defer k.Close(t.Context())
	store, err := k.Store(dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.OpenForRun(t.Context(), k, store)
	if err != nil {
		t.Fatal(err)
	}
	write("package a")
	cfg := l.SourceConfig(t.Context())
	before, err := fingerprint.Take(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Outputs = []string{"out"}
	other, err := fingerprint.Take(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	write("package a // edited")
	if seen := ledger.WatchState(t.Context(), l, before, nil).End(t.Context()); seen.State.ID != before.State.ID || !slices.Contains(seen.Changed, "a.go") {
		t.Errorf("%+v", seen)
	}
	// A state of other sources says nothing about these.
	if seen := ledger.WatchState(t.Context(), l, other, nil).End(t.Context()); seen.State.ID == before.State.ID || seen.Err != nil {
		t.Errorf("%+v", seen)
	}
	// What tests write outside is of no one state.
	outside := t.TempDir()
	edit := func(text string) {
		testfiles.Write(t, filepath.Join(outside, "b.go"), text)
	}
	edit("package b")
	if seen := ledger.WatchState(t.Context(), l, nil, []string{outside}).End(t.Context()); seen.Outside[outside] == "" {
		t.Errorf("outside is %v", seen.Outside)
	}
	watch := ledger.WatchState(t.Context(), l, nil, []string{outside})
	watch.AwaitOutside()
	edit("package b // edited")
	if seen := watch.End(t.Context()); len(seen.Outside) != 1 || seen.Outside[outside] != "" {
		t.Errorf("after an edit outside is %v", seen.Outside)
	}
}
