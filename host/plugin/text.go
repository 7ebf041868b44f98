package plugin

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// cleanLine makes one printable line of untrusted text: valid UTF-8, no control
// characters, at most limit bytes.
func cleanLine(s string, limit int) string {
	return clean(s, limit, func(r rune) bool { return r == '\t' })
}

// cleanText is cleanLine for text of several lines.
func cleanText(s string, limit int) string {
	return clean(s, limit, func(r rune) bool { return r == '\t' || r == '\n' })
}

func clean(s string, limit int, keep func(rune) bool) string {
	s = boundText(s, limit)
	if printable(s, keep) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !keep(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func printable(s string, keep func(rune) bool) bool {
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return false
		}
		if unicode.IsControl(r) && !keep(r) {
			return false
		}
	}
	return true
}

// boundText truncates a text to at most limit bytes, marker included, between characters.
func boundText(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return prose.Head(s, limit-len(sdk.TruncationMark)) + sdk.TruncationMark
}
