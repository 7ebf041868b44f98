package parse

import (
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
		c := x.readBlock(s, b)
		again := i > 0 && c.at == last
		last = c.at
		switch {
		case again && c.message == "":
			continue
		case i > 0 && (said || !again || len(f.also) > 0):
			further := sdk.Also{Location: c.at, Message: c.message}
			if c.message != f.message || c.diff != f.diff || c.at != f.location { // otherwise it is a repetition
				further.Message = withDiff(c.message, c.diff)
			}
			f.also = append(f.also, further)
			continue
		}
		f.take(c)
		f.unread, said = unread, c.message != ""
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
