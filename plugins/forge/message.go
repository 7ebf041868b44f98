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

// logged is an assertion that logs why it failed, as in the first assertion libraries,
// which continue after it.
type logged struct {
	message string
	diff    sdk.Diff
	// hasComparison reports whether the line with what was compared has been read.
	hasComparison bool
}

func (l logged) text() string {
	if l.diff.IsZero() {
		return l.message
	}
	return l.message + ": " + l.diff.Got + ", " + l.diff.Want
}

// maxLogged bounds the assertions of one test.
const maxLogged = 20

// loggedAssertions finds the failed assertions in a log: the first, and the rest.
func loggedAssertions(logs string) (first logged, more []logged) {
	var found []logged
	open := false
	for line := range strings.Lines(logs) {
		line = strings.TrimRight(line, "\n")
		if text, ok := strings.CutPrefix(line, "Error: "); ok {
			if !open || found[len(found)-1].hasComparison {
				if len(found) == maxLogged {
					break
				}
				found = append(found, logged{})
				open = true
			}
			last := &found[len(found)-1]
			last.message = strings.TrimPrefix(last.message+": "+text, ": ")
			last.hasComparison = strings.Contains(text, "not satisfied") || strings.HasPrefix(text, "Assertion Failed")
			continue
		}
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		side := ok && open && strings.HasPrefix(line, " ")
		switch {
		case side && (name == "Left" || name == "Actual"):
			found[len(found)-1].diff.Got = value
		case side && (name == "Right" || name == "Expected"):
			found[len(found)-1].diff.Want = value
		case side:
			// "Max Delta" and similar lines belong to the same assertion.
		default:
			open = false
		}
	}
	if len(found) == 0 {
		return logged{}, nil
	}
	return found[0], found[1:]
}
