package source_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"

	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

func TestScanFindsWhatGoTestRuns(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"kinds", "func TestA(t *testing.T) {}\nfunc BenchmarkA(b *testing.B) {}\nfunc FuzzA(f *testing.F) {}\n", "TestA:1 BenchmarkA:2 FuzzA:3"},
		{"naming rule", "func Test(t *T){}\nfunc Test1(t *T){}\nfunc Test_a(t *T){}\nfunc Testify(t *T){}\nfunc TestÄ(t *T){}\nfunc Testä(t *T){}\nfunc test(t *T){}", "Test:1 Test1:2 Test_a:3 TestÄ:5"},
		{"methods", "func (s *Suite) TestA() {}\nfunc (TestB) String() string", ""},
		{"line comment", "// func TestA(t *testing.T) {}\n//func TestB(t *testing.T) {}", ""},
		{"block comment", "/*\nfunc TestA(t *testing.T) {}\n*/\nfunc TestB(t *testing.T) {}", "TestB:4"},
		{"raw string", "var golden = `\nfunc TestA(t *testing.T) {}\n`\nfunc TestB(t *testing.T) {}", "TestB:4"},
		{"string with quotes", "var s = \"\\\"func TestA(\"\nfunc TestB(t *testing.T) {}", "TestB:2"},
		{"rune quote", "var q = '\"'\nvar r = '`'\nvar s = '\\''\nfunc TestB(t *testing.T) {}", "TestB:4"},
		{"spacing", "func\tTestA (t *testing.T) {}\r\nfunc  TestB(\n\tt *testing.T,\n) {}", "TestA:1 TestB:2"},
		{"error elsewhere", "func helper() { if {{{ (\nfunc TestB(t *testing.T) {}", "TestB:2"},
		{"TestMain of the package", "func TestMain(m *testing.M) {}", ""},
		{"TestMain as a test", "func TestMain(t *testing.T) {}", "TestMain:1"},
		{"TestMain dot import", "func TestMain(t *T,) {}", "TestMain:1"},
		{"identifier that ends in func", "var myfunc = 1\nxfunc TestA(t)", ""},
		{"unterminated comment", "/* func TestA(t *testing.T) {}", ""},
		{"empty", "", ""},
		{"ends early", "func TestA", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, f := range source.Scan([]byte(test.src)) {
				got = append(got, fmt.Sprintf("%s:%d", f.Name, f.Line))
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("functions differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScanListsOnlyExamplesThatRun(t *testing.T) {
	src := "package p\n\nfunc ExampleRuns() {\n\t// Output: x\n}\nfunc ExampleEmpty() {\n\t// Output:\n}\nfunc ExampleSilent() {}\nfunc ExampleUnordered() {\n\t// unordered output:\n\t// a\n}\n"
	var got []string
	for _, f := range source.Scan([]byte(src)) {
		got = append(got, f.Name)
	}
	if diff := cmp.Diff([]string{"ExampleRuns", "ExampleEmpty", "ExampleUnordered"}, got); diff != "" {
		t.Errorf("examples differ (-want +got):\n%s", diff)
	}
}

// The Go source tree has thousands of test files, with generated code, code in
// strings and every kind of comment.
func TestScanAgreesWithTheGoParserOnTheStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the whole standard library")
	}
	files := 0
	for _, dir := range []string{"cmd/go", "encoding", "go", "net", "os", "testing", "text", "unicode", "runtime"} {
		root := filepath.Join(build.Default.GOROOT, "src", dir)
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			want, ok := parseFunctions(src)
			if !ok {
				return nil
			}
			files++
			if diff := cmp.Diff(want, source.Scan(src), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(source.Function{}, "Body")); diff != "" {
				t.Errorf("%s (-parser +scan):\n%s", path, diff)
			}
			return nil
		})
		if err != nil {
			t.Skip("no source of the standard library:", err)
		}
	}
	if files < 100 {
		t.Skipf("only %d test files of the standard library are here", files)
	}
}

// parseFunctions answers the same question with package go/parser.
func parseFunctions(src []byte) ([]source.Function, bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	if err != nil {
		return nil, false
	}
	runs := map[string]bool{}
	for _, example := range doc.Examples(file) {
		runs["Example"+example.Name] = example.Output != "" || example.EmptyOutput
	}
	var functions []source.Function
	for _, decl := range file.Decls {
		fn, isFunc := decl.(*ast.FuncDecl)
		if !isFunc || fn.Recv != nil {
			continue
		}
		kind := source.KindOf(fn.Name.Name)
		if kind == 0 || kind == source.Example && !runs[fn.Name.Name] || fn.Name.Name == "TestMain" {
			continue
		}
		functions = append(functions, source.Function{Name: fn.Name.Name, Kind: kind, Line: fset.PositionFor(fn.Pos(), false).Line})
	}
	return functions, true
}

func FuzzScanNeverPanicsAndFindsOnlyWhatIsThere(f *testing.F) {
	f.Add([]byte("func TestA(t *testing.T) {}"))
	f.Add([]byte("/* `\" */ func ExampleB() { // Output: x\n}"))
	f.Add([]byte("func TestMain(m *testing.M"))
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, function := range source.Scan(src) {
			if !bytes.Contains(src, []byte(function.Name)) {
				t.Errorf("%q is not in the source", function.Name)
			}
			if function.Line < 1 || function.Line > bytes.Count(src, []byte{'\n'})+1 {
				t.Errorf("line %d is outside of the source", function.Line)
			}
		}
	})
}

func TestDirFunctionsReadsEveryTestFileWhateverItsConstraints(t *testing.T) {
	dir := t.TempDir()
	testfiles.WriteAll(t, dir, map[string]string{
		"a_test.go":         "package p\nfunc TestA(t *testing.T) {}\n",
		"b_windows_test.go": "//go:build windows\npackage p\nfunc TestB(t *testing.T) {}\n",
		"c.go":              "package p\nfunc TestC(t *testing.T) {}\n",
		"_d_test.go":        "package p\nfunc TestD(t *testing.T) {}\n",
		"sub/e_test.go":     "package p\nfunc TestE(t *testing.T) {}\n",
	})
	functions, err := source.Reader{}.DirFunctions(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []source.Function{
		{Name: "TestA", Kind: source.Test, File: filepath.Join(dir, "a_test.go"), Line: 2},
		{Name: "TestB", Kind: source.Test, File: filepath.Join(dir, "b_windows_test.go"), Line: 3},
	}
	if diff := cmp.Diff(want, functions, cmpopts.IgnoreFields(source.Function{}, "Body")); diff != "" {
		t.Errorf("functions differ (-want +got):\n%s", diff)
	}
}

func TestDirFunctionsReportsAMissingDirectory(t *testing.T) {
	if _, err := (source.Reader{}).DirFunctions(filepath.Join(t.TempDir(), "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, want fs.ErrNotExist", err)
	}
}

func BenchmarkScan(b *testing.B) {
	var src bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&src, "func TestNumber%d(t *testing.T) {\n\tif got := f(\"x\"); got != 'y' { // why\n\t\tt.Errorf(`bad %%v`, got)\n\t}\n}\n\n", i)
	}
	b.SetBytes(int64(src.Len()))
	for b.Loop() {
		source.Scan(src.Bytes())
	}
}
