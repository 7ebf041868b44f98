package testjson

import "bytes"

// Config holds the receivers of what is read. They are called during Write and Close,
// and may be nil.
type Config struct {
	// Document receives every line of results when it has ended.
	Document func(Document)
	// Text receives every other line, which is valid only during the call.
	Text func(Text)
	// OutputSuite and OutputTest name a test, or a suite, whose complete log is passed
	// to Output in pieces as it is read.
	OutputSuite, OutputTest string
	Output                  func([]byte)
}

// Text is a line without results.
type Text struct {
	// Head is the beginning of the line, at most [maxTextHead] bytes, without the line
	// end.
	Head []byte
	// Bytes is the length without the line end.
	Bytes int64
	// Suspect reports whether the line contains traces of a result, such as a document
	// that is not on a line of its own.
	Suspect bool
	// Failure reports whether the line contains the word by which a document marks a
	// failed test.
	Failure bool
}

// maxTextHead bounds what is kept of a line of text.
const maxTextHead = 64 << 10

// candidateHead is what is kept of a line that may turn out to be a document.
const candidateHead = 4 << 10

// Reader reads the output of one command. How the output is split into chunks does not
// affect what it reports.
type Reader struct {
	cfg     Config
	scan    scanner
	head    []byte
	length  int64
	started bool // the current line has more than white space
	isText  bool
	// results and failure search for words of a document in lines that are not
	// documents, or may not be.
	results, failure needle
}

// NewReader returns a reader.
func NewReader(cfg Config) *Reader {
	r := &Reader{cfg: cfg, results: needle{text: `"test_results"`}, failure: needle{text: `"Failure"`}}
	r.scan.outputSuite, r.scan.outputTest, r.scan.output = cfg.OutputSuite, cfg.OutputTest, cfg.Output
	return r
}

// Write consumes the next bytes.
func (r *Reader) Write(p []byte) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			r.writePart(p)
			return
		}
		r.writePart(p[:end])
		r.endLine(false)
		p = p[end+1:]
	}
}

// Close ends the output.
func (r *Reader) Close() {
	if r.length > 0 {
		r.endLine(true)
	}
}

// writePart consumes part of a line.
func (r *Reader) writePart(p []byte) {
	for len(p) > 0 {
		if !r.started {
			blank := countBlanks(p)
			r.keep(p[:blank])
			if p = p[blank:]; len(p) == 0 {
				return
			}
			r.started, r.isText = true, p[0] != '{'
			r.scan.reset()
		}
		if r.isText {
			r.keep(p)
			return
		}
		n := r.scan.feed(p)
		r.keep(p[:n])
		p = p[n:]
		switch r.scan.verdict {
		case verdictDocument:
			r.document(Document{Suites: r.scan.suites, Length: r.length, Sample: r.sample()})
		case verdictBroken:
			// If the line has results, its rest belongs to a damaged document.
			r.isText = !r.scan.results
		case verdictForeign:
			r.isText = true
		}
	}
}

// sample returns the beginning of the current line.
func (r *Reader) sample() string { return string(r.head[:min(len(r.head), 512)]) }

// countBlanks returns how many bytes of white space or byte order mark p begins with.
func countBlanks(p []byte) int {
	for i, c := range p {
		switch c {
		case ' ', '\t', '\r', 0xEF, 0xBB, 0xBF:
		default:
			return i
		}
	}
	return len(p)
}

// keep counts bytes of the current line and keeps the first ones.
func (r *Reader) keep(p []byte) {
	whole := int64(len(r.head)) == r.length
	r.length += int64(len(p))
	if r.isText || !r.scan.results {
		r.results.feed(p)
		r.failure.feed(p)
	}
	limit := candidateHead
	if r.isText {
		limit = maxTextHead
	}
	if room := limit - len(r.head); whole && room > 0 {
		r.head = append(r.head, p[:min(room, len(p))]...)
	}
}

// endLine ends a line. unended means that the output ended before the line did.
func (r *Reader) endLine(unended bool) {
	switch {
	case !r.started:
		// An empty line, or the rest of the line after a document.
	case !r.isText && (r.scan.results || unended):
		r.scan.cut()
		r.document(Document{
			Suites: r.scan.suites, Damaged: true, Length: r.length, Sample: r.sample(),
			Unread: max(1, r.length-r.scan.complete), Unended: unended,
		})
		return
	default:
		if r.cfg.Text != nil {
			r.cfg.Text(Text{
				Head: bytes.TrimSuffix(r.head, []byte{'\r'}), Bytes: r.length,
				Suspect: r.scan.results || r.results.found, Failure: r.scan.failure || r.failure.found,
			})
		}
	}
	r.restart()
}

func (r *Reader) document(d Document) {
	if r.cfg.Document != nil {
		r.cfg.Document(d)
	}
	r.restart()
}

func (r *Reader) restart() {
	r.scan.reset()
	r.results.reset()
	r.failure.reset()
	r.head, r.length, r.started, r.isText = r.head[:0], 0, false, false
}

// needle searches for a text in a line that arrives in pieces.
type needle struct {
	text  string
	tail  []byte // the end of the preceding pieces, shorter than the text
	found bool
}

// feed searches the next piece.
func (n *needle) feed(p []byte) {
	if n.found {
		return
	}
	keep := len(n.text) - 1
	seam := append(n.tail, p[:min(len(p), keep)]...)
	n.found = bytes.Contains(seam, []byte(n.text)) || bytes.Contains(p, []byte(n.text))
	if len(p) >= keep {
		seam = append(n.tail[:0], p[len(p)-keep:]...)
	}
	n.tail = append(n.tail[:0], seam[max(0, len(seam)-keep):]...)
}

func (n *needle) reset() { n.tail, n.found = n.tail[:0], false }
