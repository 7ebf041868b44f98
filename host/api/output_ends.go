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
	var b OutputEndsBuilder
	b.Add([]byte(output))
	return b.Ends()
}

// OutputEndsBuilder keeps the ends of an output as it comes. They consist of whole lines,
// unless one alone is too long.
type OutputEndsBuilder struct {
	head, tail []byte
	full       bool // of head
	left       int64
}

// Add adds more of the output.
func (b *OutputEndsBuilder) Add(data []byte) {
	if !b.full {
		room := maxOutputHead - len(b.head)
		if len(data) <= room {
			b.head = append(b.head, data...)
			return
		}
		cut := bytes.LastIndexByte(data[:room], '\n') + 1
		if cut == 0 && len(b.head) == 0 {
			cut = room
		}
		b.head, b.full = append(b.head, data[:cut]...), true
		data = data[cut:]
	}
	b.tail = append(b.tail, data...)
	if excess := len(b.tail) - maxOutputTail; excess > maxOutputTail {
		b.left += int64(excess)
		b.tail = append(b.tail[:0], b.tail[excess:]...)
	}
}

// Ends returns the ends of the output so far.
func (b *OutputEndsBuilder) Ends() OutputEnds {
	tail, left := b.tail, b.left
	if excess := len(tail) - maxOutputTail; excess > 0 {
		left, tail = left+int64(excess), tail[excess:]
	}
	if at := bytes.IndexByte(tail, '\n') + 1; left > 0 && at > 0 && at < maxOutputTail/2 {
		left, tail = left+int64(at), tail[at:]
	}
	return OutputEnds{Head: string(b.head), Tail: string(tail), Left: left}
}
