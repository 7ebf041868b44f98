package wording

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// IsTestify reports whether a message comes from testify's assert or require.
func IsTestify(text []string) bool {
	for _, l := range text {
		if strings.HasPrefix(l, "\tError Trace:") {
			return true
		}
	}
	return false
}

// ReadTestify reads the labeled content of testify:
//
//	\tError Trace:\t/path/a_test.go:29
//	\t            \t\t\t\t/path/a_test.go:33
//	\tError:      \tNot equal:
//	\t            \texpected: 1
//
// trace has the lines of the trace, and is not empty.
func ReadTestify(text []string) (message string, diff sdk.Diff, trace []string) {
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
	body, diff := testifyDiff(withoutPanicStack(fields["Error"]))
	message = Tidy(body)
	if notes := Tidy(fields["Messages"]); notes != "" {
		message += chooseSeparator(message, notes) + notes
	}
	return message, diff, fields["Error Trace"]
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
			diff.Text = Tidy(text[i+1:])
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

// IsMock reports whether a message comes from a testify mock that received an
// unexpected call.
func IsMock(text []string) bool {
	at := slices.IndexFunc(text, func(l string) bool { return strings.TrimSpace(l) != "" })
	return at >= 0 && strings.HasPrefix(text[at], "mock: ")
}

// ReadMock makes one line of what a mock says first: the sentence, the call, and the
// first argument that differs.
//
//	mock: Unexpected Method Call
//	-----------------------------
//
//	Get(int)
//			0: 8
func ReadMock(text []string) (message string, diff sdk.Diff) {
	head, printed, tail := splitDiff(text)
	diff.Text = Tidy(Dedent(printed))
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
	if more := Tidy(rest); more != "" {
		message += "\n" + more
	}
	return message, diff
}
