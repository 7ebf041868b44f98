package project

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/plugin"
)

func TestAPluginStartedAheadIsTheOneThatIsAskedFor(t *testing.T) {
	c, _, pid := pluginFile(t)
	h := New(Config{Env: os.Environ()})
	t.Cleanup(func() { h.Close(context.Background()) })
	startAhead(t.Context(), h, c)
	startAhead(t.Context(), h, c)
	h.aheads.going.Wait()
	before := pid()
	p, err := h.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	detects(t, p)
	if now := pid(); now != before {
		t.Errorf("process %d was started ahead, and %d when it was asked for", before, now)
	}
}

func TestAPluginStartedAheadForNobodyEndsWithTheHost(t *testing.T) {
	c, _, pid := pluginFile(t)
	h := New(Config{Env: os.Environ()})
	startAhead(t.Context(), h, c)
	h.aheads.going.Wait()
	h.Close(t.Context())
	awaitGone(t, pid())

	h = New(Config{Env: os.Environ()})
	startAhead(t.Context(), h, c)
	h.Close(t.Context()) // while it starts
	if len(h.plugins) > 0 {
		t.Error("a plugin outlived its host")
	}
}

func TestWhatIsWrongWithAPluginStartedAheadIsToldToWhoeverAsks(t *testing.T) {
	c := plugin.Candidate{Name: "plain", Path: filepath.Join(t.TempDir(), "proctor-plugin-plain")}
	if err := os.WriteFile(c.Path, []byte("#!/bin/sh\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	h := New(Config{Env: os.Environ()})
	t.Cleanup(func() { h.Close(context.Background()) })
	startAhead(t.Context(), h, c)
	h.aheads.going.Wait()
	if _, err := h.Start(t.Context(), c); err == nil {
		t.Error("no error")
	}
}

// What is started ahead must be what the request will start: a plugin of another language
// may be one that the user does not want to run.
func TestOnlyPluginsThatTheRequestMayAskForStartAhead(t *testing.T) {
	c, _, _ := pluginFile(t)
	workspace, dir := t.TempDir(), filepath.Dir(c.Path)
	host := func() *Host {
		later := func() time.Time { return time.Now().Add(time.Hour) } // of a new binary nothing is remembered
		h := New(Config{Env: os.Environ(), Executable: filepath.Join(dir, "proctor"), CacheHome: filepath.Join(dir, "cache"), Now: later})
		t.Cleanup(func() { h.Close(context.Background()) })
		return h
	}
	where := api.Where{Dir: workspace, Exact: true}
	if err := os.WriteFile(filepath.Join(workspace, "go.mod"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := host().Projects(t.Context(), where, nil); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		languages []string
		starts    int
	}{
		"any language":     {nil, 1},
		"its language":     {[]string{"plain"}, 1},
		"another language": {[]string{"other"}, 0},
	} {
		h := host()
		root, err := StartPluginsAhead(t.Context(), h, where, tc.languages)
		if err != nil || root == "" {
			t.Fatalf("%s: root %q, %v", name, root, err)
		}
		if got := len(h.aheads.starts); got != tc.starts {
			t.Errorf("%s: %d plugins start, want %d", name, got, tc.starts)
		}
	}
}
