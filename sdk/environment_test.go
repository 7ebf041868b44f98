package sdk_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func TestPluginEnvironmentHasNoSecretsAndOnlyAbsolutePaths(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "bin")
	path := strings.Join([]string{".", whole, "", "node_modules/.bin"}, string(filepath.ListSeparator))
	got := sdk.PluginEnvironment([]string{"PATH=" + path, "HOME=/h", "LC_ALL=C", "AWS_SECRET=x", "LD_PRELOAD=y", "HTTPS_PROXY=z", "odd"})
	if want := []string{"PATH=" + whole, "HOME=/h", "LC_ALL=C"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestVariablesThatDecideWhichCodeIsLoadedAreReserved(t *testing.T) {
	for name, want := range map[string]bool{
		"PATH": true, "path": true, "LD_PRELOAD": true, "ld_library_path": true, "GIT_DIR": true, "NODE_OPTIONS": true, "PROCTOR_PLUGIN": true,
		"GOFLAGS": false, "PATHS": false, "MY_LD_PATH": false, "CARGO_TARGET_DIR": false, "": false,
	} {
		if got := sdk.IsReservedVariable(name); got != want {
			t.Errorf("%s on %s: %t, want %t", name, runtime.GOOS, got, want)
		}
	}
}

func TestOnlyGitDirMayBeSetToTheNullDevice(t *testing.T) {
	for setting, want := range map[[2]string]bool{
		{"GIT_DIR", os.DevNull}: false, {"GIT_DIR", "."}: true, {"GIT_DIR", ""}: true, {"git_dir", os.DevNull}: true,
		{"GIT_CONFIG_GLOBAL", os.DevNull}: true, {"PATH", os.DevNull}: true, {"GOFLAGS", "-v"}: false,
	} {
		if got := sdk.IsReservedSetting(setting[0], setting[1]); got != want {
			t.Errorf("%q: %t, want %t", setting, got, want)
		}
	}
}
