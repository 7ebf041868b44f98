package forge_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// failing is a contract in which a fuzz test and an invariant fail.
const failing = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Counter {
    uint256 public n;

    function up() public {
        n++;
    }
}

contract FailingTest {
    bool public IS_TEST = true;
    Counter private counter;

    function setUp() public {
        counter = new Counter();
    }

    function testFuzz_small(uint256 x) public pure {
        require(x < 100, "too big");
    }

    function invariant_few() public view {
        require(counter.n() < 3, "too many");
    }

    function test_fine() public {
        counter.up();
    }
}
`

// A failure that forge has stored recurs whatever the seed: the first run finds it, and
// the second reports it as stored.
func TestAStoredFailureIsMarkedInTheNextRun(t *testing.T) {
	l := newLive(t, map[string]string{"test/F.t.sol": failing})
	for i, want := range []string{"", "true"} {
		got := l.observe(strconv.Itoa(7 + i))
		if len(got.Failures) != 2 {
			t.Fatalf("run %d: %d failures: %+v", i, len(got.Failures), got)
		}
		for _, f := range got.Failures {
			line, attribute := 20, "counterexample"
			if strings.HasPrefix(f.Test, "invariant") {
				line, attribute = 24, "sequence"
			}
			if f.Attributes["replayed"] != want {
				t.Errorf("run %d: %s replayed %q, want %q", i, f.Test, f.Attributes["replayed"], want)
			}
			if f.Location.File != "test/F.t.sol" || f.Location.Line != line || f.Precision != sdk.PrecisionDeclaration || f.Attributes[attribute] == "" {
				t.Errorf("run %d: %+v", i, f)
			}
		}
		if got.Conditions["forge"] == "" || got.Conditions["evm_version"] == "" || len(got.RunErrors) > 0 || got.Damaged+got.Foreign > 0 {
			t.Errorf("run %d: %+v", i, got)
		}
		for _, r := range got.Tests {
			if r.Location.File != "test/F.t.sol" || r.Location.Line == 0 {
				t.Errorf("%s is declared at %+v", r.Test, r.Location)
			}
		}
		if r := l.execute(got.Failures[0].Repro); !strings.Contains(string(r.Stdout), "too") || r.Code != 1 {
			t.Errorf("the failure is not shown again by %q:\n%s%s", got.Failures[0].Repro.Argv, r.Stdout, r.Stderr)
		}
	}
}
