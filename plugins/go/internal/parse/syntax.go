package parse

import (
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

// parsedFiles are the source files looked at so far.
type parsedFiles struct {
	reader source.Reader
	files  map[string]*parsedFile
}

// parsedFile is one of them; its file is nil when it could not be read.
type parsedFile struct {
	set  *token.FileSet
	file *ast.File
}

const (
	// maxParsed bounds the syntax trees in memory, each of which is about ten
	// times as large as its file.
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

// isOn reports whether the runtime reports a call at a line: that of its opening
// parenthesis or of its name.
func (f *parsedFile) isOn(call *ast.CallExpr, line int) bool {
	if f.line(call.Lparen) == line {
		return true
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	return ok && f.line(selector.Sel.Pos()) == line
}
