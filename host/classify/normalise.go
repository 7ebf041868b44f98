package classify

import (
	"strings"
	"unicode/utf8"
)

// longestMessage is how much of a message counts. A longer one is known by its
// beginning.
const longestMessage = 16 << 10

// Normalise replaces what differs from run to run in a message by placeholders, so
// that the same failure has the same message again. Plain numbers stay: they are
// what was compared, and other values are another failure. It takes linear time,
// and only looks at the first 16 KiB. docs/history.md lists the rules.
func Normalise(message string) string {
	n := normaliser{text: clip(message)}
	return n.whole()
}

func (n *normaliser) whole() string {
	n.out.Grow(len(n.text))
	for n.at < len(n.text) {
		n.step()
	}
	return strings.TrimRight(n.out.String(), " ")
}

// clip cuts a message to what counts, between two characters.
func clip(message string) string {
	if len(message) <= longestMessage {
		return strings.ToValidUTF8(message, "\uFFFD")
	}
	end := longestMessage
	for end > longestMessage-utf8.UTFMax && !utf8.RuneStart(message[end]) {
		end--
	}
	return strings.ToValidUTF8(message[:end], "\uFFFD")
}

// normaliser goes through a text once.
type normaliser struct {
	text string
	at   int
	out  strings.Builder
	// prev is the character of the text before at.
	prev byte
	// begun: something of the line was written.
	begun bool
	// values: numbers are values drawn at random.
	values bool
}

// rule recognises something at the beginning of a text that begins a word: how
// many bytes it is, 0 if it is not there, and what stands for it. prev is the
// character before. A rule must not look at more than it takes and a bounded
// number of bytes.
type rule func(text string, prev byte) (length int, placeholder string)

// rules are tried in this order.
func rules() [8]rule {
	return [...]rule{temporary, address, uuid, timestamp, clock, duration, hash, bigNumber}
}

// step takes a blank, a word or a sign.
func (n *normaliser) step() {
	c, rest := n.text[n.at], n.text[n.at:]
	switch {
	case c == 0x1b:
		n.skip(escape(rest))
		return
	case c <= ' ' || c == 0x7f:
		n.blank()
		n.begun = n.begun && c != '\n'
		n.prev = ' '
		n.at++
		return
	case !n.begun && gutter(rest) > 0:
		n.at += gutter(rest)
		return
	case c == '/' || c == ':' || c == '+':
		if size, stand := sign(rest, n.text[:n.at]); size > 0 {
			n.replace(size, stand)
			return
		}
	case isWord(c) && !isWord(n.prev):
		for _, r := range rules() {
			if size, stand := r(rest, n.prev); size > 0 {
				n.replace(size, stand)
				return
			}
		}
		n.word(rest)
		return
	}
	n.out.WriteByte(c)
	n.prev, n.begun = c, true
	n.at++
}

// word copies a word, and what it announces.
func (n *normaliser) word(rest string) {
	size := wordLength(rest)
	n.begun = true
	if n.values && digits(rest) == size {
		n.replace(size, "<n>")
		return
	}
	n.out.WriteString(rest[:size])
	n.prev = rest[size-1]
	n.at += size
	if between, length := announced(rest[:size], rest[size:]); length > 0 {
		n.out.WriteString(rest[size : size+between])
		n.at += between
		n.replace(length, "<n>")
		return
	}
	if length := counterexample(rest[:size], rest[size:]); length > 0 {
		n.out.WriteString(":")
		n.at++
		n.replace(length, " <values>")
	}
}

func (n *normaliser) replace(size int, stand string) {
	n.out.WriteString(stand)
	n.begun = true
	n.prev = n.text[n.at+size-1]
	n.at += size
}

func (n *normaliser) skip(size int) { n.at += size }

// blank writes one space for any number of blanks, none at the beginning.
func (n *normaliser) blank() {
	if n.out.Len() > 0 && n.prev != ' ' {
		n.out.WriteByte(' ')
	}
}

// isWord: letters, digits, the underscore, and every character beyond ASCII.
func isWord(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// run counts the bytes at the beginning that are of a kind.
func run(text string, is func(byte) bool) int {
	for i := range len(text) {
		if !is(text[i]) {
			return i
		}
	}
	return len(text)
}

func wordLength(text string) int { return run(text, isWord) }

func digits(text string) int { return run(text, isDigit) }

// ends tells whether no word goes on after so many bytes.
func ends(text string, size int) bool { return size >= len(text) || !isWord(text[size]) }

// escape is the length of a terminal's escape sequence.
func escape(text string) int {
	if len(text) < 2 || text[1] != '[' {
		return 1
	}
	size := 2 + run(text[2:], func(c byte) bool { return c >= 0x20 && c < 0x40 })
	if size < len(text) && text[size] >= 0x40 && text[size] < 0x7f {
		size++
	}
	return size
}
