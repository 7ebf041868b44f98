package parse

import (
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// suitePanic starts the message of testify's suites for a panic in a method.
const suitePanic = "test panicked: "

// isTestify tells the messages of testify's assert and require.
func isTestify(text []string) bool {
	for _, l := range text {
		if strings.HasPrefix(l, "\tError Trace:") {
			return true
		}
	}
	return false
}

// readTestify reads the labelled content of testify:
//
//	\tError Trace:\t/path/a_test.go:29
//	\t            \t\t\t\t/path/a_test.go:33
//	\tError:      \tNot equal:
//	\t            \texpected: 1
func (p *Parser) readTestify(s *suite, text []string) (message string, diff sdk.Diff, trace []sdk.Location) {
	fields := map[string][]string{}
	label := ""
	for _, l := range text {
		rest, found := strings.CutPrefix(l, "\t")
		if !found {
			continue
		}
		head, content, found := strings.Cut(rest, "\t")
		if !found {
			continue
		}
		if name := strings.TrimSuffix(strings.TrimSpace(head), ":"); name != "" {
			label = name
		}
		fields[label] = append(fields[label], content)
	}
	for _, l := range fields["Error Trace"] {
		file, line, ok := pathAndLine(strings.TrimSpace(l))
		if ok && !isVendored(file) && !p.tree.isGo(file) {
			trace = append(trace, p.tree.locate(s, file, line))
		}
	}
	body, diff := testifyDiff(fields["Error"])
	message = tidy(body)
	if notes := tidy(fields["Messages"]); notes != "" {
		message += "\n" + notes
	}
	return message, diff, trace
}

// testifyDiff takes the compared values and the diff out of the Error field.
// The values stay in the message too, which would say nothing without them.
func testifyDiff(text []string) (body []string, diff sdk.Diff) {
	for i, l := range text {
		switch {
		case strings.TrimSpace(l) == "Diff:":
			diff.Text = tidy(text[i+1:])
			return body, diff
		case strings.HasPrefix(l, "expected: "):
			diff.Want = strings.TrimPrefix(l, "expected: ")
		case strings.HasPrefix(l, "actual  : "):
			diff.Got = strings.TrimPrefix(l, "actual  : ")
		}
		body = append(body, l)
	}
	return body, diff
}

// readSuitePanic reads the stack that a testify suite prints into its message.
func (p *Parser) readSuitePanic(s *suite, text []string) (message string, stack []sdk.Frame) {
	head := []string{strings.TrimPrefix(text[0], suitePanic)}
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
	return tidy(head), p.frames(s, g.frames)
}

// mockPlace finds the place in "at: [/path/mock.go:351 /path/a_test.go:11]",
// which testify's mocks add, since their messages come from mock.go.
func (p *Parser) mockPlace(s *suite, text []string) sdk.Location {
	for _, l := range text {
		list, found := strings.CutPrefix(strings.TrimSpace(l), "at: [")
		if !found {
			continue
		}
		for place := range strings.FieldsSeq(strings.TrimSuffix(list, "]")) {
			if file, line, ok := pathAndLine(place); ok && !isVendored(file) {
				return p.tree.locate(s, file, line)
			}
		}
	}
	return sdk.Location{}
}

// pathAndLine reads "/path/a_test.go:29".
func pathAndLine(text string) (file string, line int, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i <= 0 {
		return "", 0, false
	}
	line, err := strconv.Atoi(text[i+1:])
	return text[:i], line, err == nil && line > 0
}
