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
