package translate

import (
	"os"
	"path/filepath"
	"strings"
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
	for _, name := range []string{"A.t.sol", "B.t.sol"} {
		if err := os.WriteFile(filepath.Join(root, "test", name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ start, given, want string }{
		{"", "test/A.t.sol", "test/A.t.sol"},
		{"", "./test/A.t.sol:ATest", "test/A.t.sol:ATest"},
		{"test", "./A.t.sol", "test/A.t.sol"},
		{"", "test/*", "test/*"},
		{"", "test", "test/*"},
		{"", "test/unit/", "test/unit/*"},
		{"", "./test/...", "test/*"},
		{"test", "./unit/...", "test/unit/*"},
		{"", "./...", ""},
		{"", ".", ""},
		{"test", ".", "test/*"},
		{"", "test/A.t.sol ./test/B.t.sol test/unit", "{test/A.t.sol,test/B.t.sol,test/unit/*}"},
		{"", "test/A.t.sol .", ""},
		{"", "./nope/...", "there is no directory ./nope"},
		{"", "../...", "leaves the workspace"},
		{"", "test/A.t.sol test/Nope.t.sol", "test/Nope.t.sol cannot be named beside others"},
		{"", "test/A.t.sol test/B.t.sol:BTest", "test/B.t.sol:BTest cannot be named beside others"},
	} {
		var p project.Project
		p.Root = workspace.Root{Path: root, Start: filepath.Join(root, c.start)}
		p.ID.Selectors = []sdk.Selector{sdk.SelectPathPattern}
		got, err := pathForPackages(p, api.RunRequest{Packages: strings.Fields(c.given)})
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && (got.MatchPath != c.want || got.Packages != nil) {
			t.Errorf("%s in %q: path %q, packages %q, error %v; want %q", c.given, c.start, got.MatchPath, got.Packages, err, c.want)
		}
	}
}
