package libtest

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	headerLine = regexp.MustCompile(`^running (\d{1,9}) tests?$`)
	endLine    = regexp.MustCompile(`^test result: (ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; ` +
		`(\d{1,9}) measured; (\d{1,9}) filtered out(?:; finished in [0-9.]+s)?$`)
	sectionLine = regexp.MustCompile(`^---- (.+) stdout ----$`)
	slowLine    = regexp.MustCompile(`^test (.+) has been running for over \d+ seconds$`)
)

// nameSeparator separates a test's name from its result.
const nameSeparator = " ... "

// readEnd reads a test's result after nameSeparator, and why the test was ignored.
func readEnd(text string) (Status, string, bool) {
	switch {
	case text == "ok":
		return Passed, "", true
	case text == "FAILED", text == "FAILED (time limit exceeded)":
		return Failed, "", true
	case text == "ignored":
		return Ignored, "", true
	case strings.HasPrefix(text, "ignored, "):
		return Ignored, strings.TrimPrefix(text, "ignored, "), true
	case strings.HasPrefix(text, "bench: ") && strings.Contains(text, " ns/iter"):
		return Passed, "", true
	}
	return 0, "", false
}

// readLate reads a test's result at the end of a line that the test itself began.
func readLate(line string) (Status, bool) {
	switch {
	case strings.HasSuffix(line, "ok"):
		return Passed, true
	case strings.HasSuffix(line, "FAILED"):
		return Failed, true
	}
	return 0, false
}

// testName returns the name without what libtest adds to it for readers.
func testName(text string) string {
	for _, mode := range []string{" - should panic", " - compile fail", " - compile"} {
		if name, ok := strings.CutSuffix(text, mode); ok {
			return name
		}
	}
	return text
}

// readTest reads "test NAME ... REST".
func readTest(line string) (name, rest string, ok bool) {
	line, ok = strings.CutPrefix(line, "test ")
	if !ok {
		return "", "", false
	}
	name, rest, ok = strings.Cut(line, nameSeparator)
	if !ok || name == "" {
		return "", "", false
	}
	return testName(name), rest, true
}

func parseNumber(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0 // the patterns match only digits
	}
	return n
}

// matchPrefixed returns the match of re in a line that begins with prefix. Most lines do
// not, and regular expressions are slow.
func matchPrefixed(re *regexp.Regexp, prefix, line string) []string {
	if !strings.HasPrefix(line, prefix) {
		return nil
	}
	return re.FindStringSubmatch(line)
}
