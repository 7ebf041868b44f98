package parse

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/wording"
	"github.com/proctorhq/proctor/sdk"
)

// format reads a message in the words of one library; ok reports whether it is one.
type format func(tree *tree, s *suite, text []string) (c check, ok bool)

// readMessage reads a message of package testing, by whoever worded it.
func readMessage(tree *tree, s *suite, text []string) check {
	for _, read := range []format{readTestify, readSuitePanic, readScript, readDirective, readGunit} {
		if c, ok := read(tree, s, text); ok {
			return c
		}
	}
	var c check
	c.message, c.diff = wording.Read(text)
	return c
}

// readTestify reads a message of testify, and of what reports by it.
func readTestify(tree *tree, s *suite, text []string) (c check, ok bool) {
	if !wording.IsTestify(text) {
		return check{}, false
	}
	message, diff, trace := wording.ReadTestify(text)
	if want, got := readExpectation(strings.Split(message, "\n")); want != "" && got != "" {
		diff.Want, diff.Got = want, got
	}
	c = check{message: message, diff: diff}
	c.setPlaces(tree.places(s, trace))
	return c, true
}

// suitePanic begins the message of testify's suites about a panic in a method.
const suitePanic = "test panicked: "

// readSuitePanic reads such a message, which ends with the stack.
func readSuitePanic(tree *tree, s *suite, text []string) (c check, ok bool) {
	first, ok := strings.CutPrefix(text[0], suitePanic)
	if !ok {
		return check{}, false
	}
	head := []string{first}
	var g goroutine
	inStack := false
	for _, l := range text[1:] {
		if _, ok := parseGoroutine(l); ok {
			inStack = true
			continue
		}
		if inStack {
			g.read(l)
		} else {
			head = append(head, l)
		}
	}
	c = check{kind: sdk.KindPanic, message: wording.Tidy(head), stack: tree.frames(s, g.frames)}
	if n := len(c.stack); n > 0 {
		c.at, c.from = c.stack[0].Location, c.stack[n-1].Location
	}
	return c, true
}

// mockPlace finds the place in "at: [/path/mock.go:351 /path/a_test.go:11]", which
// testify's mocks add because their messages come from mock.go. It returns the first
// one in the project.
func mockPlace(tree *tree, s *suite, text []string) sdk.Location {
	for _, l := range text {
		list, _ := strings.CutPrefix(strings.TrimSpace(l), "at: [")
		for place := range strings.FieldsSeq(list) {
			file, line, ok := pathAndLine(strings.TrimRight(place, "]:,;."))
			if ok && isAbs(file) && strings.HasSuffix(file, ".go") && tree.isOwn(file) {
				return tree.locate(s, file, line)
			}
		}
	}
	return sdk.Location{}
}

// rapidSaid matches what pgregory.net/rapid says about a property that does not hold.
var rapidSaid = lazyregexp.New(`^\[rapid\] (failed|panic) after \d+ tests: (.*)`)

// locateRapid finds the line that failed a property. What rapid says first has the place of
// its own call; after a panic a traceback follows, and then what the property printed.
func (x *examiner) locateRapid(s *suite, f *finding) {
	m := rapidSaid.FindStringSubmatch(f.message)
	if m == nil {
		return
	}
	f.message = strings.TrimSuffix(f.message, "\nFailed test output:")
	var at sdk.Location
	if m[1] == "panic" {
		f.kind = sdk.KindPanic
		_, trace, _ := strings.Cut(f.message, "\nTraceback:\n")
		at = x.tree.placeIn(s, strings.Split(trace, "\n"))
	} else if i := slices.IndexFunc(f.also, func(a sdk.Also) bool { return a.Message == m[2] || strings.HasPrefix(a.Message, m[2]+"\n") }); i >= 0 {
		at = f.also[i].Location
		f.also = slices.Delete(f.also, i, i+1)
	}
	if at.File != "" {
		f.location, f.testFrame = at, f.location
	}
}

// gunitDefinition begins what github.com/smarty/gunit logs before a failure.
const gunitDefinition = "Test definition:"

// gunitFrame matches a line that gunit adds for each call, the check's own first:
//
//	(0): f.So(1+1, should.Equal, 3) // a_test.go:15
var gunitFrame = lazyregexp.New(`^\(\d+\): .* // (\S+\.go:\d+)$`)

// readGunit reads a message that begins with such lines.
func readGunit(tree *tree, s *suite, text []string) (c check, ok bool) {
	var frames []string
	for len(text) > 0 && (text[0] == "" || strings.HasPrefix(text[0], "(")) {
		if m := gunitFrame.FindStringSubmatch(text[0]); m != nil {
			frames = append(frames, m[1])
		} else if text[0] != "" {
			break
		}
		text = text[1:]
	}
	if len(frames) == 0 {
		return check{}, false
	}
	c.message, c.diff = wording.Read(text)
	c.setPlaces(tree.places(s, frames))
	return c, true
}

// directivePlace matches the place that github.com/cockroachdb/datadriven puts above a
// directive of a file with test data.
var directivePlace = lazyregexp.New(`^(\S+):(\d+):$`)

// The lines between a directive and what came out of it.
const (
	directiveDiffers  = "output didn't match expected:"
	directiveExpected = "expected:"
	directiveFound    = "found:"
)

// isDirective reports whether a message is about a directive whose output differs, or one
// whose output is the same. Since v1.0.3 what is quoted is indented.
func isDirective(text []string, differs bool) bool {
	if len(text) < 3 || text[0] != "" || !directivePlace.MatchString(text[1]) {
		return false
	}
	has := func(l string) bool { return slices.Contains(text, l) }
	if has(directiveDiffers) || has(directiveExpected) && has(directiveFound) {
		return differs
	}
	return !differs && (has("  ----") || has("----") && strings.HasSuffix(text[2], " args]"))
}

// readDirective reads a directive whose output differs:
//
//	testdata/upper:6:
//	  upper
//	  hello
//
//	expected:
//	  HELLo
//
//	found:
//	  HELLO
//
// Without such a file in the workspace, the place stays in the message.
func readDirective(tree *tree, s *suite, text []string) (c check, ok bool) {
	if !isDirective(text, true) {
		return check{}, false
	}
	m := directivePlace.FindStringSubmatch(text[1])
	if c.at = tree.locateData(s, m[1]+":"+m[2]); c.at.File != "" {
		text = text[1:]
	}
	c.message = wording.Tidy(text[1:])
	side := func(from, to int) string { return wording.Tidy(wording.Dedent(text[from+1 : to])) }
	if i := slices.Index(text, directiveDiffers); i >= 0 {
		c.message, c.diff.Text = wording.Tidy(text[1:i+1]), side(i, len(text))
	} else if i, j := slices.Index(text, directiveExpected), slices.Index(text, directiveFound); 0 <= i && i < j {
		c.diff.Want, c.diff.Got = side(i, j), side(j, len(text))
	}
	return c, true
}

// locateData returns the place of a line in a file that a test reads, such as
// "testdata/x.txt:12"; none if there is no such file in the workspace.
func (t *tree) locateData(s *suite, place string) sdk.Location {
	file, line, _ := pathAndLine(place)
	if dir, known := t.dir(s.name); known && !isAbs(file) {
		file = filepath.Join(dir, filepath.FromSlash(file))
	}
	if !t.isUnder(filepath.ToSlash(file)) || !t.isFile(file) {
		return sdk.Location{}
	}
	return t.locate(s, file, line)
}

// namedPlace matches the place in a file that a message is about, as analysistest and readers of
// test data name it.
var namedPlace = lazyregexp.New(`^(\S+[/\\]\S+?):(\d+)(?::(\d+))?: `)

// cutPlace removes such a place from a message, if there is such a file in the workspace.
// analysistest leaves out the directories around the packages that it analyses.
func (t *tree) cutPlace(s *suite, message string) (at sdk.Location, rest string) {
	m := namedPlace.FindStringSubmatch(message)
	if m == nil {
		return sdk.Location{}, message
	}
	at = cmp.Or(t.locateData(s, m[1]+":"+m[2]), t.locateData(s, "testdata/src/"+m[1]+":"+m[2]))
	if at.File == "" {
		return at, message
	}
	at.Column, _ = strconv.Atoi(m[3])
	return at, message[len(m[0]):]
}

// The headings of the compared values in a message of github.com/gavv/httpexpect, which reports
// by testify.
const (
	wantedValue = "expected value:"
	actualValue = "actual value:"
)

// readExpectation returns the compared values of such a message; "" of any other.
func readExpectation(text []string) (want, got string) {
	side := func(heading string) string {
		at := slices.Index(text, heading)
		if at < 0 {
			return ""
		}
		end := slices.Index(text[at:], "")
		if end < 0 {
			end = len(text) - at
		}
		return wording.Tidy(wording.Dedent(text[at+1 : at+end]))
	}
	return side(wantedValue), side(actualValue)
}

// gopterSeed begins what github.com/leanovate/gopter reports: what it found it has printed.
const gopterSeed = "failed with initial seed: "

// gopterHead matches the first line of what it prints of a property that does not hold.
var gopterHead = lazyregexp.New(`^! .+: (?:Falsified after|Gave up after only|Error on property evaluation after) \d+ passed tests`)

// readGopter reads what it printed of each property that does not hold.
func readGopter(text []string) []check {
	var checks []check
	open := false
	for i, l := range text {
		switch {
		case gopterHead.MatchString(l):
			open = true
			checks = append(checks, check{kind: sdk.KindAssertion, message: strings.TrimPrefix(l, "! "), index: i})
		case strings.HasPrefix(l, "Elapsed time: "), strings.HasPrefix(l, "+ "):
			open = false
		case open:
			checks[len(checks)-1].message += "\n" + l
		}
	}
	return checks
}

// quickInput matches how testing/quick says for which random input a function failed.
var quickInput = lazyregexp.New(`^#\d+: failed on input (.+)`)

// isLibraryLog reports whether a message is one that a library logs, unless its source line
// surely fails.
func isLibraryLog(b block) bool {
	return b.text[0] == gunitDefinition && len(b.text) == 2 || isDirective(b.text, false)
}
