package api

import "bytes"

// How much of a long output is kept with a failure: the beginning shows what was done,
// the end how it ended.
const (
	maxOutputHead = 4 << 10
	maxOutputTail = 16 << 10
)

// OutputEnds is what a test printed, without the middle of a long output.
type OutputEnds struct {
	Head, Tail string
	// Left is the number of bytes left out between them.
	Left int64
}

// EndsOf returns the ends of an output.
func EndsOf(output string) OutputEnds {
	var w OutputEndsWriter
	_, _ = w.Write([]byte(output))
	return w.Ends()
}

// OutputEndsWriter keeps the ends of what is written to it. They consist of whole lines,
// unless one alone is too long.
type OutputEndsWriter struct {
	head, tail []byte
	full       bool // of head
	left       int64
}

// Write implements [io.Writer].
func (w *OutputEndsWriter) Write(data []byte) (int, error) {
	n := len(data)
	if !w.full {
		room := maxOutputHead - len(w.head)
		if len(data) <= room {
			w.head = append(w.head, data...)
			return n, nil
		}
		cut := bytes.LastIndexByte(data[:room], '\n') + 1
		if cut == 0 && len(w.head) == 0 {
			cut = room
		}
		w.head, w.full = append(w.head, data[:cut]...), true
		data = data[cut:]
	}
	w.tail = append(w.tail, data...)
	if excess := len(w.tail) - maxOutputTail; excess > maxOutputTail {
		w.left += int64(excess)
		w.tail = append(w.tail[:0], w.tail[excess:]...)
	}
	return n, nil
}

// Ends returns the ends of what was written so far.
func (w *OutputEndsWriter) Ends() OutputEnds {
	tail, left := w.tail, w.left
	if excess := len(tail) - maxOutputTail; excess > 0 {
		left, tail = left+int64(excess), tail[excess:]
	}
	if at := bytes.IndexByte(tail, '\n') + 1; left > 0 && at > 0 && at < maxOutputTail/2 {
		left, tail = left+int64(at), tail[at:]
	}
	return OutputEnds{Head: string(w.head), Tail: string(tail), Left: left}
}
