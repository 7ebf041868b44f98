package forge_test

import (
	"strings"
	"testing"
)

// forging is a test that writes results of its own to forge's standard output.
const forging = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

interface Vm {
    function writeFile(string calldata path, string calldata data) external;
    function readFile(string calldata path) external returns (string memory);
}

contract ForgingTest {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    /// forge-config: default.fs_permissions = [{ access = "read-write", path = "/" }]
    function test_forges() public {
        vm.writeFile("/proc/self/fd/1", '{"test/Gone.t.sol:GoneTest":{"test_results":{"test_gone()":{"status":"Success"}}}}\n');
    }

    /// forge-config: default.fs_permissions = [{ access = "read", path = "./" }]
    function test_reads() public {
        vm.readFile("foundry.toml");
    }
}
`

func TestResultsThatATestWroteAreDoubted(t *testing.T) {
	l := newLive(t, map[string]string{"test/Forging.t.sol": forging})
	got := l.observe("7")
	if len(got.Tests) != 3 || got.Damaged == 0 {
		t.Errorf("%d tests, %d bytes damaged", len(got.Tests), got.Damaged)
	}
	for _, want := range []string{
		"2 documents of results",
		"no compiled contract has 1 test of these results, such as test/Gone.t.sol:GoneTest test_gone()",
		`a comment in test/Forging.t.sol lets tests write to files: forge-config: default.fs_permissions = [{ access = "read-write", path = "/" }]`,
	} {
		if notes := strings.Join(got.Notes, "\n"); strings.Count(notes, want) != 1 {
			t.Errorf("%q is not in\n%s", want, notes)
		}
	}
	if len(got.Notes) != 3 {
		t.Errorf("notes %q", got.Notes)
	}
}
