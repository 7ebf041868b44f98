package parse

import "bytes"

// maxLine bounds what is held of one line. test2json writes lines of a few
// KiB, a build error of cmd/go some more; a longer line is no event.
const maxLine = 4 << 20

// lineSplitter cuts a stream into lines, wherever its chunks are cut.
type lineSplitter struct {
	// partial is the beginning of a line whose end has not come yet.
	partial []byte
	// excess counts the bytes beyond maxLine of the current line.
	excess int
}

// write calls emit with each complete line, its line end included. excess is
// how many bytes were left out of it.
func (l *lineSplitter) write(data []byte, emit func(line []byte, excess int)) {
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n') + 1
		if end == 0 {
			l.hold(data)
			return
		}
		if len(l.partial) == 0 && l.excess == 0 && end <= maxLine {
			emit(data[:end], 0)
		} else {
			l.hold(data[:end])
			l.flush(emit)
		}
		data = data[end:]
	}
}

// flush emits what is held, as at the end of the stream.
func (l *lineSplitter) flush(emit func(line []byte, excess int)) {
	if len(l.partial) == 0 {
		return
	}
	emit(l.partial, l.excess)
	l.partial, l.excess = l.partial[:0], 0
}

func (l *lineSplitter) hold(data []byte) {
	room := min(len(data), maxLine-len(l.partial))
	l.partial = append(l.partial, data[:room]...)
	l.excess += len(data) - room
}
