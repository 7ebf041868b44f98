package source

import (
	"strings"
	"unicode"
)

// isControl reports whether a character could do more on a terminal than be visible.
func isControl(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}

// clean turns text of another program or machine into one safe line.
func clean(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return '?'
		}
		return r
	}, text)
}

// clip returns the cleaned beginning of a text, for an error.
func clip(text string) string { return clipTo(text, maxShown) }

func clipTo(text string, limit int) string {
	if text = clean(text); len(text) > limit {
		return strings.ToValidUTF8(text[:limit], "") + "..."
	}
	return text
}
