package cli

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

func TestAFoundryUploadUsesTheLibrariesOfAProject(t *testing.T) {
	t.Parallel()
	project := newFoundry(t, files{
		"foundry.toml":      forgetest.Config + "remappings = [\"dep/=lib/dep/src/\"]\n",
		"lib/dep/src/D.sol": "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\nlibrary D { function two() internal pure returns (uint256) { return 2; } }\n",
		"test/Own.t.sol":    "pragma solidity ^0.8.0;\ncontract OwnTest { function test_own() public pure { revert(\"not of the upload\"); } }\n",
	})
	upload := newFoundry(t, files{"test/Up.t.sol": `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
import "dep/D.sol";
interface Vm {
    function envString(string calldata) external returns (string memory);
    function writeFile(string calldata, string calldata) external;
}
contract UpTest {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    function test_library() public pure { require(D.two() == 2, "two"); }
    function test_secret() public { vm.envString("SECRET"); }
    function test_writes() public { vm.writeFile("out.txt", "x"); }
    function test_line() public pure { require(D.two() == 3, "three"); }
}
`})
	upload.remove("foundry.toml")
	project.setenv("SECRET=swordfish")
	needsBubblewrap(t, project)
	before := project.proctor("run")
	before.expect(t, 1)

	run, r := project.object("run", "--precise", "--sources", upload.dir, "-C", project.dir)
	r.expect(t, 1)
	want := []string{"test/Up.t.sol:UpTest test_line()", "test/Up.t.sol:UpTest test_secret()", "test/Up.t.sol:UpTest test_writes()"}
	got := failedTests(run)
	slices.Sort(got)
	if !slices.Equal(got, want) || run.Counts.Passed != 1 {
		t.Errorf("failed %q and passed %d\n%s", got, run.Counts.Passed, r.stderr)
	}
	for _, f := range run.Failures {
		if f.Test == "test_line()" && (f.Precision != sdk.PrecisionExact || f.Line != 13) {
			t.Errorf("the line is %d, %s; warnings %q", f.Line, f.Precision, run.Warnings)
		}
	}
	// The project's own record is untouched.
	project.proctor("failures").expect(t, 0, "test_own()")
}

func TestAnUploadMayNotConfigureForge(t *testing.T) {
	t.Parallel()
	project := newFoundry(t, files{"test/A.t.sol": "pragma solidity ^0.8.0;\ncontract ATest { function test_a() public {} }\n"})
	needsBubblewrap(t, project)
	for name, tree := range map[string]files{
		"foundry.toml": {"foundry.toml": "[profile.default]\nffi = true\n", "test/A.t.sol": "contract A {}"},
		"forge-config": {"test/A.t.sol": "/// forge-config: default.fs_permissions = [{access='read-write', path='/'}]\ncontract A {}"},
		"../A.t.sol":   {"up.json": `{"../A.t.sol": "contract A {}"}`},
	} {
		upload := newFoundry(t, nil)
		upload.remove("foundry.toml")
		upload.write(tree)
		sources := upload.dir
		if tree["up.json"] != "" {
			sources += "/up.json"
		}
		r := project.proctor("run", "--sources", sources)
		r.expect(t, 2, name)
	}
}
