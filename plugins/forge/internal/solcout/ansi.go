package solcout

import (
	"strings"
	"unicode/utf8"
)

// cleanLine returns a line as valid text without colors and control characters.
func cleanLine(raw []byte) string {
	clean := utf8.Valid(raw)
	for _, c := range raw {
		if c < ' ' && c != '\t' || c == 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return string(raw)
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c == 0x1b:
			i += escapeLength(raw[i:])
			continue
		case c >= ' ' && c != 0x7f || c == '\t':
			b.WriteByte(c)
		}
		i++
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// escapeLength returns the length of the terminal escape sequence at the start of raw:
// CSI, OSC, or a single character.
func escapeLength(raw []byte) int {
	if len(raw) < 2 {
		return 1
	}
	switch raw[1] {
	case '[':
		for i := 2; i < len(raw); i++ {
			if raw[i] >= 0x40 && raw[i] <= 0x7e {
				return i + 1
			}
		}
		return len(raw)
	case ']':
		for i := 2; i < len(raw); i++ {
			if raw[i] == 7 {
				return i + 1
			}
		}
		return len(raw)
	}
	return 2
}
