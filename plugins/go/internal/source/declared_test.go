package source_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

func TestDeclarationsFindsTheMethodsOfSuites(t *testing.T) {
	for _, test := range []struct {
		name, src string
		want      []source.Method
	}{
		{"receivers", "func (s *A) TestX() {}\nfunc (A) TestY() {}\nfunc(s A) TestZ() {}\nfunc ( s *A ) TestV () {}",
			[]source.Method{{"A", "TestX", 1}, {"A", "TestY", 2}, {"A", "TestV", 4}}},
		{"a generic type", "func (s *A[K, V]) TestX() {}", []source.Method{{"A", "TestX", 1}}},
		{"TestMain is a name as any", "func (s *A) TestMain() {}", []source.Method{{"A", "TestMain", 1}}},
		{"no tests", "func (s *A) SetupTest() {}\nfunc (s *A) BenchmarkX() {}\nfunc (s *A) Testify() {}", nil},
		{"literals", "var f = func (t *T) { TestX() }\nvar g func (A) TestResult", nil},
		{"text", "// func (s *A) TestX() {}\nvar s = `\nfunc (s *A) TestY() {}\n`", nil},
		{"ends early", "func (s *A", nil},
		{"no receiver", "func () TestX() {}\nfunc (a b c) TestY() {}", nil},
		{"an endless receiver", "func (" + strings.Repeat("s", 1000) + " A) TestX() {}", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := source.Declarations([]byte(test.src))
			if diff := cmp.Diff(test.want, got.Methods); diff != "" {
				t.Errorf("methods differ (-want +got):\n%s", diff)
			}
			if len(got.Functions) > 0 {
				t.Errorf("methods count as functions: %v", got.Functions)
			}
		})
	}
}

func TestDeclarationsFindsWhatRunsASuite(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       []string
	}{
		{"a new one", "{ suite.Run(t, new(Store)) }", []string{"t", "testing", "suite", "new", "Store"}},
		{"of another package", "{ s2Suites.Run(t, &shared.Store{}) }", []string{"t", "testing", "s2Suites", "shared"}},
		{"a subtest", "{ t.Run(\"x\", f) }", nil},
		{"a subtest before", "{ t.Run(\"x\", f); suite.Run(t, s) }", []string{"t", "testing", "x", "f", "suite", "s"}},
		{"in the next function", "{}\nfunc helper() { suite.Run(t, new(Store)) }", nil},
		{"in the next method", "{}\nfunc (s *A) helper() { suite.Run(t, new(Store)) }", nil},
		{"nothing", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := source.Declarations([]byte("func TestA(t *testing.T) " + test.body)).Runners["TestA"]
			ignored := cmpopts.IgnoreSliceElements(func(name string) bool { return name == "T" || name == "Run" })
			if diff := cmp.Diff(test.want, got, ignored, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("names differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDeclarationsKeepsExamplesThatAreOnlyCompiled(t *testing.T) {
	got := source.Declarations([]byte("func ExampleSilent() {}\n")).Functions
	if len(got) != 1 || got[0].Name != "ExampleSilent" {
		t.Errorf("got %v", got)
	}
}

// A body stays the same under another name and among other functions, and no other body
// equals it.
func TestABodyIsKnownUnderAnotherName(t *testing.T) {
	const one = "func TestA(t *testing.T) { t.Fatal(1) }\n"
	const many = "func TestB(t *testing.T) {\n\tif bad {\n\t\tt.Fatal(2)\n\t}\n}\n"
	bodies := func(src string) map[string]string {
		all := map[string]string{}
		for _, f := range source.Scan([]byte("package a\n\n" + src)) {
			all[f.Name] = f.Body
		}
		return all
	}
	was := bodies(one + "\n" + many)
	is := bodies("// TestD is new.\n" + strings.Replace(many, "TestB", "TestD", 1) + "\nvar x = 1\n\n// TestC is new.\n" + strings.Replace(one, "TestA", "TestC", 1) + "\ntype y int\n" +
		strings.Replace(one, "TestA(t *testing.T) { t.Fatal(1)", "TestE(t *testing.T) { t.Fatal(3)", 1))
	if was["TestA"] == "" || was["TestB"] == "" || was["TestA"] == was["TestB"] {
		t.Errorf("bodies %v", was)
	}
	if is["TestC"] != was["TestA"] || is["TestD"] != was["TestB"] || is["TestE"] == was["TestA"] {
		t.Errorf("bodies %v, were %v", is, was)
	}
}
