package forge_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

// pinned begins a source that any configured compiler accepts.
const pinned = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n"

// dependencies lists including what suites are built from. Listing compiles.
func (l *live) dependencies(args ...string) *listed {
	l.t.Helper()
	got := l.list(sdk.ListRequest{Dependencies: true, RunnerArgs: args})
	if len(got.errors) > 0 {
		l.t.Fatalf("errors %q", got.errors)
	}
	return got
}

// files returns all files that a suite is built from, as a host finds them, and
// patterns where others would be.
func (l *listed) files(t *testing.T, suite string) (files, patterns []string) {
	t.Helper()
	needs, known := l.needs[suite]
	if !known {
		t.Fatalf("no suite %s among %v", suite, l.suites)
	}
	seen := map[string]bool{}
	queue := slices.Clone(needs)
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		part, known := l.parts[name]
		if !known {
			t.Fatalf("there is no part %q, which %s needs", name, suite)
		}
		files, patterns = append(files, part.Files...), append(patterns, part.Patterns...)
		queue = append(queue, part.Needs...)
	}
	slices.Sort(files)
	slices.Sort(patterns)
	return slices.Compact(files), slices.Compact(patterns)
}

func TestASuiteIsBuiltFromAllThatItsSourceImports(t *testing.T) {
	l := newLive(t, map[string]string{
		"src/Deep.sol":      pinned + "library Deep { function one() internal pure returns (uint256) { return 1; } }\n",
		"src/Middle.sol":    pinned + "import {Deep} from \"./Deep.sol\";\ncontract Middle { function one() external pure returns (uint256) { return Deep.one(); } }\n",
		"src/Other.sol":     pinned + "contract Other {}\n",
		"src/I.sol":         pinned + "interface I {}\n",
		"src/Loop.sol":      pinned + "import \"./Loop2.sol\";\ncontract Loop {}\n",
		"src/Loop2.sol":     pinned + "import \"./Loop.sol\";\ncontract Loop2 {}\n",
		"test/Base.sol":     pinned + "import \"../src/I.sol\";\nabstract contract Base { function test_inherited() public {} }\n",
		"test/A.t.sol":      pinned + "import {Middle} from \"src/Middle.sol\";\nimport \"./Base.sol\";\ncontract ATest is Base { function test_a() public { new Middle().one(); } }\n",
		"test/B.t.sol":      pinned + "import \"../src/Loop.sol\";\nimport \"../src/Other.sol\";\ncontract BTest { function test_b() public {} }\ncontract CTest { function test_c() public {} }\n",
		"remappings.txt":    "dep/=lib/dep/src/\n",
		"lib/dep/src/D.sol": pinned + "contract D {}\n",
		"test/D.t.sol":      pinned + "import \"dep/D.sol\";\ncontract DTest { function test_d() public {} }\n",
	})
	got := l.dependencies()
	for suite, want := range map[string][]string{
		"test/A.t.sol:ATest": {"foundry.toml", "remappings.txt", "src/Deep.sol", "src/I.sol", "src/Middle.sol", "test/A.t.sol", "test/Base.sol"},
		"test/B.t.sol:BTest": {"foundry.toml", "remappings.txt", "src/Loop.sol", "src/Loop2.sol", "src/Other.sol", "test/B.t.sol"},
		"test/B.t.sol:CTest": {"foundry.toml", "remappings.txt", "src/Loop.sol", "src/Loop2.sol", "src/Other.sol", "test/B.t.sol"},
		"test/D.t.sol:DTest": {"foundry.toml", "lib/dep/src/D.sol", "remappings.txt", "test/D.t.sol"},
	} {
		files, patterns := got.files(t, suite)
		if diff := cmp.Diff(want, files); diff != "" || got.opaque[suite] != "" {
			t.Errorf("%s, opaque %q (-want +got):\n%s", suite, got.opaque[suite], diff)
		}
		for _, pattern := range []string{".env", "foundry.lock", "lib/**"} {
			if !slices.Contains(patterns, pattern) {
				t.Errorf("%s: %q is not among the patterns %q", suite, pattern, patterns)
			}
		}
	}
	// Forge looks for it in the libraries before the root.
	if _, patterns := got.files(t, "test/A.t.sol:ATest"); !slices.Contains(patterns, "lib/src/Middle.sol") {
		t.Errorf("patterns %q", patterns)
	}
}

func TestTheListingFollowsWhatASourceImportsNow(t *testing.T) {
	l := newLive(t, map[string]string{
		"src/A.sol": pinned + "contract A {}\n", "src/B.sol": pinned + "contract B {}\n",
		"test/T.t.sol": pinned + "import \"../src/A.sol\";\ncontract TTest { function test_t() public {} }\n",
	})
	l.dependencies()
	forgetest.Write(t, l.ws.Root, "test/T.t.sol", pinned+"import \"../src/B.sol\";\ncontract TTest { function test_t() public {} }\n")
	files, _ := l.dependencies().files(t, "test/T.t.sol:TTest")
	if diff := cmp.Diff([]string{"foundry.toml", "src/B.sol", "test/T.t.sol"}, files); diff != "" {
		t.Error(diff)
	}
}

// cheatingTest returns a test that calls cheat codes of an interface that declares more.
func cheatingTest(body string) string {
	return pinned + `interface Vm {
    function warp(uint256 t) external;
    function readFile(string calldata p) external view returns (string memory);
    function ffi(string[] calldata c) external returns (bytes memory);
    function getCode(string calldata a) external view returns (bytes memory);
    function envOr(string calldata n, uint256 d) external view returns (uint256);
    function createSelectFork(string calldata u) external returns (uint256);
    function ofLater(uint256 x) external;
}
abstract contract Base {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    function unused() internal { vm.readFile("x"); vm.ofLater(1); }
}
` + body
}

func TestASuiteThatReachesBeyondItsSourcesIsOpaque(t *testing.T) {
	suite := func(name, body string) string {
		return cheatingTest("contract " + name + "Test is Base { function test_x() public { " + body + " } }\n")
	}
	l := newLive(t, map[string]string{
		"test/Warp.t.sol":  suite("Warp", "vm.warp(5);"),
		"test/Read.t.sol":  suite("Read", `vm.readFile("a");`),
		"test/Used.t.sol":  suite("Used", "unused();"),
		"test/Ffi.t.sol":   suite("Ffi", "string[] memory c = new string[](1); vm.ffi(c);"),
		"test/Code.t.sol":  suite("Code", `vm.getCode("A.sol:A");`),
		"test/Env.t.sol":   suite("Env", `vm.envOr("A", uint256(1));`),
		"test/Fork.t.sol":  suite("Fork", `vm.createSelectFork("a");`),
		"test/Later.t.sol": suite("Later", "vm.ofLater(2);"),
		"test/Raw.t.sol": pinned + `contract RawTest { function test_x() public {
    (bool ok,) = address(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D).call(abi.encodeWithSignature("readFile(string)", "x")); ok; } }
`,
		"test/Made.t.sol": cheatingTest("contract Maker is Base { function f() public { vm.readFile(\"a\"); } }\ncontract MadeTest { function test_x() public { new Maker(); } }\n"),
		"test/Linked.t.sol": cheatingTest(`library Deep { function f() public { Vm(address(1)).getCode("A"); } }
library Lib { function f() public { Deep.f(); } }
contract LinkedTest { function test_x() public { Lib.f(); } }
`),
		"test/Plain.t.sol": pinned + "library Lib { function f() public pure {} }\ncontract PlainTest { function test_x() public pure { Lib.f(); } }\n",
	})
	for name, args := range map[string][]string{"plain": nil, "optimized": {"--optimize", "true", "--optimizer-runs", "1"}, "via IR": {"--via-ir"}} {
		got := l.dependencies(args...)
		for suite, want := range map[string]string{
			"Warp": "", "Plain": "",
			"Read": "reads or writes files: readFile(string)", "Used": "ofLater(uint256)", "Ffi": "starts programs", "Code": "what was compiled",
			"Env": "the environment", "Fork": "a chain", "Later": "not known here: ofLater(uint256)", "Raw": "readFile(string)",
			"Made": "readFile(string)", "Linked": "getCode(string)",
		} {
			opaque, known := got.opaque["test/"+suite+".t.sol:"+suite+"Test"]
			if !known || !strings.Contains(opaque, want) || (opaque == "") != (want == "") {
				t.Errorf("%s, %s: opaque %q, want %q", name, suite, opaque, want)
			}
		}
		// The address of a library depends on the other libraries.
		if files, _ := got.files(t, "test/Plain.t.sol:PlainTest"); !slices.Contains(files, "test/Warp.t.sol") {
			t.Errorf("%s: a suite with a library is built from %q", name, files)
		}
	}
}

func TestASuiteIsOpaqueIfOtherPragmasMayChangeItsCompiler(t *testing.T) {
	l := newLive(t, map[string]string{
		"foundry.toml": "[profile.default]\noffline = true\n",
		"test/A.t.sol": pinned + "contract ATest { function test_a() public {} }\n",
		"test/B.t.sol": "pragma solidity " + forgetest.Solc + ";\ncontract BTest { function test_b() public {} }\n",
		"test/C.t.sol": "// pragma solidity " + forgetest.Solc + ";\npragma solidity ^0.8.0;\ncontract CTest { function test_c() public {} }\n",
	})
	got := l.dependencies()
	for suite, opaque := range map[string]bool{"A": true, "B": false, "C": true} {
		if text := got.opaque["test/"+suite+".t.sol:"+suite+"Test"]; strings.Contains(text, "solc") != opaque {
			t.Errorf("%s: %q", suite, text)
		}
	}
}

// With dynamic linking forge replaces "new" in tests by a cheat code that finds what to
// create by name.
func TestASuiteIsOpaqueIfForgeLinksItDynamically(t *testing.T) {
	l := newLive(t, map[string]string{
		"foundry.toml": forgetest.Config + "dynamic_test_linking = true\n",
		"src/C.sol":    pinned + "contract C { uint256 public n; }\n",
		"test/C.t.sol": pinned + "import \"src/C.sol\";\ncontract CTest { function test_c() public { require(new C().n() == 0); } }\n",
		"test/D.t.sol": pinned + "import \"src/C.sol\";\ncontract DTest { function test_d() public {} }\n",
	})
	got := l.dependencies()
	if opaque := got.opaque["test/C.t.sol:CTest"]; !strings.Contains(opaque, "deployCode") {
		t.Errorf("opaque %q", opaque)
	}
	files, _ := got.files(t, "test/D.t.sol:DTest")
	if opaque := got.opaque["test/D.t.sol:DTest"]; opaque != "" || !slices.Contains(files, "src/C.sol") {
		t.Errorf("opaque %q, files %q", opaque, files)
	}
}

func TestTheStateOfAChainMakesEverySuiteOpaque(t *testing.T) {
	l := newLive(t, map[string]string{"test/A.t.sol": contractSource("ATest test_a()")})
	list, err := l.detector.ListCmd(t.Context(), sdk.ListRequest{Workspace: l.ws, Dependencies: true, RunnerArgs: []string{"--fork-url", "http://localhost:1"}})
	if err != nil {
		t.Fatal(err)
	}
	sink := newListed()
	l.execute(list.Commands[0])
	p := l.detector.ParseList(t.Context(), sdk.ListRequest{Workspace: l.ws, Dependencies: true}, list.Commands[0], sink)
	p.Write(sdk.Stdout, []byte(`{"test/A.t.sol":{"ATest":["test_a"]}}`+"\n"))
	p.Close(sdk.Exit{})
	if opaque := sink.opaque["test/A.t.sol:ATest"]; !strings.Contains(opaque, "chain") {
		t.Errorf("%q, errors %q", opaque, sink.errors)
	}
}

func TestSettingsOfLibrariesAndLinkedFilesAreConfiguration(t *testing.T) {
	l := newLive(t, map[string]string{
		"foundry.toml":                      forgetest.Config + "extends = 'base.toml'\nlibs = ['lib', 'more']\n",
		"base.toml":                         "[profile.default]\noptimizer = true\n",
		"lib/a/foundry.toml":                "[profile.default]\nlibs = ['vendor']\n",
		"lib/a/vendor/b/remappings.txt":     "x/=src/\n",
		"lib/plain/src/P.sol":               pinned + "contract P {}\n",
		"packages/real/src/R.sol":           pinned + "contract R {}\n",
		"test/A.t.sol":                      pinned + "import \"real/R.sol\";\nimport \"plain/P.sol\";\ncontract ATest { function test_a() public {} }\n",
		"lib/a/vendor/b/lib/c/foundry.toml": "",
	})
	if err := os.Symlink(filepath.Join("..", "packages", "real"), filepath.Join(l.ws.Root, "lib", "real")); err != nil {
		t.Fatal(err)
	}
	l.setenv()
	got := l.dependencies()
	files, patterns := got.files(t, "test/A.t.sol:ATest")
	for _, want := range []string{
		"foundry.toml", "base.toml", "lib/a/foundry.toml", "lib/a/vendor/b/remappings.txt", "lib/a/vendor/b/lib/c/foundry.toml",
		"packages/real/src/R.sol", "lib/plain/src/P.sol",
	} {
		if !slices.Contains(files, want) {
			t.Errorf("%q is not among the files %q", want, files)
		}
	}
	for _, want := range []string{"lib/**", "more/**"} {
		if !slices.Contains(patterns, want) {
			t.Errorf("%q is not among the patterns %q", want, patterns)
		}
	}
	if opaque := got.opaque["test/A.t.sol:ATest"]; opaque != "" {
		t.Errorf("opaque: %s", opaque)
	}
}
