package forge_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

// trapSources returns a project with easily confused names, files and signatures.
func trapSources() map[string]string {
	return map[string]string{
		"test/A.t.sol":                      contractSource("ATest test_x() test_xy() test_x(uint256) test_x(uint256,bool)", "ATestMore test_x() test_z()"),
		"test/b/A.t.sol":                    contractSource("ATest test_x() test_y()"),
		"test/B.t.sol":                      contractSource("BTest test_x() test_y() test_x(uint256)", "Test test_y()"),
		"test/we ird [x]{y},z.t.sol":        contractSource("WTest test_x() test_w()"),
		"test/we ird x{y},z.t.sol":          contractSource("WTest test_x() test_w()"),
		"test/we ird [x]y.t.sol":            contractSource("WTest test_x() test_w()"),
		"test/star*.t.sol":                  contractSource("STest test_x()"),
		"test/starry.t.sol":                 contractSource("STest test_x()"),
		"test/why?.t.sol":                   contractSource("STest test_x()"),
		"test/whys.t.sol":                   contractSource("STest test_x()"),
		"test/!not.t.sol":                   contractSource("NTest test_x()"),
		"test/^not.t.sol":                   contractSource("NTest test_x()"),
		"test/-dash.t.sol":                  contractSource("$Dollar test_$x() test_x()", "_Dollar test_$x()"),
		"A.t.sol":                           contractSource("ATest test_x() test_r()"),
		"test/Ümlaut.t.sol":                 contractSource("UTest test_x()"),
		"src/Inline.sol":                    contractSource("ATest test_x()"),
		"test/nested/test/A.t.sol":          contractSource("ATest test_x()"),
		"test/same (copy) & 'more' \"q.sol": contractSource("QTest test_x() test_x(uint256)"),
	}
}

func TestRerunsRunExactlyTheirTargetsInTheRealForge(t *testing.T) {
	l := newLive(t, trapSources())
	statuses, _, got := l.run(sdk.TestRequest{})
	all := testIDs(statuses)
	if len(all) < 30 {
		t.Fatalf("%d tests: %s%s", len(all), got.Stdout, got.Stderr)
	}
	random := rand.New(rand.NewPCG(3, 4))
	commands := 0
	for round := range 40 {
		targets := slices.Clone(all)
		random.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
		targets = targets[:1+random.IntN(8)]
		if round == 0 {
			targets = all
		}
		want := map[sdk.TestID]int{}
		for _, id := range targets {
			want[id] = 1
		}
		ran, plan := l.rerun(sdk.RerunRequest{Targets: targets, Seed: "7"})
		if diff := cmp.Diff(want, ran); diff != "" {
			t.Fatalf("what runs differs (-want +got):\n%s\n%v", diff, plan.Commands)
		}
		var named []sdk.TestID
		for _, c := range plan.Commands {
			named = append(named, c.Targets...)
		}
		if len(named) != len(targets) {
			t.Errorf("%d targets in the commands, %d asked for", len(named), len(targets))
		}
		if commands += len(plan.Commands); round == 0 && len(plan.Commands) != 1 {
			t.Errorf("everything needs %d commands", len(plan.Commands))
		}
	}
	t.Logf("%d commands for 40 sets", commands)
}

func TestEachTrapIsRerunAlone(t *testing.T) {
	l := newLive(t, trapSources())
	statuses, _, _ := l.run(sdk.TestRequest{})
	for _, id := range testIDs(statuses) {
		ran, plan := l.rerun(sdk.RerunRequest{Targets: []sdk.TestID{id}})
		if diff := cmp.Diff(map[sdk.TestID]int{id: 1}, ran); diff != "" {
			t.Errorf("what runs differs (-want +got):\n%s\n%v", diff, plan.Commands)
		}
	}
}

func TestAFailedFixtureRerunsItsWholeSuite(t *testing.T) {
	l := newLive(t, map[string]string{
		"test/A.t.sol": "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\ncontract ATest {\n    function setUp() public { revert(\"no\"); }\n    function test_a() public {}\n    function testFail_b() public {}\n}\n",
		"test/B.t.sol": contractSource("BTest test_a() test_b()"),
	})
	first, _, _ := l.run(sdk.TestRequest{RunnerArgs: []string{"--no-match-test", "^testFail"}})
	setUp := sdk.TestID{Suite: "test/A.t.sol:ATest", Test: "setUp()"}
	if first[setUp] != "Failure" {
		t.Fatalf("first run: %v", first)
	}
	before := sdk.TestID{Suite: setUp.Suite, Test: "test_a()"}
	ran, plan := l.rerun(sdk.RerunRequest{Targets: []sdk.TestID{setUp, before}, RunnerArgs: []string{"--no-match-test", "^testFail", "--match-test=test_b", "--fail-fast"}})
	if diff := cmp.Diff(map[sdk.TestID]int{setUp: 1}, ran); diff != "" || len(plan.Commands) != 1 {
		t.Fatalf("what runs differs (-want +got):\n%s\n%v", diff, plan.Commands)
	}
	argv := strings.Join(plan.Commands[0].Argv, " ")
	if !strings.Contains(argv, "--no-match-test ^testFail") || strings.Contains(argv, "fail-fast") || strings.Contains(argv, "--match-test=") {
		t.Errorf("command: %s", argv)
	}
	if diff := cmp.Diff([]sdk.TestID{setUp, before}, plan.Commands[0].Targets); diff != "" {
		t.Errorf("targets differ (-want +got):\n%s", diff)
	}
}

func TestWithoutCompiledContractsEachSuiteHasItsCommand(t *testing.T) {
	l := newLive(t, trapSources())
	targets := []sdk.TestID{{Suite: "test/A.t.sol:ATest", Test: "test_x()"}, {Suite: "test/b/A.t.sol:ATest", Test: "test_x()"}}
	ran, plan := l.rerun(sdk.RerunRequest{Targets: targets})
	if diff := cmp.Diff(map[sdk.TestID]int{targets[0]: 1, targets[1]: 1}, ran); diff != "" || len(plan.Commands) != 2 {
		t.Errorf("%d commands, what runs differs (-want +got):\n%s", len(plan.Commands), diff)
	}
}

func TestAFailureOfTheRunRerunsEverything(t *testing.T) {
	l := newLive(t, map[string]string{"test/A.t.sol": contractSource("ATest test_a()", "BTest test_a()")})
	ran, plan := l.rerun(sdk.RerunRequest{Targets: []sdk.TestID{{}}, RunnerArgs: []string{"test/none.t.sol"}})
	if len(ran) != 2 || len(plan.Commands) != 1 {
		t.Errorf("ran %v by %v", ran, plan.Commands)
	}
}

func TestAFileInTheRootIsNotMistakenForTheSuffixOfAnother(t *testing.T) {
	l := newLive(t, map[string]string{
		"foundry.toml": forgetest.Config + "src = '.'\ntest = '.'\n",
		"A.t.sol":      contractSource("ATest test_x()"), "XA.t.sol": contractSource("ATest test_x()"), "sub/A.t.sol": contractSource("ATest test_x()"),
	})
	l.run(sdk.TestRequest{})
	target := sdk.TestID{Suite: "A.t.sol:ATest", Test: "test_x()"}
	ran, plan := l.rerun(sdk.RerunRequest{Targets: []sdk.TestID{target}})
	if diff := cmp.Diff(map[sdk.TestID]int{target: 1}, ran); diff != "" {
		t.Errorf("what runs differs (-want +got):\n%s\n%v", diff, plan.Commands)
	}
}

func TestTheContractsOfTheRunAreThoseOfItsArguments(t *testing.T) {
	l := newLive(t, trapSources())
	args := []string{"-o", "elsewhere", "--cache-path", "elsewhere/cache"}
	l.run(sdk.TestRequest{RunnerArgs: args})
	_, plan := l.rerun(sdk.RerunRequest{RunnerArgs: args, Targets: []sdk.TestID{
		{Suite: "test/A.t.sol:ATestMore", Test: "test_z()"}, {Suite: "test/B.t.sol:BTest", Test: "test_y()"},
	}})
	if len(plan.Commands) != 1 {
		t.Errorf("%d commands", len(plan.Commands))
	}
}
