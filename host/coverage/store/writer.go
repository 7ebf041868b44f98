package store

import "encoding/binary"

// writer writes a sequence of values: numbers as in [binary.AppendUvarint], texts and
// sets after their lengths.
type writer struct{ data []byte }

func (w *writer) number(n int) { w.data = binary.AppendUvarint(w.data, uint64(n)) }

func (w *writer) text(s string) {
	w.number(len(s))
	w.data = append(w.data, s...)
}

func (w *writer) bytes(b []byte) {
	w.number(len(b))
	w.data = append(w.data, b...)
}

func (w *writer) texts(list []string) {
	w.number(len(list))
	for _, s := range list {
		w.text(s)
	}
}

func (w *writer) yes(is bool) {
	w.data = append(w.data, 0)
	if is {
		w.data[len(w.data)-1] = 1
	}
}

// length writes the length of a list. Nil differs from an empty list.
func (w *writer) length(n int, isNil bool) {
	if isNil {
		w.number(0)
		return
	}
	w.number(n + 1)
}
