package project

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/internal/fakeplugin"
	"github.com/proctorhq/proctor/sdk"
)

// A plugin that is left out because it has no project there decides what runs as much as
// one that has.
func TestAPluginThatIsLeftOutMustConfirmThat(t *testing.T) {
	root, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	c := plugin.Candidate{Name: "left-out", Path: fakeplugin.New(t, "left-out", fakeplugin.Script{})}
	later := func() time.Time { return time.Now().Add(time.Hour) }
	detect := func() (*Host, bool) {
		h := New(Config{Version: "1"})
		t.Cleanup(func() { h.Close(t.Context()) })
		p, err := startPlugin(t.Context(), h, c, plugin.OpenAnswers(cache, root, later))
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Detect(t.Context(), sdk.Workspace{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		return h, d.Detected
	}
	for range 2 {
		h, detected := detect()
		if err := Confirm(t.Context(), h); err != nil || detected {
			t.Fatalf("detected %v: %v", detected, err)
		}
		h.Close(t.Context())
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h, detected := detect()
	var outdated *plugin.OutdatedError
	if err := Confirm(t.Context(), h); detected || !errors.As(err, &outdated) {
		t.Errorf("detected %v: %v", detected, err)
	}
	again, err := h.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := again.Detect(t.Context(), sdk.Workspace{Root: root}); err != nil || !d.Detected {
		t.Errorf("then %+v, %v", d, err)
	}
}

// What begins again must not find another plugin that still recalls.
func TestAllPluginsAreAwaitedEvenIfOneIsOutdated(t *testing.T) {
	root, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	names := []string{"one", "two", "three"}
	paths := map[string]string{}
	for _, name := range names {
		paths[name] = fakeplugin.New(t, name, fakeplugin.Script{})
	}
	later := func() time.Time { return time.Now().Add(time.Hour) }
	for range 2 {
		detectAs(t, names, paths, root, plugin.OpenAnswers(cache, root, later)).Close(t.Context())
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h := detectAs(t, names, paths, root, plugin.OpenAnswers(cache, root, later))
	var outdated *plugin.OutdatedError
	if err := Confirm(t.Context(), h); !errors.As(err, &outdated) {
		t.Errorf("%v", err)
	}
	for path, p := range h.plugins {
		if !p.Stopped() {
			t.Errorf("%s still recalls", path)
		}
	}
}

// detectAs starts plugins with the answers and asks each whether there is a project.
func detectAs(t *testing.T, names []string, paths map[string]string, root string, answers *plugin.Answers) *Host {
	t.Helper()
	h := New(Config{Version: "1"})
	t.Cleanup(func() { h.Close(t.Context()) })
	for _, name := range names {
		p, err := startPlugin(t.Context(), h, plugin.Candidate{Name: name, Path: paths[name]}, answers)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := p.Detect(t.Context(), sdk.Workspace{Root: root}); err != nil || d.Detected {
			t.Fatalf("%+v, %v", d, err)
		}
	}
	return h
}
