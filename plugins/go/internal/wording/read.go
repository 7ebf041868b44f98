package wording

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

// Read parses a message without a place.
func Read(text []string) (message string, diff sdk.Diff) {
	switch {
	case isSections(text):
		return readSections(text)
	case IsMock(text):
		return ReadMock(text)
	case isShould(text):
		return readShould(text)
	}
	if at := gomegaStart(text); at >= 0 {
		return readGomega(text, at)
	}
	return readMessage(text)
}

// shouldLine matches the name of a check of github.com/smarty/assertions, which goconvey uses.
var shouldLine = lazyregexp.New(`^\((Should .*)\)!$`)

// isShould reports whether a message comes from such a check.
func isShould(text []string) bool {
	return slices.ContainsFunc(text, func(l string) bool { return strings.HasPrefix(l, "(Should ") && shouldLine.MatchString(l) })
}

// readShould reads such a message. A diff in it is within one line, in which only colors
// tell the sides apart.
func readShould(text []string) (message string, diff sdk.Diff) {
	var kept []string
	for _, l := range text {
		if !strings.HasPrefix(l, "Diff:") {
			kept = append(kept, shouldLine.ReplaceAllString(l, "$1"))
		}
	}
	return readMessage(kept)
}
