package outline

import (
	"go/ast"
	"go/token"
	"strings"
	"unicode"
)

// directive is a comment for a compiler.
type directive struct {
	pos  token.Pos
	text string
}

// readDirectives assigns each directive to the declaration that it is in or before: the
// compiler allows blank lines and other comments in between. What precedes the package
// clause or follows everything belongs to the file.
func (f *file) readDirectives() {
	f.directives = map[int][]directive{}
	at := 0
	for _, group := range f.syntax.Comments {
		for _, comment := range group.List {
			text, line, ok := directiveOf(comment.Text)
			f.lines = f.lines || line
			if !ok {
				continue
			}
			for at < len(f.syntax.Decls) && f.syntax.Decls[at].End() <= comment.Pos() {
				at++
			}
			of := at
			if comment.Pos() < f.syntax.Package || at == len(f.syntax.Decls) {
				of = -1
			}
			f.directives[of] = append(f.directives[of], directive{comment.Pos(), text})
		}
	}
}

// directiveOf returns what a comment says to the compiler, the cgo tool or the linker,
// with spaces normalized, and whether it is a line directive. See go doc cmd/compile,
// "Compiler Directives".
func directiveOf(comment string) (text string, line, ok bool) {
	line = strings.HasPrefix(comment, "//line ") || strings.HasPrefix(comment, "/*line ")
	ok = line
	for _, prefix := range []string{"//go:", "//export ", "//extern ", "// +build", "//+build"} {
		ok = ok || strings.HasPrefix(comment, prefix)
	}
	if !ok || strings.HasPrefix(comment, "//go:generate ") {
		return "", line, false
	}
	between := " "
	if strings.HasPrefix(comment, "//go:build") {
		between = ""
	}
	return strings.Join(strings.FieldsFunc(comment, unicode.IsSpace), between), line, true
}

// directivesBetween returns those of a declaration from one place up to another.
func (f *file) directivesBetween(decl int, from, to token.Pos) []directive {
	var some []directive
	for _, d := range f.directives[decl] {
		if d.pos >= from && d.pos < to {
			some = append(some, d)
		}
	}
	return some
}

// cgoPreamble returns the C code above an import of "C".
func cgoPreamble(d *ast.GenDecl, s *ast.ImportSpec) string {
	text := ""
	for _, doc := range []*ast.CommentGroup{d.Doc, s.Doc} {
		if doc == nil {
			continue
		}
		for _, comment := range doc.List {
			text += comment.Text + "\n"
		}
	}
	return text
}
