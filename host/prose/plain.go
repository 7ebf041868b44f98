package prose

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON encodes a value on one line, with a trailing newline. Characters that [Deceives]
// reports are escaped, so the line is safe on a terminal and still means the same.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	line := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return append(escaped(line), '\n'), nil
}

// scratch is the placeholder in a command for the directory of the files that the
// plugin supplied; see sdk.Scratch. That directory goes with the command, so a pasted
// name would be useless.
const scratch = "{scratch}"

// escaped replaces characters by JSON escapes. They can only occur inside strings.
func escaped(line []byte) []byte {
	if isPlain(line) {
		return line
	}
	out := make([]byte, 0, len(line)+len(line)/8)
	for i := 0; i < len(line); {
		if n := plainLength(line[i:]); n > 0 {
			out = append(out, line[i:i+n]...)
			i += n
			continue
		}
		r, size := utf8.DecodeRune(line[i:])
		switch {
		case r < utf8.RuneSelf && r != 0x7f, !Deceives(r):
			out = append(out, line[i:i+size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += size
	}
	return out
}

// Plain makes untrusted text safe to show. It removes escape sequences and makes
// invalid bytes, control characters other than newline and tab, and Unicode characters
// that reorder or hide text visible.
func Plain(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := plainLength(s[i:]); n > 0 {
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		if n := escapeLength(s[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\r':
			// A lone carriage return overwrites its line, and one before a newline is
			// half of a line end. Neither is worth showing.
		case r == utf8.RuneError && size == 1:
			b.WriteRune(utf8.RuneError)
		case Deceives(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// Line is Plain for text that must stay on one line, such as a name: a newline in a
// file name could start what looks like a verdict.
func Line(s string) string {
	if isPlain(s) && !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(Plain(s), "\n", `\n`), "\t", `\t`)
}

// Head returns the beginning of a text, at most so many bytes and no part of a character.
func Head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most = max(most, 0); most > 0 && !utf8.RuneStart(text[most]); {
		most--
	}
	return text[:most]
}

// Cut is [Head], with a mark behind it if something is left out.
func Cut(text string, most int, mark string) string {
	if len(text) <= most {
		return text
	}
	return Head(text, most) + mark
}

// InvalidAt returns the offset of the first invalid UTF-8, or -1.
func InvalidAt(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

func isPlain[T string | []byte](s T) bool { return plainLength(s) == len(s) }

// plainLength returns how many bytes at the start of s are safe to show as they are: almost
// all of any text, so they are copied at once.
func plainLength[T string | []byte](s T) int {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || (c < 0x20 && c != '\n' && c != '\t') {
			return i
		}
	}
	return len(s)
}

// Deceives reports whether r is a control character, or reorders, breaks or hides the
// text around it: bidirectional controls, zero-width and invisible characters, Unicode
// line separators and tag characters.
func Deceives(r rune) bool { return unicode.IsControl(r) || unicode.Is(deceptive, r) }

var deceptive = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00ad, Hi: 0x00ad, Stride: 1}, // soft hyphen
		{Lo: 0x061c, Hi: 0x061c, Stride: 1}, // Arabic letter mark
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x180e, Hi: 0x180e, Stride: 1}, // Mongolian vowel separator
		{Lo: 0x200b, Hi: 0x200f, Stride: 1}, // zero-width characters, directional marks
		{Lo: 0x2028, Hi: 0x202e, Stride: 1}, // line and paragraph ends, directional embeddings
		{Lo: 0x2060, Hi: 0x2069, Stride: 1}, // word joiner, invisible operators, directional isolates
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xfeff, Hi: 0xfeff, Stride: 1}, // byte order mark
		{Lo: 0xfff9, Hi: 0xfffb, Stride: 1}, // interlinear annotations
	},
	R32:         []unicode.Range32{{Lo: 0xe0000, Hi: 0xe007f, Stride: 1}}, // tags
	LatinOffset: 1,
}

// escapeLength returns the length of the terminal escape sequence at the start of s, or
// 0: CSI, the string sequences (OSC, DCS, SOS, PM, APC) and two-character ones, in
// 7-bit and 8-bit forms. See ECMA-48, 5.3 to 5.6.
func escapeLength(s string) int {
	intro, n := introducer(s)
	switch intro {
	case 0:
		return 0
	case '[':
		for n < len(s) && s[n] >= 0x20 && s[n] <= 0x3f {
			n++
		}
		if n < len(s) && s[n] >= 0x40 && s[n] <= 0x7e {
			n++
		}
	case ']', 'P', 'X', '^', '_':
		for n < len(s) && s[n] != '\n' {
			switch {
			case s[n] == 0x07:
				return n + 1
			case strings.HasPrefix(s[n:], "\x1b\\"), strings.HasPrefix(s[n:], "\u009c"):
				return n + 2
			}
			n++
		}
	}
	return n
}

// introducer returns the second character of an escape sequence in its 7-bit form, and
// the number of bytes the introducer takes.
func introducer(s string) (byte, int) {
	if s[0] == 0x1b {
		n := 1
		for n < len(s) && s[n] >= 0x20 && s[n] <= 0x2f {
			n++ // intermediate characters, as in ESC ( B
		}
		if n < len(s) && s[n] >= 0x30 && s[n] <= 0x7e {
			return s[n], n + 1
		}
		return 0x1b, n
	}
	if len(s) > 1 && s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f {
		return s[1] - 0x40, 2
	}
	return 0, 0
}

// isSpecial reports whether some shell gives the character a meaning.
func isSpecial(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("_./:=,@%+-", r)
}
