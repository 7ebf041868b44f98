package parse

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/proctorhq/proctor/plugins/go/internal/wording"
	"github.com/proctorhq/proctor/sdk"
)

// callKind is what the source line of a message does.
type callKind uint8

const (
	callUnknown callKind = iota // calls something that cannot be followed
	callUnread                  // the source is not available
	callFails
	callMayFail // reports an error, to a test or to a logger
	callLogs
	callLogsOutside // logs, in a library that may fail the test without another message
	callForeign     // there is no such file: the test printed the line itself
)

// calls finds what the tests of a suite call, from their source.
type calls struct {
	tree  *tree
	suite *suite
}

func (t *tree) calls(s *suite) calls { return calls{t, s} }

// judge decides by the source whether a message is an error.
func (c calls) judge(b block) callKind {
	dir, known := c.tree.dir(c.suite.name)
	file := c.tree.resolve(c.suite, b.file)
	if isVendored(b.file) {
		if isAbs(b.file) {
			if syntax := c.tree.parsed.file(b.file); syntax != nil && c.judgeLine(syntax, b.line, maxFollow) == callLogs {
				return callLogsOutside
			}
		}
		return callUnknown
	}
	if !c.tree.isFile(file) {
		if !known || isAbs(b.file) || len(c.tree.source(c.suite).files) == 0 || !strings.HasPrefix(file, dir) {
			return callUnread
		}
		if strings.HasSuffix(b.file, "_test.go") {
			return callForeign
		}
		return callUnknown // a helper in another module
	}
	syntax := c.tree.parsed.file(file)
	if syntax == nil {
		return callUnread
	}
	return c.judgeLine(syntax, b.line, 0)
}

// maxFollow is how deep calls of helpers are followed.
const maxFollow = 3

// judgeLine examines the calls on a line, and the arguments of unknown calls. A failing
// call outweighs all others, then one that receives the test and cannot be followed.
func (c calls) judgeLine(syntax *parsedFile, line, depth int) callKind {
	var fails, mayFail, opaque, logs bool
	inspect := func(n ast.Node) bool {
		if n == nil || fails || syntax.line(n.Pos()) > line || syntax.line(n.End()) < line {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || !syntax.isOn(call, line) {
			return true
		}
		switch c.judgeCall(call, depth) {
		case callFails:
			if name, receiver := splitCallee(call); isReport(name) && !syntax.isTest(receiver) {
				mayFail = true
			} else {
				fails = true
			}
			return false
		case callLogs:
			logs = true
			return false
		}
		opaque = opaque || takesTest(call)
		return true
	}
	for _, decl := range syntax.declsAt(line) {
		ast.Inspect(decl, inspect)
	}
	switch {
	case fails:
		return callFails
	case mayFail:
		return callMayFail
	case logs && !opaque:
		return callLogs
	}
	return callUnknown
}

// takesTest reports whether a call receives the test, judging by its usual names. Other
// calls on a line only compute values.
func takesTest(call *ast.CallExpr) bool {
	for _, arg := range call.Args {
		if id, ok := arg.(*ast.Ident); ok && (id.Name == "t" || id.Name == "tb" || id.Name == "b" || id.Name == "f") {
			return true
		}
	}
	return false
}

func (c calls) judgeCall(call *ast.CallExpr, depth int) callKind {
	name, receiver := splitCallee(call)
	if receiver == "log" || receiver == "slog" || receiver == "fmt" {
		return callLogs
	}
	if receiver != "" {
		switch {
		case isReport(name):
			return callFails
		case slices.Contains([]string{"Log", "Logf", "Skip", "Skipf"}, name):
			return callLogs
		}
	}
	if depth < maxFollow {
		if kind := c.judgeFunction(name, depth); kind != callUnknown {
			return kind
		}
	}
	for _, prefix := range []string{"Log", "log", "Print", "print", "Debug", "debug", "Trace", "trace", "Dump", "dump", "Info", "info", "Warn", "warn"} {
		if strings.HasPrefix(name, prefix) {
			return callLogs
		}
	}
	return callUnknown
}

// isReport reports whether a method of this name fails a test. Loggers have some, too.
func isReport(name string) bool {
	return slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}, name)
}

// splitCallee returns the name of the called function, and what is before its dot.
func splitCallee(call *ast.CallExpr) (name, receiver string) {
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

// judgeFunction finds a function of the package and examines the calls inside.
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

// silent is the message of a test that failed without saying why.
const silent = "failed without a message"

// maxLogged bounds what is told of the last log of a silent test, of which the first line
// suffices if it announces nothing.
const maxLogged = 500

// examineSilence handles a test that called Fail or FailNow. Its place is that call if
// the source has just one, or else the last line that it logged.
func (x *examiner) examineSilence(s *suite, t *test, found []block, f *finding) {
	f.message, f.silent, f.anchor = silent, true, max(0, len(f.lines)-1)
	if t.childFailed {
		return // which is why it failed
	}
	last, logged := lastLogged(x.tree, s, found)
	if logged {
		f.anchor = last.index
		if text := wording.Tidy(last.text); text != "" {
			if first, _, _ := strings.Cut(text, "\n"); !strings.HasSuffix(first, ":") {
				text = first
			}
			f.message += "; its last log: " + clip(text, maxLogged)
			f.silent, f.logged = false, true
		}
	}
	if at := x.tree.calls(s).failingCall(t.name); at.File != "" {
		f.location, f.precision = at, sdk.PrecisionExact
	} else if logged {
		f.location = x.tree.locate(s, last.file, last.line)
	} else {
		f.precision = sdk.PrecisionDeclarationOnly
	}
}

// lastLogged returns the last message that is a log according to the source.
func lastLogged(tree *tree, s *suite, found []block) (block, bool) {
	for _, b := range slices.Backward(found) {
		if !b.fromTesting() && tree.calls(s).judge(b) == callLogs {
			return b, true
		}
	}
	return block{}, false
}

// failingCall returns the only call in a test that fails it without a message. It
// returns no place if there are several, or if the function of the test cannot be
// determined.
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
	if fn.Name.Name != top { // a suite's method
		_, inner, _ = strings.Cut(inner, "/")
	}
	body := subtestBody(fn.Body, inner)
	if body == nil {
		return sdk.Location{}
	}
	var lines []int
	walkOutsideSubtests(body, func(call *ast.CallExpr) {
		if line := syntax.line(call.Lparen); c.failsSilently(call, 0) && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	})
	if len(lines) != 1 {
		return sdk.Location{}
	}
	return sdk.Location{File: at.File, Line: lines[0]}
}

// functionFrom returns the function declared at a line.
func (f *parsedFile) functionFrom(line int) *ast.FuncDecl {
	for _, decl := range f.file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && f.line(fn.Type.Func) == line {
			return fn
		}
	}
	return nil
}

// failsSilently reports whether a call is t.Fail or t.FailNow, or calls a function of
// the package that receives the test and makes such a call.
func (c calls) failsSilently(call *ast.CallExpr, depth int) bool {
	name, receiver := splitCallee(call)
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

// functionNamed returns a function or method of the package.
func (c calls) functionNamed(name string) *ast.FuncDecl {
	if name == "" {
		return nil
	}
	for _, file := range c.tree.filesDeclaring(c.tree.source(c.suite), name) {
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

// subtestBody returns the body of a subtest, given the part of its name after the test's
// own, or nil if it cannot be determined.
func subtestBody(body *ast.BlockStmt, name string) *ast.BlockStmt {
	for name != "" {
		var named, computed []*ast.BlockStmt
		rest, parts := "", 0
		walkOutsideSubtests(body, func(call *ast.CallExpr) {
			part := runBody(call)
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
			if after, found := cutSubtestName(name, rewriteName(text)); found {
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
			return body // the name of the subtest itself contains a slash
		default:
			return nil
		}
	}
	return body
}

// runBody returns the function literal in a call "t.Run(name, func(t *testing.T)
// {...})".
func runBody(call *ast.CallExpr) *ast.BlockStmt {
	name, receiver := splitCallee(call)
	if name != "Run" || receiver == "" || len(call.Args) != 2 {
		return nil
	}
	if literal, ok := call.Args[1].(*ast.FuncLit); ok {
		return literal.Body
	}
	return nil
}

// cutSubtestName removes the name of a subtest, and the number of a repetition, from a name.
func cutSubtestName(name, part string) (rest string, found bool) {
	after, found := strings.CutPrefix(name, part)
	if !found {
		return "", false
	}
	element, rest, _ := strings.Cut(after, "/")
	return rest, element == "" || element[0] == '#'
}

// rewriteName converts the name of a subtest as package testing does.
func rewriteName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, name)
}

// walkOutsideSubtests visits the calls in a body, without those in subtests.
func walkOutsideSubtests(body *ast.BlockStmt, visit func(*ast.CallExpr)) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		visit(call)
		return runBody(call) == nil
	})
}

// callerOf finds, for a place in a helper outside of test files, the call in the test
// files that leads there. Messages have no stack, so the result is only certain if
// there is exactly one such call.
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

// mentions reports whether a file contains a name, which is faster than parsing it.
func (t *tree) mentions(file, name string) bool {
	src, err := t.reader.Bytes(file, maxSource)
	return err == nil && bytes.Contains(src, []byte(name))
}

// functionAt returns the name of the function around a line.
func (f *parsedFile) functionAt(line int) string {
	for _, decl := range f.declsAt(line) {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			return fn.Name.Name
		}
	}
	return ""
}

// callsOf returns the lines with calls of the named function.
func (f *parsedFile) callsOf(name string) []int {
	var lines []int
	ast.Inspect(f.file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if called, _ := splitCallee(call); called == name {
				lines = append(lines, f.line(call.Lparen))
			}
		}
		return true
	})
	return lines
}

// mayEndProcess reports whether the source of a top-level test calls a function that ends
// the process.
func (c calls) mayEndProcess(top string) bool {
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
				name, receiver := splitCallee(call)
				ends = ends || receiver == "os" && name == "Exit" || receiver == "log" && strings.HasPrefix(name, "Fatal") || receiver == "syscall" && (name == "Exit" || name == "Kill" || name == "Exec")
			}
			return !ends
		})
	}
	return ends
}
