package stream

import (
	"bytes"
	"io"
)

// template is a line with holes, so that writing a copy requires no search.
type template struct {
	parts [][]byte
}

// hole turns a line into a template by cutting out every occurrence of a name.
func hole(text []byte, name string) template {
	return template{parts: bytes.Split(text, []byte(name))}
}

// write writes the line with the holes filled.
func (t template) write(w io.Writer, filling []byte) (int64, error) {
	var size int64
	for i, part := range t.parts {
		if i > 0 {
			n, err := w.Write(filling)
			size += int64(n)
			if err != nil {
				return size, err
			}
		}
		n, err := w.Write(part)
		size += int64(n)
		if err != nil {
			return size, err
		}
	}
	return size, nil
}

// holes does the same for several lines.
func holes(lines []line, name string) []template {
	var ts []template
	for _, l := range lines {
		ts = append(ts, hole(l.text, name))
	}
	return ts
}
