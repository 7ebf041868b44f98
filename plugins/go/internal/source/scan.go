package source

import (
	"bytes"
	"go/doc"
	"go/parser"
	"go/token"
	"slices"
	"unicode/utf8"
)

// Scan finds the functions that "go test" runs in the source of a test file. It
// is a lexer, not a parser: "func Name(" outside of comments and literals is a
// declaration, wherever it stands, so a file with an error elsewhere is read
// too. The go/parser package takes ten times as long.
func Scan(src []byte) []Function {
	var functions []Function
	line, counted, examples := 1, 0, false
	for at := 0; ; {
		start, name, after := nextFunction(src, at)
		if start < 0 {
			break
		}
		at = after
		kind := KindOf(name)
		if kind == 0 || name == "TestMain" && !takesT(src[after:]) {
			continue
		}
		line += bytes.Count(src[counted:start], []byte{'\n'})
		counted = start
		examples = examples || kind == Example
		functions = append(functions, Function{Name: name, Kind: kind, Line: line})
	}
	if examples {
		functions = withoutSilentExamples(functions, src)
	}
	return functions
}

// nextFunction finds the next declared function at or after a position: where
// its func keyword is, its name, and the position after the name.
func nextFunction(src []byte, at int) (start int, name string, after int) {
	for at < len(src) {
		switch src[at] {
		case '/':
			at = skipComment(src, at)
		case '"', '\'':
			at = skipQuoted(src, at)
		case '`':
			at = skipTo(src, at+1, "`")
		case 'f':
			if name, after := declaredName(src, at); name != "" {
				return at, name, after
			}
			at++
		default:
			at++
		}
	}
	return -1, "", len(src)
}

// declaredName reads "func Name" before a parameter list.
func declaredName(src []byte, at int) (name string, after int) {
	rest := src[at:]
	if len(rest) < 5 || string(rest[:4]) != "func" || !isSpace(rest[4]) || at > 0 && inIdentifier(src[at-1]) {
		return "", 0
	}
	begin := at + 5
	for begin < len(src) && isSpace(src[begin]) {
		begin++
	}
	end := begin
	for end < len(src) && inIdentifier(src[end]) {
		end++
	}
	open := end
	for open < len(src) && isSpace(src[open]) {
		open++
	}
	if open == len(src) || src[open] != '(' && src[open] != '[' {
		return "", 0
	}
	return string(src[begin:end]), open
}

// takesT tells a test that is named TestMain from the function that runs the
// tests, by the type of its parameter as the go command does.
func takesT(params []byte) bool {
	params, _, _ = bytes.Cut(params, []byte{')'})
	_, pointer, found := bytes.Cut(params, []byte{'*'})
	if dot := bytes.LastIndexByte(pointer, '.'); dot >= 0 {
		pointer = pointer[dot+1:]
	}
	return found && string(bytes.Trim(pointer, ", \t\r\n")) == "T"
}

// maxSyntax bounds a file of which a syntax tree is made, which takes about ten
// times as much memory.
const maxSyntax = 8 << 20

// withoutSilentExamples leaves out the examples that are compiled but not run.
// A file that does not parse keeps all: its package does not build.
func withoutSilentExamples(functions []Function, src []byte) []Function {
	if len(src) > maxSyntax {
		return functions
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return functions
	}
	runs := map[string]bool{}
	for _, example := range doc.Examples(file) {
		if example.Output != "" || example.EmptyOutput {
			runs["Example"+example.Name] = true
		}
	}
	return slices.DeleteFunc(functions, func(f Function) bool { return f.Kind == Example && !runs[f.Name] })
}

func skipComment(src []byte, at int) int {
	if at+1 < len(src) && src[at+1] == '/' {
		return skipTo(src, at+2, "\n")
	}
	if at+1 < len(src) && src[at+1] == '*' {
		return skipTo(src, at+2, "*/")
	}
	return at + 1
}

// skipQuoted skips a string or rune literal; neither goes past its line.
func skipQuoted(src []byte, at int) int {
	quote := src[at]
	for at++; at < len(src); at++ {
		switch src[at] {
		case '\\':
			at++
		case quote, '\n':
			return at + 1
		}
	}
	return len(src)
}

func skipTo(src []byte, from int, end string) int {
	if at := bytes.Index(src[min(from, len(src)):], []byte(end)); at >= 0 {
		return from + at + len(end)
	}
	return len(src)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func inIdentifier(c byte) bool {
	return c == '_' || c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
