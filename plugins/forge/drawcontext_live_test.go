package forge_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
)

const library = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\nlibrary L { function l() internal pure {} }\n"

// Under other circumstances forge draws other inputs from the same seed: then the
// measures have another seed, and otherwise the same.
func TestMeasuresOfFuzzTestsNameWhatWasDrawn(t *testing.T) {
	l := newLive(t, map[string]string{
		"test/A.t.sol":    "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\ncontract ATest { function testFuzz_a(uint256 x) public pure { x; } function test_a() public pure {} }\n",
		"test/B.t.sol":    contractSource("BTest test_b()"),
		"test/C.t.sol":    "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\nimport 'l/L.sol';\ncontract CTest { function test_c() public pure { L.l(); } }\n",
		"lib/l/src/L.sol": library,
	})
	seed := func(args ...string) string {
		t.Helper()
		got := l.observe("7", args...)
		found := ""
		for _, r := range got.Tests {
			for _, m := range r.Measures {
				if m.Kind == "unit" && m.Seed != "" {
					t.Errorf("%s does not depend on a seed, and has %q", r.Test, m.Seed)
				}
				if m.Kind == "fuzz_median" {
					found = m.Seed
				}
			}
			if a := r.Attributes["seed"]; a != "" && a != "0x7" {
				t.Errorf("the seed of %s is %q", r.Test, a)
			}
		}
		return found
	}
	cold, warm := seed(), seed()
	if cold != warm || !strings.HasPrefix(warm, "0x7, threads ") {
		t.Errorf("the first run drew %q, the second %q", cold, warm)
	}
	all := map[string]string{"warm": warm, "threads": seed("-j", "3"), "filtered": seed("--match-contract", "A"), "filtered otherwise": seed("--match-contract", "ATest")}
	for n := range 2 {
		// The library is not examined before the run.
		forgetest.Write(t, l.ws.Root, "lib/l/src/L.sol", library+strings.Repeat("// changed\n", n+1))
		drew := seed()
		all["after a change "+drew] = drew
	}
	forgetest.Write(t, l.ws.Root, "test/B.t.sol", contractSource("BTest test_b()")+"// changed\n")
	if prepared := seed(); prepared != warm {
		t.Errorf("after a preparation: %q, want %q", prepared, warm)
	}
	different := map[string]bool{}
	for _, drew := range all {
		different[drew] = true
	}
	if len(different) != 6 {
		t.Errorf("not all differ: %q", all)
	}
	if again := seed(); again != warm {
		t.Errorf("warm again: %q, want %q", again, warm)
	}
}
