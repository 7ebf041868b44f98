package cli

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The limits of a package: beyond them nobody knows all of it.
const (
	maxCodeLines = 5000
	maxFiles     = 40
	maxMethods   = 25
)

func TestNoPackageAndNoTypeOutgrowsItsReader(t *testing.T) {
	t.Parallel()
	type size struct{ files, lines int }
	sizes, methods := map[string]*size{}, map[string]int{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		room := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
		if sizes[room] == nil {
			sizes[room] = &size{}
		}
		sizes[room].files++
		sizes[room].lines += countCode(t, path)
		for _, name := range receivers(t, path) {
			methods[room+"."+name]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for room, s := range sizes {
		if s.lines > maxCodeLines {
			t.Errorf("host/%s has %d lines of code, more than %d", room, s.lines, maxCodeLines)
		}
		if s.files > maxFiles {
			t.Errorf("host/%s has %d files, more than %d", room, s.files, maxFiles)
		}
	}
	for name, n := range methods {
		if n > maxMethods {
			t.Errorf("host/%s has %d methods, more than %d", name, n, maxMethods)
		}
	}
}

// countCode counts the lines of a file that are neither blank nor a comment.
func countCode(t *testing.T, path string) int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := strings.TrimSpace(s.Text()); line != "" && !strings.HasPrefix(line, "//") {
			lines++
		}
	}
	return lines
}

// receivers are the types that have the methods of a file, each as often as it has one.
func receivers(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil {
			continue
		}
		typ := f.Recv.List[0].Type
		if star, ok := typ.(*ast.StarExpr); ok {
			typ = star.X
		}
		if name, ok := typ.(*ast.Ident); ok {
			names = append(names, name.Name)
		}
	}
	return names
}
