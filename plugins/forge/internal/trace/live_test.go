package trace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

// unoptimized is the environment in which the plugin runs tests to get exact lines.
var unoptimized = []string{"FOUNDRY_OPTIMIZER=false", "FOUNDRY_VIA_IR=false", "FOUNDRY_DYNAMIC_TEST_LINKING=false"}

func runForge(t *testing.T, root string, args ...string) []byte {
	t.Helper()
	args = append([]string{
		"test", "--json", "-vvvvv", "--fuzz-seed", "0x7", "--out", "located/out", "--cache-path", "located/cache",
	}, args...)
	return forgetest.Run(t, root, unoptimized, args...).Stdout
}

func TestRealForgeFailuresAreLocatedAtTheirMarks(t *testing.T) {
	root := forgetest.Copy(t, filepath.Join("testdata", "project"))
	document := runForge(t, root, "--no-match-test", "testOutOfGas")
	failed := failedTests(t, document)
	n := readMarks(t, root).check(t, failed, locateFailures(t, configOf(root), document, 32<<10))
	t.Logf("%d of %d failures were located", n, len(failed))
	if n < 100 {
		t.Errorf("only %d failures were located", n)
	}
}

func TestSingleStepsOfTheOptimizerAreNoticed(t *testing.T) {
	root := forgetest.Copy(t, filepath.Join("testdata", "project"))
	toml := filepath.Join(root, "foundry.toml")
	text, err := os.ReadFile(toml)
	if err != nil {
		t.Fatal(err)
	}
	details := "optimizer = true\noptimizer_details = { cse = true, inliner = true }\n"
	text = []byte(strings.Replace(string(text), "optimizer = true\n", details, 1))
	if err := os.WriteFile(toml, text, 0o644); err != nil {
		t.Fatal(err)
	}
	document := runForge(t, root, "--match-contract", "DsTest")
	if n := len(failedTests(t, document)); n == 0 {
		t.Fatal("no test failed")
	}
	for id := range locateFailures(t, configOf(root), document, 32<<10) {
		t.Errorf("%v was located in optimized code", id)
	}
}

func TestLinesOfOptimizedCodeAreNotCalledExact(t *testing.T) {
	root := forgetest.Copy(t, filepath.Join("testdata", "project"))
	document := forgetest.Run(t, root, nil, "test", "--json", "-vvvvv",
		"--out", "located/out", "--cache-path", "located/cache", "--match-contract", "DsTest").Stdout
	if n := len(failedTests(t, document)); n == 0 {
		t.Fatal("no test failed")
	}
	for id := range locateFailures(t, configOf(root), document, 32<<10) {
		t.Errorf("%v was located", id)
	}
}

// Without the hash of the metadata, two contracts may have the same code.
func TestOneCodeOfTwoContractsIsNotLocated(t *testing.T) {
	same := "contract Same { function f(uint256 n) external pure { require(n == 1, \"same\"); } }\n"
	root := forgetest.Project(t, map[string]string{
		"foundry.toml": forgetest.Config + "bytecode_hash = \"none\"\ncbor_metadata = false\n",
		"src/A.sol":    same,
		"src/B.sol":    "\n\n" + same,
		"test/S.t.sol": `import {Same} from "../src/B.sol";
import "../src/A.sol" as A;

contract STest {
    function testSame() public {
        Same s = new Same();
        s.f(1);
        s.f(2);
    }
}
`,
	})
	document := runForge(t, root)
	id := sdk.TestID{Suite: "test/S.t.sol:STest", Test: "testSame()"}
	if got := lineOnly(locateFailures(t, configOf(root), document, 4096)[id].Location); got != (sdk.Location{File: "test/S.t.sol", Line: 8}) {
		t.Errorf("located at %v", got)
	}
}

// A test may create another contract with the same code as its own.
func TestATwinOfTheSuiteIsNotMistakenForIt(t *testing.T) {
	const pragma = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.13;\n"
	const suite = `
interface Vm {
    function getCode(string calldata path) external returns (bytes memory);
}

contract STest {
    function testTwin() public {
        bytes memory code = Vm(address(uint160(uint256(keccak256("hevm cheat code"))))).getCode("test/B.t.sol:STest");
        address twin;
        assembly {
            twin := create(0, add(code, 32), mload(code))
        }
        STest(twin).f(2);
    }

    function f(uint256 n) external pure {
        require(n == 1, "f");
    }
}
`
	root := forgetest.Project(t, map[string]string{
		"foundry.toml": forgetest.Config + "bytecode_hash = \"none\"\ncbor_metadata = false\n",
		"test/A.t.sol": pragma + suite,
		"test/B.t.sol": pragma + "\n\n" + suite,
	})
	document := runForge(t, root)
	id := sdk.TestID{Suite: "test/A.t.sol:STest", Test: "testTwin()"}
	if got := lineOnly(locateFailures(t, configOf(root), document, 4096)[id].Location); got != (sdk.Location{File: "test/A.t.sol", Line: 15}) {
		t.Errorf("located at %v", got)
	}
}

// Profiles for single files stay in force when the optimizer is switched off.
func TestCodeOfAnOptimizingProfileIsNotLocated(t *testing.T) {
	const test = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {Shared} from "../common/Shared.sol";

contract NameTest {
    function testShared() public {
        Shared s = new Shared();
        s.f(0);
        s.f(3);
    }
}
`
	root := forgetest.Project(t, map[string]string{
		"foundry.toml": forgetest.Config + `additional_compiler_profiles = [
    { name = "a", via_ir = true, optimizer = true, optimizer_runs = 300 },
    { name = "b", optimizer = false, via_ir = false, evm_version = "cancun" },
]
compilation_restrictions = [
    { paths = "test/A.t.sol", via_ir = true },
    { paths = "test/B.t.sol", via_ir = false, evm_version = "cancun" },
]
`,
		"common/Shared.sol": `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

contract Shared {
    uint256 n;

    function f(uint256 x) external {
        n += x * 2 + 1;
        require(n == 1, "shared");
    }
}
`,
		"test/A.t.sol": strings.ReplaceAll(test, "Name", "A"),
		"test/B.t.sol": strings.ReplaceAll(test, "Name", "B"),
	})
	document := runForge(t, root)
	if n := len(failedTests(t, document)); n != 2 {
		t.Fatalf("%d tests failed", n)
	}
	got := locateFailures(t, configOf(root), document, 32<<10)
	if f, ok := got[sdk.TestID{Suite: "test/A.t.sol:ATest", Test: "testShared()"}]; ok {
		t.Errorf("located at %v in optimized code", f.Location)
	}
	// It is uncertain which of the contracts with the shared code ran.
	if at := lineOnly(got[sdk.TestID{Suite: "test/B.t.sol:BTest", Test: "testShared()"}].Location); at != (sdk.Location{File: "test/B.t.sol", Line: 10}) {
		t.Errorf("located at %v", at)
	}
}
