package parse

import (
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/wording"
	"github.com/proctorhq/proctor/sdk"
)

// suitePanic begins the message of testify's suites about a panic in a method.
const suitePanic = "test panicked: "

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
	return wording.Tidy(head), tree.frames(s, g.frames)
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
