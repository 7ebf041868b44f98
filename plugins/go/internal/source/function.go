package source

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what the go command does with a function of a test file.
type Kind int

// The kinds of functions that are run.
const (
	Test Kind = iota + 1
	Benchmark
	Fuzz
	// Example is one with an output comment; others are only compiled.
	Example
)

// Function is one top-level function that "go test" knows.
type Function struct {
	Name string
	Kind Kind
	// File is the path it was read from.
	File string
	// Line is that of the func keyword.
	Line int
	// Body is a digest of what follows its name.
	Body string
}

// KindOf returns the kind of a function, or of the outermost element of a result's
// name, by its name; 0 if it has none.
func KindOf(name string) Kind {
	for _, known := range []struct {
		prefix string
		kind   Kind
	}{{"Test", Test}, {"Benchmark", Benchmark}, {"Fuzz", Fuzz}, {"Example", Example}} {
		if rest, found := strings.CutPrefix(name, known.prefix); found && !startsLower(rest) {
			return known.kind
		}
	}
	return 0
}

// startsLower is the go command's rule: Testify is not a test, Test and Test1 are.
func startsLower(rest string) bool {
	first, _ := utf8.DecodeRuneInString(rest)
	return rest != "" && unicode.IsLower(first)
}
