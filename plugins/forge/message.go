package forge

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proctorhq/proctor/sdk"
)

// makeVisible returns s as valid text in which control characters and characters that
// change the direction of text are visible. Newlines and tabs stay.
func makeVisible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !strings.ContainsFunc(s, isHidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !isHidden(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func isHidden(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == 0xFEFF || r == 0x2028 || r == 0x2029
}

// clip truncates s at a rune and says so.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit - len(sdk.TruncationMark) - 1
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "\n" + sdk.TruncationMark
}
