package plugin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// The effect of markers must not depend on which plugins happen to be running.
func TestAProjectWithoutAMarkerOfItsPluginBreaksTheProtocol(t *testing.T) {
	t.Parallel()
	with, without := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(with, "lua.toml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		root     string
		detected bool
		markers  []string
		broken   bool
	}{
		{with, true, []string{"x.toml", "lua.toml"}, false},
		{without, true, []string{"x.toml", "lua.toml"}, true},
		{without, false, []string{"lua.toml"}, false},
		{without, true, nil, false},
	} {
		if got := checkMarkers(sdk.Detection{Detected: tc.detected}, tc.root, tc.markers); (got != nil) != tc.broken {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}
