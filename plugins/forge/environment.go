package forge

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

// profileVariable selects the profile of foundry.toml. Of all variables that change
// forge's settings only this one is passed on: the settings it selects are those of a
// file that everybody has.
const profileVariable = "FOUNDRY_PROFILE"

// inheritedVariables returns the variables that affect answers: the profile, where compilers are
// kept, and the best-known settings, which are dropped with a warning.
func inheritedVariables() []string {
	return append([]string{profileVariable, "HOME", "XDG_DATA_HOME"}, announcedVariables()...)
}

// announcedVariables returns the dropped variables that a warning names. A plugin sees only
// variables that it names; all others of forge are dropped silently.
func announcedVariables() []string {
	return []string{
		"DAPP_BUILD_OPTIMIZE", "DAPP_LIBRARIES", "DAPP_REMAPPINGS", "DAPP_SOLC", "DAPP_SRC", "DAPP_TEST_FUZZ_RUNS",
		"FORGE_ALLOW_FAILURE", "FORGE_GAS_REPORT", "FORGE_SNAPSHOT_CHECK",
		"FOUNDRY_BLOCK_NUMBER", "FOUNDRY_BLOCK_TIMESTAMP", "FOUNDRY_CACHE_PATH", "FOUNDRY_CONFIG", "FOUNDRY_DENY",
		"FOUNDRY_DYNAMIC_TEST_LINKING", "FOUNDRY_ETH_RPC_URL", "FOUNDRY_EVM_VERSION", "FOUNDRY_FFI", "FOUNDRY_FUZZ_CORPUS_DIR",
		"FOUNDRY_FUZZ_MAX_TEST_REJECTS", "FOUNDRY_FUZZ_RUNS", "FOUNDRY_FUZZ_SEED", "FOUNDRY_FUZZ_TIMEOUT", "FOUNDRY_GAS_LIMIT",
		"FOUNDRY_INVARIANT_DEPTH", "FOUNDRY_INVARIANT_FAIL_ON_REVERT", "FOUNDRY_INVARIANT_RUNS", "FOUNDRY_INVARIANT_TIMEOUT",
		"FOUNDRY_ISOLATE", "FOUNDRY_LIBS", "FOUNDRY_MATCH_CONTRACT", "FOUNDRY_MATCH_PATH", "FOUNDRY_MATCH_TEST",
		"FOUNDRY_NO_MATCH_CONTRACT", "FOUNDRY_NO_MATCH_PATH", "FOUNDRY_NO_MATCH_TEST", "FOUNDRY_OFFLINE", "FOUNDRY_OPTIMIZER",
		"FOUNDRY_OPTIMIZER_RUNS", "FOUNDRY_OUT", "FOUNDRY_REMAPPINGS", "FOUNDRY_SENDER", "FOUNDRY_SOLC", "FOUNDRY_SOLC_VERSION",
		"FOUNDRY_SRC", "FOUNDRY_TEST", "FOUNDRY_THREADS", "FOUNDRY_VERBOSITY", "FOUNDRY_VIA_IR",
	}
}

// warnOfDropped warns about variables that do not reach forge.
func warnOfDropped(ws sdk.Workspace) []string {
	var names []string
	forced := settings.ForcedEnv()
	for _, name := range announcedVariables() {
		if value := ws.Env[name]; value != "" && value != forced[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("not passed on to forge: %s; put settings that affect results into %s, where %s selects a profile, or into the arguments after --",
		strings.Join(names, ", "), marker, profileVariable)}
}

// newCommand returns a command of forge under the rules of this package.
func newCommand(s settings.Settings, argv []string) sdk.Command {
	env := settings.ForcedEnv()
	if s.OtherRoot {
		// Not always: setting it makes forge find other remappings.
		env["FOUNDRY_ROOT"] = sdk.Root
	}
	// In any case it compiles into the workspace.
	return sdk.Command{Argv: argv, Env: env, UnsetEnv: unsetPatterns(), Exclusive: true}
}

// unsetPatterns returns the variables that forge reads as settings. It reads those of its
// configuration in any case; upper and lower case are what occurs.
func unsetPatterns() []string {
	patterns := []string{"!" + profileVariable}
	for _, prefix := range settings.Prefixes() {
		patterns = append(patterns, prefix+"*", strings.ToLower(prefix)+"*")
	}
	return patterns
}
