package coverage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/internal/property"
	"github.com/proctorhq/proctor/sdk"
)

func TestListingsOfASuiteAddUp(t *testing.T) {
	g := coverage.NewGraph()
	g.Suite(sdk.ListedSuite{Suite: "s", Tests: []sdk.ListedTest{{Name: "A"}, {Name: "Bench", OnRequest: true}}, Needs: []string{"p"}})
	g.Suite(sdk.ListedSuite{Suite: "s", Tests: []sdk.ListedTest{{Name: "A"}, {Name: "B"}}, Needs: []string{"q"}, Opaque: "it uses C"})
	g.Part(sdk.ListedPart{Name: "p", Files: []string{"p/a.go"}})
	g.Part(sdk.ListedPart{Name: "q", Needs: []string{"p"}, Files: []string{"q/q.go"}})
	g.Part(sdk.ListedPart{Name: "p", Files: []string{"p/b.go", "p/a.go"}, Patterns: []string{"p/*.go"}})
	node := g.Suites["s"]
	if !slices.Equal(node.Tests, []string{"A", "B"}) || node.Opaque != "it uses C" || !slices.Equal(node.Needs, []string{"p", "q"}) {
		t.Errorf("%+v", node)
	}
	if !g.HasTest("s", "A") || g.HasTest("s", "Bench") || g.HasTest("t", "A") {
		t.Error("the tests that run by themselves are A and B of s")
	}
	if got := g.Files("s"); !slices.Equal(got, []string{"p/a.go", "p/b.go", "q/q.go"}) {
		t.Errorf("files %q", got)
	}
	if got := g.Patterns("s"); !slices.Equal(got, []string{"p/*.go"}) {
		t.Errorf("patterns %q", got)
	}
	if len(g.Errors()) != 0 || g.Files("nobody") != nil {
		t.Errorf("%q", g.Errors())
	}
	for file, want := range map[string]int{"q/q.go": 1, "p/new.go": 1, "p/new.txt": 0, "p/sub/new.go": 0, "new.go": 0} {
		if got := g.BuiltFrom(file); len(got) != want {
			t.Errorf("%s: %q", file, got)
		}
	}
}

func TestPartsThatNeedEachOtherAreAllThere(t *testing.T) {
	g := coverage.NewGraph()
	for i := range 4 {
		g.Part(sdk.ListedPart{Name: fmt.Sprint(i), Files: []string{fmt.Sprint(i)}, Needs: []string{fmt.Sprint((i + 1) % 4), fmt.Sprint(i)}})
	}
	g.Suite(sdk.ListedSuite{Suite: "s", Needs: []string{"2"}})
	if got := g.Files("s"); strings.Join(got, "") != "0123" {
		t.Errorf("%q", got)
	}
	if got := g.BuiltFrom("1"); !slices.Equal(got, []string{"s"}) {
		t.Errorf("%q", got)
	}
}

func TestAPartThatNobodyDescribedIsAnError(t *testing.T) {
	g := coverage.NewGraph()
	g.Suite(sdk.ListedSuite{Suite: "s", Needs: []string{"p", "gone"}})
	if got := g.Errors(); len(got) != 2 {
		t.Errorf("before anything is described: %q", got)
	}
	g.Part(sdk.ListedPart{Name: "p", Needs: []string{"lost"}})
	g.Error("q does not build")
	want := []string{"q does not build", "s needs gone, which was not listed", "p needs lost, which was not listed"}
	if got := g.Errors(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAGraphWithoutEndIsCutAndSaysSo(t *testing.T) {
	g := coverage.NewGraph()
	huge := strings.Repeat("x", 64<<20)
	for i := range 20 {
		g.Part(sdk.ListedPart{Name: "p", Files: []string{huge[i:]}})
		g.Error(fmt.Sprint("error ", i))
	}
	for i := range 1000 {
		g.Error(fmt.Sprint("error ", i))
	}
	if got := g.Errors(); len(got) > 101 || !slices.Contains(got, "there are more names than proctor can handle") {
		t.Errorf("%d errors: %q", len(got), got)
	}
}

func TestAPatternMatchesInItsDirectory(t *testing.T) {
	for _, tc := range []struct {
		pattern, path string
		want          bool
	}{
		{"a/*.go", "a/x.go", true},
		{"a/*.go", "a/b/x.go", false},
		{"a/*.go", "a/x.c", false},
		{"*.go", "x.go", true},
		{"*.go", "a/x.go", false},
		{"go.work", "go.work", true},
		{"a/**", "a/b/c", true},
		{"a/**", "a/b", true},
		{"a/**", "a", false},
		{"a/**", "ab/c", false},
		{"**", "a/b", true},
		{"**", "/a/b", false},
		{"/x/*", "/x/y", true},
		{"/**", "/x/y", true},
		{"/*", "/x", true},
		{"*", "/x", false},
		{"a/[", "a/anything", true},
		{"a/[", "b/anything", false},
	} {
		if got := coverage.Matches(tc.pattern, tc.path); got != tc.want {
			t.Errorf("%s, %s: %t", tc.pattern, tc.path, got)
		}
		g := coverage.NewGraph()
		g.Part(sdk.ListedPart{Name: "p", Patterns: []string{tc.pattern}})
		g.Suite(sdk.ListedSuite{Suite: "s", Needs: []string{"p"}})
		if got := len(g.BuiltFrom(tc.path)) == 1; got != tc.want {
			t.Errorf("a suite with %s is built from %s: %t", tc.pattern, tc.path, got)
		}
	}
}

// The two questions are inverse to each other, whatever needs what.
func TestASuiteIsBuiltFromItsFilesAndNoOthers(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		const n = 8
		name := rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.IntRange(0, n-1).Draw(t, "part")) })
		names := rapid.SliceOfN(name, 0, 3)
		g := coverage.NewGraph()
		needs := map[string][]string{}
		for i := range n {
			part := fmt.Sprint(i)
			needs[part] = names.Draw(t, "needs")
			g.Part(sdk.ListedPart{Name: part, Files: []string{part}, Needs: needs[part]})
		}
		for i := range 3 {
			suite := fmt.Sprint("s", i)
			needs[suite] = names.Draw(t, "needs of a suite")
			g.Suite(sdk.ListedSuite{Suite: suite, Needs: needs[suite]})
		}
		for suite := range g.Suites {
			want := map[string]bool{}
			var walk func(string)
			walk = func(at string) {
				for _, need := range needs[at] {
					if !want[need] {
						want[need] = true
						walk(need)
					}
				}
			}
			walk(suite)
			files := g.Files(suite)
			if len(files) != len(want) || !slices.IsSorted(files) {
				t.Fatalf("%s: %q, want %v", suite, files, want)
			}
			for i := range n {
				file := fmt.Sprint(i)
				if got := slices.Contains(g.BuiltFrom(file), suite); got != want[file] || got != slices.Contains(files, file) {
					t.Fatalf("%s is built from %s: %t, want %t", suite, file, got, want[file])
				}
			}
		}
	})
}

// largeGraph resembles a large repository: n packages with a suite each, all needing
// earlier ones, by thirty edges.
func largeGraph(n int) *coverage.Graph {
	g := coverage.NewGraph()
	for i := range n {
		dir := fmt.Sprint("pkg/p", i)
		part := sdk.ListedPart{Name: dir, Patterns: []string{dir + "/*.go", dir + "/testdata/**"}}
		for k := range 8 {
			part.Files = append(part.Files, fmt.Sprintf("%s/f%d.go", dir, k))
		}
		for k := 1; k <= 30 && k <= i; k++ {
			part.Needs = append(part.Needs, fmt.Sprint("pkg/p", i-k))
		}
		g.Part(part)
		g.Suite(sdk.ListedSuite{Suite: dir, Needs: []string{dir}})
	}
	return g
}

func BenchmarkBuiltFromOf500FilesOf3000Suites(b *testing.B) {
	g := largeGraph(3000)
	for b.Loop() {
		for i := range 500 {
			g.BuiltFrom(fmt.Sprintf("pkg/p%d/f0.go", i*6))
		}
	}
}

func BenchmarkFilesOf3000Suites(b *testing.B) {
	g := largeGraph(3000)
	for b.Loop() {
		for i := range 3000 {
			g.Files(fmt.Sprint("pkg/p", i))
		}
	}
}
