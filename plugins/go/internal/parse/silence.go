package parse

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/proctorhq/proctor/sdk"
)

// silent is the message of a test that failed without saying why.
const silent = "failed without a message"

// examineSilence is for a test that called Fail or FailNow: its place is that call
// where the source has just one, else the last line that it logged.
func (x *examiner) examineSilence(s *suite, t *test, found []block, f *finding) {
	f.message, f.anchor = silent, max(0, len(f.lines)-1)
	if t.childFailed {
		return // that is why it failed
	}
	last, logged := lastLogged(x.tree, s, found)
	if logged {
		f.anchor = last.index
		if text := tidy(last.text); text != "" {
			first, _, _ := strings.Cut(text, "\n")
			f.message += "; it logged last: " + clip(first, maxHeadline)
		}
	}
	if at := (calls{x.tree, s}).failingCall(t.name); at.File != "" {
		f.location, f.precision = at, sdk.PrecisionExact
	} else if logged {
		f.location = x.tree.locate(s, last.file, last.line)
	} else {
		f.precision = sdk.PrecisionDeclarationOnly
	}
}

// lastLogged is the last message that the sources show to be a log.
func lastLogged(tree *tree, s *suite, found []block) (block, bool) {
	for _, b := range slices.Backward(found) {
		if !b.fromTesting() && (calls{tree, s}).judge(b) == callLogs {
			return b, true
		}
	}
	return block{}, false
}

// failingCall is the only call in a test that fails it without a message; no place
// where there are several, or where it cannot be told which function the test is.
func (c calls) failingCall(name string) sdk.Location {
	at := c.tree.source(c.suite).place(name)
	syntax := c.tree.parsed.file(c.tree.absolute(at))
	if at.File == "" || syntax == nil {
		return sdk.Location{}
	}
	fn := syntax.functionFrom(at.Line)
	if fn == nil || fn.Body == nil {
		return sdk.Location{}
	}
	top, inner, _ := strings.Cut(name, "/")
	if fn.Name.Name != top { // a method of a suite
		_, inner, _ = strings.Cut(inner, "/")
	}
	body := partOf(fn.Body, inner)
	if body == nil {
		return sdk.Location{}
	}
	var lines []int
	walkOwn(body, func(call *ast.CallExpr) {
		if line := syntax.line(call.Lparen); c.failsSilently(call, 0) && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	})
	if len(lines) != 1 {
		return sdk.Location{}
	}
	return sdk.Location{File: at.File, Line: lines[0]}
}

// functionFrom is the function that is declared at a line.
func (f *parsedFile) functionFrom(line int) *ast.FuncDecl {
	for _, decl := range f.file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && f.line(fn.Type.Func) == line {
			return fn
		}
	}
	return nil
}

// failsSilently reports whether a call is t.Fail or t.FailNow, or that of a function of
// the package that is given the test and makes such a call.
func (c calls) failsSilently(call *ast.CallExpr, depth int) bool {
	name, receiver := callee(call)
	if receiver != "" && (name == "Fail" || name == "FailNow") && len(call.Args) == 0 {
		return true
	}
	if depth >= maxFollow || !takesTest(call) {
		return false
	}
	fails := false
	if helper := c.functionNamed(name); helper != nil {
		ast.Inspect(helper.Body, func(n ast.Node) bool {
			inner, ok := n.(*ast.CallExpr)
			fails = fails || ok && c.failsSilently(inner, depth+1)
			return !fails
		})
	}
	return fails
}

// functionNamed is a function or method of the package.
func (c calls) functionNamed(name string) *ast.FuncDecl {
	if name == "" {
		return nil
	}
	for _, file := range c.tree.declaring(c.tree.source(c.suite), name) {
		syntax := c.tree.parsed.file(file)
		if syntax == nil {
			continue
		}
		for _, decl := range syntax.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == name && f.Body != nil {
				return f
			}
		}
	}
	return nil
}

// partOf is the body of a part of a test, by what its name has after that of the whole;
// nil where it cannot be told.
func partOf(body *ast.BlockStmt, name string) *ast.BlockStmt {
	for name != "" {
		var named, computed []*ast.BlockStmt
		rest, parts := "", 0
		walkOwn(body, func(call *ast.CallExpr) {
			part := partBody(call)
			if part == nil {
				return
			}
			parts++
			literal, ok := call.Args[0].(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				computed = append(computed, part)
				return
			}
			text, _ := strconv.Unquote(literal.Value)
			if after, found := cutPart(name, testName(text)); found {
				named, rest = append(named, part), after
			}
		})
		switch {
		case len(named) == 1:
			body, name = named[0], rest
		case len(named) == 0 && len(computed) == 1:
			body = computed[0]
			_, name, _ = strings.Cut(name, "/")
		case parts == 0:
			return body // the name of the part itself has a slash
		default:
			return nil
		}
	}
	return body
}

// partBody is the function literal of a call "t.Run(name, func(t *testing.T) {...})".
func partBody(call *ast.CallExpr) *ast.BlockStmt {
	name, receiver := callee(call)
	if name != "Run" || receiver == "" || len(call.Args) != 2 {
		return nil
	}
	if literal, ok := call.Args[1].(*ast.FuncLit); ok {
		return literal.Body
	}
	return nil
}

// cutPart takes the name of a part, and the number of a repetition, off a name.
func cutPart(name, part string) (rest string, found bool) {
	after, found := strings.CutPrefix(name, part)
	if !found {
		return "", false
	}
	element, rest, _ := strings.Cut(after, "/")
	return rest, element == "" || element[0] == '#'
}

// testName is what package testing makes of the name of a part.
func testName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, name)
}

// walkOwn visits the calls of a body that are not those of a part of the test.
func walkOwn(body *ast.BlockStmt, visit func(*ast.CallExpr)) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		visit(call)
		return partBody(call) == nil
	})
}
