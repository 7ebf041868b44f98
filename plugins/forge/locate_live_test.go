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
