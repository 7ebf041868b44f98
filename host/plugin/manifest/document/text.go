package document

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TextFault says what is wrong with a text for people, or nothing: it must be one line
// of at most max bytes, without characters that hide or reorder others.
func TextFault(text string, max int) string {
	switch {
	case len(text) > max:
		return fmt.Sprintf("has %d bytes; the limit is %d", len(text), max)
	case !utf8.ValidString(text):
		return "is not UTF-8"
	case strings.ContainsFunc(text, deceives):
		return "has control characters: " + Quoted(text)
	}
	return ""
}

func deceives(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}
