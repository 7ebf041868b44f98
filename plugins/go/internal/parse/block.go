package parse

import (
	"strconv"
	"strings"
)

// indent is what package testing puts before each line of a message after the
// first; half of it stands before the first.
const indent = "        "

// block is what one call of t.Error, t.Log and the like printed.
type block struct {
	file string
	line int
	// text are the lines of the message without indentation.
	text []string
	// index is where it starts in the test's lines.
	index int
	// typed: Go itself said that it is an error.
	typed bool
	// glued to the end of what the test printed without a line feed.
	glued bool
}

// blocks finds the messages of package testing among a test's lines.
func blocks(lines []line) []block {
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

// blockStart reads "    file.go:12: message", also at the end of other text.
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

// lineNumber reads "12: message". A message that is empty or starts with a
// line feed may have lost the space.
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

// fromTesting tells messages that package testing itself adds.
func (b *block) fromTesting() bool {
	return b.file == "testing.go" || strings.HasSuffix(b.file, "/testing/testing.go") || strings.HasSuffix(b.file, `\testing\testing.go`)
}

// Messages of package testing about a test.
const (
	raceDetected = "race detected during execution of test"
	// parentGoexit: a subtest ended its parent, so later subtests never ran.
	parentGoexit = "subtest may have called FailNow on a parent test"
)

// says reports whether package testing added a certain message.
func (b *block) says(message string) bool {
	return b.fromTesting() && strings.Contains(b.text[0], message)
}
