package forge_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func TestAnIndexLeavesOutWhatAProjectLeavesOut(t *testing.T) {
	t.Parallel()
	for want, test := range map[string]struct {
		config string
		args   []string
	}{
		"--no-match-test=^testFail":          {},
		"--no-match-test=^testFail|(?:slow)": {args: []string{"--no-match-test", "slow"}},
		"--no-match-test=^testFail|(?:a|b)":  {config: `{"no_match_test":"a|b"}`},
		"--no-match-test=^testFail|(?:c)":    {config: `{"no_match_test":"a|b"}`, args: []string{"--no-match-test=c"}},
	} {
		ws := sdk.Workspace{Root: t.TempDir(), Probes: map[string]sdk.ProbeOutput{"config": {Stdout: []byte(test.config)}}}
		plan, err := newDetector().IndexCmd(t.Context(), sdk.IndexRequest{Workspace: ws, Suites: []string{"test/A.t.sol:A"}, RunnerArgs: test.args})
		if err != nil || len(plan.Commands) != 1 || !slices.Contains(plan.Commands[0].Argv, want) {
			t.Errorf("%s: %+v, %v", want, plan.Commands, err)
		}
	}
}
