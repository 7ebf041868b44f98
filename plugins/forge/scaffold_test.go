package forge_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

func sourceFile(path, content string) sdk.SourceFile {
	return sdk.SourceFile{Path: path, Content: []byte(content)}
}

func TestFilesThatConfigureForgeAreRejected(t *testing.T) {
	for _, test := range []struct{ name, path, content, says string }{
		{"configuration", "foundry.toml", "", ".sol"},
		{"configuration below", "src/foundry.toml", "", ".sol"},
		{"remappings", "remappings.txt", "", ".sol"},
		{"lock", "soldeer.lock", "", ".sol"},
		{"environment", ".env", "", "dot"},
		{"modules", ".gitmodules", "", "dot"},
		{"hidden source", "src/.a.sol", "", "dot"},
		{"hidden directory", "test/.x/a.sol", "", "dot"},
		{"absolute", "/etc/a.sol", "", "relative"},
		{"above", "../a.sol", "", "relative"},
		{"above within", "src/../../a.sol", "", "relative"},
		{"not clean", "src//a.sol", "", "relative"},
		{"empty", "", "", "relative"},
		{"backslash", `src\a.sol`, "", "relative"},
		{"newline", "src/a\n.sol", "", "text"},
		{"NUL", "src/a\x00.sol", "", "text"},
		{"other capitals", "Src/a.sol", "", "in this spelling"},
		{"other ending", "src/a.SOL", "", ".sol"},
		{"elsewhere", "contracts/a.sol", "", "test/"},
		{"the root", "a.sol", "", "test/"},
		{"a space at the end", "src /a.sol", "", "space"},
		{"same but capitals", "test/A.SOL.sol", "", "ignore case"},
		{"no text", "src/a.sol", "\xff", "UTF-8"},
		{"dots in a link's name", "lib/../src/a.sol", "", "relative"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := newDetector().Scaffold(t.Context(), sdk.ScaffoldRequest{Sources: []sdk.SourceFile{sourceFile("test/a.sol.sol", ""), sourceFile(test.path, test.content)}})
			checkRefused(t, err, test.says)
		})
	}
	_, err := newDetector().Scaffold(t.Context(), sdk.ScaffoldRequest{})
	checkRefused(t, err, "no sources")
}

func checkRefused(t *testing.T, err error, says string) {
	t.Helper()
	var refusal *sdk.Error
	if !errors.As(err, &refusal) || refusal.Reason != sdk.InvalidSources || !strings.Contains(refusal.Message, says) {
		t.Errorf("error is %v; want a refusal that says %q", err, says)
	}
}

// If the real forge accepts this, a test can read any file; see
// TestEverySettingThatForgeAcceptsIsRejected.
const permission = `default.fs_permissions = [{access="read",path="/"}]`

func settingsInComments() map[string]string {
	return map[string]string{
		"a line":                "/// forge-config: " + permission,
		"a block":               "/** forge-config: " + permission + " */",
		"a block of lines":      "/**\n     * forge-config: " + permission + "\n     */",
		"behind a tag":          "/// @dev forge-config: " + permission,
		"behind text":           "/// x forge-config:" + permission,
		"without a space":       "///forge-config:" + permission,
		"behind a good one":     "/// forge-config: default.fuzz.runs = 5\n    /// forge-config: " + permission,
		"in a second block":     "/** forge-config: default.fuzz.runs = 3 */ /** forge-config: " + permission + " */",
		"after a windows line":  "/// forge-config: default.fuzz.runs = 5\r\n    /// forge-config: " + permission,
		"after a bare return":   "/// forge-config: default.fuzz.runs = 5\r    /// forge-config: " + permission,
		"a quoted key":          `/// forge-config: default."fs_permissions" = [{access="read",path="/"}]`,
		"a dotted key":          `/// forge-config: default . fs_permissions = [{access="read",path="/"}]`,
		"a table":               `/// forge-config: default = {fs_permissions = [{access="read",path="/"}]}`,
		"an inner table":        `/// forge-config: default.fuzz = {runs = 5}`,
		"quoted by escapes":     `/// forge-config: default."fs_perm` + "\\" + `u0069ssions" = [{access="read",path="/"}]`,
		"twice in a line":       "/// forge-config: default.fuzz.runs = 5 forge-config: " + permission,
		"behind a TOML comment": "/// forge-config: default.fuzz.runs = 5 # forge-config: " + permission,
		"over two lines":        "/// forge-\n    /// config: " + permission,
		"with stars between":    "/**\n     * forge-\n     * config: " + permission + "\n     */",
		"an invisible letter":   "/// forge-\u200bconfig: " + permission,
		"capitals":              "/// FORGE-config: " + permission,
		"ffi":                   "/// forge-config: default.ffi = true",
		"no profile":            "/// forge-config: fuzz.runs = 5",
		"something before":      `/// forge-config: fs_permissions = [] default.fuzz.runs = 5`,
		"another profile":       "/// forge-config: ci.fuzz.runs = 5",
		"a seed file":           `/// forge-config: default.fuzz.failure_persist_dir = "/tmp/x"`,
		"a number of a kind":    "/// forge-config: default.fuzz.runs = 5e9",
		"in a plain comment":    "// forge-config: " + permission,
	}
}

func readsAFile(comment string) string {
	return `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
interface Vm { function readFile(string calldata) external returns (string memory); }
contract ATest {
    ` + comment + `
    function testFuzz_reads(uint256) public { Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D).readFile("/etc/passwd"); }
}
`
}

func TestSettingsInCommentsAreRejected(t *testing.T) {
	for name, comment := range settingsInComments() {
		t.Run(name, func(t *testing.T) {
			_, err := newDetector().Scaffold(t.Context(), sdk.ScaffoldRequest{Sources: []sdk.SourceFile{sourceFile("test/A.t.sol", readsAFile(comment))}})
			checkRefused(t, err, "forge-config:")
		})
	}
}

func TestCommentsMaySetHowThoroughlyToTest(t *testing.T) {
	for _, comment := range []string{
		"/// forge-config: default.fuzz.runs = 5", "/** forge-config: default.invariant.depth = 10 */", "///forge-config:default.invariant.runs=1\r",
		"/**\n * forge-config: default.fuzz.max_test_rejects = 9\n * forge-config: default.invariant.fail_on_revert = true\n */", "/// forge config", "",
	} {
		if _, err := newDetector().Scaffold(t.Context(), sdk.ScaffoldRequest{Sources: []sdk.SourceFile{sourceFile("test/A.t.sol", readsAFile(comment))}}); err != nil {
			t.Errorf("%q: %v", comment, err)
		}
	}
}

// Forge itself decides here: every setting that it accepts must be rejected.
func TestEverySettingThatForgeAcceptsIsRejected(t *testing.T) {
	taken := 0
	for name, comment := range settingsInComments() {
		l := newLive(t, map[string]string{"test/A.t.sol": readsAFile(comment), "foundry.toml": forgetest.Config + "fs_permissions = []\n"})
		statuses, _, _ := l.run(sdk.TestRequest{})
		if statuses[sdk.TestID{Suite: "test/A.t.sol:ATest", Test: "testFuzz_reads(uint256)"}] != "Success" {
			continue
		}
		taken++
		if _, err := l.detector.Scaffold(t.Context(), sdk.ScaffoldRequest{Sources: []sdk.SourceFile{sourceFile("test/A.t.sol", readsAFile(comment))}}); err == nil {
			t.Errorf("%s: forge takes it, and it is not refused", name)
		}
	}
	if taken < 8 {
		t.Errorf("forge takes %d of the comments: the test shows nothing", taken)
	}
}

func TestAScaffoldIsAProjectWithTheLibrariesOfAnother(t *testing.T) {
	project := newLive(t, map[string]string{
		"foundry.toml":                            forgetest.Config + "libs = ['lib', 'node_modules']\nremappings = ['@scope/pkg/=node_modules/@scope/pkg/contracts/', 'out/=/etc/', 'self/=src/', 'odd/=lib/odd name/src/']\n",
		"lib/one/src/One.sol":                     "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\nimport 'two/Two.sol';\nlibrary One { function one() internal pure returns (uint256) { return Two.two() - 1; } }\n",
		"lib/one/lib/two/src/Two.sol":             "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\nlibrary Two { function two() internal pure returns (uint256) { return 2; } }\n",
		"lib/mine/src/Mine.sol":                   "not this one",
		"lib/odd name/src/Odd.sol":                "not this one",
		"lib/README.md":                           "no library",
		"node_modules/@scope/pkg/contracts/P.sol": "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\nlibrary P { function p() internal pure returns (uint256) { return 7; } }\n",
		"node_modules/other/x.txt":                "",
	})
	sources := []sdk.SourceFile{
		sourceFile("src/C.sol", "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\nimport 'one/One.sol';\nimport '@scope/pkg/P.sol';\nimport 'mine/Mine.sol';\ncontract C { function f() public pure returns (uint256) { return One.one() + P.p() + Mine.m(); } }\n"),
		sourceFile("lib/mine/src/Mine.sol", "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\nlibrary Mine { function m() internal pure returns (uint256) { return 100; } }\n"),
		sourceFile("test/C.t.sol", "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\nimport 'self/C.sol';\ncontract CTest { function test_f() public { require(new C().f() == 108, 'f'); } }\n"),
	}
	scaffold, err := project.detector.Scaffold(t.Context(), sdk.ScaffoldRequest{Workspace: project.ws, Sources: sources})
	if err != nil {
		t.Fatal(err)
	}
	want := []sdk.Link{
		{Path: "lib/@scope/pkg", Target: filepath.Join(project.ws.Root, "node_modules/@scope/pkg")},
		{Path: "lib/one", Target: filepath.Join(project.ws.Root, "lib/one")},
	}
	slices.SortFunc(scaffold.Links, func(a, b sdk.Link) int { return strings.Compare(a.Path, b.Path) })
	if diff := cmp.Diff(want, scaffold.Links); diff != "" {
		t.Errorf("links differ (-want +got):\n%s", diff)
	}
	warnings := strings.Join(scaffold.Warnings, "\n")
	if !strings.Contains(warnings, `"out/=/etc/"`) || !strings.Contains(warnings, "odd") {
		t.Errorf("warnings: %s", warnings)
	}

	root := writeScaffold(t, scaffold, sources)
	made := &live{t: t, detector: project.detector, ws: sdk.Workspace{Root: root}, env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}}
	for name, value := range scaffold.Env {
		made.env = append(made.env, name+"="+value)
	}
	made.setenv()
	statuses, plan, got := made.run(sdk.TestRequest{Seed: "1"})
	if len(statuses) != 1 || statuses[sdk.TestID{Suite: "test/C.t.sol:CTest", Test: "test_f()"}] != "Success" || len(plan.Warnings) > 0 {
		t.Errorf("results %v, warnings %q\n%s%s", statuses, plan.Warnings, got.Stdout, got.Stderr)
	}
	if s := settings.Read(made.ws); !s.Known || s.FFI || !strings.HasSuffix(s.Solc, "solc-"+forgetest.Solc) {
		t.Errorf("settings: %+v", s)
	}
	if !slices.Contains(scaffold.Readable, filepath.Dir(settings.Read(made.ws).Solc)) {
		t.Errorf("the compiler %s is not readable: %q", settings.Read(made.ws).Solc, scaffold.Readable)
	}
}

// writeScaffold makes the workspace like a host.
func writeScaffold(t *testing.T, scaffold sdk.Scaffold, sources []sdk.SourceFile) string {
	t.Helper()
	root := t.TempDir()
	for _, file := range slices.Concat(sources, scaffold.Files) {
		forgetest.Write(t, root, file.Path, string(file.Content))
	}
	for _, link := range scaffold.Links {
		at := filepath.Join(root, filepath.FromSlash(link.Path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(link.Target, at); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestWithoutAProjectTheLatestInstalledCompilerIsUsed(t *testing.T) {
	home := t.TempDir()
	for _, version := range []string{"0.7.6", "0.8.4", "0.8.30"} {
		forgetest.Write(t, home, ".svm/"+version+"/solc-"+version, "")
	}
	forgetest.Write(t, home, ".svm/0.9.0/other", "")
	for pragma, want := range map[string]string{"^0.8.0": "0.8.30", "0.8.4": "0.8.4", "<0.8": "0.7.6", "^0.5.0": ""} {
		scaffold, err := newDetector().Scaffold(t.Context(), sdk.ScaffoldRequest{
			Workspace: sdk.Workspace{Env: map[string]string{"HOME": home}},
			Sources:   []sdk.SourceFile{sourceFile("test/A.t.sol", "pragma solidity "+pragma+";")},
		})
		if err != nil {
			t.Fatal(err)
		}
		toml := string(scaffold.Files[0].Content)
		path := filepath.Join(home, ".svm", want, "solc-"+want)
		if (want != "" && !strings.Contains(toml, "solc = '"+path+"'")) || (want == "") != (len(scaffold.Warnings) == 1) || (want == "") == strings.Contains(toml, "solc =") {
			t.Errorf("%s: want %q, warnings %q\n%s", pragma, want, scaffold.Warnings, toml)
		}
	}
}

func TestAProjectWithoutALinkableLibraryIsNoWayOut(t *testing.T) {
	root := t.TempDir()
	forgetest.Write(t, root, "lib/a'b/x.sol", "")
	forgetest.Write(t, root, "lib/file", "")
	scaffold, err := newDetector().Scaffold(t.Context(), sdk.ScaffoldRequest{
		Workspace: sdk.Workspace{Root: root, Probes: configProbe(`{"libs":["lib","/nowhere"],"remappings":["a'b/=lib/a'b/","x/=lib/../../etc/","y/=lib/","z'/=lib/z/","=","q","e/=src/'\nffi = true"],"solc":"/x'\nffi = true\n"}`)},
		Sources:   []sdk.SourceFile{sourceFile("test/A.t.sol", "")},
	})
	if err != nil {
		t.Fatal(err)
	}
	toml := string(scaffold.Files[0].Content)
	if len(scaffold.Links) > 0 || strings.Contains(toml, "ffi = true") || !strings.Contains(toml, "remappings = [\n]") {
		t.Errorf("links %v\n%s", scaffold.Links, toml)
	}
}

// The project is beside a compiler of its own.
func TestOfTheProjectsOwnCompilerOnlyTheFileIsReadable(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	forgetest.Write(t, elsewhere, "real", "#!/bin/sh\n")
	if err := os.Symlink(filepath.Join(elsewhere, "real"), filepath.Join(root, "solc")); err != nil {
		t.Fatal(err)
	}
	target, err := filepath.EvalSymlinks(filepath.Join(elsewhere, "real"))
	if err != nil {
		t.Fatal(err)
	}
	ws := sdk.Workspace{Root: root, Probes: map[string]sdk.ProbeOutput{settings.ConfigProbe: {Stdout: []byte(`{"solc":"./solc"}`)}}}
	scaffold, err := newDetector().Scaffold(t.Context(), sdk.ScaffoldRequest{Workspace: ws, Sources: []sdk.SourceFile{sourceFile("test/A.t.sol", "contract A {}")}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{filepath.Join(root, "solc"), target}; !slices.Equal(scaffold.Readable, want) {
		t.Errorf("readable %q, want %q", scaffold.Readable, want)
	}
}
