package translate

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// Where a language selects paths by patterns, an argument that names a place is one.
func TestAPlaceIsAPathPattern(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "test", "unit"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		start, given, path string
		left               []string
	}{
		{"", "test/A.t.sol", "test/A.t.sol", nil},
		{"", "./test/A.t.sol:ATest", "test/A.t.sol:ATest", nil},
		{"test", "./A.t.sol", "test/A.t.sol", nil},
		{"", "test", "test/*", nil},
		{"", "test/unit/", "test/unit/*", nil},
		{"", "./test/...", "test/*", nil},
		{"test", "./unit/...", "test/unit/*", nil},
		{"", "./...", "", nil},
		{"", ".", "", nil},
		{"test", ".", "test/*", nil},
		{"", "./nope/...", "", []string{"./nope/..."}},
		{"", "../...", "", []string{"../..."}},
	} {
		var p project.Project
		p.Root = workspace.Root{Path: root, Start: filepath.Join(root, c.start)}
		p.ID.Selectors = []sdk.Selector{sdk.SelectPathPattern}
		got := pathForPackage(p, api.RunRequest{Packages: []string{c.given}})
		if got.MatchPath != c.path || !slices.Equal(got.Packages, c.left) {
			t.Errorf("%s in %q: path %q, packages %q; want %q, %q", c.given, c.start, got.MatchPath, got.Packages, c.path, c.left)
		}
	}
}
