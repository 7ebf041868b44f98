package classify

import "strings"

// Lengths that tell what is random from what is a value.
const (
	// smallHex: up to so many digits after 0x are a code or an offset. Exactly
	// selectorHex are an identifier that names a kind of error.
	smallHex    = 5
	selectorHex = 8
	// hashLength is how long a hexadecimal word with letters and figures is at least
	// so that it cannot be anything but a hash.
	hashLength = 12
	// hugeNumber: a decimal number of so many digits is beyond 96 bits: nobody
	// wrote it by hand.
	hugeNumber = 30
)

// pointer is an address of memory.
func pointer(text string) (int, string) {
	const least, most = 9, 16
	if n := prefixed(text); n >= least && n <= most {
		return 2 + n, "<hex>"
	}
	return 0, ""
}

// bytes are a hash or other data with 0x.
func bytes(text string, _ byte) (int, string) {
	if n := prefixed(text); n > smallHex && n != selectorHex {
		return 2 + n, "<hex>"
	}
	return 0, ""
}

// prefixed is how many hexadecimal digits stand behind a 0x.
func prefixed(text string) int {
	if len(text) < 2 || text[0] != '0' || text[1]|0x20 != 'x' {
		return 0
	}
	n := run(text[2:], isHex)
	if !ends(text, 2+n) {
		return 0
	}
	return n
}

// uuid is 8-4-4-4-12 hexadecimal digits.
func uuid(text string, _ byte) (int, string) {
	const shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(text) < len(shape) || text[8] != '-' || !shaped(text, shape, 'x', isHex) || !endsPlain(text, len(shape)) {
		return 0, ""
	}
	return len(shape), "<uuid>"
}

// shaped reports whether a text begins with a shape, in which a letter stands for a
// kind of character.
func shaped(text, shape string, letter byte, is func(byte) bool) bool {
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

// bigNumber is a number that was drawn at random.
func bigNumber(text string, _ byte) (int, string) {
	n := digits(text)
	if n < hugeNumber || !ends(text, n) {
		return 0, ""
	}
	return n, "<n>"
}

// announcing tells after which words a number names a thing of this run only, and
// how many figures it has at least there; 0 is no such word.
func announcing(word string) int {
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
	if naming(word) {
		return longID
	}
	return 0
}

// longID: a number of so many figures that is called an identifier was given by no
// counter.
const longID = 15

// announced is what a word before it announces: "goroutine 17", "pid=4",
// "seed: 12", "session 3f9a1c". between is what stands between the two.
func announced(word, rest string) (between, length int, stand string) {
	const longest = 24
	if len(word) > longest || rest == "" || isWord(rest[0]) {
		return 0, 0, ""
	}
	between = run(rest[:min(len(rest), 3)], func(c byte) bool { return strings.IndexByte(" =:#\"'", c) >= 0 })
	if between == 0 || between == len(rest) || !isPlain(rest[between]) {
		return 0, 0, ""
	}
	value := rest[between:]
	if isDigit(value[0]) {
		if n, least := digits(value), announcing(word); least > 0 && n >= least && ends(value, n) {
			return between, n, "<n>"
		}
	}
	if !naming(word) {
		return 0, 0, ""
	}
	// What stands for itself has one stand, whatever the odds of its letters are.
	if n, _ := uuid(value, 0); n > 0 {
		return 0, 0, ""
	}
	if n, _ := bytes(value, 0); n > 0 {
		return 0, 0, ""
	}
	if n, _ := duration(value, 0); n > 0 {
		return 0, 0, ""
	}
	n := run(value, isPlain)
	if !endsPlain(value, n) {
		return 0, 0, ""
	}
	if isDrawn(value[:n], introduced) || strings.IndexByte(rest[:between], '=') >= 0 && isAssigned(value[:n]) {
		return between, n, "<id>"
	}
	return 0, 0, ""
}

// counterexample is the rest of the line after "counterexample:": the values that
// a search drew at random.
func counterexample(word, rest string) int {
	if !strings.EqualFold(word, "counterexample") || !strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, ": <values>") {
		return 0
	}
	return run(rest[1:], func(c byte) bool { return c != '\n' })
}

// sign is something that begins with a sign: a temporary path, a port, the line
// of a path, an offset in a function, the name of a socket or an object.
func sign(text, before string) (int, string) {
	switch text[0] {
	case '/':
		return temporary(text, last(before))
	case ':':
		return position(text, before)
	case '+':
		if n, _ := offset(text); n > 0 {
			return n, "+<hex>"
		}
	case '@':
		return socket(text, before)
	case '#':
		return numberSign(text)
	}
	return 0, ""
}

func last(text string) byte {
	if text == "" {
		return 0
	}
	return text[len(text)-1]
}

// offset is "+0x1d" behind a place in a program.
func offset(text string) (int, string) {
	if !strings.HasPrefix(text, "+0x") {
		return 0, ""
	}
	n := run(text[3:], isHex)
	if n == 0 || !ends(text, 3+n) {
		return 0, ""
	}
	return 3 + n, "+<hex>"
}
