package forge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

// logging has a test that passes and logs, and one that fails.
const logging = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract ATest {
    function test_logs() public view {
        (bool ok,) = address(0x000000000000000000636F6e736F6c652e6c6f67).staticcall(abi.encodeWithSignature("log(string)", "{\"a\":1}"));
        ok;
    }
    function test_fails() public pure { revert("no"); }
    function testFuzz_x(uint256 x) public pure { require(x != 1); }
}
`

func TestNothingAroundARunHidesAFailure(t *testing.T) {
	for _, test := range []struct{ name, toml, dotenv, env string }{
		{"nothing", "", "", ""},
		{"another root", "root = \"none\"\n", "", ""},
		{"another root by .env", "", "FOUNDRY_ROOT=none", ""},
		{"allow failure by .env", "", "FORGE_ALLOW_FAILURE=true", ""},
		{"allow failure by the environment", "", "", "FORGE_ALLOW_FAILURE=true"},
		{"gas report by .env", "", "FORGE_GAS_REPORT=true", ""},
		{"live logs", "live_logs = true\n", "", ""},
		{"live logs by .env", "", "FOUNDRY_LIVE_LOGS=true", ""},
		{"progress", "show_progress = true\n", "", ""},
		{"verbosity", "verbosity = 5\n", "", ""},
		{"an invalid value", "", "FORGE_SNAPSHOT_CHECK=1\nFORGE_SUPPRESS_SUCCESSFUL_TRACES=1", ""},
		{"filters of the environment", "", "", "FOUNDRY_MATCH_TEST=none"},
		{"in small letters", "", "", "foundry_match_test=none"},
		{"of the old tool", "", "", "DAPP_SRC=none"},
		{"another configuration", "", "", "FOUNDRY_CONFIG=/none"},
		{"snapshots", "gas_snapshot_check = true\n", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{"test/A.t.sol": logging, "foundry.toml": forgetest.Config + test.toml}
			if test.dotenv != "" {
				files[".env"] = test.dotenv + "\n"
			}
			l := newLive(t, files)
			l.setenv(strings.Fields(test.env)...)
			statuses, _, got := l.run(sdk.TestRequest{Seed: "7"})
			if got.Code != 1 || len(statuses) != 3 || statuses[sdk.TestID{Suite: "test/A.t.sol:ATest", Test: "test_fails()"}] != "Failure" {
				t.Errorf("exit code %d, results %v\n%s%s", got.Code, statuses, got.Stdout, got.Stderr)
			}
			if lines := strings.Count(strings.TrimSpace(string(got.Stdout)), "\n"); lines != 0 {
				t.Errorf("the results are not alone: %s", got.Stdout)
			}
		})
	}
}

func TestTheProfileReachesForgeAndTheProbes(t *testing.T) {
	l := newLive(t, map[string]string{
		"test/A.t.sol": contractSource("ATest test_a() test_b()"),
		"foundry.toml": forgetest.Config + "\n[profile.ci]\nmatch_test = \"test_b\"\nffi = true\nfuzz = { seed = \"0x5\" }\n",
	})
	l.setenv("FOUNDRY_PROFILE=ci", "FOUNDRY_PROFILES=x", "FOUNDRY_PROF=y", "FOUNDRY_FFI=true", "FOUNDRY_SRC=none")
	statuses, plan, got := l.run(sdk.TestRequest{Seed: "9"})
	if len(statuses) != 1 {
		t.Errorf("ran %v: %s", statuses, got.Stderr)
	}
	warnings, argv := strings.Join(plan.Warnings, "\n"), strings.Join(plan.Commands[0].Argv, " ")
	if !slices.Equal(plan.NarrowedBy, []string{`match_test = "test_b"`}) || !strings.Contains(warnings, "ffi") || plan.Seed != "0x9" {
		t.Errorf("%s\n%s", argv, warnings)
	}
	s := settings.Read(l.ws)
	if s.Src != "src" || s.Conditions["forge"] == "" || s.Conditions["solc"] != forgetest.Solc {
		t.Errorf("settings: %+v", s)
	}
}

func TestABrokenConfigurationIsLeftToForge(t *testing.T) {
	l := newLive(t, map[string]string{"foundry.toml": "[profile.default\n"})
	_, plan, got := l.run(sdk.TestRequest{Seed: "1"})
	if got.Code == 0 || !strings.Contains(string(got.Stderr), "foundry.toml") || len(plan.Warnings) != 0 {
		t.Errorf("exit code %d, warnings %q: %s", got.Code, plan.Warnings, got.Stderr)
	}
}

// With one thread: among several, the first to find a failure ends the search.
func TestTheSeedDecidesWhatIsDrawn(t *testing.T) {
	l := newLive(t, map[string]string{"test/A.t.sol": strings.Replace(logging, "x != 1", "x % 7 != 3", 1)})
	found := func(seed string) string {
		_, _, got := l.run(sdk.TestRequest{Seed: seed, RunnerArgs: []string{"--mt", "testFuzz_x", "-j", "1", "--cache-path", t.TempDir()}})
		_, after, _ := strings.Cut(string(got.Stdout), `"calldata":"`)
		calldata, _, _ := strings.Cut(after, `"`)
		return calldata
	}
	if a, b := found("1"), found("1"); a == "" || a != b {
		t.Errorf("one seed finds %q and %q", a, b)
	}
}
