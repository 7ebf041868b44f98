package source

import (
	"bytes"
	"go/doc"
	"go/parser"
	"go/token"
	"slices"
	"unicode/utf8"
)

// Scan finds the functions that "go test" runs in the source of a test file. It is a
// lexer, not a parser: "func Name(" outside of comments and literals is a declaration
// anywhere, so a file with an error elsewhere can be read, too. Package go/parser takes
// ten times as long.
func Scan(src []byte) []Function {
	functions := Declarations(src).Functions
	if slices.ContainsFunc(functions, func(f Function) bool { return f.Kind == Example }) {
		return withoutSilentExamples(functions, src)
	}
	return functions
}

// heading is the beginning of a declared function or method.
type heading struct {
	// start is the position of its func keyword, after that of its parameters.
	start, after int
	// receiver is the name of the type that a method belongs to.
	receiver, name string
}

// nextHeading finds the next declaration at or after a position.
func nextHeading(src []byte, at int) (heading, bool) {
	for at < len(src) {
		switch src[at] {
		case '/':
			at = skipComment(src, at)
		case '"', '\'':
			at = skipQuoted(src, at)
		case '`':
			at = skipTo(src, at+1, "`")
		case 'f':
			if h, ok := readHeading(src, at); ok {
				return h, true
			}
			at++
		default:
			at++
		}
	}
	return heading{}, false
}

// readHeading reads "func Name" or "func (s *Type) Name" before a parameter list.
func readHeading(src []byte, at int) (heading, bool) {
	rest := src[at:]
	if len(rest) < 5 || string(rest[:4]) != "func" || !isSpace(rest[4]) || at > 0 && inIdentifier(src[at-1]) {
		return heading{}, false
	}
	h := heading{start: at}
	begin := skipSpace(src, at+5)
	if begin < len(src) && src[begin] == '(' {
		end := bytes.IndexAny(src[begin:min(len(src), begin+maxReceiver)], ")\n")
		if end < 0 || src[begin+end] != ')' {
			return heading{}, false
		}
		if h.receiver = receiverType(src[begin+1 : begin+end]); h.receiver == "" {
			return heading{}, false
		}
		begin = skipSpace(src, begin+end+1)
	}
	end := begin
	for end < len(src) && inIdentifier(src[end]) {
		end++
	}
	h.name, h.after = string(src[begin:end]), skipSpace(src, end)
	return h, end > begin && h.after < len(src) && (src[h.after] == '(' || src[h.after] == '[')
}

// maxReceiver bounds a receiver; longer ones span several lines.
const maxReceiver = 256

// receiverType returns the name of the type in "s *Type[P]".
func receiverType(receiver []byte) string {
	receiver, _, _ = bytes.Cut(receiver, []byte{'['})
	words := bytes.FieldsFunc(receiver, func(r rune) bool { return r == ' ' || r == '\t' || r == '*' })
	if len(words) == 0 || len(words) > 2 {
		return ""
	}
	return string(words[len(words)-1])
}

// takesT distinguishes a test named TestMain from the function that runs the tests, by
// its parameter's type like the go command.
func takesT(params []byte) bool {
	params, _, _ = bytes.Cut(params, []byte{')'})
	_, pointer, found := bytes.Cut(params, []byte{'*'})
	if dot := bytes.LastIndexByte(pointer, '.'); dot >= 0 {
		pointer = pointer[dot+1:]
	}
	return found && string(bytes.Trim(pointer, ", \t\r\n")) == "T"
}

// maxSyntax bounds files that are parsed to a syntax tree, which takes about ten times
// as much memory.
const maxSyntax = 8 << 20

// withoutSilentExamples drops the examples that are compiled but not run. A file that
// does not parse keeps all: its package does not build.
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

func skipSpace(src []byte, at int) int {
	for at < len(src) && isSpace(src[at]) {
		at++
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func inIdentifier(c byte) bool {
	return c == '_' || c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
