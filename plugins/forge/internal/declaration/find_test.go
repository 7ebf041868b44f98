package declaration_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
	"github.com/proctorhq/proctor/plugins/forge/internal/declaration"
	"github.com/proctorhq/proctor/sdk"
)

const mark = "//= "

// copyProject copies the project in testdata, or the files of it that keep selects.
func copyProject(t testing.TB, keep func(name string) bool) string {
	t.Helper()
	const dir = "testdata/project"
	root := t.TempDir()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil || !keep(filepath.ToSlash(rel)) {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		forgetest.Write(t, root, rel, string(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func keepAll(string) bool { return true }

func sourcesOnly(name string) bool { return strings.HasSuffix(name, ".sol") }

// readMarks returns the expectations in a project's sources: "suite signature" to
// "file:line".
func readMarks(t testing.TB, root string) map[string]string {
	t.Helper()
	marks := map[string]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".sol") || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		for i, line := range strings.Split(string(text), "\n") {
			if _, test, ok := strings.Cut(line, mark); ok {
				marks[test] = fmt.Sprintf("%s:%d", name, i+1)
			}
		}
		return err
	})
	if err != nil || len(marks) < 20 {
		t.Fatalf("%d marks, %v", len(marks), err)
	}
	return marks
}

func newFinder(root string) *declaration.Finder {
	return declaration.NewFinder(declaration.Config{
		Artifacts: artifact.Config{Root: root, Out: "compiled", CachePath: "index", Libs: []string{"lib"}},
		Src:       "src",
		Test:      "test",
	})
}

func formatPlace(l sdk.Location) string { return fmt.Sprintf("%s:%d", l.File, l.Line) }

// findMarks looks up every mark.
func findMarks(t testing.TB, f *declaration.Finder, marks map[string]string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for test := range marks {
		suite, signature, _ := strings.Cut(test, " ")
		if location, ok := f.Find(t.Context(), suite, signature); ok {
			got[test] = formatPlace(location)
		}
	}
	return got
}

func TestEveryTestIsFoundWhereItIsDeclared(t *testing.T) {
	for name, keep := range map[string]func(string) bool{
		"from artifacts":          keepAll,
		"from sources":            sourcesOnly,
		"without the index":       func(name string) bool { return !strings.HasPrefix(name, "index/") },
		"without build info":      func(name string) bool { return !strings.HasPrefix(name, "compiled/build-info/") },
		"without one artifact":    func(name string) bool { return name != "compiled/Over.t.sol/Over.json" },
		"without the numbered id": func(name string) bool { return !strings.HasPrefix(name, "compiled/b/") },
	} {
		t.Run(name, func(t *testing.T) {
			root := copyProject(t, keep)
			want := readMarks(t, root)
			if diff := cmp.Diff(want, findMarks(t, newFinder(root), want)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestALocationPointsAtTheWordOfTheDeclaration(t *testing.T) {
	f := newFinder(copyProject(t, keepAll))
	for test, want := range map[string]sdk.Location{
		"test_over()":  {File: "test/Over.t.sol", Line: 23, Column: 42},
		"testGetter()": {File: "test/Over.t.sol", Line: 19, Column: 5},
		"":             {File: "test/Over.t.sol", Line: 18, Column: 1},
	} {
		if got, ok := f.Find(t.Context(), "test/Over.t.sol:Over", test); !ok || got != want {
			t.Errorf("%q: %+v, %v, want %+v", test, got, ok, want)
		}
	}
}

func TestWhatDoesNotExistIsNotFound(t *testing.T) {
	f := newFinder(copyProject(t, keepAll))
	for _, suite := range []string{"test/Over.t.sol:Over", "test/Over.t.sol:Gone", "test/Gone.t.sol:Over", "../Over.t.sol:Over", "", ":", "a:", ":b", "/etc/passwd:root", "test\x00:x"} {
		for _, signature := range []string{"test_gone()", "test_over(bool)", "test_internal()", "(", "test_over(", "\x00()"} {
			if location, ok := f.Find(t.Context(), suite, signature); ok {
				t.Errorf("%q %q is found at %+v", suite, signature, location)
			}
		}
	}
	if location, ok := declaration.NewFinder(declaration.Config{}).Find(t.Context(), "test/Over.t.sol:Over", "test_over()"); ok {
		t.Errorf("without a project it is found at %+v", location)
	}
}

func TestAnEditAfterTheCompileIsFollowed(t *testing.T) {
	for name, edit := range map[string]func(string) string{
		"lines before it":           func(s string) string { return strings.Repeat("// more\n", 40) + s },
		"a byte before it":          func(s string) string { return " " + s },
		"all but the contract gone": func(s string) string { return s[strings.Index(s, "contract Over"):] },
	} {
		t.Run(name, func(t *testing.T) {
			root := copyProject(t, keepAll)
			text, err := os.ReadFile(filepath.Join(root, "test/Over.t.sol"))
			if err != nil {
				t.Fatal(err)
			}
			forgetest.Write(t, root, "test/Over.t.sol", edit(string(text)))
			want := readMarks(t, root)
			if name == "all but the contract gone" {
				delete(want, "test/Over.t.sol:Over test_over((int256,uint8[2]),uint8,uint64)") // its types are gone
			}
			if diff := cmp.Diff(want, findMarks(t, newFinder(root), want)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnOverrideWrittenAfterTheCompileIsFollowed(t *testing.T) {
	root := copyProject(t, keepAll)
	replaceIn(t, root, "test/Inherits.t.sol", "    bool public", "    function test_ofAnAbstractContract(uint8) external {}\n    bool public")
	got, ok := newFinder(root).Find(t.Context(), "test/Inherits.t.sol:Inherits", "test_ofAnAbstractContract(uint8)")
	if !ok || got.File != "test/Inherits.t.sol" {
		t.Errorf("found at %+v, %v", got, ok)
	}
}

func TestATestInACommentIsGone(t *testing.T) {
	root := copyProject(t, keepAll)
	replaceIn(t, root, "test/Base.sol", "    function test_inherited() public { //", " /* function test_inherited() public { //")
	replaceIn(t, root, "test/Base.sol", "    function test_overridden()", " */ function test_overridden()")
	if got, ok := newFinder(root).Find(t.Context(), "test/Inherits.t.sol:Inherits", "test_inherited()"); ok {
		t.Errorf("found at %+v", got)
	}
}

func TestACancelledQuestionSpoilsNoLaterOne(t *testing.T) {
	root := copyProject(t, keepAll)
	f, want := newFinder(root), readMarks(t, root)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		if _, ok := f.Find(cancelled, "test/Over.t.sol:Over", "test_over()"); ok {
			t.Error("a location was found with a cancelled context")
		}
		if _, _, err := f.Tests(cancelled); err == nil {
			t.Error("tests were listed with a cancelled context")
		}
		if diff := cmp.Diff(want, findMarks(t, f, want)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAFinderIsSafeForConcurrentUse(t *testing.T) {
	root := copyProject(t, keepAll)
	f, want := newFinder(root), readMarks(t, root)
	done := make(chan string)
	for i := range 8 {
		go func() {
			if i == 3 {
				_, _, _ = f.Tests(context.Background())
			}
			done <- cmp.Diff(want, findMarks(t, f, want))
		}()
	}
	for range 8 {
		if diff := <-done; diff != "" {
			t.Error(diff)
		}
	}
}

func defaultFinder(root string) *declaration.Finder {
	return declaration.NewFinder(declaration.Config{Artifacts: artifact.Config{Root: root}})
}
