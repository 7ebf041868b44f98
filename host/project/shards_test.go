package project

import (
	"slices"
	"strings"
	"testing"
)

func TestAddressesLeaveTheMachineAsDigests(t *testing.T) {
	words := []string{"-race", "FOUNDRY_ETH_RPC_URL=https://rpc.example/v2/KEY", "TZ=UTC"}
	masked := MaskAddresses(words)
	if strings.Contains(strings.Join(masked, " "), "KEY") || masked[0] != "-race" || masked[2] != "TZ=UTC" {
		t.Errorf("%q", masked)
	}
	if back := UnmaskAddresses(masked, []string{words[1]}); !slices.Equal(back, words) {
		t.Errorf("%q", back)
	}
	if other := UnmaskAddresses(masked, []string{"FOUNDRY_ETH_RPC_URL=https://other"}); !slices.Equal(other, masked) {
		t.Errorf("%q", other)
	}
}

func TestTheAttemptIsAsTheProviderCounts(t *testing.T) {
	for env, want := range map[string]int{"": 1, "GITHUB_RUN_ATTEMPT=3": 3, "BUILDKITE_RETRY_COUNT=0": 1, "BUILDKITE_RETRY_COUNT=2": 3, "CI_JOB_ID=7001": 7001, "GITHUB_RUN_ATTEMPT=x": 1} {
		if got := AttemptIn([]string{env}); got != want {
			t.Errorf("%q: attempt %d, want %d", env, got, want)
		}
	}
}
