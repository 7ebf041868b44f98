package parse

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

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

// readBlock reads a message: its places are those that a library says, or else the one where
// the test was told.
func (x *examiner) readBlock(s *suite, b block) check {
	text := withoutColors(b.text)
	c := readMessage(x.tree, s, text)
	c.index = b.index
	told := x.tree.locate(s, b.file, b.line)
	switch {
	case b.fromTesting():
		told = sdk.Location{}
	case isVendored(b.file) || x.tree.isElsewhere(s, b.file):
		told = mockPlace(x.tree, s, text)
	case x.tree.isGo(b.file): // reported in a deferred call after a panic
		told = cmp.Or(x.tree.placeIn(s, text), told)
	}
	if c.at.File == "" {
		c.at, c.message = x.tree.cutPlace(s, c.message)
	}
	if c.from.File == "" {
		c.from = cmp.Or(x.tree.calls(s).callerOf(told), told)
	}
	c.at = cmp.Or(c.at, told)
	return c
}
