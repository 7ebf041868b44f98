package parse

import (
	"regexp"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// check is a failed check that a library printed to standard output, before it failed
// the test without a word.
type check struct {
	kind    string
	message string
	diff    sdk.Diff
	// at is the place of the check, from the one in the test's own code where that is
	// another.
	at, from sdk.Location
	// index is where it starts in the test's lines.
	index int
}

// examinePrinted finds the failed checks of libraries that run tests of their own
// within one, and of those that print.
func (x *examiner) examinePrinted(s *suite, f *finding) {
	text := plainTexts(f.lines)
	failed, ginkgo := isGinkgo(text)
	var checks []check
	switch {
	case ginkgo:
		checks = readGinkgo(x.tree, s, text, failed)
	case isGocheck(text):
		checks = readGocheck(x.tree, s, text)
	case f.message == "":
		checks = readIs(x.tree, s, text)
	}
	if len(checks) == 0 {
		return
	}
	before := f.also
	if f.message != "" {
		before = append([]sdk.Also{{Location: f.location, Message: withDiff(f.message, f.diff)}}, f.also...)
	}
	first := checks[0]
	f.own, f.unread, f.kind, f.anchor = true, false, first.kind, first.index
	f.message, f.diff, f.location, f.testFrame, f.also, f.stack = first.message, first.diff, first.at, first.from, nil, nil
	for _, c := range checks[1:] {
		f.also = append(f.also, sdk.Also{Location: c.at, Message: withDiff(c.message, c.diff)})
	}
	f.also = append(f.also, before...)
}

// plainTexts are lines without the colours that a library gave them.
func plainTexts(lines []line) []string {
	text := make([]string, len(lines))
	for i, l := range lines {
		text[i] = l.text
	}
	return withoutColours(text)
}

func withoutColours(text []string) []string {
	plain := text
	for i, l := range text {
		if !strings.Contains(l, "\x1b[") {
			continue
		}
		if &plain[0] == &text[0] {
			plain = slices.Clone(text)
		}
		plain[i] = colours.ReplaceAllString(l, "")
	}
	return plain
}

var colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// isLine is how github.com/matryer/is prints a check, and what stands beside it as a
// comment:
//
//	\ta_test.go:13: a != b // names must match
var isLine = regexp.MustCompile(`^\t([^\s/\\:]+\.go):(\d+): (.+)$`)

// readIs reads such checks where the source at the place calls something.
func readIs(tree *tree, s *suite, text []string) []check {
	var checks []check
	for i, l := range text {
		if !strings.HasPrefix(l, "\t") {
			continue
		}
		m := isLine.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		file, line, ok := pathAndLine(m[1] + ":" + m[2])
		if !ok || (calls{tree, s}).judge(block{file: file, line: line}) != callUnknown {
			continue
		}
		message := m[3]
		if what, comment, found := strings.Cut(message, " // "); found {
			message = what + ": " + comment
		}
		checks = append(checks, check{kind: sdk.KindAssertion, message: message, at: tree.locate(s, file, line), index: i})
	}
	return checks
}
