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
	docTestName = regexp.MustCompile(`^(.+?) - .*\(line (\d{1,9})\)$`)
	// The compiler's error and its location, in the output of a doc test that did not
	// compile.
	docError = regexp.MustCompile(`(?m)^error(?:\[E\d+\])?: (.+)\n +--> (.+?):(\d{1,9}):(\d{1,9})$`)
)

// reportSection reports a failed test that libtest printed output of.
func (p *parser) reportSection(s libtest.Section) {
	p.fail(s.Test, s.Text, s.Truncated, panics.Read(s.Text))
}

// fail reports a failed test, with what its output says about the failure.
func (p *parser) fail(test, text string, truncated bool, found []panics.Panic) {
	p.reported[test], p.explained = true, true
	f := sdk.Failure{
		TestID: sdk.TestID{Suite: p.suite, Test: test}, Kind: sdk.KindPanic,
		Message: strings.TrimSpace(text), Output: text, OutputTruncated: truncated,
	}
	declared, precision := p.findDeclaration(test)
	f.Location, f.Precision = declared, precision
	if x, ok := panics.FindPanic(test, found); ok {
		p.addPanic(&f, x, test)
		for _, other := range found {
			if other.Place != x.Place {
				f.Also = append(f.Also, sdk.Also{
					Location: p.location(other.Place.File, other.Place.Line, other.Place.Column),
					Message:  "thread '" + other.Thread + "' panicked: " + other.Message,
				})
			}
		}
	}
	p.readNotes(&f, text)
	if p.target.Kind == project.KindDoc {
		p.correctDocTest(&f, text, declared)
	}
	if f.Message == "" {
		f.Message, f.Attributes = "failed without printing anything", map[string]string{sdk.TruncatedAttribute: sdk.NoMessage}
	}
	p.sink.Failure(f)
}

func (p *places) addPanic(f *sdk.Failure, x panics.Panic, test string) {
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
	case len(f.Stack) > 0: // the panic is in a dependency that this code called
		f.Location, f.Precision = f.Stack[0].Location, ""
	}
}

// readNotes reads what libtest adds to a test's output.
func (p *places) readNotes(f *sdk.Failure, text string) {
	if got, want, ok := panics.ReadExpected(text); ok {
		f.Kind, f.Diff = sdk.KindAssertion, sdk.Diff{Got: got, Want: want}
		f.Message = "panicked, but not with the expected message: " + f.Message
	}
	if at, ok := panics.ReadNoPanic(text); ok {
		f.Kind, f.Message = sdk.KindAssertion, "test did not panic as expected"
		if at.Line > 0 && f.Location.Line == 0 {
			f.Location, f.Precision = p.location(at.File, at.Line, at.Column), sdk.PrecisionDeclarationOnly
		}
	}
	if err, ok := panics.ReadReturned(text); ok && f.Kind == sdk.KindPanic && f.Message == strings.TrimSpace(text) {
		f.Kind, f.Message = kindError, err
	}
}

// correctDocTest corrects the location of a doc test. The lines of its panics are those of
// a program that rustdoc generated; the compiler's errors have the real ones.
func (p *places) correctDocTest(f *sdk.Failure, text string, declared sdk.Location) {
	f.Location, f.Precision, f.Stack, f.TestFrame, f.Also = declared, sdk.PrecisionDeclarationOnly, nil, sdk.Location{}, nil
	if m := docError.FindStringSubmatch(text); m != nil && strings.Contains(text, "Couldn't compile the test.") {
		line, _ := strconv.Atoi(m[3]) // digits, by the expression
		column, _ := strconv.Atoi(m[4])
		f.Kind, f.Message = sdk.KindExample, "does not compile: "+m[1]
		f.Location, f.Precision = p.location(m[2], line, column), ""
	}
}
