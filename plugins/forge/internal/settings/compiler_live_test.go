package settings_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

// Forge prints its configuration without the compiler, and the plugin reads the
// project's files for it. The result must equal what forge prints when it is asked
// without that variable.
func TestTheCompilerIsTheOneThatForgeUses(t *testing.T) {
	const profile = "[profile.default]\noffline = true\n"
	for name, files := range map[string]map[string]string{
		"none":                {"foundry.toml": profile},
		"solc":                {"foundry.toml": profile + "solc = '0.8.19'\n"},
		"solc_version":        {"foundry.toml": profile + "solc_version = '0.7.6'\n"},
		"both":                {"foundry.toml": profile + "solc_version = '0.8.1'\nsolc = '0.8.2'\n"},
		"of the profile":      {"foundry.toml": profile + "solc = '0.8.1'\n[profile.ci]\nsolc_version = '0.8.2'\n", ".env": "FOUNDRY_PROFILE=ci\n"},
		"of the default":      {"foundry.toml": profile + "solc = '0.8.1'\n[profile.ci]\nvia_ir = true\n", ".env": "FOUNDRY_PROFILE=CI\n"},
		"extended":            {"foundry.toml": profile + "extends = 'base.toml'\n", "base.toml": "[profile.default]\nsolc = '0.8.3'\n"},
		"extended by both":    {"foundry.toml": profile + "solc = '0.8.4'\nextends = { path = 'base.toml' }\n", "base.toml": "[profile.default]\nsolc_version = '0.8.3'\n"},
		"of .env":             {"foundry.toml": profile + "solc = '0.8.1'\n", ".env": "FOUNDRY_SOLC_VERSION=0.8.5\n"},
		"of .env twice":       {"foundry.toml": profile, ".env": "FOUNDRY_SOLC_VERSION=0.8.5\nFOUNDRY_SOLC=0.8.6 # a comment\n"},
		"of .env thrice":      {"foundry.toml": profile, ".env": "DAPP_SOLC='0.8.7'\nFOUNDRY_SOLC_VERSION=0.8.5\n"},
		"an EVM version":      {"foundry.toml": profile + "solc = '0.8.19'\nevm_version = 'berlin'\n"},
		"too late a machine":  {"foundry.toml": profile + "solc = '0.8.19'\nevm_version = 'cancun'\n"},
		"the notation of old": {"foundry.toml": "[default]\nsolc = '0.8.8'\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := forgetest.Project(t, files)
			read := func(env map[string]string) settings.Settings {
				var set []string
				for name, value := range env {
					set = append(set, name+"="+value)
				}
				out := forgetest.Run(t, root, set, "config", "--json")
				return settings.Read(sdk.Workspace{Root: root, Probes: map[string]sdk.ProbeOutput{
					settings.ConfigProbe: {Stdout: out.Stdout, Stderr: string(out.Stderr), ExitCode: out.Code},
				}})
			}
			want, got := read(settings.ForcedEnv()), read(settings.ProbeEnv())
			if want.Solc != got.Solc || !want.Known || !got.Known {
				t.Errorf("compiler %q, want %q", got.Solc, want.Solc)
			}
			if diff := cmp.Diff(want.Conditions, got.Conditions); diff != "" {
				t.Errorf("conditions differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheEVMVersionIsTheLatestThatTheCompilerKnows(t *testing.T) {
	for _, compiler := range []string{
		"0.4.20", "0.4.21", "0.4.22", "0.4.26", "0.5.4", "0.5.5", "0.5.13", "0.5.14", "0.8.4", "0.8.5", "0.8.6", "0.8.7", "0.8.17", "0.8.18", "0.8.19", "0.8.20",
		"0.8.23", "0.8.24", "0.8.26", "0.8.27", "0.8.28", "0.8.29", "0.8.30", "0.8.33",
	} {
		t.Run(compiler, func(t *testing.T) {
			t.Parallel()
			root := forgetest.Project(t, map[string]string{"foundry.toml": "[profile.default]\nsolc = '" + compiler + "'\n"})
			probe := func(env ...string) sdk.Workspace {
				out := forgetest.Run(t, root, env, "config", "--json")
				return sdk.Workspace{Root: root, Probes: map[string]sdk.ProbeOutput{settings.ConfigProbe: {Stdout: out.Stdout}}}
			}
			want := settings.Read(probe()).Conditions["evm_version"]
			got := settings.Read(probe("FOUNDRY_SOLC=" + settings.ProbeEnv()["FOUNDRY_SOLC"])).Conditions["evm_version"]
			if got != want || want == "" {
				t.Errorf("EVM version %q, want %q", got, want)
			}
		})
	}
}
