package cargotest

import (
	"regexp"
	"strconv"
	"strings"

	"example.com/proctor-plugin-cargo/internal/libtest"
	"example.com/proctor-plugin-cargo/internal/panics"
	"example.com/proctor-plugin-cargo/internal/project"
	"github.com/proctorhq/proctor/sdk"
)

// kindError is the kind of a test that returned an error: Rust's own word.
const kindError = "error"

var (
	docName = regexp.MustCompile(`^(.+?) - .*\(line (\d{1,9})\)$`)
	// The compiler's place, in the output of a doc test that did not compile.
	docError = regexp.MustCompile(`(?m)^error(?:\[E\d+\])?: (.+)\n +--> (.+?):(\d{1,9}):(\d{1,9})$`)
)

// section reports a failed test that libtest printed output of.
func (p *parser) section(s libtest.Section) {
	p.fail(s.Test, s.Text, s.Truncated, panics.Read(s.Text))
}

// fail reports a failed test by what it printed.
func (p *parser) fail(test, text string, truncated bool, found []panics.Panic) {
	p.reported[test], p.red = true, true
	f := sdk.Failure{
		TestID: sdk.TestID{Suite: p.suite, Test: test}, Kind: sdk.KindPanic,
		Message: strings.TrimSpace(text), Output: text, OutputTruncated: truncated,
	}
	declared, precision := p.declared(test)
	f.Location, f.Precision = declared, precision
	if x, ok := panics.Of(test, found); ok {
		p.panicked(&f, x, test)
		for _, other := range found {
			if other.Place != x.Place {
				f.Also = append(f.Also, sdk.Also{
					Location: p.location(other.Place.File, other.Place.Line, other.Place.Column),
					Message:  "thread '" + other.Thread + "' panicked: " + other.Message,
				})
			}
		}
	}
	p.notes(&f, text)
	if p.target.Kind == project.KindDoc {
		p.documented(&f, text, declared)
	}
	if f.Message == "" {
		f.Message = "failed, and printed nothing"
	}
	p.sink.Failure(f)
}

func (p *places) panicked(f *sdk.Failure, x panics.Panic, test string) {
	f.Message = x.Message
	a := panics.ReadAssertion(x.Message)
	if a.Failed {
		f.Kind = sdk.KindAssertion
	}
	f.Diff = sdk.Diff{Got: a.Got, Want: a.Want, Text: a.Difference}
	at := p.location(x.Place.File, x.Place.Line, x.Place.Column)
	for _, frame := range x.Stack {
		frame.Place.File = p.framePath(frame.Place.File)
		if frame.Place.Line == 0 || (p.project != nil && !p.project.Own(frame.Place.File)) || strings.HasPrefix(frame.Place.File, "/rustc/") {
			continue
		}
		own := p.location(frame.Place.File, frame.Place.Line, frame.Place.Column)
		f.Stack = append(f.Stack, sdk.Frame{Function: frame.Function, Location: own})
		if strings.HasSuffix(frame.Function, "::"+test) && own != at {
			f.TestFrame = own
		}
	}
	switch {
	case at.Line == 0:
	case p.project == nil || p.project.Own(x.Place.File):
		f.Location, f.Precision = at, ""
	case len(f.Stack) > 0: // in a dependency, called from here
		f.Location, f.Precision = f.Stack[0].Location, ""
	}
}

// notes reads what libtest adds to the output.
func (p *places) notes(f *sdk.Failure, text string) {
	if got, want, ok := panics.Expected(text); ok {
		f.Kind, f.Diff = sdk.KindAssertion, sdk.Diff{Got: got, Want: want}
		f.Message = "panicked, and not with the expected message: " + f.Message
	}
	if at, ok := panics.NoPanic(text); ok {
		f.Kind, f.Message = sdk.KindAssertion, "test did not panic as expected"
		if at.Line > 0 && f.Location.Line == 0 {
			f.Location, f.Precision = p.location(at.File, at.Line, at.Column), sdk.PrecisionDeclarationOnly
		}
	}
	if err, ok := panics.Returned(text); ok && f.Kind == sdk.KindPanic && f.Message == strings.TrimSpace(text) {
		f.Kind, f.Message = kindError, err
	}
}

// documented corrects the place of a doc test. The lines of its panics are those
// of a program that rustdoc made; the compiler's errors have the real ones.
func (p *places) documented(f *sdk.Failure, text string, declared sdk.Location) {
	f.Location, f.Precision, f.Stack, f.TestFrame, f.Also = declared, sdk.PrecisionDeclarationOnly, nil, sdk.Location{}, nil
	if m := docError.FindStringSubmatch(text); m != nil && strings.Contains(text, "Couldn't compile the test.") {
		line, _ := strconv.Atoi(m[3]) // digits, by the expression
		column, _ := strconv.Atoi(m[4])
		f.Kind, f.Message = sdk.KindExample, "does not compile: "+m[1]
		f.Location, f.Precision = p.location(m[2], line, column), ""
	}
}
