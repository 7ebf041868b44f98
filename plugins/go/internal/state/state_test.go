package state_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/go/internal/state"
	"github.com/proctorhq/proctor/sdk"
)

const variables = `package p

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"
	"example.com/else"
)

type T struct{ N int; in map[string]int }
func (t *T) Add() { t.N++ }
type Kind int
func (k Kind) String() string { return "" }
type Plain struct{ a, b int; d time.Duration }

var (
	number int
	Shown  string
	table  = map[string]int{"a": 1}
	kinds  = map[string]Kind{}
	deep   = map[string][]int{}
	ptr    = &T{}
	value  T
	plain  = Plain{1, 2, 3 * time.Second}
	err    = errors.New("x")
	wrapped = fmt.Errorf("%w", err)
	re     = regexp.MustCompile("x")
	once   sync.Once
	foreign = elsewhere.New()
	fn     = func() {}
	made   = maker()
)
func maker() func() { return nil }
`

// stateOf parses a file next to the variables, and returns how its function f uses state.
func stateOf(t *testing.T, body string) sdk.UnitState {
	t.Helper()
	text := "package p\nimport (\n\"os\"\n\"fmt\"\n\"log\"\n\"net/http\"\n\"strings\"\n\"testing\"\n\"unsafe\"\n\"example.com/ours/q\"\n\"example.com/third\"\n)\nfunc f(param *T, t *testing.T) any {\n" + body + "\n}\n"
	file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	return packageOf(t, file).StateOf(file, file.Decls[1])
}

func packageOf(t *testing.T, more ...*ast.File) *state.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", variables, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return state.New("d", fset, append(more, file), func(path string) bool { return strings.HasPrefix(path, "example.com/ours") })
}

func TestStateOfAFunctionHasWhatItMayChange(t *testing.T) {
	for body, want := range map[string]struct{ writes, lends string }{
		"number = 1":                                   {"d.number", ""},
		"number++":                                     {"d.number", ""},
		"(number) += 2":                                {"d.number", ""},
		"p := &number; *p = 1":                         {"d.number", ""},
		`table["a"] = 1`:                               {"d.table", ""},
		`delete(table, "a")`:                           {"d.table", ""},
		`deep["a"][1] = 1`:                             {"d.deep", ""},
		"ptr.N = 1":                                    {"d.ptr", ""},
		"value.in = nil":                               {"d.value", ""},
		"ptr.Add()":                                    {"", "d.ptr()"},
		"once.Do(nil)":                                 {"", "d.once()"},
		"m := table; m[``] = 1":                        {"", "d.table"},
		"return table":                                 {"", "d.table"},
		"x := deep[``]; x[0] = 1":                      {"", "d.deep[]"},
		"for _, x := range deep { x[0] = 1 }":          {"", "d.deep[]"},
		"other(table, ptr.in)":                         {"", "d.ptr[] d.table"},
		"x := ptr.Add; x()":                            {"", "d.ptr() d.ptr[]"},
		"number := 1; number++; param.N = number":      {"", ""},
		"var table map[string]int; table[``] = 1":      {"", ""},
		"return len(table) + number":                   {"", ""},
		"if number == 1 { println(kinds[``]) }":        {"", ""},
		"fmt.Println(table, strings.Join(nil, Shown))": {"", ""},
		"t.Errorf(``, table)":                          {"", ""},
		"fn()":                                         {"", "d.fn()"},
		"q.X = 1":                                      {".X", ""},
		"q.X.f[1] = 1":                                 {".X", ""},
		"q.X.Add()":                                    {"", ".X()"},
		"Shown = ``":                                   {".Shown", ""},
		"go func() { number++ }()":                     {"d.number", ""},
		"defer func() { number = 1 }()":                {"d.number", ""},
		"http.DefaultClient = nil":                     {"net/http.DefaultClient", ""},
		"log.SetFlags(1)":                              {"the log", ""},
		"os.Setenv(``, ``)":                            {"environment variables", ""},
		"os.Chdir(``)":                                 {"the working directory", ""},
		"for number = range 3 {}":                      {"d.number", ""},
	} {
		got := stateOf(t, body)
		got.Lends = slices.DeleteFunc(got.Lends, func(name string) bool {
			return strings.HasPrefix(name, ".") && name != ".X()" || strings.Contains(name, "/")
		})
		if writes, lends := strings.Join(got.Writes, " "), strings.Join(got.Lends, " "); writes != want.writes || lends != want.lends {
			t.Errorf("%s: writes %q, lends %q; want %q, %q", body, writes, lends, want.writes, want.lends)
		}
		for _, name := range got.Writes {
			if !slices.Contains(got.Mentions, name) {
				t.Errorf("%s: %s is changed and not mentioned", body, name)
			}
		}
	}
}

func TestStateOfAFunctionHasWhatItMentions(t *testing.T) {
	for body, want := range map[string]string{
		"maker()":                   "d.maker",
		"x := maker; _ = x":         "d.maker",
		"q.Other()":                 ".Other",
		"param.Method()":            "().Method",
		"param.method()":            "d().method",
		"var x Kind; _ = x":         ".Kind",
		"_ = T{}":                   ".T",
		"_ = os.Getenv(``)":         "environment variables",
		"log.Println()":             "the log",
		"fmt.Println()":             "os.Stdout",
		"_ = http.DefaultTransport": "net/http.DefaultTransport",
	} {
		if got := stateOf(t, body); !slices.Contains(got.Mentions, want) {
			t.Errorf("%s mentions %q, want %s too", body, got.Mentions, want)
		}
	}
	for body, want := range map[string]string{
		"os.WriteFile(``, nil, 0)": "files (os.WriteFile)", "third.Do()": "state of example.com/third", "_ = unsafe.Pointer(nil)": "memory (unsafe.Pointer)",
	} {
		if got := stateOf(t, body); !slices.Contains(got.Leaves, want) {
			t.Errorf("%s leaves %q, want %s", body, got.Leaves, want)
		}
	}
}

func TestStateOfAVariableHasHowItCanBeChangedThroughItsValue(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "", variables, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := packageOf(t)
	want := map[string]string{
		"number": "", "Shown": "", "table": "d.table", "kinds": "d.kinds", "deep": "d.deep d.deep[]", "ptr": "d.ptr d.ptr() d.ptr[]",
		"value": "d.value d.value() d.value[]", "plain": "", "err": "", "wrapped": "", "re": "", "once": "d.once d.once() d.once[]",
		"foreign": "d.foreign d.foreign() d.foreign[]", "fn": "", "made": "d.made()",
	}
	for _, decl := range file.Decls {
		d, general := decl.(*ast.GenDecl)
		if !general || d.Tok != token.VAR {
			continue
		}
		for _, spec := range d.Specs {
			var s sdk.UnitState
			p.AddSpec(d.Tok, spec, &s)
			name := spec.(*ast.ValueSpec).Names[0].Name
			if got := strings.Join(s.Shared, " "); got != want[name] {
				t.Errorf("%s: shared %q, want %q", name, got, want[name])
			}
		}
	}
}
