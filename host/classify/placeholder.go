package classify

import "strings"

// Lengths that separate random data from values.
const (
	// smallHex is the most digits after 0x in a code or an offset. selectorHex is the
	// number of digits in a selector, which identifies a kind of error.
	smallHex    = 5
	selectorHex = 8
	// hashLength is the minimum length of a hexadecimal word with letters and digits
	// that can only be a hash.
	hashLength = 12
	// hugeNumber is the length of decimal numbers beyond 96 bits, which nobody types.
	hugeNumber = 30
)

// matchPointer recognizes a memory address.
func matchPointer(text string) (int, string) {
	const least, most = 9, 16
	if n := countHexDigits(text); n >= least && n <= most {
		return 2 + n, "<hex>"
	}
	return 0, ""
}

// matchBytes recognizes a hash or other data with 0x.
func matchBytes(text string, _ byte) (int, string) {
	if n := countHexDigits(text); n > smallHex && n != selectorHex {
		return 2 + n, "<hex>"
	}
	return 0, ""
}

// countHexDigits returns the number of hexadecimal digits after 0x.
func countHexDigits(text string) int {
	if len(text) < 2 || text[0] != '0' || text[1]|0x20 != 'x' {
		return 0
	}
	n := matchRun(text[2:], isHex)
	if !endsWord(text, 2+n) {
		return 0
	}
	return n
}

// matchUUID recognizes 8-4-4-4-12 hexadecimal digits.
func matchUUID(text string, _ byte) (int, string) {
	const shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(text) < len(shape) || text[8] != '-' || !hasShape(text, shape, 'x', isHex) || !endsPlain(text, len(shape)) {
		return 0, ""
	}
	return len(shape), "<uuid>"
}

// hasShape reports whether a text begins with a shape, in which letter stands for any
// character that is accepts.
func hasShape(text, shape string, letter byte, is func(byte) bool) bool {
	if len(text) < len(shape) {
		return false
	}
	for i := range len(shape) {
		if shape[i] == letter && !is(text[i]) || shape[i] != letter && text[i] != shape[i] {
			return false
		}
	}
	return true
}

// bigNumber recognizes a random number.
func bigNumber(text string, _ byte) (int, string) {
	n := matchDigits(text)
	if n < hugeNumber || !endsWord(text, n) {
		return 0, ""
	}
	return n, "<n>"
}

// leastDigitsAfter returns the minimum number of digits that a number after this word needs
// to identify something of this run only; 0 for other words.
func leastDigitsAfter(word string) int {
	word = strings.ToLower(word)
	switch word {
	case "goroutine", "pid", "ppid", "pgid", "tgid", "tid", "thread", "shuffle":
		return 1
	case "process":
		return 3
	case "port":
		return leastEphemeral
	case "ts", "timestamp", "epoch", "nonce", "wall", "ext", "unix":
		return 9
	}
	if strings.HasSuffix(word, "seed") {
		return 1
	}
	if isNaming(word) {
		return longID
	}
	return 0
}

// longID is the length of an identifying number that no counter reaches.
const longID = 15

// matchAnnounced recognizes what a preceding word announces: "goroutine 17", "pid=4", "seed:
// 12", "session 3f9a1c". between is the length of what separates the two.
func matchAnnounced(word, rest string) (between, length int, stand string) {
	const longest = 24
	if len(word) > longest || rest == "" || isWord(rest[0]) {
		return 0, 0, ""
	}
	between = matchRun(rest[:min(len(rest), 3)], func(c byte) bool { return strings.IndexByte(" =:#\"'", c) >= 0 })
	if between == 0 || between == len(rest) || !isPlain(rest[between]) {
		return 0, 0, ""
	}
	value := rest[between:]
	if isDigit(value[0]) {
		if n, least := matchDigits(value), leastDigitsAfter(word); least > 0 && n >= least && endsWord(value, n) {
			return between, n, "<n>"
		}
	}
	if !isNaming(word) {
		return 0, 0, ""
	}
	// A value that is recognizable by itself has a placeholder of its own.
	if n, _ := matchUUID(value, 0); n > 0 {
		return 0, 0, ""
	}
	if n, _ := matchBytes(value, 0); n > 0 {
		return 0, 0, ""
	}
	if n, _ := matchDuration(value, 0); n > 0 {
		return 0, 0, ""
	}
	n := matchRun(value, isPlain)
	if !endsPlain(value, n) {
		return 0, 0, ""
	}
	if isDrawn(value[:n], introduced) || strings.IndexByte(rest[:between], '=') >= 0 && isAssigned(value[:n]) {
		return between, n, "<id>"
	}
	return 0, 0, ""
}

// matchCounterexample recognizes the rest of the line after "counterexample:": random values
// found by a search.
func matchCounterexample(word, rest string) int {
	if !strings.EqualFold(word, "counterexample") || !strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, ": <values>") {
		return 0
	}
	return matchRun(rest[1:], func(c byte) bool { return c != '\n' })
}

// matchSign recognizes what begins with a sign: a temporary path, a port, the line of a
// path, an offset in a function, the name of a socket or an object.
func matchSign(text, before string) (int, string) {
	switch text[0] {
	case '/':
		return matchTemporary(text, lastByte(before))
	case ':':
		return matchPosition(text, before)
	case '+':
		if n, _ := matchOffset(text); n > 0 {
			return n, "+<hex>"
		}
	case '@':
		return matchSocket(text, before)
	case '#':
		return numberSign(text)
	}
	return 0, ""
}

func lastByte(text string) byte {
	if text == "" {
		return 0
	}
	return text[len(text)-1]
}

// matchOffset recognizes "+0x1d" after a place in a program.
func matchOffset(text string) (int, string) {
	if !strings.HasPrefix(text, "+0x") {
		return 0, ""
	}
	n := matchRun(text[3:], isHex)
	if n == 0 || !endsWord(text, 3+n) {
		return 0, ""
	}
	return 3 + n, "+<hex>"
}
