package document

import (
	"bytes"
	"slices"
	"strings"
)

// Line returns the line of a field in a readable document. For a missing field it is
// that of the object which lacks it.
func Line(data []byte, field string) int {
	keys := strings.Split(field, ".")
	found, depth := 1, 0
	_ = Read(data, len(data), func(r *Reader) error {
		r.visit = func(at string) {
			passed := strings.Split(at, ".")
			if n := len(passed); n > depth && n <= len(keys) && slices.Equal(passed, keys[:n]) {
				found, depth = r.line(), n
			}
		}
		return r.Skip()
	})
	return found
}

func (r *Reader) line() int { return lineAt(r.data, int(r.dec.InputOffset())) }

func lineAt(data []byte, at int) int {
	return 1 + bytes.Count(data[:min(at, len(data))], []byte("\n"))
}
