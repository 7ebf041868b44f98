package declaration_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
	"github.com/proctorhq/proctor/plugins/forge/internal/declaration"
	"github.com/proctorhq/proctor/sdk"
)

// listMarks returns a listing as marks.
func listMarks(t testing.TB, f *declaration.Finder) (tests map[string]string, complete bool) {
	t.Helper()
	suites, complete, err := f.Tests(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tests = map[string]string{}
	for suite, of := range suites {
		if !slices.IsSortedFunc(of, func(a, b sdk.ListedTest) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("the tests of %s are not in order", suite)
		}
		for _, test := range of {
			tests[suite+" "+test.Name] = formatPlace(test.Location)
		}
	}
	return tests, complete
}

// testMarks returns the marks without fixtures.
func testMarks(t testing.TB, root string) map[string]string {
	tests := readMarks(t, root)
	maps.DeleteFunc(tests, func(test, _ string) bool {
		return strings.HasSuffix(test, " setUp()") || strings.HasSuffix(test, " constructor()")
	})
	return tests
}

func TestTheListHoldsWhatForgeRunsAndWhere(t *testing.T) {
	for name, c := range map[string]struct {
		keep     func(string) bool
		complete bool
	}{
		"from artifacts":       {keepAll, true},
		"from sources":         {sourcesOnly, false},
		"without the index":    {func(name string) bool { return !strings.HasPrefix(name, "index/") }, false},
		"without build info":   {func(name string) bool { return !strings.HasPrefix(name, "compiled/build-info/") }, true},
		"without one artifact": {func(name string) bool { return name != "compiled/Over.t.sol/Over.json" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			root := copyProject(t, c.keep)
			got, complete := listMarks(t, newFinder(root))
			if complete != c.complete {
				t.Errorf("complete is %v", complete)
			}
			if diff := cmp.Diff(testMarks(t, root), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAListIsIncompleteWhenTheCompilerHasNotSeenTheSources(t *testing.T) {
	const more = "pragma solidity ^0.8.0;\ncontract More { function test_more() public {} }\n"
	for name, c := range map[string]struct {
		change   func(t *testing.T, root string)
		complete bool
		gained   string
		lost     string
	}{
		"nothing changed": {func(*testing.T, string) {}, true, "", ""},
		"a new test file": {func(t *testing.T, root string) { forgetest.Write(t, root, "test/More.t.sol", more) }, false, "test/More.t.sol:More test_more()", ""},
		"a new file without tests": {func(t *testing.T, root string) {
			forgetest.Write(t, root, "src/More.sol", "contract More { function f() public {} }")
		}, true, "", ""},
		"a test added": {func(t *testing.T, root string) { appendTo(t, root, "test/Thing.t.sol", more) }, false, "test/Thing.t.sol:More test_more()", ""},
		"a base changed": {func(t *testing.T, root string) {
			replaceIn(t, root, "test/Base.sol", "function test_inherited() public { //", "function test_renamed() public { //")
		}, false, "test/Inherits.t.sol:Inherits test_renamed()", "test/Inherits.t.sol:Inherits test_inherited()"},
		"a dependency changed": {func(t *testing.T, root string) {
			replaceIn(t, root, "lib/dep/src/Dep.sol", "function test_inLibrary()", "function test_renamed()")
		}, false, "test/Inherits.t.sol:Inherits test_renamed()", "test/Inherits.t.sol:Inherits test_inLibrary()"},
		"a file removed": {func(t *testing.T, root string) {
			if err := os.Remove(filepath.Join(root, "test/Thing.t.sol")); err != nil {
				t.Fatal(err)
			}
		}, true, "", "test/Thing.t.sol:Thing test_same()"},
		"an artifact that is damaged": {func(t *testing.T, root string) {
			forgetest.Write(t, root, "compiled/Over.t.sol/Over.json", `{"abi":[{"type":`)
		}, false, "", ""},
		"an index that is damaged": {func(t *testing.T, root string) {
			forgetest.Write(t, root, "index/solidity-files-cache.json", `{"files":{"test/Ov`)
		}, false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := copyProject(t, keepAll)
			want := testMarks(t, root)
			c.change(t, root)
			got, complete := listMarks(t, newFinder(root))
			if complete != c.complete {
				t.Errorf("complete is %v", complete)
			}
			if c.gained != "" {
				want[c.gained] = got[c.gained]
			}
			delete(want, c.lost)
			if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func appendTo(t *testing.T, root, name, more string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	forgetest.Write(t, root, name, string(text)+more)
}

func replaceIn(t *testing.T, root, name, old, by string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatal(name, err)
	}
	forgetest.Write(t, root, name, strings.Replace(string(text), old, by, 1))
}

func TestSkippedFilesDoNotMakeAListIncomplete(t *testing.T) {
	root := copyProject(t, keepAll)
	forgetest.Write(t, root, "test/deep/Later.t.sol", "contract Later { function test_later() public {} }")
	for pattern, complete := range map[string]bool{
		"*/deep/*": true, "test/deep/**": true, "./test/deep/Later.t.sol": true, "Later": true, "**/{Sooner,Later}.t.sol": true,
		"test/deep/[L-M]ater*": true, "*/deeper/*": false, "deep": false, "[": false, "test/deep/?": false,
	} {
		f := declaration.NewFinder(declaration.Config{
			Artifacts: artifact.Config{Root: root, Out: "compiled", CachePath: "index"},
			Skip:      []string{pattern},
		})
		if _, got := listMarks(t, f); got != complete {
			t.Errorf("with skip = %q complete is %v", pattern, got)
		}
	}
}

func TestALinkInTheTestFolderMakesAListIncomplete(t *testing.T) {
	root := copyProject(t, keepAll)
	outside := t.TempDir()
	forgetest.Write(t, outside, "Far.t.sol", "contract Far { function test_far() public {} }")
	if err := os.Symlink(outside, filepath.Join(root, "test", "far")); err != nil {
		t.Fatal(err)
	}
	got, complete := listMarks(t, newFinder(root))
	if complete {
		t.Error("complete, although forge follows the symlink")
	}
	for test := range got {
		if strings.Contains(test, "Far") {
			t.Errorf("%s was read outside of the project", test)
		}
	}
}

func TestAProjectWithoutSourcesHasNoTests(t *testing.T) {
	got, _ := listMarks(t, newFinder(t.TempDir()))
	if len(got) != 0 {
		t.Errorf("%v", got)
	}
	if _, _, err := declaration.NewFinder(declaration.Config{}).Tests(t.Context()); err == nil {
		t.Error("no error although there is no root")
	}
}

// A digest covers what follows the name: it survives renaming, moving and indenting a
// test, but no change of its body.
func TestABodyIsKnownByAnyName(t *testing.T) {
	const file, three = "test/Over.t.sol", `require(testGetter == 3, "three");`
	for name, keep := range map[string]func(string) bool{"from artifacts": keepAll, "from sources": sourcesOnly} {
		t.Run(name, func(t *testing.T) {
			root := copyProject(t, keep)
			body := func(test string) string {
				suites, _, err := newFinder(root).Tests(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, listed := range suites[file+":Over"] {
					if listed.Name == test {
						return listed.Body
					}
				}
				t.Fatal("there is no ", test)
				return ""
			}
			before := body("test_equalA()")
			if before == "" || before == body("test_over(uint256)") || body("test_over(uint256)") == body("test_over(int256)") {
				t.Errorf("%s, %s, %s", before, body("test_over(uint256)"), body("test_over(int256)"))
			}
			replaceIn(t, root, file, "contract Over {", "contract Over {\n")
			replaceIn(t, root, file, "function test_equalA", "function test_renamed")
			replaceIn(t, root, file, "    function test_renamed", "        function test_renamed")
			if after := body("test_renamed()"); after != before {
				t.Errorf("%s, was %s", after, before)
			}
			replaceIn(t, root, file, three, strings.Replace(three, "3", "4", 1)) // which occurs first in this test
			if after := body("test_renamed()"); after == before || after == "" {
				t.Errorf("a changed body still has the digest %q", after)
			}
		})
	}
}
