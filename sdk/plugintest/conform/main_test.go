package conform

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
	"github.com/proctorhq/proctor/sdk/plugintest/internal/brokenplugin"
)

const pluginPrefix = "proctor-plugin-"

// TestMain makes the test binary act as every plugin of these tests: run under the name
// proctor-plugin-MODE it is the broken plugin in that mode.
func TestMain(m *testing.M) {
	if mode, ok := strings.CutPrefix(filepath.Base(os.Args[0]), pluginPrefix); ok {
		brokenplugin.Main(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

// brokenPlugin returns the path of the broken plugin in a mode.
func brokenPlugin(t *testing.T, mode string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), pluginPrefix+mode)
	if err := os.Symlink(self, path); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	return path
}

// newWorkspace creates a workspace of the broken plugin's language.
func newWorkspace(t *testing.T) sdk.Workspace {
	t.Helper()
	root := t.TempDir()
	testfiles.Write(t, filepath.Join(root, brokenplugin.Marker), "broken\n")
	return sdk.Workspace{Root: root}
}

func readCases(t *testing.T) []golden.Case {
	t.Helper()
	list, err := golden.ReadCases(t.Context(), filepath.Join("testdata", "cases"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// testFlood is quickly sent, and enough to be distinguishable from what a plugin needs
// anyway.
const testFlood = 48 << 20

// fullConfig returns a check that leaves nothing out.
func fullConfig(t *testing.T, mode string) Config {
	t.Helper()
	return Config{
		Binary: brokenPlugin(t, mode), Workspace: newWorkspace(t), Cases: readCases(t), Flood: testFlood,
		Manifest: &Manifest{Name: mode, Version: "1.2.3", Protocols: []int{1}, AnyFile: []string{brokenplugin.Marker}},
	}
}

// byStatus returns the ids of the points with a status.
func byStatus(r Report, s Status) []string {
	var ids []string
	for _, p := range r.Points {
		if p.Status == s {
			ids = append(ids, p.ID)
		}
	}
	return ids
}
