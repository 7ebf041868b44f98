package trace

import (
	"bytes"
	"context"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// maxStack bounds the frames of a failure, since recursion may go deep.
const maxStack = 64

// failure locates the failure of the test.
func (r *run) failure() (sdk.Failure, bool) {
	if r.result == nil || r.result.dead || r.reworded || r.measured && !r.library.hasSameCode(r.ctx, r.test.Suite) {
		return sdk.Failure{}, false
	}
	f := sdk.Failure{TestID: r.test, Precision: sdk.PrecisionExact}
	name, _, _ := strings.Cut(r.test.Test, "(")
	var inTest sdk.Location
	for _, p := range r.result.stack {
		at, ok := p.location(r.ctx)
		if !ok {
			continue
		}
		function := p.function(r.ctx)
		if len(f.Stack) < maxStack {
			f.Stack = append(f.Stack, sdk.Frame{Function: function, Location: at})
		}
		if function == name && p.isInFunction() { // the outermost is the test, whatever it overrides
			inTest = at
		}
	}
	if len(f.Stack) == 0 {
		return sdk.Failure{}, false
	}
	f.Location = f.Stack[0].Location
	if inTest != f.Location {
		f.TestFrame = inTest
	}
	return f, true
}

// location returns the line of the position if it is a statement or expression in a
// file of the project.
func (p position) location(ctx context.Context) (sdk.Location, bool) {
	text := p.program.text(ctx, p.instruction)
	if text == nil || isDefinition(text) {
		return sdk.Location{}, false
	}
	span := p.program.span(p.instruction)
	source := p.program.contract.Sources[span.Source]
	line, column := p.program.texts.line(ctx, source, span.Start)
	return sdk.Location{File: source, Line: line, Column: column}, true
}

// function returns the name of the function that contains the position.
func (p position) function(ctx context.Context) string {
	if p.entry < 0 {
		return ""
	}
	text := p.program.text(ctx, p.entry)
	rest, ok := bytes.CutPrefix(text, []byte("function "))
	if !ok {
		return ""
	}
	rest = bytes.TrimLeft(rest, " \t\n")
	end := bytes.IndexFunc(rest, func(r rune) bool { return r != '_' && r != '$' && !isAlphanumeric(r) })
	return string(rest[:max(end, 0)])
}

// isInFunction reports whether the position is in the text of its function. What a modifier
// adds is elsewhere.
func (p position) isInFunction() bool {
	at, f := p.program.span(p.instruction), p.program.span(p.entry)
	return at.Source == f.Source && at.Start >= f.Start && at.Start < f.Start+f.Length
}

// isDefinition reports whether a text is a definition. Code outside of functions has such a
// span, and is not a line that fails.
func isDefinition(text []byte) bool {
	word := text
	if end := bytes.IndexFunc(text, func(r rune) bool { return !isAlphanumeric(r) }); end >= 0 {
		word = text[:end]
	}
	rest := text[len(word):]
	switch string(word) {
	case "contract", "abstract", "library", "interface", "modifier":
		return true
	case "function": // but not a variable of a function type
		rest = bytes.TrimLeft(rest, " \t\n")
		return len(rest) > 0 && rest[0] != '('
	case "constructor", "fallback", "receive":
		rest = bytes.TrimLeft(rest, " \t\n")
		return len(rest) > 0 && rest[0] == '('
	}
	return false
}

func isAlphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
