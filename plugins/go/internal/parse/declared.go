package parse

import (
	"bytes"
	"iter"
	"regexp"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// packageSource is what the test files of a package declare.
type packageSource struct {
	tests    map[string]sdk.Location
	bodies   map[string]string
	testMain sdk.Location
	// methods are those of suites, by type and name; runners the types that a
	// test mentions which runs such a suite.
	methods map[method]sdk.Location
	runners map[string][]string
	// imports are the packages that the test files import.
	imports []string
	// runsTests: a test file calls testing.RunTests; see rehearsal.go.
	runsTests bool
	// files are the absolute paths of the Go files of the directory.
	files []string
	// functions tells which of them declare a function or method; it is read
	// when the first one is asked for.
	functions map[string][]string
	// conducts are what functions do that may start subtests; see wholeness.go.
	conducts map[string][]source.Conduct
}

const (
	// maxTestFiles bounds the files of a package that are read for more than
	// what they declare.
	maxTestFiles = 500
	// maxSources bounds the packages that are remembered: a few run at a time.
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

// readTestFiles notes what test files declare. A file that cannot be read hides
// only its own places.
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

// sourcesOf reads the files of a package, as far as the bounds allow. A file
// that cannot be read is passed over.
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

// readTestFile notes the imports and the TestMain of a test file.
func (t *tree) readTestFile(p *packageSource, file string, src []byte) {
	if line := lineOf(src, "func TestMain("); line > 0 && p.tests["TestMain"].Line == 0 {
		p.testMain = sdk.Location{File: t.relative(file), Line: line}
	}
	p.imports = append(p.imports, importsIn(src)...)
	p.runsTests = p.runsTests || runsTests(src)
}

// declaration finds the names of functions and methods at the start of lines.
var declaration = regexp.MustCompile(`(?m)^func (?:\([^)\n]*\) )?(\w+)`)

// declaring are the files that declare a function or method of a name.
func (t *tree) declaring(p *packageSource, name string) []string {
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

// lineOf is the number of the line that starts with a text; 0 without one.
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

// declaredIn is the place of a test that may belong to a suite that has ended;
// for a suite it is its TestMain.
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
