package forge_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

const failingTwice = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

interface Nobody {
    function f() external;
    function assertEq(uint256 left, uint256 right) external pure;
    function store(address target, bytes32 slot, bytes32 value) external;
}

contract ATest {
    function test_optimized() public view {
        uint256 before = gasleft();
        uint256 sum;
        for (uint256 i = 0; i < 100; i++) sum += i * 3 + 1;
        if (before - gasleft() > 35000 && sum > 0) require(false, "slow path");
        require(false, "fast path");
    }

    function test_same_words() public view {
        uint256 before = gasleft();
        uint256 sum;
        for (uint256 i = 0; i < 100; i++) sum += i * 3 + 1;
        if (before - gasleft() > 35000 && sum > 0) require(false, "x");
        require(false, "x");
    }

    function test_calls_nobody() public {
        Nobody(address(0x1234)).f();
    }

    function test_goes_on() public {
        Nobody cheats = Nobody(address(uint160(uint256(keccak256("hevm cheat code")))));
        cheats.assertEq(1, 2);
        cheats.store(address(cheats), "failed", bytes32(uint256(1)));
    }

    function test_fuzz(uint256 x, address a, string memory s) public view {
        if (x % 2 == 0) require(x % 3 == 5 && a != address(this));
        require(x % 3 == 5 && bytes(s).length > 0);
    }
}
`

// firstAndLocated returns the failures of a run, and what a second run found about
// them.
func firstAndLocated(t *testing.T, config string) (first, located map[string]sdk.Failure) {
	t.Helper()
	l := newLive(t, map[string]string{"foundry.toml": forgetest.Config + config, "test/A.t.sol": failingTwice})
	l.ws.Cache = t.TempDir()
	_, plan, result := l.run(sdk.TestRequest{Seed: "7"})
	first = parseFailures(t, l, plan.Commands[0], result, false)
	request := sdk.RerunRequest{Workspace: l.ws, Seed: "7", Locate: true}
	for _, f := range first {
		request.Targets = append(request.Targets, f.TestID)
	}
	plan, err := l.detector.RerunCmd(t.Context(), request)
	if err != nil || len(plan.Commands) != 1 {
		t.Fatalf("%d commands, error %v", len(plan.Commands), err)
	}
	located = parseFailures(t, l, plan.Commands[0], l.execute(plan.Commands[0]), true)
	return first, located
}

// parseFailures returns the failures that a command printed, by test name.
func parseFailures(t *testing.T, l *live, c sdk.Command, result forgetest.Result, locate bool) map[string]sdk.Failure {
	events := new(plugintest.Events)
	p := l.detector.ParseTestFailures(t.Context(), sdk.RunInfo{Workspace: l.ws, Command: c, Locate: locate}, events)
	p.Write(sdk.Stdout, result.Stdout)
	p.Write(sdk.Stderr, result.Stderr)
	p.Close(sdk.Exit{Code: result.Code})
	failures := map[string]sdk.Failure{}
	for _, f := range events.Failures {
		failures[f.Test] = f
	}
	return failures
}

func TestALineIsLocatedIfTheSecondRunFailsLikeTheFirst(t *testing.T) {
	first, located := firstAndLocated(t, "optimizer = false\n")
	for name, line := range map[string]int{"test_optimized()": 15, "test_same_words()": 23, "test_calls_nobody()": 28, "test_goes_on()": 33} {
		if f := located[name]; first[name].Message == "" || f.Message != first[name].Message || f.Kind != first[name].Kind || f.Location.Line != line {
			t.Errorf("%s failed with %s %q, and is located at line %d with %s %q, want line %d",
				name, first[name].Kind, first[name].Message, f.Location.Line, f.Kind, f.Message, line)
		}
	}
}

func TestTheLastOfSeveralFailedAssertionsIsNotTakenForTheFailure(t *testing.T) {
	first, located := firstAndLocated(t, "optimizer = false\nassertions_revert = false\n")
	const name = "test_goes_on()"
	if f, ok := located[name]; first[name].Message == "" || ok && f.Message == first[name].Message && f.Location.Line != 33 {
		t.Errorf("failed with %q at first, and is located at line %d with %q", first[name].Message, f.Location.Line, f.Message)
	}
}

func TestInputsOfBothRunsCanBeCompared(t *testing.T) {
	first, located := firstAndLocated(t, "optimizer = true\nvia_ir = true\n")
	const name = "test_fuzz(uint256,address,string)"
	input := first[name].Attributes["counterexample"]
	if f := located[name]; input == "" || f.Attributes["counterexample"] != input || f.Message != first[name].Message || f.Location.Line != 38 && f.Location.Line != 39 {
		t.Errorf("failed with %+v at first, and is located with %+v", first[name], f)
	}
}

func TestATestThatMeasuresGasIsNotLocatedInOtherCode(t *testing.T) {
	first, located := firstAndLocated(t, "optimizer = true\n")
	if len(first) != 5 {
		t.Fatalf("failures of the first run: %+v", first)
	}
	for name, f := range located {
		if name == "test_optimized()" || name == "test_same_words()" {
			t.Errorf("%s failed with %q at first, and is located at line %d with %q", name, first[name].Message, f.Location.Line, f.Message)
		}
	}
	if f := located["test_calls_nobody()"]; f.Location.Line != 28 || f.Message != first["test_calls_nobody()"].Message {
		t.Errorf("located %+v", f)
	}
}

func TestLocatingFindsTheLineAndLeavesTheProjectsArtifactsAlone(t *testing.T) {
	l := newLive(t, map[string]string{
		"foundry.toml": forgetest.Config + "optimizer = true\nvia_ir = true\n",
		"test/A.t.sol": logging,
	})
	l.run(sdk.TestRequest{Seed: "7"})
	l.ws.Cache = t.TempDir()
	artifact := filepath.Join(l.ws.Root, "out", "A.t.sol", "ATest.json")
	before, err := os.ReadFile(artifact)
	if err != nil {
		t.Fatal(err)
	}
	target := sdk.TestID{Suite: "test/A.t.sol:ATest", Test: "test_fails()"}
	plan, err := l.detector.RerunCmd(t.Context(), sdk.RerunRequest{
		Workspace: l.ws, Seed: "7", Locate: true, RunnerArgs: []string{"--optimize", "true", "-o", "out", "--force"},
		Targets: []sdk.TestID{target, {Suite: target.Suite, Test: "setUp()"}, {Suite: target.Suite}},
	})
	if err != nil || len(plan.Commands) != 1 || !slices.Equal(plan.Commands[0].Targets, []sdk.TestID{target}) {
		t.Fatalf("commands %+v, error %v", plan.Commands, err)
	}
	c := plan.Commands[0]
	if argv := strings.Join(c.Argv, " "); !strings.Contains(argv, "-vvvvv") || !strings.Contains(argv, "--fuzz-seed 0x7") || strings.Contains(argv, "--force") {
		t.Errorf("command: %s", argv)
	}
	for _, name := range []string{"FOUNDRY_OPTIMIZER", "FOUNDRY_VIA_IR", "FOUNDRY_DYNAMIC_TEST_LINKING"} {
		if c.Env[name] != "false" {
			t.Errorf("%s is %q", name, c.Env[name])
		}
	}
	got := l.execute(c)
	if after, err := os.ReadFile(artifact); err != nil || string(after) != string(before) {
		t.Errorf("the project's contract changed: %v", err)
	}
	events := new(plugintest.Events)
	p := l.detector.ParseTestFailures(t.Context(), sdk.RunInfo{Workspace: l.ws, Command: c, Locate: true}, events)
	p.Write(sdk.Stdout, got.Stdout)
	p.Write(sdk.Stderr, got.Stderr)
	p.Close(sdk.Exit{Code: got.Code})
	if len(events.Failures) != 1 || events.Failures[0].Message != "no" || events.Failures[0].Kind != "revert" || events.Failures[0].Location.Line != 8 || events.Failures[0].Precision != sdk.PrecisionExact {
		t.Errorf("failures: %+v\n%s", events.Failures, got.Stderr)
	}
}

func TestTheNumberOfLocatedTestsIsBounded(t *testing.T) {
	var targets []sdk.TestID
	for i := range 60 {
		targets = append(targets, sdk.TestID{Suite: "test/A.t.sol:ATest", Test: "test" + strconv.Itoa(i) + "()"})
	}
	plan, err := newDetector().RerunCmd(t.Context(), sdk.RerunRequest{Workspace: sdk.Workspace{Root: t.TempDir(), Cache: t.TempDir()}, Targets: targets, Locate: true})
	if err != nil || len(plan.Commands) != 1 || len(plan.Commands[0].Targets) != 50 || !strings.Contains(strings.Join(plan.Warnings, ""), "10 more") {
		t.Errorf("%d commands, warnings %q, error %v", len(plan.Commands), plan.Warnings, err)
	}
}
