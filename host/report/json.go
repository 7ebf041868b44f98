package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON encodes a value on one line, with its line end. What [Deceives] is
// escaped: the line can be shown on a terminal as it is, and says the same.
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

// escaped escapes characters in JSON. Those it escapes can only be in strings.
func escaped(line []byte) []byte {
	if isPlain(string(line)) {
		return line
	}
	out := make([]byte, 0, len(line)+len(line)/8)
	for i := 0; i < len(line); {
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
