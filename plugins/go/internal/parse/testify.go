package parse

import (
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// suitePanic begins the message of testify's suites about a panic in a method.
const suitePanic = "test panicked: "

// isTestify reports whether a message comes from testify's assert or require.
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
func readTestify(tree *tree, s *suite, text []string) (message string, diff sdk.Diff, trace []sdk.Location) {
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
		if ok && tree.isOwn(file) {
			trace = append(trace, tree.locate(s, file, line))
		}
	}
	body, diff := testifyDiff(withoutPanicStack(fields["Error"]))
	message = tidy(body)
	if notes := tidy(fields["Messages"]); notes != "" {
		message += chooseSeparator(message, notes) + notes
	}
	return message, diff, trace
}

// chooseSeparator joins a message and the test's own words on one line if both are short.
func chooseSeparator(message, notes string) string {
	if message == "" || strings.Contains(message+notes, "\n") {
		return "\n"
	}
	return ": "
}

// withoutPanicStack appends the value of an unexpected panic to the message about it,
// and drops the stack and the function's address.
func withoutPanicStack(text []string) []string {
	if len(text) < 2 || !strings.Contains(text[0], "PanicTestFunc)(0x") {
		return text
	}
	before, rest, _ := strings.Cut(text[0], "(0x")
	_, rest, _ = strings.Cut(rest, ")")
	kept := []string{before + rest}
	for _, l := range text[1:] {
		if strings.HasPrefix(strings.TrimSpace(l), "Panic stack:") {
			break
		}
		kept = append(kept, strings.TrimSpace(l))
	}
	if value, found := strings.CutPrefix(strings.Join(kept[1:], "\n"), "Panic value:"); found {
		return strings.Split(kept[0]+": panic value: "+strings.TrimSpace(value), "\n")
	}
	return kept
}

// testifyDiff extracts the compared values and the diff from the Error field. The
// values stay in the message, too, which would be empty without them.
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

// readSuitePanic parses the stack that a testify suite prints into its message.
func readSuitePanic(tree *tree, s *suite, text []string) (message string, stack []sdk.Frame) {
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
	return tidy(head), tree.frames(s, g.frames)
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

// isMock reports whether a message comes from a testify mock that received an
// unexpected call.
func isMock(text []string) bool {
	at := slices.IndexFunc(text, func(l string) bool { return strings.TrimSpace(l) != "" })
	return at >= 0 && strings.HasPrefix(text[at], "mock: ")
}

// readMock makes one line of what a mock says first: the sentence, the call, and the
// first argument that differs.
//
//	mock: Unexpected Method Call
//	-----------------------------
//
//	Get(int)
//			0: 8
func readMock(text []string) (message string, diff sdk.Diff) {
	head, printed, tail := splitDiff(text)
	diff.Text = tidy(dedent(printed))
	var first, rest []string
	differs := ""
	for _, l := range head {
		switch text := strings.TrimSpace(l); {
		case len(first) < 2 && strings.Trim(text, "-") == "":
		case len(first) == 0, len(first) == 1 && strings.HasSuffix(text, ")"):
			first = append(first, text)
		case !strings.HasPrefix(text, "at: ["):
			rest = append(rest, l)
		}
	}
	for _, l := range tail {
		if strings.HasPrefix(strings.TrimSpace(l), "at: [") {
			continue // the place
		}
		rest = append(rest, l)
		if _, failing, found := strings.Cut(l, ": FAIL: "); found && differs == "" {
			differs = strings.TrimSpace(failing)
		}
	}
	if differs != "" {
		first = append(first, differs)
	}
	message = strings.Join(first, ": ")
	if more := tidy(rest); more != "" {
		message += "\n" + more
	}
	return message, diff
}

// pathAndLine parses "/path/a_test.go:29".
func pathAndLine(text string) (file string, line int, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i <= 0 {
		return "", 0, false
	}
	line, err := strconv.Atoi(text[i+1:])
	return text[:i], line, err == nil && line > 0
}
