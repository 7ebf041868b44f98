package oscalls

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// Package is the import path of the package to measure, which is also the directory of
// its files in a profile.
const Package = "os"

// Call is what a function does.
type Call int

// The calls. 0 is none of them.
const (
	// Start starts a program.
	Start Call = iota + 1
	// Link makes a link.
	Link
	// ReadLink reads one.
	ReadLink
	// Open opens a file or directory to read it, or changes the directory. Package os
	// does so itself to remove a directory.
	Open
	// Other is a function of a file that could not be read.
	Other
)

// callOf maps functions and methods to calls. It lacks [os.OpenFile] and [os.Stat],
// which measuring itself executes in every process.
var callOf = map[string]Call{
	"StartProcess": Start,
	"Symlink":      Link, "Link": Link, "Readlink": ReadLink, "ReadLink": ReadLink,
	"Open": Open, "OpenInRoot": Open, "OpenRoot": Open, "ReadFile": Open, "ReadDir": Open, "Chdir": Open,
}

// Sources reads the sources of package os. Its zero value finds none.
type Sources struct {
	// Goroot is where Go is.
	Goroot string
	// files caches the functions of the files that were read.
	files map[string]functions
}

// functions are those of a file.
type functions struct {
	spans []span
	// unread reports whether the file could not be read.
	unread bool
}

// span is where the body of a function lies.
type span struct {
	from, to int
	call     Call
}

// CallAt returns the call that contains a block, which begins in a line of a file as a
// profile names them: "os/file.go", 390. It returns [Other] if the file cannot be read.
func (s *Sources) CallAt(file string, line int) Call {
	name, in := strings.CutPrefix(file, Package+"/")
	if !in || strings.Contains(name, "/") {
		return 0
	}
	found, known := s.files[name]
	if !known {
		found = s.read(name)
		if s.files == nil {
			s.files = map[string]functions{}
		}
		s.files[name] = found
	}
	if found.unread {
		return Other
	}
	for _, span := range found.spans {
		if span.from <= line && line <= span.to {
			return span.call
		}
	}
	return 0
}

func (s *Sources) read(name string) functions {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, filepath.Join(s.Goroot, "src", Package, name), nil, parser.SkipObjectResolution)
	if s.Goroot == "" || err != nil {
		return functions{unread: true}
	}
	var found functions
	for _, decl := range file.Decls {
		fn, is := decl.(*ast.FuncDecl)
		if !is || fn.Body == nil || callOf[fn.Name.Name] == 0 {
			continue
		}
		found.spans = append(found.spans, span{
			from: fset.Position(fn.Body.Lbrace).Line, to: fset.Position(fn.Body.Rbrace).Line, call: callOf[fn.Name.Name],
		})
	}
	return found
}
