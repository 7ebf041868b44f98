package state

import (
	"go/ast"
	"go/doc"
	"slices"
	"strings"
)

// call examines what a call does to its callee and its arguments.
func (u *unit) call(call *ast.CallExpr) {
	u.callees[ast.Unparen(call.Fun)] = true
	args := call.Args
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		if fun.Obj == nil && !u.declared[fun.Name] && doc.IsPredeclared(fun.Name) {
			u.builtin(fun.Name, args)
			return
		}
		u.lend(fun, "()")
	case *ast.SelectorExpr:
		importPath, is := u.imported(fun.X)
		switch {
		case is && importPath != "" && onlyReads(importPath, fun.Sel.Name):
			return
		case is:
			u.lend(fun, "()") // a variable may hold the function
		case isReporting(fun):
			return
		default:
			u.lend(fun.X, "()")
		}
	case *ast.ArrayType, *ast.MapType, *ast.InterfaceType, *ast.FuncType, *ast.StructType, *ast.ChanType:
		// a conversion
	}
	u.lendAll(args)
}

// builtin examines the arguments of a builtin function.
func (u *unit) builtin(name string, args []ast.Expr) {
	switch name {
	case "append":
		u.lendAll(args)
	case "copy", "delete", "clear", "close":
		if len(args) > 0 {
			u.write(args[0])
		}
		if name == "copy" && len(args) > 1 {
			u.lend(args[1], "[]")
		}
	case "any", "panic", "error":
		u.lendAll(args)
	}
}

// isReporting reports whether a call is a reporting method of a test, such as T.Errorf, on
// a variable with a usual name.
func isReporting(fun *ast.SelectorExpr) bool {
	x, plain := fun.X.(*ast.Ident)
	if !plain || !slices.Contains([]string{"t", "b", "f", "tb"}, x.Name) {
		return false
	}
	return slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf", "Log", "Logf", "Skip", "Skipf"}, fun.Sel.Name)
}

// readers are packages whose functions do not change their arguments, except for the
// named ones; and some functions of others that do not.
var readers = map[string][]string{
	"errors": nil, "strings": nil, "strconv": nil, "unicode": nil, "unicode/utf8": nil, "math": nil, "math/bits": nil, "path": nil, "cmp": nil,
	"fmt":     {"Sscan", "Sscanf", "Sscanln", "Fscan", "Fscanf", "Fscanln", "Scan", "Scanf", "Scanln", "Fprint", "Fprintf", "Fprintln", "Append", "Appendf", "Appendln"},
	"bytes":   {"NewBuffer", "NewReader", "Fields", "Split", "SplitN", "TrimSpace", "Trim", "TrimPrefix", "TrimSuffix", "TrimRight", "TrimLeft", "Cut", "CutPrefix", "CutSuffix", "Clone"},
	"reflect": {"ValueOf", "Copy", "Swapper", "Append", "AppendSlice", "Indirect"},
	"regexp":  nil, "encoding/json": {"NewEncoder", "NewDecoder", "Unmarshal", "Compact", "Indent", "HTMLEscape"}, "encoding/hex": {"Encode", "Decode"},
	"path/filepath": {"Walk", "WalkDir"}, "unicode/utf16": nil,
	"slices":                              {"Sort", "SortFunc", "SortStableFunc", "Reverse", "Delete", "DeleteFunc", "Insert", "Replace", "Compact", "CompactFunc", "Grow", "Clip", "AppendSeq", "All", "Values", "Backward", "Clone", "Concat", "Chunk", "Max", "Min", "MaxFunc", "MinFunc", "Collect", "Repeat"},
	"maps":                                {"DeleteFunc", "Copy", "Insert", "Clone", "All", "Values", "Collect"},
	"github.com/google/go-cmp/cmp":        nil,
	"github.com/stretchr/testify/assert":  nil,
	"github.com/stretchr/testify/require": nil,
}

// onlyReads reports whether a function neither changes, keeps nor returns its
// arguments.
func onlyReads(importPath, function string) bool {
	others, known := readers[importPath]
	return known && !slices.Contains(others, function)
}

// topic is process-wide state behind functions of the standard library. It names those
// that change it, and those that use it, by package; "*" means any.
type topic struct {
	name           string
	setters, users map[string][]string
}

// topics are checked in order.
var topics = []topic{
	{
		"environment variables",
		map[string][]string{"os": {"Setenv", "Unsetenv", "Clearenv"}, "syscall": {"Setenv", "Unsetenv", "Clearenv"}},
		map[string][]string{
			"os": {
				"Getenv", "LookupEnv", "Environ", "ExpandEnv", "UserHomeDir", "UserCacheDir", "UserConfigDir", "TempDir", "MkdirTemp", "CreateTemp", "StartProcess", "Executable",
			},
			"os/exec": {"*"}, "syscall": {"Getenv", "Environ"}, "net/http": {"*"}, "os/user": {"*"}, "io/ioutil": {"TempDir", "TempFile"},
		},
	},
	{
		"the working directory", map[string][]string{"os": {"Chdir"}, "syscall": {"Chdir", "Fchdir"}},
		map[string][]string{
			"os": {
				"Getwd", "Open", "OpenFile", "Create", "ReadFile", "WriteFile", "ReadDir", "Stat", "Lstat", "Mkdir", "MkdirAll", "Remove", "RemoveAll", "Rename", "Readlink", "DirFS",
				"OpenRoot", "Symlink", "Link", "Truncate", "Chmod", "Chtimes", "CopyFS", "StartProcess",
			},
			"path/filepath": {"Abs", "Walk", "WalkDir", "Glob", "EvalSymlinks"}, "io/ioutil": {"*"}, "os/exec": {"*"},
		},
	},
	{"the log", map[string][]string{"log": {"SetOutput", "SetFlags", "SetPrefix"}, "log/slog": {"SetDefault", "SetLogLoggerLevel"}}, map[string][]string{"log": {"*"}, "log/slog": {"*"}}},
	{
		"the flags of the program",
		map[string][]string{"flag": {
			"Set", "Parse", "Var", "Bool", "BoolVar", "BoolFunc", "Duration", "DurationVar", "Float64", "Float64Var", "Func", "Int", "IntVar", "Int64", "Int64Var", "String",
			"StringVar", "TextVar", "Uint", "UintVar", "Uint64", "Uint64Var", "CommandLine",
		}},
		map[string][]string{"flag": {"*"}},
	},
	{"the handlers of net/http", map[string][]string{"net/http": {"Handle", "HandleFunc"}}, map[string][]string{"net/http": {"DefaultServeMux", "ListenAndServe", "ListenAndServeTLS", "Serve", "ServeTLS", "Handler"}, "net/http/httptest": {"*"}}},
	{"the source of math/rand", map[string][]string{"math/rand": {"Seed"}}, map[string][]string{"math/rand": {"*"}}},
	{
		"what is registered",
		map[string][]string{"encoding/gob": {"Register", "RegisterName"}, "image": {"RegisterFormat"}, "database/sql": {"Register"}, "mime": {"AddExtensionType"}, "expvar": {"*"}, "crypto": {"RegisterHash"}},
		map[string][]string{"encoding/gob": {"*"}, "image": {"*"}, "database/sql": {"*"}, "mime": {"*"}, "expvar": {"*"}, "crypto": {"*"}},
	},
	{
		"the settings of the runtime",
		map[string][]string{
			"runtime": {"GOMAXPROCS", "MemProfileRate"}, "os/signal": {"Notify", "Ignore", "Reset", "Stop"}, "syscall": {"Umask", "Setrlimit"},
			"runtime/debug": {"SetGCPercent", "SetMaxStack", "SetMaxThreads", "SetMemoryLimit", "SetPanicOnFault", "SetTraceback"},
		},
		map[string][]string{"runtime": {"GOMAXPROCS", "NumGoroutine", "ReadMemStats"}, "os/signal": {"*"}},
	},
}

func hasName(names map[string][]string, importPath, name string) bool {
	of := names[importPath]
	return slices.Contains(of, name) || slices.Contains(of, "*")
}

// fileWriters are functions that change files.
var fileWriters = map[string][]string{
	"os": {
		"WriteFile", "Create", "CreateTemp", "Mkdir", "MkdirAll", "MkdirTemp", "Remove", "RemoveAll", "Rename", "OpenFile", "Symlink", "Link", "Truncate",
		"Chmod", "Chtimes", "Chown", "CopyFS", "OpenRoot",
	},
	"io/ioutil": {"WriteFile", "TempFile", "TempDir"},
}

// foreign records what is used of a package outside of the workspace, other than a
// type: a name may mean a variable.
func (u *unit) foreign(importPath, name string, called bool) {
	if !called {
		u.mentions[variableOf(importPath, name)] = true
	}
	if !isStandard(importPath) {
		if _, known := readers[importPath]; !known {
			u.leaves["state of "+importPath] = true
		}
		return
	}
	for _, t := range topics {
		sets := hasName(t.setters, importPath, name)
		if sets || hasName(t.users, importPath, name) {
			u.mentions[t.name] = true
		}
		if sets {
			u.writes[t.name] = true
		}
	}
	switch {
	case slices.Contains(fileWriters[importPath], name):
		u.leaves["files ("+strings.TrimPrefix(importPath, "io/")+"."+name+")"] = true
	case importPath == "unsafe":
		u.leaves["memory (unsafe."+name+")"] = true
	case importPath == "fmt" && strings.HasPrefix(name, "Print"):
		u.mentions[variableOf("os", "Stdout")] = true
	case importPath == "net/http":
		u.mentions[variableOf(importPath, "DefaultClient")], u.mentions[variableOf(importPath, "DefaultTransport")] = true, true
	case importPath == "time":
		u.mentions[variableOf(importPath, "Local")] = true
	}
}

// variableOf names a declaration of a package outside of the workspace.
func variableOf(importPath, name string) string { return importPath + "." + name }
