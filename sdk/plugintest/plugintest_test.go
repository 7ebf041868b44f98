package plugintest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest"
	"github.com/proctorhq/proctor/sdk/plugintest/internal/brokenplugin"
)

const pluginPrefix = "proctor-plugin-"

// TestMain also makes the test binary act as a plugin, if it has a plugin's name.
func TestMain(m *testing.M) {
	if mode, ok := strings.CutPrefix(filepath.Base(os.Args[0]), pluginPrefix); ok {
		brokenplugin.Main(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

const (
	// envFlaw makes TestDetectorPassesTheKit check a detector with the named flaw.
	envFlaw = "PLUGINTEST_FLAW"
	// envBare makes it run without any case.
	envBare = "PLUGINTEST_BARE"
)

func newConfig(t *testing.T) plugintest.Config {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, brokenplugin.Marker), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return plugintest.Config{
		Workspace: sdk.Workspace{Root: root},
		Cases:     plugintest.ReadCases(t, filepath.Join("conform", "testdata", "cases")),
	}
}

// TestDetectorPassesTheKit runs the kit on a detector without a flaw, or in a process of its own
// on one with a flaw.
func TestDetectorPassesTheKit(t *testing.T) {
	mode := os.Getenv(envFlaw)
	if mode == "" {
		mode = "good"
	}
	cfg := newConfig(t)
	cfg.Description, cfg.Detector = brokenplugin.Description(mode), brokenplugin.New(mode)
	cfg.Complete = true
	if os.Getenv(envBare) != "" {
		cfg.Cases = nil
	}
	plugintest.Run(t, cfg)
}

func TestMissingInputFailsACompleteCheck(t *testing.T) {
	if os.Getenv(envFlaw) != "" {
		t.Skip("this process checks without cases")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestDetectorPassesTheKit$/^reports_what")
	cmd.Env = append(os.Environ(), envFlaw+"=good", envBare+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "not checked: no case with a want.json") {
		t.Errorf("%v in:\n%s", err, out)
	}
}

func TestAProcessIsCheckedLikeADetector(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg := newConfig(t)
	cfg.Binary = filepath.Join(t.TempDir(), pluginPrefix+brokenplugin.SDKMode)
	if err := os.Symlink(self, cfg.Binary); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	plugintest.Run(t, cfg)
}

func TestAFlawFailsItsSubtest(t *testing.T) {
	if os.Getenv(envFlaw) != "" {
		t.Skip("this process checks the flaw")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for flaw, check := range map[string]string{
		"shell":         "composes commands that need no shell",
		"believes-logs": "does not believe what tests print",
	} {
		t.Run(flaw, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestDetectorPassesTheKit$")
			cmd.Env = append(os.Environ(), envFlaw+"="+flaw)
			out, err := cmd.CombinedOutput()
			want := "--- FAIL: TestDetectorPassesTheKit/" + strings.ReplaceAll(check, " ", "_")
			if err == nil || strings.Count(string(out), "--- FAIL: TestDetectorPassesTheKit/") != 1 || !strings.Contains(string(out), want) {
				t.Errorf("%v, want %q in:\n%s", err, want, out)
			}
		})
	}
}
