package parse

import (
	"path"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

// maxFrames bounds the project's frames kept of one goroutine: a stack overflow has a
// hundred, and the first ones show where it happened.
const maxFrames = 32

// goroutine is one stack of a dump.
type goroutine struct {
	state string
	// frames are the frames of the code under test, innermost first.
	frames []frame
	// created is the call that started it.
	created frame
	// runner reports whether it runs a test, a subtest or a fuzz target.
	runner bool
	// waits reports whether the innermost code under test waits for subtests or for its
	// turn.
	waits bool
	// cleanup reports whether it runs a function passed to t.Cleanup.
	cleanup bool
	// pending is a function whose file has not been read yet.
	pending   string
	isCreator bool
}

// parseGoroutine parses "goroutine 7 [running]:", including what newer versions add.
func parseGoroutine(text string) (state string, ok bool) {
	rest, found := strings.CutPrefix(text, "goroutine ")
	if !found || len(rest) == 0 || rest[0] < '0' || rest[0] > '9' {
		return "", false
	}
	open, end := strings.IndexByte(rest, '['), strings.LastIndex(rest, "]:")
	if open < 0 || end < open {
		return "", false
	}
	return rest[open+1 : end], true
}

// read consumes one line of the stack.
func (g *goroutine) read(text string) {
	if g.pending != "" {
		file, line, ok := parseFrameFile(text)
		if ok {
			g.add(frame{function: g.pending, file: file, line: line})
			g.pending = ""
			return
		}
		g.pending = ""
	}
	if creator, found := strings.CutPrefix(strings.TrimSpace(text), "created by "); found {
		creator, _, _ = strings.Cut(creator, " in goroutine ")
		g.pending, g.isCreator = creator, true
		return
	}
	if function, ok := parseFunction(text); ok {
		g.pending, g.isCreator = function, false
	}
}

func (g *goroutine) add(f frame) {
	if g.isCreator {
		g.created = f
		return
	}
	switch f.function {
	case "testing.tRunner", "testing.(*B).runN", "testing.fRunner", "testing.runExample":
		g.runner = true
	case "testing.(*common).runCleanup":
		g.cleanup = true
	case "testing.(*T).Run", "testing.(*T).Parallel", "testing.(*F).Fuzz", "testing.(*B).Run", "testing.(*M).Run":
		if len(g.frames) == 0 {
			g.waits = true
		}
	}
	// Recursion counts as one frame: its depth says little.
	if f.isUser() && len(g.frames) < maxFrames && (len(g.frames) == 0 || g.frames[len(g.frames)-1] != f) {
		g.frames = append(g.frames, f)
	}
}

// matters reports whether it contains anything of the project.
func (g *goroutine) matters() bool { return len(g.frames) > 0 || g.created.isUser() }

// testRoot returns the top-level test that the goroutine works for: that of the
// function that started it, unless this was the runner, or else of its outermost frame
// in a test.
func (g *goroutine) testRoot(suiteName string) (name string, depth int) {
	if !g.runner {
		if name, depth = g.created.testRoot(suiteName); name != "" {
			return name, depth
		}
	}
	for i := len(g.frames) - 1; i >= 0; i-- {
		if name, depth = g.frames[i].testRoot(suiteName); name != "" {
			return name, depth
		}
	}
	return "", 0
}

// callsMethod reports whether the goroutine runs the method that a test of a suite is
// named after, as testify's are.
func (g *goroutine) callsMethod(name string) bool {
	_, method, found := cutLast(name, "/")
	if !found {
		return false
	}
	for _, f := range g.frames {
		if _, called := f.split(); strings.HasSuffix(called, ")."+method) {
			return true
		}
	}
	return false
}

func cutLast(text, sep string) (before, after string, found bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}

// frame is one call of a stack dump.
type frame struct {
	// function is the name in the runtime's form: "example.com/p.(*T).Do.func1".
	function string
	file     string
	line     int
}

// parseFrameFile parses "\t/path/file.go:12 +0x1d fp=...".
func parseFrameFile(text string) (file string, line int, ok bool) {
	text = strings.TrimSpace(text)
	if i := strings.LastIndex(text, " +0x"); i > 0 {
		text = text[:i]
	} else if i := strings.LastIndex(text, " fp=0x"); i > 0 {
		text = text[:i]
	}
	return pathAndLine(text)
}

// parseFunction parses "example.com/p.Do(0x1, ...)" of a dump and "
// example.com/p.Do()" of a race report.
func parseFunction(text string) (string, bool) {
	text = strings.TrimSpace(text)
	i := strings.LastIndexByte(text, '(')
	if i <= 0 || !strings.HasSuffix(text, ")") {
		return "", false
	}
	return text[:i], true
}

// split splits a function's name into import path and rest.
func (f frame) split() (pkg, name string) {
	slash := strings.LastIndexByte(f.function, '/') + 1
	dot := strings.IndexByte(f.function[slash:], '.')
	if dot < 0 {
		return f.function, ""
	}
	pkg = strings.ReplaceAll(f.function[:slash+dot], "%2e", ".")
	return pkg, f.function[slash+dot+1:]
}

// shortFunction returns the function without the directories of its package, which its
// place has.
func (f frame) shortFunction() string {
	pkg, name := f.split()
	if name == "" {
		return f.function
	}
	short := path.Base(pkg)
	if version, found := strings.CutPrefix(short, "v"); found && version != "" && strings.Trim(version, "0123456789") == "" {
		short = path.Base(path.Dir(pkg)) // as in example.com/chi/v5
	}
	return short + "." + name
}

// isUser reports whether a frame belongs to the code under test: not to Go itself or to
// another module, and not generated by cmd/go. The file need not be a Go file, since
// generated code may name its origin.
func (f frame) isUser() bool {
	file := strings.ReplaceAll(f.file, `\`, "/")
	base := path.Base(file)
	if f.file == "" || base == "_testmain.go" || base == "_cgo_gotypes.go" || base == "<autogenerated>" || path.Ext(base) == ".s" {
		return false
	}
	return !isVendored(file) && !f.isStandard(file)
}

// isVendored reports whether a file belongs to another module, in a module cache (or
// built with -trimpath) or in a vendor directory.
func isVendored(file string) bool {
	if strings.Contains(file, "/vendor/") {
		return true
	}
	// A version, as in "github.com/x/y@v1.2.3/z.go".
	at := strings.Index(file, "@v")
	return at > 0 && at+2 < len(file) && file[at+2] >= '0' && file[at+2] <= '9'
}

// isStandard reports whether a file belongs to the standard library: it is below some
// src, or with -trimpath directly in the directory of its package. The file may belong
// to another package than the function, as with time.Sleep.
func (f frame) isStandard(file string) bool {
	pkg, name := f.split()
	if name == "" {
		pkg = "runtime" // "panic" and the like
	}
	if !isStandardPath(pkg) {
		return false
	}
	dir := path.Dir(file)
	if i := strings.LastIndex(dir, "/src/"); i >= 0 {
		dir = dir[i+len("/src/"):]
	}
	return isStandardPath(dir)
}

// isStandardPath reports whether an import path belongs to the standard library. A
// module may be named "work" or "app", so the absence of a dot is not enough.
func isStandardPath(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return isStandardRoot(first)
}

// isStandardRoot knows the packages and first directories of the standard library.
func isStandardRoot(first string) bool {
	switch first {
	case "archive", "arena", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database",
		"debug", "embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index",
		"internal", "io", "iter", "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp",
		"runtime", "simd", "slices", "sort", "strconv", "strings", "structs", "sync", "syscall", "testing", "text", "time",
		"unicode", "unique", "unsafe", "uuid", "weak", "panic", "vendor":
		return true
	}
	return false
}

// testRoot returns the top-level test that a function belongs to, and how deep in its
// closures the function is. The methods of suites, as of testify, have none.
func (f frame) testRoot(suiteName string) (name string, depth int) {
	pkg, rest := f.split()
	if pkg != suiteName && pkg != suiteName+"_test" && pkg != "main" {
		return "", 0
	}
	name, inner, _ := strings.Cut(rest, ".")
	name, _, _ = strings.Cut(name, "[")
	name, _, _ = strings.Cut(name, "-range")
	if source.KindOf(name) == 0 || name == "TestMain" {
		return "", 0
	}
	for part := range strings.SplitSeq(inner, ".") {
		if strings.HasPrefix(part, "func") || part != "" && part[0] >= '0' && part[0] <= '9' {
			depth++
		}
	}
	return name, depth
}

// pathAndLine parses "/path/a_test.go:29".
func pathAndLine(text string) (file string, line int, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i <= 0 {
		return "", 0, false
	}
	line, err := strconv.Atoi(text[i+1:])
	return text[:i], line, err == nil && line > 0
}
