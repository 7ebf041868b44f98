package dependencies

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

// Package os records what is read while a test runs, but not what is read before the
// first one, by an init function, a variable or TestMain, nor through system calls. The
// sources show where that may happen.

// readers are functions that read files, by package; starters start programs; calls are
// system calls that do either.
var (
	readers = map[string][]string{
		"os":            {"Open", "OpenFile", "OpenInRoot", "OpenRoot", "ReadFile", "ReadDir", "Stat", "Lstat", "Readlink", "DirFS", "Chdir"},
		"io/ioutil":     {"ReadFile", "ReadDir"},
		"path/filepath": {"Glob", "Walk", "WalkDir", "EvalSymlinks"},
		"text/template": {"ParseFiles", "ParseGlob"},
		"html/template": {"ParseFiles", "ParseGlob"},
		"crypto/tls":    {"LoadX509KeyPair"},
		"go/parser":     {"ParseFile", "ParseDir"},
		"archive/zip":   {"OpenReader"},
		"database/sql":  {"Open"},
	}
	starters = map[string][]string{
		"os":      {"StartProcess"},
		"os/exec": {"Command", "CommandContext"},
	}
	calls = map[string][]string{"syscall": systemCalls, "golang.org/x/sys/unix": systemCalls, "golang.org/x/sys/windows": systemCalls}

	systemCalls = []string{
		"Open", "Openat", "Openat2", "Stat", "Lstat", "Fstatat", "Statx", "Access", "Faccessat", "Readlink", "Readlinkat", "Chdir",
		"Fchdir", "Chroot", "Mount", "Exec", "ForkExec", "StartProcess", "Syscall", "Syscall6", "SyscallN", "RawSyscall", "RawSyscall6",
		"SyscallNoError", "RawSyscallNoError", "OpenByHandleAt", "OpenTree", "Statfs",
		"CreateFile", "CreateProcess", "FindFirstFile", "GetFileAttributes", "GetFileAttributesEx", "LoadLibrary", "LoadDLL", "MustLoadDLL", "NewLazyDLL",
	}
)

// hidden is what the sources of a package may read unseen.
type hidden struct {
	// reads and starts name what reads a file or starts a program before the first
	// test, calls names a system call that does so at any time; empty if none does.
	reads, starts, calls string
	// elsewhere reports whether files of other directories may be read.
	elsewhere bool
}

// inspect looks for what a package and its tests read unseen.
func (g *Graph) inspect(n, t *node, p *Package) {
	if p.Standard || n.inspected && t == nil {
		return
	}
	n.inspected = true
	if t != nil {
		t.after = g.callsAfterTests(p)
	}
	if !mayRead(p.Imports) && !mayRead(p.TestImports) && !mayRead(p.XTestImports) {
		return
	}
	own := g.parse(p.Dir, slices.Concat(p.GoFiles, p.CgoFiles))
	h := g.findHidden(own)
	if calls[p.path()] != nil && p.Module != nil && !p.Module.Main {
		h.calls = "" // they are found where they are called
	}
	if h.calls != "" || h.starts != "" || h.reads != "" {
		// It is unknown here whose tests it is started for, and in which directory.
		n.opaque = cmp.Or(n.opaque, h.why(p.path()))
	}
	if t == nil {
		return
	}
	h = g.findHidden(append(own, g.parse(p.Dir, slices.Concat(p.TestGoFiles, p.XTestGoFiles))...))
	switch {
	case h.calls != "", h.starts != "", h.elsewhere && h.reads != "":
		t.opaque = cmp.Or(t.opaque, h.why("one of its tests"))
	case h.reads != "":
		g.addTestData(t, p.Dir)
	}
}

func (h hidden) why(who string) string {
	switch {
	case h.calls != "":
		return fmt.Sprintf("%s calls %s, and what that reads is unknown", who, h.calls)
	case h.starts != "":
		return fmt.Sprintf("%s can call %s before the first test, and what that program reads is unknown", who, h.starts)
	}
	return fmt.Sprintf("%s can call %s before the first test, and what that reads is unknown", who, h.reads)
}

func mayRead(imports []string) bool {
	return slices.ContainsFunc(imports, func(name string) bool {
		name = withoutVariant(name)
		return readers[name] != nil || starters[name] != nil || calls[name] != nil
	})
}

// parse parses source files. An invalid one fails the build.
func (g *Graph) parse(dir string, names []string) []*ast.File {
	var files []*ast.File
	for _, name := range names {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		src, err := g.cfg.Layout.Reader.Bytes(name, maxInspected)
		if err != nil {
			continue
		}
		if file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution); err == nil {
			files = append(files, file)
		}
	}
	return files
}

// maxInspected bounds a source file, whose syntax tree takes ten times as much.
const maxInspected = source.MaxFile / 2

// findHidden follows what is executed before the first test through the functions and methods
// that it mentions by name.
func (g *Graph) findHidden(files []*ast.File) hidden {
	l := hiddenFinder{early: g.cfg.Early, declared: map[string][]fileDecl{}, seen: map[string]bool{}, kept: map[string]string{}, used: map[string]bool{}}
	var roots []fileDecl
	for _, file := range files {
		imports := importsOf(file)
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				fn := fileDecl{d, imports}
				l.findSystemCalls(fn)
				if d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "TestMain") {
					roots = append(roots, fn)
				} else {
					l.declared[d.Name.Name] = append(l.declared[d.Name.Name], fn)
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					roots = append(roots, fileDecl{d, imports})
				}
				l.findSystemCalls(fileDecl{d, imports})
			}
		}
	}
	for _, root := range roots {
		l.examineStartUp(root)
	}
	for _, name := range slices.Sorted(maps.Keys(l.kept)) {
		if l.used[name] {
			l.reads = cmp.Or(l.reads, l.kept[name])
		}
	}
	return l.hidden
}

// fileDecl is a declaration, with the packages that names of its file stand for.
type fileDecl struct {
	decl    ast.Decl
	imports map[string]string
}

func importsOf(file *ast.File) map[string]string {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = imported
	}
	return imports
}

type hiddenFinder struct {
	hidden
	declared map[string][]fileDecl
	seen     map[string]bool
	// early is [Config.Early]: nothing else shows that another package makes one that is kept
	// look whether a file exists.
	early bool
	// kept are functions that read files, by the variable or field that keeps them, as in
	// "var open = os.Open", and used are the names that are used before the first test.
	kept map[string]string
	used map[string]bool
}

// findSystemCalls looks for system calls, whenever they are made.
func (l *hiddenFinder) findSystemCalls(p fileDecl) {
	ast.Inspect(p.decl, func(n ast.Node) bool {
		l.calls = cmp.Or(l.calls, p.namesAny(n, calls))
		return l.calls == ""
	})
}

// namesAny returns the function named by a selector, if it is among some.
func (p fileDecl) namesAny(n ast.Node, some map[string][]string) string {
	s, selector := n.(*ast.SelectorExpr)
	if !selector {
		return ""
	}
	x, plain := s.X.(*ast.Ident)
	if !plain && slices.Contains(some["text/template"], s.Sel.Name) {
		return s.Sel.Name // of a template, whatever its receiver
	}
	if !plain || !slices.Contains(some[p.imports[x.Name]], s.Sel.Name) {
		return ""
	}
	return x.Name + "." + s.Sel.Name
}

// examineStartUp examines what is executed before the first test. A function that is the value
// of a variable is not, unless it is called there.
func (l *hiddenFinder) examineStartUp(p fileDecl) {
	_, variable := p.decl.(*ast.GenDecl)
	called, keeping := map[*ast.FuncLit]bool{}, map[ast.Node]bool{}
	ast.Inspect(p.decl, func(n ast.Node) bool {
		if keeping[n] {
			return false
		}
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, name := range n.Names {
				keeping[name] = true
				if len(n.Values) == len(n.Names) {
					l.keep(p, name, n.Values[i], keeping)
				}
			}
		case *ast.KeyValueExpr:
			if name, plain := n.Key.(*ast.Ident); plain {
				keeping[name] = true
				l.keep(p, name, n.Value, keeping)
			}
		case *ast.Ident:
			l.used[n.Name] = true
		case *ast.CallExpr:
			l.followCall(p, n, called)
		case *ast.FuncLit:
			return !variable || called[n]
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			l.elsewhere = l.elsewhere || n.Kind == token.STRING && err == nil && (strings.Contains(text, "..") || strings.HasPrefix(text, "/"))
		case *ast.SelectorExpr:
			l.reads = cmp.Or(l.reads, p.namesAny(n, readers))
			l.starts = cmp.Or(l.starts, p.namesAny(n, starters))
		}
		return true
	})
}

// keep records a function that reads files and is only kept, not called.
func (l *hiddenFinder) keep(p fileDecl, name *ast.Ident, value ast.Expr, keeping map[ast.Node]bool) {
	function := p.namesAny(value, readers)
	if function == "" || !l.early {
		return
	}
	keeping[value] = true
	if name.Name != "_" {
		l.kept[name.Name] = function
	}
}

// followCall follows a call to what the package declares, and to the functions passed along.
func (l *hiddenFinder) followCall(p fileDecl, call *ast.CallExpr, literals map[*ast.FuncLit]bool) {
	switch function := call.Fun.(type) {
	case *ast.FuncLit:
		literals[function] = true
	case *ast.Ident:
		l.followName(function.Name)
	case *ast.IndexExpr: // a generic one
		if name, plain := function.X.(*ast.Ident); plain {
			l.followName(name.Name)
		}
	case *ast.SelectorExpr:
		x, plain := function.X.(*ast.Ident)
		if !plain || p.imports[x.Name] == "" && !(function.Sel.Name == "Run" && isTestMainDecl(p.decl)) {
			l.followName(function.Sel.Name)
		}
	}
	for _, arg := range call.Args {
		if name, plain := arg.(*ast.Ident); plain {
			l.followName(name.Name)
		}
	}
}

func isTestMainDecl(decl ast.Decl) bool {
	fn, ok := decl.(*ast.FuncDecl)
	return ok && fn.Name.Name == "TestMain"
}

func (l *hiddenFinder) followName(name string) {
	if l.seen[name] {
		return
	}
	l.seen[name] = true
	for _, fn := range l.declared[name] {
		l.examineStartUp(fn)
	}
}
