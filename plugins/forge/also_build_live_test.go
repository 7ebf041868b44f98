package forge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

// deepError returns a source that the compiler rejects only in its last phase.
func deepError() string {
	var declared, sum strings.Builder
	for i := range 20 {
		fmt.Fprintf(&declared, "uint256 v%d = a + %d; ", i, i)
		fmt.Fprintf(&sum, " + v%d", i)
	}
	return pinned + "contract Deep { function f(uint256 a) external pure returns (uint256) { " + declared.String() + "return a" + sum.String() + "; } }\n"
}

func TestARerunBuildsWhatItDoesNotRunOnRequest(t *testing.T) {
	l := newLive(t, map[string]string{
		"test/A.t.sol": contractSource("ATest test_a()"),
		"test/B.t.sol": contractSource("BTest test_b()"),
	})
	l.list(sdk.ListRequest{})
	forgetest.Write(t, l.ws.Root, "test/B.t.sol", deepError()+"contract BTest { function test_b() public {} }\n")
	for name, targets := range map[string][]sdk.TestID{"beside a test": {{Suite: "test/A.t.sol:ATest", Test: "test_a()"}}, "alone": nil} {
		t.Run(name, func(t *testing.T) {
			plan, err := l.detector.RerunCmd(t.Context(), sdk.RerunRequest{
				Workspace: l.ws, Targets: targets, AlsoBuild: []string{"test/B.t.sol:BTest"}, RunnerArgs: []string{"--match-path", "test/A.t.sol"},
			})
			if err != nil || len(plan.Commands) != 1+len(targets) {
				t.Fatalf("%d commands, %v", len(plan.Commands), err)
			}
			build := plan.Commands[0]
			if !build.Prepares || len(build.Targets) > 0 {
				t.Errorf("%+v", build)
			}
			got := &observed{Conditions: map[string]string{}}
			p := l.detector.ParseTestFailures(t.Context(), sdk.RunInfo{Workspace: l.ws, Command: build}, got)
			out := l.execute(build)
			p.Write(sdk.Stdout, out.Stdout)
			p.Write(sdk.Stderr, out.Stderr)
			p.Close(sdk.Exit{Code: out.Code})
			if out.Code == 0 || len(got.Failures) != 1 || got.Failures[0].Kind != sdk.KindBuild || !strings.Contains(got.Failures[0].Message, "Stack too deep") {
				t.Errorf("exit code %d, failures %+v, errors %q", out.Code, got.Failures, got.RunErrors)
			}
			for _, c := range plan.Commands[1:] {
				if statuses, _ := l.results(c); len(statuses) != 1 {
					t.Errorf("%v ran", statuses)
				}
			}
		})
	}
}
