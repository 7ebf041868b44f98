package trace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

// unoptimized is how the plugin composes a run whose lines are exact.
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
	failed := failures(t, document)
	n := readMarks(t, root).check(t, failed, locate(t, configOf(root), document, 32<<10))
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
	if n := len(failures(t, document)); n == 0 {
		t.Fatal("no test failed")
	}
	for id := range locate(t, configOf(root), document, 32<<10) {
		t.Errorf("%v was located in code that the optimizer worked on", id)
	}
}

func TestLinesOfOptimizedCodeAreNotCalledExact(t *testing.T) {
	root := forgetest.Copy(t, filepath.Join("testdata", "project"))
	document := forgetest.Run(t, root, nil, "test", "--json", "-vvvvv",
		"--out", "located/out", "--cache-path", "located/cache", "--match-contract", "DsTest").Stdout
	if n := len(failures(t, document)); n == 0 {
		t.Fatal("no test failed")
	}
	for id := range locate(t, configOf(root), document, 32<<10) {
		t.Errorf("%v was located", id)
	}
}

// Without the hash of its metadata, a contract's code may be another's too.
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
	id := sdk.TestID{Suite: "test/S.t.sol:STest", Name: "testSame()"}
	if got := line(locate(t, configOf(root), document, 4096)[id].Location); got != (sdk.Location{File: "test/S.t.sol", Line: 8}) {
		t.Errorf("located at %v", got)
	}
}
