package forge_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

// A suite with some of its tests would imply that the others are gone.
func TestASuiteWithAnOverloadWhoseSignatureIsUnknownIsNotListed(t *testing.T) {
	root := t.TempDir()
	forgetest.Write(t, root, "test/A.t.sol", "import {Gone} from 'nowhere.sol';\n"+
		"contract A { function test_x() public {} function test_x(Gone g) public {} }\ncontract B { function test_y() public {} }\n")
	sink := newListed()
	p := newDetector().ParseList(t.Context(), sdk.ListRequest{Workspace: sdk.Workspace{Root: root}}, sdk.Command{}, sink)
	p.Write(sdk.Stdout, []byte(`{"test/A.t.sol":{"A":["test_x","test_x"],"B":["test_y"]}}`+"\n"))
	p.Close(sdk.Exit{})
	if _, listed := sink.suites["test/A.t.sol:A"]; listed || len(sink.suites["test/A.t.sol:B"]) != 1 {
		t.Errorf("suites %v", sink.suites)
	}
	if len(sink.errors) != 1 || !strings.Contains(sink.errors[0], "1 tests of test/A.t.sol:A are not known, among them that of test_x") {
		t.Errorf("errors %q", sink.errors)
	}
}

func TestAListingSaysWhichLibraryIsMissing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	forgetest.Write(t, root, ".gitmodules", "[submodule \"lib/dep\"]\n")
	sink := newListed()
	p := newDetector().ParseList(t.Context(), sdk.ListRequest{Workspace: sdk.Workspace{Root: root}}, sdk.Command{}, sink)
	p.Write(sdk.Stderr, notFound("dep/src/A.sol", "dep/src/B.sol"))
	p.Close(sdk.Exit{Code: 1})
	if len(sink.errors) != 1 || strings.Count(sink.errors[0], "git submodule update --init --recursive") != 1 || !strings.Contains(sink.errors[0], "a library not found: dep;") {
		t.Errorf("errors %q", sink.errors)
	}
}

// A listing compiles what it lists; one of some suites need not compile the others.
func TestAListingOfSuitesIsOneOfTheirFiles(t *testing.T) {
	t.Parallel()
	for want, req := range map[string]sdk.ListRequest{
		"--match-path={test/A.t.sol,test/B.t.sol}": {Selected: true, Selection: sdk.Selection{Suites: []string{"test/B.t.sol:B", "test/A.t.sol:A", "test/A.t.sol:C"}}},
		"--match-path test/*":                      {Selected: true, Selection: sdk.Selection{Suites: []string{"test/A.t.sol:A"}}, RunnerArgs: []string{"--match-path", "test/*"}},
		"":                                         {Selection: sdk.Selection{Suites: []string{"test/A.t.sol:A"}}},
	} {
		req.Workspace.Root = t.TempDir()
		plan, err := newDetector().ListCmd(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if line := strings.Join(plan.Commands[0].Argv, " "); !strings.HasSuffix(line, want) || strings.Count(line, "--match-path") != min(len(want), 1) {
			t.Errorf("%s, want %s", line, want)
		}
	}
}
