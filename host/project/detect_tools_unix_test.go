//go:build unix

package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/internal/fakeplugin"
)

// The plugin of another language, which was only started to look, must not cost the time
// of a login shell.
func TestOnlyTheToolsOfAProjectAreWorthALoginShell(t *testing.T) {
	t.Parallel()
	path := fakeplugin.New(t, "plain", fakeplugin.Script{Tools: []string{"no-such-tool-of-proctor"}})
	for _, isProject := range []bool{false, true} {
		dir := t.TempDir()
		if isProject {
			if err := os.WriteFile(filepath.Join(dir, "go.mod"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		h := New(Config{Env: shellEnv(t.TempDir()), LoginShell: true})
		t.Cleanup(func() { h.Close(t.Context()) })
		c := plugin.Candidate{Name: "plain", Path: path}
		p, err := h.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		project, detected, err := h.Detect(t.Context(), Started{Candidate: c, Plugin: p}, workspace.Root{Path: dir, Start: dir})
		if err != nil || detected != isProject || h.login.asked != isProject || len(project.Missing) != 1 {
			t.Errorf("a project: %v; detected: %v, asked: %v, missing: %v, %v", isProject, detected, h.login.asked, project.Missing, err)
		}
	}
}
