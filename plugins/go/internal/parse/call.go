package parse

import (
	"go/ast"
	"strings"
)

// callKind is what the source line of a message does.
type callKind uint8

const (
	callUnknown callKind = iota // calls something that could not be followed
	callUnread                  // the source is not there
	callFails
	callLogs
	callForeign // no such file: the test printed the line itself
)

// calls reads, in the source of a suite, what its tests call.
type calls struct {
	tree  *tree
	suite *suite
}

// judge tells by the source whether a message is an error.
func (c calls) judge(b block) callKind {
	dir, known := c.tree.dir(c.suite.name)
	file := c.tree.resolve(c.suite, b.file)
	if isVendored(b.file) {
		return callUnknown
	}
	if !c.tree.isFile(file) {
		if !known || isAbs(b.file) || len(c.tree.source(c.suite).files) == 0 || !strings.HasPrefix(file, dir) {
			return callUnread
		}
		if strings.HasSuffix(b.file, "_test.go") {
			return callForeign
		}
		return callUnknown // a helper of another module
	}
	syntax := c.tree.parsed.file(file)
	if syntax == nil {
		return callUnread
	}
	return c.judgeLine(syntax, b.line, 0)
}

// maxFollow is how deep calls of helpers are followed.
const maxFollow = 3

// judgeLine looks at the calls on a line, and into the arguments of those it
// does not know. One that fails outweighs the others, then one that is given
// the test and could not be followed.
func (c calls) judgeLine(syntax *parsedFile, line, depth int) callKind {
	var fails, opaque, logs bool
	ast.Inspect(syntax.file, func(n ast.Node) bool {
		if n == nil || fails {
			return false
		}
		if _, isFile := n.(*ast.File); !isFile && (syntax.line(n.Pos()) > line || syntax.line(n.End()) < line) {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || !syntax.isOn(call, line) {
			return true
		}
		switch c.judgeCall(call, depth) {
		case callFails:
			fails = true
			return false
		case callLogs:
			logs = true
			return false
		}
		opaque = opaque || takesTest(call)
		return true
	})
	switch {
	case fails:
		return callFails
	case logs && !opaque:
		return callLogs
	}
	return callUnknown
}

// takesTest tells calls that are given a test, by the names that one has
// everywhere. Other calls on a line only compute a value.
func takesTest(call *ast.CallExpr) bool {
	for _, arg := range call.Args {
		if id, ok := arg.(*ast.Ident); ok && (id.Name == "t" || id.Name == "tb" || id.Name == "b" || id.Name == "f") {
			return true
		}
	}
	return false
}

func (c calls) judgeCall(call *ast.CallExpr, depth int) callKind {
	name, receiver := callee(call)
	if receiver == "log" || receiver == "slog" || receiver == "fmt" {
		return callLogs
	}
	if receiver != "" {
		switch name {
		case "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow":
			return callFails
		case "Log", "Logf", "Skip", "Skipf":
			return callLogs
		}
	}
	if depth < maxFollow {
		if kind := c.judgeFunction(name, depth); kind != callUnknown {
			return kind
		}
	}
	for _, prefix := range []string{"Log", "log", "Print", "print", "Debug", "debug", "Trace", "trace", "Dump", "dump"} {
		if strings.HasPrefix(name, prefix) {
			return callLogs
		}
	}
	return callUnknown
}

// callee is the name of what is called, and what stands before its dot.
func callee(call *ast.CallExpr) (name, receiver string) {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name, ""
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return f.Sel.Name, x.Name
		}
		return f.Sel.Name, "."
	}
	return "", ""
}

// judgeFunction looks for a function of the package and at the calls inside.
func (c calls) judgeFunction(name string, depth int) callKind {
	if f := c.functionNamed(name); f != nil {
		return c.judgeBody(f.Body, depth+1)
	}
	return callUnknown
}

func (c calls) judgeBody(body *ast.BlockStmt, depth int) callKind {
	kind := callUnknown
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || kind == callFails {
			return kind != callFails
		}
		switch c.judgeCall(call, depth) {
		case callFails:
			kind = callFails
		case callLogs:
			kind = callLogs
		}
		return true
	})
	return kind
}
