package classify

import "strings"

// Lengths that tell what is random from what is a value.
const (
	// smallHex: up to so many digits after 0x are a code or an offset. Exactly
	// selectorHex are an identifier that names a kind of error.
	smallHex    = 5
	selectorHex = 8
	// hashLength is the least number of digits of a hash without 0x. It has to have
	// letters and figures.
	hashLength = 12
	// hugeNumber: a decimal number of so many digits is beyond 96 bits: nobody
	// wrote it by hand.
	hugeNumber = 30
)

// address is an address or a hash with 0x.
func address(text string, _ byte) (int, string) {
	if !strings.HasPrefix(text, "0x") && !strings.HasPrefix(text, "0X") {
		return 0, ""
	}
	n := run(text[2:], isHex)
	if n <= smallHex || n == selectorHex || !ends(text, 2+n) {
		return 0, ""
	}
	return 2 + n, "<hex>"
}

// uuid is 8-4-4-4-12 hexadecimal digits.
func uuid(text string, _ byte) (int, string) {
	const shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if !shaped(text, shape, 'x', isHex) || !ends(text, len(shape)) {
		return 0, ""
	}
	return len(shape), "<uuid>"
}

// shaped tells whether a text begins with a shape, in which a letter stands for a
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

// hash is a long hexadecimal word without 0x.
func hash(text string, _ byte) (int, string) {
	n := run(text, isHex)
	if n < hashLength || !ends(text, n) {
		return 0, ""
	}
	word := text[:n]
	figures := strings.ContainsAny(word, "0123456789")
	lower, upper := strings.ContainsAny(word, "abcdef"), strings.ContainsAny(word, "ABCDEF")
	if !figures || lower == upper {
		return 0, ""
	}
	return n, "<hex>"
}

// bigNumber is a number that was drawn at random.
func bigNumber(text string, _ byte) (int, string) {
	n := digits(text)
	if n < hugeNumber || !ends(text, n) {
		return 0, ""
	}
	return n, "<n>"
}

// announcing are words after which a number names a thing of this run only.
func announcing(word string) bool {
	word = strings.ToLower(word)
	switch word {
	case "goroutine", "pid", "tid", "thread", "port", "shuffle":
		return true
	}
	return strings.HasSuffix(word, "seed")
}

// announced is a number that a word before it announces: "goroutine 17", "pid=4",
// "seed: 12". between is what stands between the two.
func announced(word, rest string) (between, length int) {
	const longest = 24
	if len(word) > longest || !announcing(word) {
		return 0, 0
	}
	between = run(rest[:min(len(rest), 3)], func(c byte) bool { return strings.IndexByte(" =:#\"'", c) >= 0 })
	length = digits(rest[between:])
	if between == 0 || length == 0 || !ends(rest, between+length) {
		return 0, 0
	}
	return between, length
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
// of a path, an offset in a function.
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
