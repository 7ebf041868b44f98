package parse

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
)

// The kept parts of one test's output: the beginning, which usually contains the first
// failure, the end, which contains a crash, and between them the beginning of the last
// message, which may be longer than the end.
const (
	transcriptHead    = 32 << 10
	transcriptMessage = 4 << 10
	transcriptTail    = 32 << 10
	// maxPiece bounds one piece. test2json cuts output at 1024 bytes, and escaping makes
	// that at most six times as long.
	maxPiece = 8 << 10
)

// transcript holds a test's output as it came: escaped, in pieces. Most tests pass, and
// their output is never read.
//
// Each piece is stored as an optional tag, its text and a raw line feed, which cannot
// occur in escaped text.
type transcript struct {
	head, message, tail []byte
	// dropped counts the bytes before the message, and cut those between it and the tail.
	dropped, cut int
	// closed reports whether the head is full.
	closed bool
}

// Tags of pieces whose kind is known, since Go 1.27.
const (
	tagError    = 1
	tagContinue = 2
)

func (t *transcript) add(escaped []byte, kind testjson.OutputType) {
	if len(escaped) > maxPiece {
		t.dropped += len(escaped) - maxPiece
		escaped = escaped[:maxPiece]
	}
	if !t.closed && len(t.head)+len(escaped) > transcriptHead {
		t.closed = true
	}
	if !t.closed {
		t.head = appendPiece(t.head, escaped, kind)
		return
	}
	t.tail = appendPiece(t.tail, escaped, kind)
	if len(t.tail) > 2*transcriptTail {
		t.cutTail()
	}
}

func appendPiece(dst, escaped []byte, kind testjson.OutputType) []byte {
	switch kind {
	case testjson.OutputError:
		dst = append(dst, tagError)
	case testjson.OutputErrorContinue:
		dst = append(dst, tagContinue)
	}
	dst = append(dst, escaped...)
	return append(dst, '\n')
}

// cutTail drops the older half of the tail, in whole pieces.
func (t *transcript) cutTail() {
	from := len(t.tail) - transcriptTail
	if end := bytes.IndexByte(t.tail[from:], '\n'); end >= 0 && from+end+1 < len(t.tail) {
		from += end + 1
	}
	t.drop(t.tail[:from])
	t.tail = t.tail[:copy(t.tail, t.tail[from:])]
}

// drop keeps only the beginning of the last message of pieces.
func (t *transcript) drop(pieces []byte) {
	at := lastMessage(pieces)
	if at < 0 {
		t.cut += len(pieces)
		return
	}
	message := pieces[at:]
	if len(message) > transcriptMessage {
		end := bytes.LastIndexByte(message[:transcriptMessage], '\n')
		if end < 0 {
			end = bytes.IndexByte(message, '\n')
		}
		message = message[:end+1]
	}
	t.dropped += len(t.message) + t.cut + at
	t.message, t.cut = append(t.message[:0], message...), len(pieces)-at-len(message)
}

// lastMessage returns where the last message of package testing among pieces begins, or -1.
func lastMessage(pieces []byte) int {
	for end := len(pieces); end > 0; {
		at := bytes.LastIndexByte(pieces[:end-1], '\n') + 1
		piece := bytes.TrimLeft(pieces[at:end], string(rune(tagError)))
		if bytes.HasPrefix(piece, []byte(indent[:4])) && !bytes.HasPrefix(piece, []byte(indent)) {
			if _, _, _, glued, ok := blockStart(string(piece)); ok && !glued {
				return at
			}
		}
		end = at
	}
	return -1
}

// lastPiece returns the newest piece, still escaped and possibly tagged.
func (t *transcript) lastPiece() []byte {
	b := t.tail
	if len(b) == 0 {
		b = t.head
	}
	if len(b) == 0 {
		return nil
	}
	b = b[:len(b)-1]
	return b[bytes.LastIndexByte(b, '\n')+1:]
}

// dropLast drops the newest piece.
func (t *transcript) dropLast() {
	b := &t.tail
	if len(*b) == 0 {
		b = &t.head
	}
	if n := len(*b); n > 0 {
		*b = (*b)[:bytes.LastIndexByte((*b)[:n-1], '\n')+1]
	}
}

// reset empties the transcript, keeping a small buffer for the next test.
func (t *transcript) reset() {
	head := t.head[:0]
	if cap(head) > 4<<10 {
		head = nil
	}
	*t = transcript{head: head}
}

// line is one line of a test's output.
type line struct {
	text string
	kind lineKind
}

type lineKind uint8

const (
	linePlain    lineKind = iota
	lineError             // Go marked it as the start of an error
	lineContinue          // Go marked it as the continuation of an error
	lineGap               // stands for output that was not kept
)

// lines joins the pieces and splits the text into the lines that the test printed.
func (t *transcript) lines() []line {
	var j lineJoiner
	j.addPieces(t.head)
	if len(t.message) > 0 {
		j.skip(t.dropped)
		j.addPieces(t.message)
		j.skip(t.cut)
	} else {
		j.skip(t.dropped + t.cut)
	}
	j.addPieces(t.tail)
	j.flush()
	return j.lines
}

// lineJoiner builds lines from pieces.
type lineJoiner struct {
	lines   []line
	partial []byte
	kind    lineKind
}

func (j *lineJoiner) addPieces(pieces []byte) {
	for len(pieces) > 0 {
		end := bytes.IndexByte(pieces, '\n')
		j.addPiece(pieces[:end])
		pieces = pieces[end+1:]
	}
}

func (j *lineJoiner) addPiece(piece []byte) {
	kind := linePlain
	if len(piece) > 0 && (piece[0] == tagError || piece[0] == tagContinue) {
		kind = lineError
		if piece[0] == tagContinue {
			kind = lineContinue
		}
		piece = piece[1:]
	}
	// An error starts a new line, whatever was printed before it.
	if kind == lineError && j.kind != lineError {
		j.flush()
	}
	if len(j.partial) == 0 {
		j.kind = kind
	}
	j.partial = testjson.AppendUnescaped(j.partial, piece)
	rest := j.partial
	for {
		text, after, found := bytes.Cut(rest, []byte{'\n'})
		if !found {
			break
		}
		j.emit(text)
		rest = after
		if kind == lineError {
			kind = lineContinue
		}
		j.kind = kind
	}
	j.partial = j.partial[:copy(j.partial, rest)]
}

// skip marks that so many bytes were not kept.
func (j *lineJoiner) skip(size int) {
	if size > 0 {
		j.flush()
		j.lines = append(j.lines, line{text: fmt.Sprintf("[... %d bytes of output not kept ...]", size), kind: lineGap})
	}
}

func (j *lineJoiner) flush() {
	if len(j.partial) > 0 {
		j.emit(j.partial)
		j.partial = j.partial[:0]
	}
}

func (j *lineJoiner) emit(text []byte) {
	text = bytes.TrimSuffix(text, []byte("\r"))
	j.lines = append(j.lines, line{text: strings.ToValidUTF8(string(text), "\uFFFD"), kind: j.kind})
}
