package parse

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"iter"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// packageSource holds what the test files of a package declare.
type packageSource struct {
	tests    map[string]sdk.Location
	bodies   map[string]string
	testMain sdk.Location
	// methods are the methods of suites, by type and name, and runners the types
	// mentioned in tests that run such a suite.
	methods map[method]sdk.Location
	runners map[string][]string
	// imports are the packages that the test files import.
	imports []string
	// runsTests reports whether a test file calls testing.RunTests; see rehearsal.go.
	runsTests bool
	// files are the absolute paths of the Go files of the directory.
	files []string
	// functions lists the files that declare a function or method of each name. It is
	// built on first use.
	functions map[string][]string
	// conducts describe the functions that may start subtests; see [mayHideSubtests].
	conducts map[string][]source.Conduct
}

const (
	// maxTestFiles bounds how many files of a package are read for more than their
	// declarations.
	maxTestFiles = 500
	// maxSources bounds the packages that are remembered; only a few run at a time.
	maxSources = 64
)

// source reads the test files of a suite, once.
func (t *tree) source(s *suite) *packageSource {
	if s.source != nil {
		return s.source
	}
	if known := t.sources[s.name]; known != nil {
		s.source = known
		return known
	}
	s.source = &packageSource{tests: map[string]sdk.Location{}}
	if len(t.sources) >= maxSources {
		clear(t.sources)
	}
	t.sources[s.name] = s.source
	files := t.named[s.name]
	if dir, ok := t.dir(s.name); ok {
		files, _ = t.reader.GoFiles(dir)
		s.source.files = files
	}
	t.readTestFiles(s.source, files)
	return s.source
}

// readTestFiles records what test files declare. A file that cannot be read only costs
// its own places.
func (t *tree) readTestFiles(p *packageSource, files []string) {
	builds := chooser{tree: t, known: map[string]bool{}}
	room, read := int64(source.MaxPackage), 0
	for _, file := range files {
		if !isTestFile(file) {
			continue
		}
		src, err := t.reader.Bytes(file, min(source.MaxFile, room))
		if err != nil {
			continue
		}
		room -= int64(len(src))
		p.declare(t.relative(file), source.Declarations(src), builds)
		if read++; read <= maxTestFiles {
			t.readTestFile(p, file, src)
		}
	}
}

// sourcesOf reads the files of a package up to the bounds. It skips files that cannot
// be read.
func (t *tree) sourcesOf(files []string) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		room := int64(source.MaxPackage)
		for _, file := range files[:min(len(files), maxTestFiles)] {
			src, err := t.reader.Bytes(file, min(source.MaxFile, room))
			if err != nil {
				continue
			}
			room -= int64(len(src))
			if !yield(file, src) {
				return
			}
		}
	}
}

// readTestFile records the imports and the TestMain of a test file.
func (t *tree) readTestFile(p *packageSource, file string, src []byte) {
	if line := lineOf(src, "func TestMain("); line > 0 && p.tests["TestMain"].Line == 0 {
		p.testMain = sdk.Location{File: t.relative(file), Line: line}
	}
	p.imports = append(p.imports, importsIn(src)...)
	p.runsTests = p.runsTests || runsTests(src)
}

// declaration matches the names of functions and methods at the start of lines.
var declaration = lazyregexp.New(`(?m)^func (?:\([^)\n]*\) )?(\w+)`)

// filesDeclaring returns the files that declare a function or method of a name.
func (t *tree) filesDeclaring(p *packageSource, name string) []string {
	if p.functions != nil {
		return p.functions[name]
	}
	p.functions = map[string][]string{}
	for file, src := range t.sourcesOf(p.files) {
		for _, m := range declaration.FindAllSubmatch(src, -1) {
			p.functions[string(m[1])] = append(p.functions[string(m[1])], file)
		}
	}
	return p.functions[name]
}

// lineOf returns the number of the line that starts with a text, or 0.
func lineOf(src []byte, start string) int {
	at := 0
	if !bytes.HasPrefix(src, []byte(start)) {
		if at = bytes.Index(src, []byte("\n"+start)); at < 0 {
			return 0
		}
		at++
	}
	return bytes.Count(src[:at], []byte{'\n'}) + 1
}

// declaredIn returns the place of a test whose suite may have ended, and for a suite
// that of its TestMain.
func (t *tree) declaredIn(id sdk.TestID) sdk.Location {
	if id.Suite == "" {
		return sdk.Location{}
	}
	source := t.source(&suite{name: id.Suite})
	if id.Test == "" {
		return source.testMain
	}
	return source.place(id.Test)
}

// maxHelpers bounds the packages that are read for how their functions start subtests.
const maxHelpers = 64

// conducts describes the functions in a package's test files, and in the files that
// import package testing in it and in the packages of the workspace that it imports.
// They are keyed by the names of the functions, and of the receiver types of methods: a
// test that runs a suite of methods names only its type. Functions of one name are
// merged. They are read only when a test failed because of a subtest.
func (t *tree) conducts(p *packageSource) map[string][]source.Conduct {
	if p.conducts != nil {
		return p.conducts
	}
	p.conducts = map[string][]source.Conduct{}
	queue := slices.Clone(p.imports)
	read := func(files []string, own bool) {
		for file, src := range t.sourcesOf(files) {
			imported := importsIn(src)
			if isTestFile(file) && !own || !isTestFile(file) && !slices.Contains(imported, "testing") {
				continue
			}
			queue = append(queue, imported...)
			for _, c := range source.Conducts(src) {
				p.conducts[c.Name] = append(p.conducts[c.Name], c)
				if c.Receiver != "" {
					p.conducts[c.Receiver] = append(p.conducts[c.Receiver], c)
				}
			}
		}
	}
	read(p.files, true)
	seen := map[string]bool{}
	for n := 0; len(queue) > 0 && n < maxHelpers; {
		next := queue[0]
		queue = queue[1:]
		if dir, ok := t.dir(next); ok && !seen[next] {
			seen[next] = true
			files, _ := t.reader.GoFiles(dir) // what cannot be read stays unknown
			read(files, false)
			n++
		}
	}
	return p.conducts
}

// method identifies a suite's method.
type method struct{ receiver, name string }

// declare records what a file declares. If two files declare the same name, one of them
// is not part of the build.
func (p *packageSource) declare(file string, all source.Declared, builds chooser) {
	for _, f := range all.Functions {
		if known, twice := p.tests[f.Name]; twice && !builds.prefers(file, known.File) {
			continue
		}
		p.tests[f.Name] = sdk.Location{File: file, Line: f.Line}
		if p.bodies == nil {
			p.bodies = map[string]string{}
		}
		p.bodies[f.Name] = f.Body
		if types := all.Runners[f.Name]; types != nil {
			if p.runners == nil {
				p.runners = map[string][]string{}
			}
			p.runners[f.Name] = types
		} else {
			delete(p.runners, f.Name)
		}
	}
	for _, m := range all.Methods {
		key := method{m.Receiver, m.Name}
		if known, twice := p.methods[key]; twice && !builds.prefers(file, known.File) {
			continue
		}
		if p.methods == nil {
			p.methods = map[method]sdk.Location{}
		}
		p.methods[key] = sdk.Location{File: file, Line: m.Line}
	}
}

// place returns where a test is declared: for a subtest, the top-level function, or the
// method of the suite that it runs.
func (p *packageSource) place(name string) sdk.Location {
	top, inner, _ := strings.Cut(name, "/")
	if len(p.methods) > 0 && inner != "" {
		if at := p.methodPlace(top, inner); at.File != "" {
			return at
		}
	}
	return p.tests[top]
}

// methodPlace returns where the method is declared that a suite runs as a subtest. It
// is unknown if two types are possible.
func (p *packageSource) methodPlace(top, inner string) sdk.Location {
	name, _, _ := strings.Cut(inner, "/")
	name, _, _ = strings.Cut(name, "#") // a repetition's number
	var found sdk.Location
	for _, receiver := range p.runners[top] {
		at, known := p.methods[method{receiver, name}]
		if known && found.File != "" {
			return sdk.Location{}
		}
		if known {
			found = at
		}
	}
	return found
}

// resultPlace returns the place and the body digest for a result, or nothing if the
// file is outside of the workspace.
func (t *tree) resultPlace(s *suite, name string) (at sdk.Location, body string) {
	declared := t.source(s)
	if at = declared.place(name); isAbs(at.File) {
		return sdk.Location{}, ""
	}
	return at, declared.bodies[name]
}

// parsedFiles caches parsed source files.
type parsedFiles struct {
	reader source.Reader
	files  map[string]*parsedFile
}

// parsedFile is one of them; file is nil if it could not be read.
type parsedFile struct {
	set  *token.FileSet
	file *ast.File
	// tests are the names of its parameters that are tests; nil if not asked for.
	tests map[string]bool
}

// isTest reports whether a variable is a test, judging by the parameters of its name. What is
// no variable may be one.
func (f *parsedFile) isTest(name string) bool {
	if f.tests == nil {
		f.tests = map[string]bool{".": true, "t": true, "tb": true, "b": true, "f": true}
		ast.Inspect(f.file, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok {
				return true
			}
			of := field.Type
			if pointer, ok := of.(*ast.StarExpr); ok {
				of = pointer.X
			}
			if selector, ok := of.(*ast.SelectorExpr); ok && slices.Contains([]string{"T", "B", "F", "TB", "C"}, selector.Sel.Name) {
				for _, ident := range field.Names {
					f.tests[ident.Name] = true
				}
			}
			return true
		})
	}
	return f.tests[name]
}

const (
	// maxParsed bounds the syntax trees in memory, each of which is about ten times as
	// large as its file.
	maxParsed = 8
	// maxSource bounds a file that is parsed for a message.
	maxSource = 1 << 20
)

func (p *parsedFiles) file(path string) *parsedFile {
	if known, ok := p.files[path]; ok {
		return known
	}
	if p.files == nil || len(p.files) >= maxParsed {
		p.files = map[string]*parsedFile{}
	}
	p.files[path] = p.parse(path)
	return p.files[path]
}

func (p *parsedFiles) parse(path string) *parsedFile {
	src, err := p.reader.Bytes(path, maxSource)
	if err != nil {
		return nil
	}
	set := token.NewFileSet()
	file, _ := parser.ParseFile(set, path, src, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	return &parsedFile{set: set, file: file}
}

func (f *parsedFile) line(at token.Pos) int { return f.set.PositionFor(at, false).Line }

// declsAt returns the declarations at a line. A file may have thousands of tests that fail.
func (f *parsedFile) declsAt(line int) []ast.Decl {
	file, decls := f.set.File(f.file.FileStart), f.file.Decls
	if line < 1 || line > file.LineCount() {
		return nil
	}
	start, end := file.LineStart(line), token.Pos(file.Base()+file.Size())
	if line < file.LineCount() {
		end = file.LineStart(line+1) - 1
	}
	from, _ := slices.BinarySearchFunc(decls, start, func(d ast.Decl, at token.Pos) int { return cmp.Compare(d.End(), at) })
	to := from
	for to < len(decls) && decls[to].Pos() <= end {
		to++
	}
	return decls[from:to]
}

// isOn reports whether the runtime would report a call at a line: that of its opening
// parenthesis or of its name.
func (f *parsedFile) isOn(call *ast.CallExpr, line int) bool {
	if f.line(call.Lparen) == line {
		return true
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	return ok && f.line(selector.Sel.Pos()) == line
}

// maxImportWalk bounds the packages that are read to find what a suite imports.
const maxImportWalk = 300

// importedOf returns those of some packages that a package imports, directly or not,
// within the workspace.
func (t *tree) importedOf(name string, among []string) []string {
	var found []string
	seen := map[string]bool{name: true}
	queue := []string{name}
	for n := 0; len(queue) > 0 && n < maxImportWalk; n++ {
		next := queue[0]
		queue = queue[1:]
		for _, imported := range t.importsOf(next) {
			if seen[imported] {
				continue
			}
			seen[imported] = true
			if slices.Contains(among, imported) {
				found = append(found, imported)
				continue // its own imports do not matter
			}
			queue = append(queue, imported)
		}
	}
	return found
}

func (t *tree) importsOf(name string) []string {
	dir, ok := t.dir(name)
	if !ok {
		return nil
	}
	files, _ := t.reader.GoFiles(dir) // what cannot be read imports nothing
	var all []string
	for _, src := range t.sourcesOf(files) {
		all = append(all, importsIn(src)...)
	}
	return all
}

// importsIn returns the packages that a source file imports.
func importsIn(src []byte) []string {
	syntax, _ := parser.ParseFile(token.NewFileSet(), "", src, parser.ImportsOnly)
	if syntax == nil {
		return nil
	}
	var all []string
	for _, spec := range syntax.Imports {
		if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
			all = append(all, imported)
		}
	}
	return all
}

// chooser decides which of two files of a package is part of the build if both declare
// the same name.
type chooser struct {
	tree *tree
	// known caches the answers by place.
	known map[string]bool
}

// prefers reports whether a file takes precedence over an earlier one.
func (c chooser) prefers(file, before string) bool {
	return !c.isBuilt(before) && c.isBuilt(file)
}

// isBuilt reports whether the name of a file and its constraints include it in the
// build, as far as the command and its variables show.
func (c chooser) isBuilt(file string) bool {
	if built, known := c.known[file]; known {
		return built
	}
	path := c.tree.absolute(sdk.Location{File: file})
	context := c.tree.build
	context.OpenFile = func(string) (io.ReadCloser, error) {
		src, err := c.tree.reader.Bytes(path, source.MaxFile)
		return io.NopCloser(bytes.NewReader(src)), err
	}
	built, err := context.MatchFile(filepath.Dir(path), filepath.Base(path))
	c.known[file] = err == nil && built
	return c.known[file]
}

// buildContext returns the context for what a command builds.
func buildContext(run sdk.RunInfo, tags []string) build.Context {
	context := build.Default
	context.GOOS, context.GOARCH = runtime.GOOS, runtime.GOARCH
	if system := lookupVariable(run, "GOOS"); system != "" {
		context.GOOS = system
	}
	if arch := lookupVariable(run, "GOARCH"); arch != "" {
		context.GOARCH = arch
	}
	context.CgoEnabled = lookupVariable(run, "CGO_ENABLED") != "0"
	context.BuildTags = tags
	return context
}

// lookupVariable returns the value of a variable for a command.
func lookupVariable(run sdk.RunInfo, name string) string {
	if value, set := run.Command.Env[name]; set {
		return value
	}
	return run.Workspace.Env[name]
}
