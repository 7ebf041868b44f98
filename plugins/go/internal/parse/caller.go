package parse

import (
	"bytes"
	"go/ast"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// callerOf finds, for a place in a helper outside of test files, the call in
// the test files that leads there. Messages have no stack, so it is only given
// when there is exactly one such call.
func (c calls) callerOf(at sdk.Location) sdk.Location {
	if at.File == "" || strings.HasSuffix(at.File, "_test.go") {
		return sdk.Location{}
	}
	syntax := c.tree.parsed.file(c.tree.absolute(at))
	if syntax == nil {
		return sdk.Location{}
	}
	helper := syntax.functionAt(at.Line)
	if helper == "" {
		return sdk.Location{}
	}
	var found []sdk.Location
	for _, file := range c.tree.source(c.suite).files {
		if !strings.HasSuffix(file, "_test.go") || !c.tree.mentions(file, helper) {
			continue
		}
		if syntax := c.tree.parsed.file(file); syntax != nil {
			for _, line := range syntax.callsOf(helper) {
				found = append(found, sdk.Location{File: c.tree.relative(file), Line: line})
			}
		}
	}
	if len(found) != 1 {
		return sdk.Location{}
	}
	return found[0]
}

// mentions reports whether a file holds a name, which is faster than parsing it.
func (t *tree) mentions(file, name string) bool {
	src, err := t.reader.Bytes(file, maxSource)
	return err == nil && bytes.Contains(src, []byte(name))
}

// functionAt is the name of the function around a line.
func (f *parsedFile) functionAt(line int) string {
	for _, decl := range f.file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && f.line(fn.Pos()) <= line && line <= f.line(fn.End()) {
			return fn.Name.Name
		}
	}
	return ""
}

// callsOf are the lines of the calls of a function, by its name.
func (f *parsedFile) callsOf(name string) []int {
	var lines []int
	ast.Inspect(f.file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if called, _ := callee(call); called == name {
				lines = append(lines, f.line(call.Lparen))
			}
		}
		return true
	})
	return lines
}

// endsProcess reports whether the source of a top-level test calls what ends a
// process.
func (c calls) endsProcess(top string) bool {
	place, ok := c.tree.source(c.suite).tests[top]
	if !ok {
		return false
	}
	syntax := c.tree.parsed.file(c.tree.absolute(place))
	if syntax == nil {
		return false
	}
	ends := false
	for _, decl := range syntax.file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Name.Name != top {
			continue
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				name, receiver := callee(call)
				ends = ends || receiver == "os" && name == "Exit" || receiver == "log" && strings.HasPrefix(name, "Fatal") || receiver == "syscall" && (name == "Exit" || name == "Kill" || name == "Exec")
			}
			return !ends
		})
	}
	return ends
}
