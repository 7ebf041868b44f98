package parse

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/wording"
	"github.com/proctorhq/proctor/sdk"
)

// examiner finds out why a test failed, from what it printed and from its source.
type examiner struct {
	tree *tree
	// fullpath reports whether the command makes places absolute paths.
	fullpath bool
}

// examineTest finds out why a test failed from what it printed.
func (x *examiner) examineTest(s *suite, t *test) finding {
	lines := withoutVerdict(t.text.lines(), t.name)
	f := finding{kind: sdk.KindAssertion, lines: lines}
	found := findBlocks(lines)
	switch {
	case x.examineRace(s, t, found, &f):
	case x.examineFuzz(s, t, &f):
	case examineExample(t, &f):
	default:
		x.examineBlocks(s, found, &f)
		x.examinePrinted(s, &f)
		if f.message == "" {
			x.examineStray(s, t, &f)
		}
	}
	if f.message == "" {
		x.examineSilence(s, t, found, &f)
	}
	return f
}

// withoutVerdict drops the test's own "--- FAIL" line, which comes last unless a panic
// follows. An indented one belongs to a test inside a fuzz target.
func withoutVerdict(lines []line, name string) []line {
	for i := len(lines) - 1; i >= 0; i-- {
		text := lines[i].text
		if strings.Contains(name, "/") {
			text = strings.TrimLeft(text, " ")
		}
		rest, found := strings.CutPrefix(text, "--- FAIL: ")
		if found && (rest == name || strings.HasPrefix(rest, name+" (")) {
			return append(lines[:i:i], lines[i+1:]...)
		}
	}
	return lines
}

// examineBlocks makes the first failing message the failure and attaches the others. Of
// several messages at one place, empty ones are line ends within the others.
func (x *examiner) examineBlocks(s *suite, found []block, f *finding) {
	failing, unread := x.selectFailing(s, found)
	said := false
	var last sdk.Location
	for i, b := range failing {
		location, testFrame, message, diff, stack := x.readBlock(s, b)
		again := i > 0 && location == last
		last = location
		switch {
		case again && message == "":
			continue
		case i > 0 && (said || !again || len(f.also) > 0):
			further := sdk.Also{Location: location, Message: message}
			if message != f.message || diff != f.diff || location != f.location { // otherwise it is a repetition
				further.Message = withDiff(message, diff)
			}
			f.also = append(f.also, further)
			continue
		}
		f.own, f.unread = true, unread
		f.location, f.testFrame, f.message, f.diff, f.stack = location, testFrame, message, diff, stack
		f.anchor, said = b.index, message != ""
		if strings.HasPrefix(b.text[0], suitePanic) {
			f.kind = sdk.KindPanic
		}
		if b.says(parentGoexit) {
			f.goexit = true
		}
	}
	if len(failing) > 0 && !said {
		f.message, f.silent = "failed with an empty message", true
	}
	x.locateRapid(s, f)
	if m := quickInput.FindStringSubmatch(f.message); m != nil {
		f.set("counterexample", m[1])
	}
}

// withDiff renders a further message, including its diff.
func withDiff(message string, diff sdk.Diff) string {
	if diff.Text == "" || !strings.ContainsAny(diff.Got+diff.Want, "{\n") && diff.Got+diff.Want != "" {
		return message
	}
	head, _, _ := strings.Cut(message, "\n")
	text := diff.Text
	if rest, found := strings.CutPrefix(text, "--- "); found {
		_, rest, _ = strings.Cut(rest, "\n+++ ")
		_, text, _ = strings.Cut(rest, "\n")
	}
	return strings.TrimRight(head, ":") + ":\n" + text
}

// selectFailing selects the messages that are errors. Since Go 1.27 the stream marks them,
// unless a library calls t.Log and t.FailNow. Otherwise errors look like the output of
// t.Log, and the source decides. unread reports that the source could not be read.
func (x *examiner) selectFailing(s *suite, found []block) (failing []block, unread bool) {
	for _, b := range found {
		if b.typed && (!b.fromTesting() || b.says(parentGoexit)) {
			failing = append(failing, b)
		}
	}
	if len(failing) > 0 {
		return failing, false
	}
	full := x.fullpath
	for _, b := range found {
		full = full || isAbs(b.file) && !b.fromTesting()
	}
	failing, unread = x.selectFailingBySource(s, found, full)
	if len(failing) == 0 && full {
		// A child process of the test may have another setting.
		failing, unread = x.selectFailingBySource(s, found, false)
	}
	return failing, (unread || s.typed) && len(failing) > 0
}

// selectFailingBySource selects the messages whose source is not a log call. With full paths,
// a base name means that the test itself printed the message. What a library says from its
// own file is the failure only if nothing else surely is.
func (x *examiner) selectFailingBySource(s *suite, found []block, full bool) (failing []block, unread bool) {
	unread = true
	isSure := false
	var likely, doubtful, logged []block
	for _, b := range found {
		if b.fromTesting() {
			if b.says(parentGoexit) {
				failing, likely, unread = append(failing, b), append(likely, b), false
			}
			continue
		}
		if full && !strings.ContainsAny(b.file, `/\`) {
			continue
		}
		kind, testify := x.tree.calls(s).judge(b), wording.IsTestify(b.text)
		switch {
		case kind != callFails && isLibraryLog(b):
			continue
		case kind == callLogsOutside && !testify, kind == callLogs && scriptLine(b.text) >= 0:
			logged = append(logged, b)
			continue
		case kind == callLogs || kind == callForeign:
			continue
		case kind != callFails && !testify && (kind == callMayFail || isVendored(b.file) || x.tree.isElsewhere(s, b.file)):
			doubtful = append(doubtful, b)
		default:
			likely, isSure = append(likely, b), isSure || kind == callFails || testify
		}
		unread = unread && kind == callUnread
		failing = append(failing, b)
	}
	switch {
	case len(failing) == 0 && len(logged) > 0: // the library may have failed the test without another message
		slices.Reverse(logged) // it says last why
		return logged, false
	case isSure:
		failing = append(likely, doubtful...)
	}
	return failing, unread
}

// readBlock parses a message.
func (x *examiner) readBlock(s *suite, b block) (location, testFrame sdk.Location, message string, diff sdk.Diff, stack []sdk.Frame) {
	location = x.tree.locate(s, b.file, b.line)
	b.text = withoutColours(b.text)
	if b.fromTesting() {
		location = sdk.Location{}
	}
	var trace []sdk.Location // printed by a library in whose own file the test failed
	switch {
	case wording.IsTestify(b.text):
		var printed []string
		message, diff, printed = wording.ReadTestify(b.text)
		if want, got := readExpectation(strings.Split(message, "\n")); want != "" && got != "" {
			diff.Want, diff.Got = want, got
		}
		trace = x.tree.places(s, printed)
		if len(trace) > 0 {
			location, testFrame = trace[0], trace[len(trace)-1]
		}
	case strings.HasPrefix(b.text[0], suitePanic):
		message, stack = readSuitePanic(x.tree, s, b.text)
		if len(stack) > 0 {
			location, testFrame = stack[0].Location, stack[len(stack)-1].Location
		}
	case scriptLine(b.text) >= 0:
		var at sdk.Location
		at, message, diff = readScript(x.tree, s, b.text)
		if isVendored(b.file) {
			location = sdk.Location{}
		}
		if at.File != "" {
			location, testFrame = at, location
		}
		return location, testFrame, message, diff, nil
	case isDirective(b.text, true):
		var at sdk.Location
		if at, message, diff = readDirective(x.tree, s, b.text); at.File != "" {
			location, testFrame = at, location
		}
		return location, testFrame, message, diff, nil
	default:
		frames, said := readGunit(b.text)
		if trace = x.tree.places(s, frames); len(trace) > 0 {
			location, testFrame = trace[0], trace[len(trace)-1]
		}
		message, diff = wording.Read(said)
	}
	if len(stack) == 0 && len(trace) == 0 && (isVendored(b.file) || x.tree.isElsewhere(s, b.file)) {
		location = mockPlace(x.tree, s, b.text)
	}
	if x.tree.isGo(b.file) && !b.fromTesting() { // reported in a deferred call after a panic
		location = cmp.Or(x.tree.placeIn(s, b.text), location)
	}
	if testFrame == (sdk.Location{}) {
		testFrame = x.tree.calls(s).callerOf(location)
	}
	if at, said := x.tree.cutPlace(s, message); at.File != "" && len(stack) == 0 && len(trace) == 0 {
		location, testFrame, message = at, cmp.Or(testFrame, location), said
	}
	return location, testFrame, message, diff, stack
}

// indent is what package testing puts before each line of a message after the first,
// which has half of it.
const indent = "        "

// block is what one call of t.Error, t.Log and the like printed.
type block struct {
	file string
	line int
	// text holds the lines of the message without indentation.
	text []string
	// index is where it starts in the test's lines.
	index int
	// typed reports whether Go itself marked it as an error.
	typed bool
	// glued reports whether it follows text that the test printed without a line feed.
	glued bool
}

// findBlocks finds the messages of package testing among a test's lines.
func findBlocks(lines []line) []block {
	var found []block
	open := false
	for i, l := range lines {
		if file, at, message, glued, ok := blockStart(l.text); ok && l.kind != lineContinue && l.kind != lineGap {
			found = append(found, block{file: file, line: at, text: []string{message}, index: i, typed: l.kind == lineError, glued: glued})
			open = true
			continue
		}
		rest, indented := strings.CutPrefix(l.text, indent)
		if open && (indented || l.kind == lineGap) {
			last := &found[len(found)-1]
			last.text = append(last.text, rest)
			continue
		}
		open = false
	}
	return found
}

// blockStart parses "    file.go:12: message", also after other text.
func blockStart(text string) (file string, line int, message string, glued, ok bool) {
	for at := 0; ; {
		i := strings.Index(text[at:], ".go:")
		if i < 0 {
			return "", 0, "", false, false
		}
		at += i + len(".go:")
		line, message, ok = lineNumber(text[at:])
		if !ok {
			continue
		}
		before := text[:at-1]
		if strings.HasPrefix(before, indent[:4]) && len(before) > 4 && before[4] != ' ' {
			return before[4:], line, message, false, true
		}
		j := strings.LastIndex(before, indent[:4])
		if j < 0 || strings.TrimSpace(before[:j]) == "" {
			return "", 0, "", false, false
		}
		return before[j+4:], line, message, true, true
	}
}

// lineNumber parses "12: message". An empty message, or one that starts with a line
// feed, may have lost the space.
func lineNumber(text string) (line int, message string, ok bool) {
	digits, message, found := strings.Cut(text, ":")
	if !found {
		return 0, "", false
	}
	line, err := strconv.Atoi(digits)
	if err != nil || line <= 0 || message != "" && message[0] != ' ' {
		return 0, "", false
	}
	return line, strings.TrimPrefix(message, " "), true
}

// fromTesting reports whether package testing itself added the message.
func (b *block) fromTesting() bool {
	return b.file == "testing.go" || strings.HasSuffix(b.file, "/testing/testing.go") || strings.HasSuffix(b.file, `\testing\testing.go`)
}

// Messages of package testing about a test.
const (
	raceDetected = "race detected during execution of test"
	// parentGoexit means that a subtest ended its parent, so that later subtests never
	// ran.
	parentGoexit = "subtest may have called FailNow on a parent test"
)

// says reports whether it is the given message of package testing.
func (b *block) says(message string) bool {
	return b.fromTesting() && strings.Contains(b.text[0], message)
}

// examineStray looks for the message of a silent test among the text that belongs to no
// test: a child process that prints framing lines makes test2json lose track of the
// running test. The function that contains the message's place identifies the test.
func (x *examiner) examineStray(s *suite, t *test, f *finding) {
	if t.container || rootOf(t.name) != t.name {
		return // the functions of subtests have no names
	}
	lines := s.own.lines()
	var own []block
	for _, b := range findBlocks(lines) {
		at := x.tree.locate(s, b.file, b.line)
		if b.fromTesting() || at.File != x.tree.source(s).tests[t.name].File || at.File == "" {
			continue
		}
		if syntax := x.tree.parsed.file(x.tree.absolute(at)); syntax != nil && syntax.functionAt(b.line) == t.name {
			own = append(own, b)
		}
	}
	if len(own) == 0 {
		return
	}
	x.examineBlocks(s, own, f)
	if f.message != "" {
		f.lines = lines
	}
}

// examineExample explains an example whose output differs:
//
//	got:
//	one
//	want:
//	two
func examineExample(t *test, f *finding) bool {
	if !strings.HasPrefix(t.name, "Example") {
		return false
	}
	got, want := -1, -1
	for i, l := range f.lines {
		switch {
		case l.text == "got:" && got < 0:
			got = i
		case strings.HasPrefix(l.text, "want:") || strings.HasPrefix(l.text, "want (unordered):"):
			if got >= 0 && want < 0 {
				want = i
			}
		}
	}
	if got < 0 || want < 0 {
		return false
	}
	f.kind, f.own, f.anchor = sdk.KindExample, true, got
	f.diff.Got = wording.Tidy(textsFrom(f.lines[got+1:want], 0))
	f.diff.Want = wording.Tidy(textsFrom(f.lines[want+1:], 0))
	switch f.message = "the output of the example differs"; {
	case f.diff.Want == "":
		f.message += ": nothing was expected"
	case f.diff.Got == "":
		f.message += ": it printed nothing"
	}
	return true
}
