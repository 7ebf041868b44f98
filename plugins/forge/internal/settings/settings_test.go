package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

func newWorkspace(config, version string) sdk.Workspace {
	return sdk.Workspace{Probes: map[string]sdk.ProbeOutput{
		settings.ConfigProbe: {Stdout: []byte(config)}, settings.VersionProbe: {Stdout: []byte(version)},
	}}
}

func TestForgesOwnConfigurationIsRead(t *testing.T) {
	root := forgetest.Project(t, map[string]string{"foundry.toml": forgetest.Config +
		"src = 'contracts'\nout = 'build/out'\nlibs = ['deps']\noptimizer = true\noptimizer_runs = 777\nvia_ir = true\nisolate = true\nevm_version = 'paris'\nno_match_contract = 'Slow'\nfuzz = { seed = '0x2a' }\n"})
	config := forgetest.Run(t, root, nil, "config", "--json")
	version := forgetest.Run(t, root, nil, "--version")
	s := settings.Read(newWorkspace(string(config.Stdout), string(version.Stdout)))
	if !s.Known || s.Src != "contracts" || s.Out != "build/out" || s.CachePath != "cache" || s.Test != "test" || s.Solc != forgetest.Solc {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff([]string{"deps"}, s.Libs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]settings.Filter{{Name: "no_match_contract", Value: "Slow"}}, s.Filters); diff != "" {
		t.Error(diff)
	}
	if s.FuzzSeed == "" || !strings.HasPrefix(s.FuzzSeed, "0x") || !strings.HasSuffix(s.FuzzSeed, "2a") {
		t.Errorf("seed %q", s.FuzzSeed)
	}
	want := map[string]string{
		"forge": forgetest.Version, "solc": forgetest.Solc, "optimizer": "true 777", "via_ir": "true", "isolate": "true", "evm_version": "paris",
	}
	if diff := cmp.Diff(want, s.Conditions); diff != "" {
		t.Errorf("conditions differ (-want +got):\n%s", diff)
	}
}

func TestVersionsInEveryFormatAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"forge Version: 1.7.1\nCommit SHA: 4072e48705af\n":                        "1.7.1",
		"forge Version: 1.7.2-nightly\nCommit SHA: 0d3c40e1234567\n":              "1.7.2-nightly 0d3c40e123",
		"forge 0.2.0 (0a5b22f 2023-11-01T00:18:36.000000000Z)\n":                  "0.2.0 (0a5b22f 2023-11-01T00:18:36.000000000Z)",
		"forge Version: 1.0.0-stable\r\nCommit SHA: e144b82070\r\nBuild Profile:": "1.0.0-stable",
		"something else": "",
		"":               "",
	} {
		if got := settings.Read(newWorkspace("", text)).Conditions["forge"]; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestWhatIsNotKnownIsForgesDefault(t *testing.T) {
	for name, ws := range map[string]sdk.Workspace{
		"no probe":      {},
		"failed":        {Probes: map[string]sdk.ProbeOutput{settings.ConfigProbe: {Stdout: []byte(`{"src":"x"}`), ExitCode: 1}}},
		"no object":     newWorkspace("null", ""),
		"cut":           newWorkspace(`{"src":"x","te`, ""),
		"nothing":       newWorkspace("{}", ""),
		"all other":     newWorkspace(`{"src":1,"test":null,"out":[],"libs":["lib",3],"fuzz":"x","ffi":"yes","skip":7}`, ""),
		"another field": newWorkspace(`{"unknown":{"src":"x"}}`, ""),
	} {
		s := settings.Read(ws)
		if s.Src != "src" || s.Test != "test" || s.Script != "script" || s.Out != "out" || s.CachePath != "cache" || s.FFI || len(s.Filters) > 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if s := settings.Read(newWorkspace(`{"src":"x","te`, "")); len(s.Warnings) != 1 {
		t.Errorf("warnings: %q", s.Warnings)
	}
}

func TestTheArgumentsOfACommandChangeTheSettings(t *testing.T) {
	before := settings.Read(newWorkspace(`{"optimizer":false,"optimizer_runs":200,"evm_version":"osaka","solc":"0.8.30","threads":5}`, ""))
	after := before.Under(strings.Fields("forge test --json -vv --fuzz-seed 0x5 --out o --cache-path c --evm-version paris --via-ir --isolate --optimize --optimizer-runs 9 --use 0.8.4 --ffi -j 3"))
	want := map[string]string{"optimizer": "true 9", "evm_version": "paris", "solc": "0.8.4", "via_ir": "true", "isolate": "true"}
	if diff := cmp.Diff(want, after.Conditions); diff != "" {
		t.Errorf("conditions differ (-want +got):\n%s", diff)
	}
	unclear := before.Under(strings.Fields("forge test --json --optimizer-runs 9")).Conditions["optimizer"]
	if unclear == before.Conditions["optimizer"] || unclear == "true 9" {
		t.Errorf("the optimizer is %q, which is not known", unclear)
	}
	if after.Out != "o" || after.CachePath != "c" || after.FuzzSeed != "0x5" || !after.FFI || after.Threads != 3 || before.Threads != 5 {
		t.Errorf("%+v", after)
	}
	if before.Conditions["evm_version"] != "osaka" {
		t.Error("the settings before changed")
	}
	if diff := cmp.Diff(before, before.Under(nil)); diff != "" {
		t.Error(diff)
	}
}

func TestAnIrregularEnvironmentFileIsNotRead(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, ".env"), 0o755); err != nil {
		t.Fatal(err)
	}
	if s := settings.Read(sdk.Workspace{Root: root}); len(s.Warnings) > 0 {
		t.Errorf("warnings: %q", s.Warnings)
	}
}

func TestPermissionToWriteFilesCausesAWarning(t *testing.T) {
	s := settings.Read(newWorkspace(`{"ffi":true,"fs_permissions":[{"access":"read","path":"./in"},{"access":"write","path":"./out"},{"access":"read-write","path":"./both"},{"access":"none","path":"./none"}]}`, ""))
	if len(s.Warnings) != 3 || !strings.Contains(s.Warnings[0], "ffi") || !strings.Contains(s.Warnings[1], `"./out"`) || !strings.Contains(s.Warnings[2], `"./both"`) {
		t.Errorf("warnings: %q", s.Warnings)
	}
}
