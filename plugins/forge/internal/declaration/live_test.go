package declaration_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
)

// testsRun returns the tests that forge reports to have run, as marks without places.
func testsRun(t *testing.T, stdout []byte) []string {
	t.Helper()
	var suites map[string]struct {
		Results map[string]json.RawMessage `json:"test_results"`
	}
	if err := json.Unmarshal(stdout, &suites); err != nil {
		t.Fatalf("%v in %.300s", err, stdout)
	}
	var tests []string
	for suite, of := range suites {
		for signature := range of.Results {
			tests = append(tests, suite+" "+signature)
		}
	}
	slices.Sort(tests)
	return tests
}

func TestTheRealForgeRunsWhatIsListedUnderEverySetting(t *testing.T) {
	for name, settings := range map[string]string{
		"optimizer on":         "",
		"optimizer off":        "optimizer = false\n",
		"via IR":               "via_ir = true\n",
		"dynamic test linking": "dynamic_test_linking = true\n",
		"with the tree":        "ast = true\nbuild_info = true\n",
		"without an index":     "cache = false\n",
	} {
		t.Run(name, func(t *testing.T) {
			root := forgetest.Copy(t, copyProject(t, func(name string) bool {
				return strings.HasSuffix(name, ".sol") || name == "foundry.toml"
			}))
			toml, err := os.ReadFile(filepath.Join(root, "foundry.toml"))
			if err != nil {
				t.Fatal(err)
			}
			text := string(toml)
			if strings.HasPrefix(settings, "optimizer") {
				text = strings.Replace(text, "optimizer = true\n", "", 1)
			}
			forgetest.Write(t, root, "foundry.toml", text+settings)
			result := forgetest.Run(t, root, nil, "test", "--json")
			f := newFinder(root)
			got, complete := listMarks(t, f)
			if complete == strings.HasPrefix(settings, "cache") {
				t.Errorf("complete is %v", complete)
			}
			if diff := cmp.Diff(testsRun(t, result.Stdout), slices.Sorted(maps.Keys(got))); diff != "" {
				t.Error(diff)
			}
			want := readMarks(t, root)
			if diff := cmp.Diff(want, findMarks(t, f, want)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAFilteredRunLeavesAnIncompleteListThatNamesAllTests(t *testing.T) {
	root := forgetest.Copy(t, copyProject(t, func(name string) bool {
		return strings.HasSuffix(name, ".sol") || name == "foundry.toml"
	}))
	forgetest.Run(t, root, nil, "test", "--json", "--match-path", "test/b/Thing.t.sol")
	got, complete := listMarks(t, newFinder(root))
	if diff := cmp.Diff(testMarks(t, root), got); diff != "" || complete {
		t.Errorf("complete %v\n%s", complete, diff)
	}
	forgetest.Run(t, root, nil, "test", "--list", "--json")
	whole, completeAfter := listMarks(t, newFinder(root))
	if diff := cmp.Diff(testMarks(t, root), whole); diff != "" || !completeAfter {
		t.Errorf("after --list: complete %v\n%s", completeAfter, diff)
	}
}

func TestOnlyWhatForgeTestCompilesIsListed(t *testing.T) {
	const contract = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n"
	root := forgetest.Project(t, map[string]string{
		"script/Alone.s.sol":      contract + "contract Alone { function test_alone() public {} }",
		"script/Imported.s.sol":   contract + "contract Imported { function test_imported() public {} }",
		"other/Other.t.sol":       contract + "contract Other { function test_other() public {} }",
		"src/Lonely.sol":          contract + "contract Lonely { function test_lonely() public {} }",
		"node_modules/nm/Nm.sol":  contract + "contract Nm { function test_nm() public {} }",
		"lib/dep/src/Dep.sol":     contract + "contract Dep { function test_dep() public {} }",
		"remappings.txt":          "nm/=node_modules/nm/\n",
		"test/deep/down/Down.sol": contract + "contract Down { function test_down() public {} }",
		"test/All.t.sol": contract + `import "../script/Imported.s.sol"; import "nm/Nm.sol"; import "dep/Dep.sol";
contract All is Nm { function testFailOld() public {} function test_all() public {} }`,
	})
	forgetest.Run(t, root, nil, "build")
	list := forgetest.Run(t, root, nil, "test", "--list", "--json")
	var names map[string]map[string][]string
	if err := json.Unmarshal(list.Stdout, &names); err != nil {
		t.Fatalf("%v in %s", err, list.Stdout)
	}
	var want []string
	for file, contracts := range names {
		for contract, tests := range contracts {
			for _, test := range tests {
				want = append(want, file+":"+contract+" "+test+"()")
			}
		}
	}
	slices.Sort(want)
	f := defaultFinder(root)
	got, complete := listMarks(t, f)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" || !complete {
		t.Errorf("complete %v\n%s", complete, diff)
	}
	for _, folder := range []string{"out", "cache"} {
		if err := os.RemoveAll(filepath.Join(root, folder)); err != nil {
			t.Fatal(err)
		}
	}
	bySource, complete := listMarks(t, defaultFinder(root))
	if diff := cmp.Diff(got, bySource); diff != "" || complete {
		t.Errorf("from the sources: complete %v\n%s", complete, diff)
	}
}
