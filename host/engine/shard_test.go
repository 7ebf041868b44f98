package engine

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/project"
)

func TestAddressesInArgumentsLeaveTheMachineAsDigests(t *testing.T) {
	key := "-tags=x\x01\x00FOUNDRY_ETH_RPC_URL=https://rpc.example/v2/KEY\x00TZ=UTC"
	if got := mapArgs(key, project.MaskAddresses); strings.Contains(got, "KEY") || !strings.HasPrefix(got, "-tags=x\x01\x00") {
		t.Errorf("%q", got)
	}
}
