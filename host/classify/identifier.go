package classify

import "strings"

// pairs are the pairs of letters that nearly all words of programs are made of, the
// first letter by row: 390 of 676, which are 97 in 100 of those in Go's own library.
var pairs = [26]uint32{
	0x1febd7f, 0x1164b17, 0x13efdff, 0x1fef97f, 0x1fffdff, 0x11ef93d, 0x01ef9fd, 0x01e5119, 0x2aef87f, 0x0040010, 0x014a151, 0x17efdff, 0x01ef93f,
	0x17efd7f, 0x07efd7f, 0x11eddfd, 0x0100000, 0x17efd7f, 0x17efdff, 0x1fef9ff, 0x08eb97f, 0x044d93f, 0x0066191, 0x02cc13f, 0x00cb014, 0x0000010,
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isPlain: what identifiers of one run are made of. An underscore often joins one to
// a name.
func isPlain(c byte) bool { return isDigit(c) || isLetter(c) }

// looks is what tells a word that was drawn at random from one that somebody chose.
type looks struct {
	letters, figures bool
	lower, upper     bool
	// hex: nothing but hexadecimal digits of one case.
	hex bool
	// changes counts where letters follow figures and the other way round, odd the
	// pairs of letters that words do not have, and pieces what a reader would read at
	// a time: "Get", "HTTP", "2". longest is that of its rows of letters.
	changes, odd, pieces, longest int
}

func looksOf(word string) looks {
	l := looks{hex: true}
	var prev byte
	letters := 0 // in a row
	for i := range len(word) {
		c := word[i]
		if c|0x20 == 'x' && isDigit(prev) && i+1 < len(word) && isDigit(word[i+1]) {
			c = '0' // 32x4
		}
		switch {
		case !isPlain(c):
		case isDigit(c):
			l.figures = true
			if !isDigit(prev) {
				l.pieces++
				l.changes++
			}
		default:
			isUpper := c < 'a'
			if !isLetter(prev) {
				letters = 0
			}
			letters++
			l.letters, l.longest = true, max(l.longest, letters)
			l.lower, l.upper = l.lower || !isUpper, l.upper || isUpper
			l.hex = l.hex && isHex(c)
			switch {
			case !isLetter(prev):
				l.pieces++
				l.changes++
			case isUpper && prev >= 'a':
				l.pieces++
			}
			if isLetter(prev) && pairs[prev|0x20-'a']>>(c|0x20-'a')&1 == 0 {
				l.odd++
			}
		}
		prev = c
	}
	l.changes--
	l.hex = l.hex && l.lower != l.upper
	return l
}

// setting is where in a text a word stands.
type setting int

const (
	// anywhere: a word like others.
	anywhere setting = iota
	// inName: it is part of a longer name.
	inName
	// introduced: what stands before says that it is an identifier.
	introduced
)

// isDrawn tells whether a word of letters and figures was made up for one run. Many
// identifiers look as if somebody had chosen them: those are left alone, and so are
// versions and numbers with an exponent.
func isDrawn(word string, at setting) bool {
	n := len(word)
	if n < 5 {
		return false
	}
	l := looksOf(word)
	if !l.letters || !l.figures {
		return false
	}
	if l.hex && n >= hashLength {
		return true
	}
	if word[0]|0x20 == 'v' && isDigit(word[1]) || isNumeral(word) {
		return false
	}
	// A reader gets through a random word by two characters at a time.
	dense := l.lower && l.upper && (l.pieces*20 >= n*9 || l.pieces*3 >= n && l.odd >= 2)
	odd := l.odd + l.changes
	wordless := l.odd > 0 || l.longest < 4 // not node1rack2dc3
	switch {
	case at == introduced:
		return l.changes >= 2 || l.odd > 0 || l.hex && n >= 7
	case l.hex && n >= 7, at == inName:
		return l.changes >= 2
	case n >= 16:
		return l.changes >= 6 || l.odd >= 1 && odd >= 6 || l.odd >= 2 && odd >= 5 || dense
	case n >= 8:
		return l.changes >= 4 && wordless || l.changes >= 2 && l.odd >= 1 && odd >= 3 || dense && odd >= 2
	case n >= 6:
		return l.changes >= 4 || l.changes >= 3 && l.odd > 0
	}
	return l.changes >= 4
}

// isNumeral: a number in another notation than the decimal one.
func isNumeral(word string) bool {
	const binary, octal = "01", "01234567"
	switch rest := word[2:]; {
	case word[0] != '0':
	case word[1]|0x20 == 'x':
		return run(rest, isHex) == len(rest)
	case word[1]|0x20 == 'b' && strings.Trim(rest, binary) == "", word[1]|0x20 == 'o' && strings.Trim(rest, octal) == "":
		return true
	}
	n := digits(word)
	return n > 0 && n+1 < len(word) && word[n]|0x20 == 'e' && n+1+digits(word[n+1:]) == len(word)
}

// identifier is a word that was made up for one run.
func identifier(text string, prev byte) (int, string) {
	n := run(text, isPlain)
	if !endsPlain(text, n) {
		return 0, ""
	}
	at := anywhere
	if prev == '-' || prev == '_' || n < len(text) && (text[n] == '-' || text[n] == '_') {
		at = inName
	}
	if !isDrawn(text[:n], at) {
		return 0, ""
	}
	return n, "<id>"
}

// endsPlain tells whether a word of letters and figures ends after so many bytes.
func endsPlain(text string, size int) bool {
	return size >= len(text) || !isWord(text[size]) || text[size] == '_'
}

// leastToken is how long a word of the signs of base64 is at least, so that it can
// be told from names that are joined; most is how much of it is looked at.
const (
	leastToken = 16
	mostToken  = 4 << 10
)

// token is a long word in one of the alphabets of base64, or of identifiers with
// dashes: V1StGXR8_Z5jdHi6B-myT.
func token(text string) (int, string) {
	n := run(text[:min(len(text), mostToken)], inToken)
	if n > 0 && text[n-1] == '/' && !strings.HasPrefix(text[n:], "=") {
		n--
	}
	if n < leastToken || !ends(text, n) {
		return 0, ""
	}
	l := looksOf(text[:n])
	if !l.lower || !l.upper || !l.figures || l.pieces*10 < n*3 || l.odd*8 < n {
		return 0, ""
	}
	return n + run(text[n:min(len(text), n+2)], func(c byte) bool { return c == '=' }), "<id>"
}

func inToken(c byte) bool {
	return isPlain(c) || c == '-' || c == '_' || c == '/' || c == '+'
}

// socket is the name of a socket without a file, "@e7f7f", and what stands behind
// the @ where objects are printed by their class: "Object@1b6d3586".
func socket(text, before string) (int, string) {
	n := run(text[1:min(len(text), 18)], isHex)
	least, most := 4, 16
	if isWord(last(before)) {
		least, most = 6, 8
	}
	end := 1 + n
	if n < least || n > most || !ends(text, end) || end < len(text) && (text[end] == '-' || text[end] == '/') ||
		end+1 < len(text) && text[end] == '.' && isWord(text[end+1]) {
		return 0, ""
	}
	return end, "@<id>"
}

// naming are words after which an identifier stands.
func naming(word string) bool {
	switch strings.ToLower(word) {
	case "id", "ids", "uid", "guid", "uuid", "ulid", "session", "token", "trace", "span", "request", "commit", "revision", "nonce", "etag",
		"container", "pod", "txn", "transaction", "correlation", "cursor", "ticket":
		return true
	}
	return strings.HasSuffix(word, "ID") || strings.HasSuffix(word, "Id") || strings.HasSuffix(word, "_id")
}
