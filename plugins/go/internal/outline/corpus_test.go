package outline_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/proctorhq/proctor/plugins/go/internal/outline"
	"github.com/proctorhq/proctor/sdk"
)

func sortedKeys(a, b map[string]string) []string {
	keys := map[string]bool{}
	for key := range a {
		keys[key] = true
	}
	for key := range b {
		keys[key] = true
	}
	return slices.Sorted(maps.Keys(keys))
}

// standardFile is a file of the standard library, or of this package.
type standardFile struct {
	path, src string
	used      func(string) bool
	units     []sdk.SourceUnit
}

// standardFiles reads and outlines the files once for all tests.
var standardFiles = sync.OnceValues(func() ([]standardFile, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	var all []standardFile
	for _, dir := range []string{"strings", "sort", "encoding/json", "net/url", "encoding/xml", "bufio", "archive/tar", "text/template", "go/printer", "slices", "runtime/debug", "embed", "os/exec", "sync", "."} {
		path := dir
		if dir != "." {
			path = filepath.Join(strings.TrimSpace(string(root)), "src", filepath.FromSlash(dir))
		}
		files, err := filepath.Glob(filepath.Join(path, "*.go"))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("no files in %s: %w", path, err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			f := standardFile{path: file, src: string(src)}
			if strings.HasSuffix(file, "_test.go") {
				f.used = neverUsed
			}
			var ok bool
			if f.units, ok = outline.File(src, f.used, nil); !ok {
				return nil, fmt.Errorf("no outline of %s", file)
			}
			all = append(all, f)
		}
	}
	return all, nil
})

// eachStandardFile calls do for each of the files.
func eachStandardFile(t *testing.T, do func(t *testing.T, f standardFile)) {
	t.Helper()
	files, err := standardFiles()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("this test reads the sources of Go, and there is no go command:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		do(t, f)
		if t.Failed() {
			t.Fatalf("in %s", f.path)
		}
	}
}

func outlineSource(t *testing.T, src string, used func(string) bool) []sdk.SourceUnit {
	t.Helper()
	units, ok := outline.File([]byte(src), used, nil)
	if !ok {
		t.Fatalf("no outline of:\n%s", src)
	}
	return units
}

// eachToken calls do for each token in a text.
func eachToken(src string, do func(offset int, tok token.Token, literal string)) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), nil, 0)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return
		}
		if tok != token.SEMICOLON || literal == ";" {
			do(file.Offset(pos), tok, literal)
		}
	}
}

// reformat rewrites a source with other spacing and more comments.
func reformat(src string, random *rand.Rand) string {
	var out strings.Builder
	last := 0
	var before token.Token
	eachToken(src, func(offset int, tok token.Token, _ string) {
		between := src[last:offset]
		switch {
		case strings.Contains(between, "//") || strings.Contains(between, "/*"):
		case random.IntN(20) == 0 && tok != token.PACKAGE:
			between += " /* x, } ; */ "
		case random.IntN(20) == 0 && (before == token.COMMA || before == token.LBRACE || before == token.ADD || before == token.LPAREN):
			between += "\n\n\t// x }\n"
		}
		out.WriteString(between)
		last, before = offset, tok
	})
	out.WriteString(src[last:])
	return out.String()
}

func TestLayoutAndCommentsChangeNoDigest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	deformations := 0
	eachStandardFile(t, func(t *testing.T, f standardFile) {
		other := reformat(f.src, random)
		if got := differing(f.units, outlineSource(t, other, f.used)); got != "" {
			t.Fatalf("%s differ in:\n%s", got, other)
		}
		formatted, err := format.Source([]byte(other))
		if err != nil {
			t.Fatal(err)
		}
		if got := differing(f.units, outlineSource(t, string(formatted), f.used)); got != "" {
			t.Fatalf("%s differ, formatted", got)
		}
		if other != f.src {
			deformations++
		}
	})
	if deformations < 100 {
		t.Errorf("only %d files were deformed", deformations)
	}
}

func TestATokenInABodyChangesThatBody(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	mutations := 0
	eachStandardFile(t, func(t *testing.T, f standardFile) {
		if f.used != nil {
			return
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", f.src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		at := func(pos token.Pos) token.Position { return fset.PositionFor(pos, false) }
		// In each file some functions are changed, and most are not.
		var after strings.Builder
		var want, got []string
		last := 0
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil || len(fn.Body.List) == 0 || fn.Name.Name == "init" || fn.Name.Name == "_" || random.IntN(6) > 0 {
				continue
			}
			begin, end := at(fn.Pos()).Offset, at(fn.End()).Offset
			mutated, ok := mutateToken(f.src[begin:end], at(fn.Body.Lbrace).Offset+1-begin, random)
			if !ok {
				continue
			}
			after.WriteString(f.src[last:begin] + mutated)
			last = end
			want = append(want, fmt.Sprintf("body of %s in line %d", fn.Name.Name, at(fn.Body.Lbrace).Line))
		}
		if len(want) == 0 {
			return
		}
		mutations += len(want)
		after.WriteString(f.src[last:])
		units := outlineSource(t, after.String(), f.used)
		if len(units) != len(f.units) {
			t.Fatalf("there are %d units, were %d", len(units), len(f.units))
		}
		for i, u := range units {
			if u.Digest != f.units[i].Digest {
				name := u.Name[strings.LastIndexByte(u.Name, '.')+1:]
				got = append(got, fmt.Sprintf("%s of %s in line %d", kinds[u.Kind], name, u.StartLine))
			}
		}
		if slices.Sort(want); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Fatalf("the units %q changed, want %q", got, want)
		}
	})
	if mutations < 200 {
		t.Errorf("only %d tokens were changed", mutations)
	}
}

// mutateToken changes one token of a function after a place, such that it still parses.
func mutateToken(src string, begin int, random *rand.Rand) (string, bool) {
	type place struct {
		offset  int
		tok     token.Token
		literal string
	}
	var places []place
	eachToken(src, func(offset int, tok token.Token, literal string) {
		if offset >= begin && (tok.IsLiteral() || tok == token.ADD || tok == token.EQL || tok == token.LAND) {
			places = append(places, place{offset, tok, literal})
		}
	})
	for range min(5, len(places)) {
		p := places[random.IntN(len(places))]
		old, now := p.literal, ""
		switch p.tok {
		case token.IDENT:
			now = old + "x"
		case token.INT, token.FLOAT, token.IMAG:
			now = "7" + old
			if strings.HasPrefix(old, "0") {
				now = "7"
			}
		case token.STRING:
			now = old[:1] + " " + old[1:]
		case token.CHAR:
			now = "'\u00e9'"
		case token.ADD:
			old, now = "+", "-"
		case token.EQL:
			old, now = "==", "!="
		case token.LAND:
			old, now = "&&", "||"
		}
		after := src[:p.offset] + now + src[p.offset+len(old):]
		if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+after, parser.SkipObjectResolution); err == nil && now != old && src[p.offset:p.offset+len(old)] == old {
			return after, true
		}
	}
	return "", false
}

func TestMovingFunctionsChangesNoDigest(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	eachStandardFile(t, func(t *testing.T, f standardFile) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", f.src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		var pieces []string
		var functions []int
		last := 0
		for i, decl := range file.Decls {
			end := fset.Position(decl.End()).Offset
			pieces = append(pieces, f.src[last:end])
			last = end
			if fn, ok := decl.(*ast.FuncDecl); ok && i > 0 && fn.Name.Name != "init" && fn.Name.Name != "_" {
				functions = append(functions, i)
			}
		}
		random.Shuffle(len(functions), func(i, j int) {
			a, b := functions[i], functions[j]
			pieces[a], pieces[b] = pieces[b], pieces[a]
		})
		after := strings.Join(append(pieces, f.src[last:]), "\n")
		if got := differing(f.units, outlineSource(t, after, f.used)); got != "" {
			t.Fatalf("%s differ", got)
		}
	})
}

func TestEveryTokenLiesInAUnitAndNamesAreUnique(t *testing.T) {
	eachStandardFile(t, func(t *testing.T, f standardFile) {
		lines := strings.Count(f.src, "\n") + 1
		covered := make([]bool, lines+2)
		seen := map[string]bool{}
		for _, u := range f.units {
			if u.StartLine < 1 || u.EndLine < u.StartLine || u.EndLine > lines {
				t.Fatalf("%s has the lines %d to %d of %d", u.Name, u.StartLine, u.EndLine, lines)
			}
			for line := u.StartLine; line <= u.EndLine; line++ {
				covered[line] = true
			}
			if key := fmt.Sprint(u.Kind, u.Name); seen[key] || u.Digest == "" {
				t.Fatalf("%s is a duplicate, or has no digest", key)
			} else {
				seen[key] = true
			}
		}
		if f.used != nil {
			return // Benchmarks and examples without output are in no unit.
		}
		fset := token.NewFileSet()
		position := fset.AddFile("", -1, len(f.src))
		position.SetLinesForContent([]byte(f.src))
		eachToken(f.src, func(offset int, _ token.Token, _ string) {
			if line := position.Line(position.Pos(offset)); !covered[line] {
				t.Fatalf("line %d is in no unit: %s", line, strings.Split(f.src, "\n")[line-1])
			}
		})
	})
}

func FuzzFileNeverPanics(f *testing.F) {
	f.Add([]byte("package p\n//line x:1\nfunc (a *T[K]) F() { x() }\nvar a, b = 1, 2\n"), true)
	f.Add([]byte("package p\nimport \"C\"\nfunc ExampleX() {\n// Output:\n}\n"), false)
	f.Fuzz(func(t *testing.T, src []byte, test bool) {
		var used func(string) bool
		if test {
			uses := outline.Uses{}
			uses.Add(src)
			used = func(name string) bool { return uses[name] }
		}
		units, ok := outline.File(src, used, nil)
		for _, u := range units {
			if ok && (u.StartLine < 1 || u.EndLine < u.StartLine || u.Name == "" || u.Digest == "") {
				t.Errorf("%+v", u)
			}
		}
	})
}

func BenchmarkFile(b *testing.B) {
	src, err := os.ReadFile("corpus_test.go")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, ok := outline.File(src, nil, nil); !ok {
			b.Fatal("no outline")
		}
	}
}
