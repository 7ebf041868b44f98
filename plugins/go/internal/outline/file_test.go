package outline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/go/internal/outline"
	"github.com/proctorhq/proctor/sdk"
)

// formatUnits returns units as "kind name lines".
func formatUnits(units []sdk.SourceUnit) []string {
	var lines []string
	for _, u := range units {
		text := fmt.Sprintf("%s %s %d-%d", kinds[u.Kind], u.Name, u.StartLine, u.EndLine)
		if u.Test != "" {
			text += " = " + u.Test
		}
		if u.Positions {
			text += " positions"
		}
		lines = append(lines, text)
	}
	return lines
}

var kinds = map[sdk.UnitKind]string{
	sdk.UnitDeclaration: "declaration", sdk.UnitName: "name", sdk.UnitBody: "body", sdk.UnitTest: "test",
}

func TestAUnitReportsWhetherItAsksIfItIsMeasured(t *testing.T) {
	src := `package p

import (
	"flag"
	"os"
	c "runtime/coverage"
	. "strings"
	ours "testing"
)

func mode() bool { return ours.CoverMode() != "" }
func share() float64 { return ours.Coverage() }
func flagged() bool { return flag.Lookup("test.coverprofile") != nil }
func variable() string { return os.Getenv("GOCOVERDIR") }
func write() { c.ClearCounters() }
func alone() bool { return flag.Lookup("test.run").Value.String() != "" }

func verbose() bool { return ours.Verbose() || ours.Short() }
func coverage() string { return Coverage("test coverage of CoverModes") } // CoverMode
`
	units, ok := outline.File([]byte(src), nil, nil)
	var asking []string
	for _, u := range units {
		if u.Measuring {
			asking = append(asking, u.Name)
		}
	}
	if want := []string{"mode", "share", "flagged", "variable", "write", "alone"}; !ok || !slices.Equal(asking, want) {
		t.Errorf("%q ask, want %q", asking, want)
	}
	if !outline.Asks([]byte(src)) || outline.Asks([]byte("package p // testing.CoverMode()\n")) {
		t.Error("a comment counts as asking, or code does not")
	}
}

// neverUsed reports no name as used.
func neverUsed(string) bool { return false }

func TestFileHasAUnitForEachDeclaration(t *testing.T) {
	for _, test := range []struct {
		name, src string
		used      func(string) bool
		want      []string
	}{
		{"functions", "package p\n\nfunc F(a int) int {\n\treturn a\n}\n\nfunc (t *T[K]) M() { x() }\n", nil, []string{
			"declaration package 1-1", "name F 3-3", "body F 3-5", "declaration (T).M 7-7", "body (T).M 7-7",
		}},
		{"functions that cannot be measured", "package p\nfunc empty() {}\nfunc asm()\nfunc _() { x() }\nfunc init() { x() }\nfunc init() { y() }\n", nil, []string{
			"declaration package 1-1", "declaration empty 2-2", "declaration asm 3-3", "declaration _ 4-4", "declaration init 5-5", "declaration init#2 6-6",
		}},
		{"functions that others may use without saying so", "package main\nfunc main() { x() }\nfunc len() { x() }\n", nil, []string{
			"declaration package 1-1", "declaration main 2-2", "body main 2-2", "declaration len 3-3", "body len 3-3",
		}},
		{"dot import", "package p\nimport . \"x\"\nimport \"fmt\"\nfunc F() { x() }\n", nil, []string{
			"declaration package 1-1", "declaration import . x 2-2", "name import fmt 3-3", "declaration F 4-4", "body F 4-4",
		}},
		{"imports", "package p\nimport (\n\t\"fmt\"\n\t\"image/png\"\n\t_ \"os\"\n)\n", nil, []string{
			"declaration package 1-1", "name import fmt 2-3", "declaration import image/png 4-4", "declaration import _ os 5-6",
		}},
		{"values", "package p\nconst A = 1\nconst (\n\tB = 1\n\tC = 2\n)\nconst (\n\tD = iota\n\tE\n)\nvar (\n\tx, y = f()\n\t_ = g()\n)\nvar _ int\n", nil, []string{
			"declaration package 1-1", "declaration order of variables 1-1", "declaration A 2-2", "declaration B 3-4", "declaration C 5-6",
			"declaration D 7-10", "declaration x, y 11-12", "declaration _ 13-14", "declaration _#2 15-15",
		}},
		{"constants that count or repeat", "package p\nconst (\n\tA = iota\n\tB = 2 * iota\n)\nconst (\n\tC = 1\n\tD\n)\n", nil, []string{
			"declaration package 1-1", "declaration A 2-5", "declaration C 6-9",
		}},
		{"a method that is named init", "package p\nfunc (T) init() { x() }\n", nil, []string{
			"declaration package 1-1", "declaration (T).init 2-2", "body (T).init 2-2",
		}},
		{"types", "package p\ntype (\n\tA struct{}\n\tB = A\n)\n", nil, []string{"declaration package 1-1", "declaration A 2-3", "declaration B 4-5"}},
		{"tests", "package p\n\nfunc TestA(t *testing.T) {\n\tx()\n}\n\nfunc FuzzA(f *testing.F) {}\n\nfunc ExampleA() {\n\tx()\n\t// Output:\n}\n", neverUsed, []string{
			"declaration package 1-1", "test TestA 3-5 = TestA", "test FuzzA 7-7 = FuzzA", "test ExampleA 9-12 = ExampleA",
		}},
		{"what does not run", "package p\nfunc BenchmarkA(b *testing.B) {}\nfunc ExampleA() { x() }\n", neverUsed, []string{"declaration package 1-1"}},
		{"what only looks like a test", "package p\nfunc TestMain(m *testing.M) {}\nfunc TestA(t *testing.T, x int) {}\nfunc Testify(t *testing.T) {}\nfunc (s *S) TestB(t *testing.T) {}\nfunc TestC[T any](t *testing.T) {}\nfunc helper() { x() }\n", neverUsed, []string{
			"declaration package 1-1", "declaration TestMain 2-2", "declaration TestA 3-3", "declaration Testify 4-4", "declaration (S).TestB 5-5",
			"declaration TestC 6-6", "declaration helper 7-7",
		}},
		{"a test that is used", "package p\nfunc TestA(t *testing.T) {}\nfunc BenchmarkB(b *testing.B) {}\n", func(string) bool { return true }, []string{
			"declaration package 1-1", "declaration TestA 2-2", "declaration BenchmarkB 3-3",
		}},
		{"places", "package p\nimport \"runtime\"\nfunc F() { runtime.Caller(0) }\nfunc G() { x.Stack(); x.Caller(2) }\nfunc H() { log.SetFlags(log.Lshortfile) }\nvar o = Options{AddSource: true}\nfunc Z() { l.Info().Caller().Send() }\n", nil, []string{
			"declaration package 1-1", "name import runtime 2-2", "name F 3-3", "body F 3-3 positions", "name G 4-4", "body G 4-4",
			"name H 5-5", "body H 5-5 positions", "declaration o 6-6 positions", "name Z 7-7", "body Z 7-7 positions",
		}},
		{"line directives", "package p\n//line x.y:100\nfunc F() { x() }\n", nil, []string{
			"declaration package 1-1", "declaration F 3-3", "declaration F#2 3-3",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			units, ok := outline.File([]byte(test.src), test.used, nil)
			if !ok {
				t.Fatal("the file has no outline")
			}
			if diff := cmp.Diff(test.want, formatUnits(units)); diff != "" {
				t.Errorf("units differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFileThatIsNotGoHasNoOutline(t *testing.T) {
	for _, src := range []string{"", "package", "package p\nfunc {", "package p\nfunc F() { \"\n}", "hello", "package p\n" + strings.Repeat(" ", outline.MaxFile)} {
		if units, ok := outline.File([]byte(src), nil, nil); ok {
			t.Errorf("%.20q has the units %q", src, formatUnits(units))
		}
	}
}

// differingUnits returns the kinds and names of units whose digests differ, or that only
// one source has.
func differingUnits(t *testing.T, before, after string, used func(string) bool) string {
	t.Helper()
	return differing(outlineSource(t, before, used), outlineSource(t, after, used))
}

func differing(before, after []sdk.SourceUnit) string {
	digests := func(units []sdk.SourceUnit) map[string]string {
		all := map[string]string{}
		for _, u := range units {
			all[kinds[u.Kind]+" "+u.Name] = u.Digest
		}
		return all
	}
	a, b := digests(before), digests(after)
	var names []string
	for _, name := range sortedKeys(a, b) {
		if a[name] != b[name] {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

func TestAnEditChangesTheUnitsThatItIsIn(t *testing.T) {
	const (
		rest  = "package p\n\nimport \"embed\"\n\nvar a, b = 1, 2\n\nconst c = `x\ny`\n\ntype T struct {\n\tF int `json:\"f\"`\n}\n\n"
		funcF = "func F(a int) int {\n\tif a > 1 {\n\t\treturn a + 1\n\t}\n\treturn len([]int{a, 2})\n}\n\n"
		funcG = "// G does it.\nfunc G() { F(1); F(2) }\n"
		src   = rest + funcF + funcG
	)
	for _, test := range []struct{ name, before, after, want string }{
		{"operator", "a > 1", "a >= 1", "body F"},
		{"number", "a + 1", "a + 2", "body F"},
		{"statement", "F(2)", "", "body G"},
		{"signature", "F(a int)", "F(a int64)", "name F"},
		{"name", "func G", "func H", "body G, body H, name G, name H"},
		{"value", "1, 2\n", "1, 3\n", "declaration a, b"},
		{"raw string", "x\ny", "x\n\ny", "declaration c"},
		{"tag", `json:"f"`, `json:"g"`, "declaration T"},
		{"import", "\"embed\"", "\"embed\"\nimport \"x\"", "declaration import x"},
		{"emptied", "{ F(1); F(2) }", "{}", "body G, declaration G, name G"},
		{"directive", "// G does it.", "//go:noinline", "name G"},
		{"function for C", "// G does it.", "//export G", "name G"},
		{"function of another language", "// G does it.", "//extern G", "name G"},
		{"directive far above", "// G does it.", "//go:noinline\n\n// G does it.\n", "name G"},
		{"directive in a body", "{ F(1)", "{ //go:fix inline\nF(1)", "body G"},
		{"embedded", "var a", "//go:embed x\nvar a", "declaration a, b"},
		{"build constraint", "package p", "//go:build linux\n\npackage p", "declaration package"},
		{"directive at the end", "func G() { F(1); F(2) }\n", "func G() { F(1); F(2) }\n\n//go:linkname x y\n", "declaration package"},
		{"comment", "// G does it.", "/* G */ // does\n", ""},
		{"generate", "// G does it.", "//go:generate x\n", ""},
		{"moved", funcF + funcG, funcG + "\n" + funcF, ""},
		{"layout", "F(1); F(2)", "\n\n\tF(\n\t\t1,\n\t)\n\tF(2)\n", ""},
		{"trailing comma", "{a, 2}", "{\na,\n2,\n}", ""},
		{"parentheses that gofmt drops", "if a > 1 {", "if (a > 1) {", ""},
		{"empty statements", "F(1); F(2)", "F(1);; F(2);", ""},
		{"other brackets", "a + 1", "(a + 1)", "body F"},
	} {
		t.Run(test.name, func(t *testing.T) {
			after := strings.Replace(src, test.before, test.after, 1)
			if after == src {
				t.Fatalf("%q is not in the source", test.before)
			}
			if got := differingUnits(t, src, after, nil); got != test.want {
				t.Errorf("the units %q differ, want %q", got, test.want)
			}
		})
	}
}

func TestTheOrderOfVariablesAndOfInitsCounts(t *testing.T) {
	const x, y = "var x = f()\n", "var y = f()\n"
	if got := differingUnits(t, "package p\n"+x+y, "package p\n"+y+x, nil); got != "declaration order of variables" {
		t.Errorf("variables: %q", got)
	}
	const one, two = "func init() { x() }\n", "func init() { y() }\n"
	if got := differingUnits(t, "package p\n"+one+two, "package p\n"+two+one, nil); got != "declaration init, declaration init#2" {
		t.Errorf("init functions: %q", got)
	}
	const embedded = "package p\n//go:embed f\n\n"
	if got := differingUnits(t, embedded+"var a string\nvar b string\n", embedded+"var b string\nvar a string\n", nil); got != "declaration a, declaration b" {
		t.Errorf("embedded: %q", got)
	}
}

func TestTheOutputOfAnExampleCounts(t *testing.T) {
	const src = "package p\nfunc ExampleA() {\n\tx()\n\t// Output: %s\n}\n"
	one, two := fmt.Sprintf(src, "1"), fmt.Sprintf(src, "2")
	if got := differingUnits(t, one, two, neverUsed); got != "test ExampleA" {
		t.Errorf("the units %q differ", got)
	}
	if got := differingUnits(t, one, strings.Replace(one, "\t//", "\t\t//", 1), neverUsed); got != "" {
		t.Errorf("indentation changes %q", got)
	}
}

func TestUsesAreNamesThatAreNotDeclared(t *testing.T) {
	uses := outline.Uses{}
	uses.Add([]byte("package p\nfunc TestA(t *testing.T) {}\nfunc TestB(t *testing.T) { t.Run(\"x\", TestC) }\n// TestD\nvar x = \"TestE\"\nfunc TestC"))
	uses.Add([]byte("package q\nvar _ = p.ExampleX\n\x00 (("))
	if diff := cmp.Diff(outline.Uses{"TestC": true, "ExampleX": true}, uses); diff != "" {
		t.Errorf("uses differ (-want +got):\n%s", diff)
	}
}
