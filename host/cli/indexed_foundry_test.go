package cli

import "testing"

// A contract takes a compile of its own, so that one can be measured alone. What was
// measured of others stays.
func TestAnIndexTakesThePatternsOfARun(t *testing.T) {
	t.Parallel()
	const body = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\nimport {C} from '../src/C.sol';\n"
	w := newFoundry(t, files{
		"src/C.sol":    "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\ncontract C {\n    function f() public pure returns (uint256) {\n        return 1;\n    }\n}\n",
		"test/A.t.sol": body + "contract ATest { function test_a() public { new C().f(); } }\n",
		"test/B.t.sol": body + "contract BTest { function test_b() public { new C().f(); } }\n",
	})
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"--match-contract", "^ATest$"}, "A.t.sol:ATest indexed"},
		{[]string{"--match-path", "test/B*"}, "B.t.sol:BTest indexed"},
		{nil, "A.t.sol:ATest fresh, B.t.sol:BTest fresh"},
	} {
		ix, r := w.indexed(step.args...)
		if got := states(ix); got != step.want {
			t.Errorf("index %q: %s (exit %d), want %s\n%s", step.args, got, r.code, step.want, r.stderr)
		}
	}
}
