package gotest

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	slashed "path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/outline"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/plugins/go/internal/state"
	"github.com/proctorhq/proctor/sdk"
)

// Outline implements [sdk.Outliner]. It reports the Go files without syntax errors that
// are not very large.
func (d *Detector) Outline(ctx context.Context, req sdk.OutlineRequest, sink sdk.OutlineSink) error {
	layout := openProject(req.Workspace).layout
	o := outliner{layout: layout, reader: layout.Reader, uses: map[string]func(string) bool{}, packages: map[string]*state.Package{}}
	for _, name := range req.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(req.Workspace.Root, path)
		}
		if units, ok := o.outlineFile(path, slashed.Dir(name)); ok {
			sink.File(sdk.OutlinedFile{File: name, Units: units})
		}
	}
	return nil
}

// outliner reads the files of one request.
type outliner struct {
	layout *source.Layout
	reader source.Reader
	// packages has an entry for each directory.
	packages map[string]*state.Package
	// uses has an entry for each directory of a test file.
	uses map[string]func(string) bool
}

// outlineFile splits a file into units; the scope names its directory.
func (o *outliner) outlineFile(path, scope string) ([]sdk.SourceUnit, bool) {
	if filepath.Ext(path) != ".go" {
		return nil, false
	}
	src, err := o.reader.Bytes(path, outline.MaxFile)
	if err != nil {
		return nil, false
	}
	var used func(string) bool
	if strings.HasSuffix(path, "_test.go") {
		used = o.usesIn(filepath.Dir(path))
	}
	return outline.File(src, used, o.packageIn(filepath.Dir(path), scope))
}

// packageIn reads the declarations of a directory. An unreadable file declares nothing, and
// does not build.
func (o *outliner) packageIn(dir, scope string) *state.Package {
	if known := o.packages[dir]; known != nil {
		return known
	}
	var files []*ast.File
	fset := token.NewFileSet()
	names, _ := o.reader.GoFiles(dir)
	room := int64(source.MaxPackage)
	for _, name := range names {
		src, err := o.reader.Bytes(name, min(outline.MaxFile, room))
		if err != nil {
			continue
		}
		room -= int64(len(src))
		if f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution); err == nil {
			files = append(files, f)
		}
	}
	known := state.New(scope, fset, files, func(importPath string) bool {
		_, ours := o.layout.Dir(importPath)
		return ours
	})
	o.packages[dir] = known
	return known
}

// usesIn returns a function that reports whether the tests of a directory mention a name.
// If one of them is unreadable it may mention any.
func (o *outliner) usesIn(dir string) func(string) bool {
	if known, ok := o.uses[dir]; ok {
		return known
	}
	uses := outline.Uses{}
	used := func(name string) bool { return uses[name] }
	files, err := o.reader.GoFiles(dir)
	room := int64(source.MaxPackage)
	for _, file := range files {
		if err != nil {
			break
		}
		if strings.HasSuffix(file, "_test.go") {
			var src []byte
			src, err = o.reader.Bytes(file, min(source.MaxFile, room))
			room -= int64(len(src))
			uses.Add(src)
		}
	}
	if err != nil {
		used = func(string) bool { return true }
	}
	o.uses[dir] = used
	return used
}

// openCase matches a line with a case that must continue below. Most files have none,
// and are not parsed.
var openCase = lazyregexp.New(`(?m)^[ \t]*case\b.*[,(\[{|&=<>+*/-][ \t]*(?://.*)?\r?$`)

// point is a line and a column.
type point struct{ line, column int }

// widenCases makes the block of each case begin at its keyword. In a profile it begins
// after the colon, so that all but the last line of a multi-line list would count as
// lines without code.
func widenCases(src []byte, blocks []sdk.Block) []sdk.Block {
	if !openCase.Match(src) {
		return blocks
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", src, parser.SkipObjectResolution)
	if err != nil {
		return blocks // built, and changed since
	}
	at := func(pos token.Pos) point {
		p := files.PositionFor(pos, false)
		return point{p.Line, p.Column}
	}
	keywords := map[point]point{}
	ast.Inspect(file, func(n ast.Node) bool {
		var keyword, colon token.Pos
		switch clause := n.(type) {
		case *ast.CaseClause:
			keyword, colon = clause.Case, clause.Colon
		case *ast.CommClause:
			keyword, colon = clause.Case, clause.Colon
		default:
			return true
		}
		// A function within the list has blocks of its own.
		if from, behind := at(keyword), at(colon+1); from.line < behind.line && !beginsBetween(blocks, from, behind) {
			keywords[behind] = from
		}
		return true
	})
	widened := slices.Clone(blocks)
	for i, b := range widened {
		if from, found := keywords[point{b.StartLine, b.StartColumn}]; found {
			widened[i].StartLine, widened[i].StartColumn = from.line, from.column
		}
	}
	return widened
}

// beginsBetween reports whether a block begins after one point and before another.
func beginsBetween(blocks []sdk.Block, from, to point) bool {
	return slices.ContainsFunc(blocks, func(b sdk.Block) bool {
		begin := point{b.StartLine, b.StartColumn}
		return begin.isBehind(from) && to.isBehind(begin)
	})
}

func (p point) isBehind(other point) bool {
	return p.line > other.line || p.line == other.line && p.column > other.column
}
