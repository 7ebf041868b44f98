package trace

import "bytes"

// shape is the type of a JSON value.
type shape byte

const (
	object shape = iota + 1
	array
	text    // a string
	literal // a number, true, false or null
)

// wish is what the receiver wants of a value.
type wish byte

const (
	skip wish = iota // skip it silently
	enter
	take    // a string or literal: collect its beginning
	measure // a string: collect nothing, but pass on every piece
)

// receiver receives the tokens of one document.
type receiver interface {
	// begin asks what is wanted of the value that begins.
	begin(key []byte, s shape) (w wish, limit int)
	// piece passes on part of a measured string.
	piece(b []byte)
	// value ends a string or literal that was taken or measured. b is as written, with
	// escapes. cut reports whether it exceeded the limit.
	value(b []byte, cut bool)
	// leave ends an object or array that was entered.
	leave()
	// canSkipRest reports whether the rest of the innermost object or array can be skipped,
	// which counts as leaving it.
	canSkipRest() bool
	// reset drops everything: the line was not a document, or has ended.
	reset()
}

// lexer reads JSON documents, one on each line, from a stream that arrives in pieces.
// It keeps the collected part of one string, and one byte for each entered level. It
// skips values that the receiver does not want without parsing them.
type lexer struct {
	to     receiver
	state  lexState
	levels []shape // entered objects and arrays
	depth  int     // open brackets of the value being skipped
	wish   wish
	limit  int
	cut    bool
	isKey  bool
	first  bool // nothing of the innermost object or array has been read yet
	key    []byte
	held   []byte
}

type lexState byte

const (
	lineStart lexState = iota
	otherText          // a line that is not a document, or ceased to be one
	wantValue
	wantKey
	wantColon
	wantComma
	inString
	inEscape // after a backslash
	inLiteral
	skipping
	skippingString
	skippingEscape
)

const (
	maxKey     = 4096 // longer than any name that forge prints for a test
	maxLevels  = 32   // of entered values; forge's documents have 13
	maxLiteral = 32
)

func (l *lexer) feed(data []byte) {
	for i := 0; i < len(data); {
		c := data[i]
		switch l.state {
		case lineStart:
			i++
			switch c {
			case ' ', '\t', '\r', '\n':
			case '{':
				l.levels, l.key = append(l.levels[:0], object), l.key[:0]
				l.state, l.first = wantKey, true
			default:
				l.state = otherText
			}
		case otherText:
			end := bytes.IndexByte(data[i:], '\n')
			if end < 0 {
				return
			}
			i += end + 1
			l.state = lineStart
		case skipping:
			i += l.skip(data[i:])
		case skippingString:
			i += l.skipString(data[i:])
		case skippingEscape:
			i++
			l.state = skippingString
			if c == '\n' {
				l.fail(c)
			}
		case inString:
			i += l.string(data[i:])
		case inEscape:
			i++
			l.state = inString
			if c == '\n' {
				l.fail(c)
				continue
			}
			l.keep(data[i-1 : i])
		case inLiteral:
			switch {
			case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '.', c == '-', c == '+':
				l.keep(data[i : i+1])
				i++
			default: // continue as after a value
				l.valueEnds()
			}
		default:
			i++
			switch c {
			case ' ', '\t', '\r':
			default:
				l.structure(c)
			}
		}
	}
}

// structure consumes one character between values.
func (l *lexer) structure(c byte) {
	inner := l.levels[len(l.levels)-1]
	switch l.state {
	case wantKey:
		switch {
		case c == '"':
			l.state, l.isKey, l.first = inString, true, false
			l.wish, l.limit, l.cut, l.key = take, maxKey, false, l.key[:0]
			return
		case c == '}' && l.first:
			l.close()
			return
		}
	case wantColon:
		if c == ':' {
			l.state = wantValue
			return
		}
	case wantComma:
		switch {
		case c == ',' && inner == object:
			l.state, l.first = wantKey, false
			return
		case c == ',' && inner == array:
			l.state, l.first = wantValue, false
			return
		case c == '}' && inner == object, c == ']' && inner == array:
			l.close()
			return
		}
	case wantValue:
		switch {
		case c == ']' && inner == array && l.first:
			l.close()
			return
		case c == '{':
			l.open(object)
			return
		case c == '[':
			l.open(array)
			return
		case c == '"':
			l.scalar(text, inString)
			return
		case c == '-', c >= '0' && c <= '9', c == 't', c == 'f', c == 'n':
			l.scalar(literal, inLiteral)
			l.keep([]byte{c})
			return
		}
	}
	l.fail(c)
}

func (l *lexer) open(s shape) {
	w, _ := l.to.begin(l.key, s)
	if w == skip {
		l.state, l.depth = skipping, 1
		return
	}
	if len(l.levels) >= maxLevels {
		l.fail(0)
		return
	}
	l.levels = append(l.levels, s)
	l.first = true
	l.key = l.key[:0]
	l.state = wantValue
	if s == object {
		l.state = wantKey
	}
}

func (l *lexer) scalar(s shape, state lexState) {
	l.wish, l.limit = l.to.begin(l.key, s)
	l.state, l.isKey, l.cut, l.held = state, false, false, l.held[:0]
	if s == text && l.wish == skip {
		l.state, l.depth = skippingString, 0
	}
	if s == literal {
		l.limit = maxLiteral
	}
}

func (l *lexer) close() {
	l.levels = l.levels[:len(l.levels)-1]
	l.key = l.key[:0]
	if len(l.levels) == 0 {
		l.to.reset()
		l.state = otherText // whatever else is on the line
		return
	}
	l.to.leave()
	l.afterValue()
}

// afterValue continues after a value, or after the enclosing object if the receiver has
// what it wanted of it.
func (l *lexer) afterValue() {
	l.state, l.first = wantComma, false
	if l.to.canSkipRest() {
		l.levels = l.levels[:len(l.levels)-1]
		l.state, l.depth = skipping, 1
	}
}

func (l *lexer) valueEnds() {
	if l.wish == skip {
		l.state = wantComma
		return
	}
	l.to.value(l.held, l.cut)
	l.afterValue()
}

// string consumes part of a string and returns how much.
func (l *lexer) string(data []byte) int {
	n := indexSpecial(data)
	if n < 0 {
		l.keep(data)
		return len(data)
	}
	l.keep(data[:n])
	switch {
	case data[n] == '\\':
		l.keep(data[n : n+1])
		l.state = inEscape
	case data[n] == '\n':
		l.fail('\n')
	case l.isKey:
		l.state = wantColon
	default:
		l.valueEnds()
	}
	return n + 1
}

// keep collects part of a key or value, as far as it is wanted.
func (l *lexer) keep(b []byte) {
	if l.isKey {
		l.key = append(l.key, b[:min(len(b), maxKey-len(l.key))]...)
		return
	}
	switch l.wish {
	case take:
		n := min(len(b), l.limit-len(l.held))
		l.held = append(l.held, b[:n]...)
		l.cut = l.cut || n < len(b)
	case measure:
		l.to.piece(b)
	}
}

// fail gives up on the line at the character c.
func (l *lexer) fail(c byte) {
	l.to.reset()
	l.state = otherText
	if c == '\n' {
		l.state = lineStart
	}
}
