package dependencies_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/go/internal/dependencies"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// ownPackage and cachedPackage return packages of the project's module and of the module
// cache.
func ownPackage(path string, imports ...string) *dependencies.Package {
	return &dependencies.Package{
		Name: "p", ImportPath: path, Dir: filepath.FromSlash("/root/" + path), GoFiles: []string{"p.go"}, Imports: imports,
		Module: &dependencies.Module{Dir: filepath.FromSlash("/root"), Main: true},
	}
}

func cachedPackage(path string, imports ...string) *dependencies.Package {
	return &dependencies.Package{
		Name: "p", ImportPath: path, Dir: filepath.FromSlash("/cache/" + path), GoFiles: []string{"p.go"}, Imports: imports, DepOnly: true,
		Module: &dependencies.Module{Dir: filepath.FromSlash("/cache"), Version: "v1.0.0"},
	}
}

func newGraph(t *testing.T, packages ...*dependencies.Package) (*dependencies.Graph, map[string]sdk.ListedPart) {
	t.Helper()
	root := t.TempDir()
	layout, err := source.ReadLayout(root, map[string]string{"GOWORK": "off"})
	if err != nil {
		t.Fatal(err)
	}
	layout.Root = filepath.FromSlash("/root")
	g := dependencies.New(dependencies.Config{Layout: layout})
	for _, p := range packages {
		if err := g.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	parts := map[string]sdk.ListedPart{}
	g.Parts(func(part sdk.ListedPart) { parts[part.Name] = part })
	return g, parts
}

func TestNeedsGoThroughTheModuleCache(t *testing.T) {
	_, parts := newGraph(t, ownPackage("low"), cachedPackage("between", "low"), cachedPackage("deep", "between"), ownPackage("top", "deep", "fmt"))
	if diff := cmp.Diff([]string{"low"}, parts["top"].Needs); diff != "" {
		t.Errorf("needs differ (-want +got):\n%s", diff)
	}
	if _, known := parts["between"]; known {
		t.Error("a package of the module cache is a part, although it does not change")
	}
}

func TestAPackageThatIsOnlyRecompiledIsAPart(t *testing.T) {
	variant := ownPackage("low [cmd/x]")
	variant.Dir, variant.DepOnly = filepath.FromSlash("/root/low"), true
	_, parts := newGraph(t, variant, ownPackage("cmd/x", "low [cmd/x]"))
	if diff := cmp.Diff([]string{"low/p.go"}, parts["low"].Files); diff != "" {
		t.Errorf("files differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"low"}, parts["cmd/x"].Needs); diff != "" {
		t.Errorf("needs differ (-want +got):\n%s", diff)
	}
}

func TestAnImportThatIsNotListedIsOpaque(t *testing.T) {
	g, _ := newGraph(t, ownPackage("low", "nowhere"), ownPackage("top", "low"), ownPackage("fine"))
	for path, want := range map[string]string{"top": "low imports nowhere, about which nothing is known", "fine": ""} {
		if got := g.Opaque(path); got != want {
			t.Errorf("%s is opaque because %q, want %q", path, got, want)
		}
	}
}

func TestAnImportCycleEnds(t *testing.T) {
	g, parts := newGraph(t, ownPackage("a", "b"), ownPackage("b", "c"), ownPackage("c", "a"), cachedPackage("x", "y"), cachedPackage("y", "x", "a"), ownPackage("d", "x"))
	if g.Opaque("a") != "" || len(parts["a"].Needs) != 1 || len(parts["d"].Needs) != 1 {
		t.Errorf("%q, %+v", g.Opaque("a"), parts)
	}
}

func TestALibraryThatReadsWithoutPackageOSIsOpaque(t *testing.T) {
	c := cachedPackage("c")
	c.CgoFiles = []string{"c.go"}
	g, _ := newGraph(t, c, ownPackage("a", "c"), cachedPackage("modernc.org/libc"), ownPackage("b", "modernc.org/libc"))
	for path, want := range map[string]string{"a": "cgo", "b": "modernc.org/libc"} {
		if got := g.Opaque(path); !strings.Contains(got, want) {
			t.Errorf("%s is opaque because of %q", path, got)
		}
	}
}

func TestEmbedPatternsSayWhereANewFileCounts(t *testing.T) {
	p := ownPackage("p")
	p.EmbedPatterns = []string{"a.txt", "all:tree", "*.sql", "pages/*", "x/*/y.txt", "v[0-9]", "odd.*"}
	_, parts := newGraph(t, p)
	var got []string
	for _, pattern := range parts["p"].Patterns {
		if !strings.HasSuffix(pattern, ".go") && !strings.Contains(pattern, "*.[") && !strings.Contains(pattern, "*.f[") && !strings.Contains(pattern, "*.s[") {
			got = append(got, pattern)
		}
	}
	want := []string{"p/**", "p/*.sql", "p/a.txt", "p/a.txt/**", "p/go.mod", "p/pages/**", "p/tree", "p/tree/**", "p/x/**"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("patterns differ (-want +got):\n%s", diff)
	}
}

func TestAnEndlessListingIsRejected(t *testing.T) {
	layout, err := source.ReadLayout(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	g := dependencies.New(dependencies.Config{Layout: layout})
	long := strings.Repeat("x", 1<<20)
	for i := range 1000 {
		err := g.Add(cachedPackage(fmt.Sprint(i, long)))
		if err != nil && strings.Contains(err.Error(), "take more than ") {
			return
		}
	}
	t.Error("a gigabyte of names is kept")
}
