package plugin

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lineMax is the longest line of a plugin's output that is kept whole. A log line has a
// few hundred bytes, a stack frame fewer.
const lineMax = 16 << 10

// readLines calls line for each line of r until r ends, dropping the rest of a line
// that is too long. The slice is only valid during the call.
func readLines(r *bufio.Reader, line func([]byte)) {
	for {
		data, err := r.ReadSlice('\n')
		if len(data) > 0 {
			line(bytes.TrimRight(data, "\r\n"))
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.ReadSlice('\n')
		}
		if err != nil {
			return
		}
	}
}

// lineWriter splits what is written to it into lines.
type lineWriter struct {
	line    func([]byte)
	partial []byte
}

var _ io.Writer = (*lineWriter)(nil)

// Write never fails.
func (w *lineWriter) Write(data []byte) (int, error) {
	n := len(data)
	for len(data) > 0 {
		head, rest, ended := bytes.Cut(data, []byte("\n"))
		if room := lineMax - len(w.partial); len(head) > room {
			head = head[:room]
		}
		w.partial = append(w.partial, head...)
		if ended {
			w.line(w.partial)
			w.partial = w.partial[:0]
		}
		data = rest
	}
	return n, nil
}
