package testjson

import "bytes"

// Config says where what was read goes. The functions are called during Write
// and Close, and may be nil.
type Config struct {
	// Document takes every line of results, when it has ended.
	Document func(Document)
	// Text takes every other line. It is only valid during the call.
	Text func(Text)
	// OutputSuite and OutputTest name a test, or a suite, whose whole log goes to Output,
	// piece by piece, as it is read.
	OutputSuite, OutputTest string
	Output                  func([]byte)
}

// Text is a line that is no result.
type Text struct {
	// Head is at most [MaxTextHead] bytes of it, without the line end.
	Head []byte
	// Bytes is its length without the line end.
	Bytes int64
	// Suspect reports whether the line has something of a result and is none, such as a
	// document that is not on a line of its own.
	Suspect bool
	// Failure reports whether the line holds the word with which a document says that a
	// test failed.
	Failure bool
}

// MaxTextHead bounds what is kept of a line of text.
const MaxTextHead = 64 << 10

// candidateHead is what is kept of a line that may be a document.
const candidateHead = 4 << 10

// Reader reads the output of one command. How the output was split into chunks
// does not show in what it reports.
type Reader struct {
	cfg     Config
	scan    scanner
	head    []byte
	length  int64
	started bool // the current line has something other than white space
	isText  bool
	// results and failure are the words of a document in a line that is none, or
	// not yet.
	results, failure needle
}

// NewReader returns a reader.
func NewReader(cfg Config) *Reader {
	r := &Reader{cfg: cfg, results: needle{text: `"test_results"`}, failure: needle{text: `"Failure"`}}
	r.scan.outputSuite, r.scan.outputTest, r.scan.output = cfg.OutputSuite, cfg.OutputTest, cfg.Output
	return r
}

// Write takes the next bytes.
func (r *Reader) Write(p []byte) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			r.part(p)
			return
		}
		r.part(p[:end])
		r.endLine(false)
		p = p[end+1:]
	}
}

// Close tells that nothing follows.
func (r *Reader) Close() {
	if r.length > 0 {
		r.endLine(true)
	}
}

// part takes a part of a line.
func (r *Reader) part(p []byte) {
	for len(p) > 0 {
		if !r.started {
			blank := blanks(p)
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
			// With results in it, the rest of the line belongs to the damage.
			r.isText = !r.scan.results
		case verdictForeign:
			r.isText = true
		}
	}
}

// sample is how the current line begins.
func (r *Reader) sample() string { return string(r.head[:min(len(r.head), 512)]) }

// blanks is how many bytes of white space, or of a byte order mark, p begins
// with.
func blanks(p []byte) int {
	for i, c := range p {
		switch c {
		case ' ', '\t', '\r', 0xEF, 0xBB, 0xBF:
		default:
			return i
		}
	}
	return len(p)
}

// keep counts bytes of the current line and keeps the first of them.
func (r *Reader) keep(p []byte) {
	whole := int64(len(r.head)) == r.length
	r.length += int64(len(p))
	if r.isText || !r.scan.results {
		r.results.feed(p)
		r.failure.feed(p)
	}
	limit := candidateHead
	if r.isText {
		limit = MaxTextHead
	}
	if room := limit - len(r.head); whole && room > 0 {
		r.head = append(r.head, p[:min(room, len(p))]...)
	}
}

// endLine ends a line; unended tells that the output ended and not the line.
func (r *Reader) endLine(unended bool) {
	switch {
	case !r.started:
		// An empty line. After a document it is the rest of its line.
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
