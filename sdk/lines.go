package sdk

import "bytes"

// DefaultMaxLine is the default bound on a line: runners print whole values on one
// line, but no person reads a megabyte of one.
const DefaultMaxLine = 1 << 20

// Line is one line of a stream, or a piece of one that exceeds the reader's limit.
type Line struct {
	// Text excludes the line end, "\n" or "\r\n". It is only valid during the call. It
	// is what the runner wrote, including NULs and invalid UTF-8.
	Text []byte
	// Continued reports whether Text continues the line of the previous call.
	Continued bool
	// More reports whether the line is too long and continues in the next call.
	More bool
	// Unended reports whether the stream ended before the line did, so the line may be
	// truncated.
	Unended bool
}

// Whole reports whether Text is a complete line.
func (l Line) Whole() bool { return !l.Continued && !l.More && !l.Unended }

// LineReader splits the chunks of one stream into lines. How the stream was split
// into chunks does not affect the lines. A line within one chunk is passed on
// without a copy.
//
// It holds at most the limit and a few bytes: each piece of a longer line is passed
// on as soon as it reaches the limit, and nothing is left out. A runner can print a
// line of any length: check how a line begins, and skip what is not [Line.Whole],
// before a regular expression sees it.
type LineReader struct {
	limit     int
	emit      func(Line)
	held      []byte // the beginning of a line whose end has not arrived yet
	continued bool
}

// NewLineReader returns a reader that calls emit for every line. limit is the longest
// line in bytes, without its end; 0 means [DefaultMaxLine].
func NewLineReader(limit int, emit func(Line)) *LineReader {
	if limit <= 0 {
		limit = DefaultMaxLine
	}
	return &LineReader{limit: limit, emit: emit}
}

// Write takes the next chunk.
func (r *LineReader) Write(chunk []byte) {
	for len(chunk) > 0 {
		end := bytes.IndexByte(chunk, '\n')
		switch {
		case end < 0:
			r.hold(chunk)
			return
		case len(r.held) == 0:
			r.line(chunk[:end])
		default:
			r.hold(chunk[:end])
			r.line(r.held)
			r.held = r.held[:0]
		}
		chunk = chunk[end+1:]
	}
}

// Close passes on what follows the last line end. The reader can then be used for
// another stream.
func (r *LineReader) Close() {
	if len(r.held) > 0 {
		r.last(r.held, true)
	}
	r.held = r.held[:0]
}

// lineEnd is the longest line end. A piece is cut off only once this many bytes beyond
// the limit have arrived: then the limit is exceeded even if they turn out to belong to
// the line end.
const lineEnd = 2

// hold keeps the beginning of a line.
func (r *LineReader) hold(part []byte) {
	for len(r.held)+len(part) >= r.limit+lineEnd {
		switch missing := r.limit - len(r.held); {
		case len(r.held) == 0:
			r.piece(part[:r.limit])
			part = part[r.limit:]
		case missing > 0:
			r.held = append(r.held, part[:missing]...)
			part = part[missing:]
			r.piece(r.held)
			r.held = r.held[:0]
		default:
			r.piece(r.held[:r.limit])
			r.held = append(r.held[:0], r.held[r.limit:]...)
		}
	}
	r.held = append(r.held, part...)
}

// line passes on a line without its "\n".
func (r *LineReader) line(text []byte) {
	for len(text) >= r.limit+lineEnd {
		r.piece(text[:r.limit])
		text = text[r.limit:]
	}
	r.last(bytes.TrimSuffix(text, []byte{'\r'}), false)
}

// last passes on the end of a line.
func (r *LineReader) last(text []byte, unended bool) {
	if len(text) > r.limit {
		r.piece(text[:r.limit])
		text = text[r.limit:]
	}
	r.emit(Line{Text: text, Continued: r.continued, Unended: unended})
	r.continued = false
}

func (r *LineReader) piece(text []byte) {
	r.emit(Line{Text: text, Continued: r.continued, More: true})
	r.continued = true
}
