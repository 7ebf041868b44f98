package classify

import (
	"strings"
	"unicode/utf8"
)

// longestMessage is how much of a message counts. A longer one is identified by its
// beginning.
const longestMessage = 16 << 10

// normalize replaces what varies from run to run in a message by placeholders, so that
// the same failure gives the same message. Plain numbers and most compared values stay,
// since other values mean another failure. It takes linear time and reads only the first
// 16 KiB. docs/history.md lists the rules.
func normalize(message string) string {
	n := normalizer{text: clip(message)}
	return n.whole()
}

func (n *normalizer) whole() string {
	n.out.Grow(len(n.text))
	for n.at < len(n.text) {
		n.consumeNext()
	}
	return strings.TrimRight(n.out.String(), " ")
}

// clip cuts a message to the part that counts, between two characters.
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

// normalizer makes one pass over a text.
type normalizer struct {
	text string
	at   int
	out  strings.Builder
	// prev is the character before at.
	prev byte
	// begun reports whether part of the line was written.
	begun bool
	// values reports whether numbers are random values.
	values bool
	// compared reports whether the next value is a compared one; line, whether the whole
	// line is.
	compared, line bool
}

// consumeNext consumes a blank, a word or a sign.
func (n *normalizer) consumeNext() {
	c, rest := n.text[n.at], n.text[n.at:]
	switch {
	case c == 0x1b:
		n.skipBytes(matchEscape(rest))
		return
	case c <= ' ' || c == 0x7f:
		n.writeBlank()
		if c == '\n' {
			n.begun, n.line = false, false
		}
		n.prev = ' '
		n.at++
		return
	case strings.HasPrefix(rest, noBreak):
		// Some programs print one of two blanks at random.
		n.writeBlank()
		n.prev = ' '
		n.at += len(noBreak)
		return
	case !n.begun && matchGutter(rest) > 0:
		n.at += matchGutter(rest)
		return
	case c == '/' || c == ':' || c == '+' || c == '@' || c == '#':
		if size, stand := matchSign(rest, n.text[:n.at]); size > 0 && (!n.isPoint() || strings.HasPrefix(stand, "<tmp>")) {
			n.replace(size, stand)
			return
		}
	case isWord(c) && !isWord(n.prev):
		n.consumeWord(rest)
		return
	}
	n.copySign(c, rest)
}

const noBreak = "\u00a0"

// copySign copies a sign.
func (n *normalizer) copySign(c byte, rest string) {
	switch {
	case !n.begun && (c == '-' || c == '+') && len(rest) > 1 && (rest[1] == ' ' || rest[1] == '\t' || strings.HasPrefix(rest[1:], noBreak)):
		n.line = true // of a diff
	case c == '=' && (n.prev == '=' || n.prev == '!'):
		n.compared = true
	case n.compared && strings.IndexByte(stillCompared, c) < 0:
		n.compared = false
	}
	n.out.WriteByte(c)
	n.prev, n.begun = c, true
	n.at++
}

// stillCompared are characters that may stand between "want" and the value, or within
// it.
const stillCompared = ":=\"'`([{<>&*!~-._/+@#"

// isPoint reports whether what comes next is a compared value that is not random.
func (n *normalizer) isPoint() bool { return (n.compared || n.line) && !n.values }

// consumeWord consumes a word, and what it announces.
func (n *normalizer) consumeWord(rest string) {
	size, figures, cut := n.measureWord(rest)
	n.begun = true
	if length, stand, value := n.recognize(rest, size, figures); length > 0 {
		if !value || !n.isPoint() && (n.values || !isOperand(rest[length:])) {
			n.replace(length, stand)
			return
		}
		size, cut, figures = length, false, false
	}
	if n.values && figures && matchDigits(rest) == size {
		n.replace(size, "<n>")
		return
	}
	word, point, end := rest[:size], n.isPoint(), n.at+size
	if cut && !point {
		n.copySegments(rest, size, figures)
	} else {
		n.copy(rest, size)
	}
	if point || n.at != end {
		return
	}
	if between, length, stand := matchAnnounced(word, rest[size:]); length > 0 {
		n.out.WriteString(rest[size : size+between])
		n.at += between
		n.replace(length, stand)
		return
	}
	if length := matchCounterexample(word, rest[size:]); length > 0 {
		n.out.WriteString(":")
		n.at++
		n.replace(length, " <values>")
	}
}

// measureWord returns the length of a word, and whether it contains digits and underscores.
func (n *normalizer) measureWord(rest string) (size int, figures, cut bool) {
	for size < len(rest) && isWord(rest[size]) {
		figures = figures || isDigit(rest[size])
		cut = cut || rest[size] == '_'
		size++
	}
	return size, figures, cut
}

// copy writes text unchanged. A compared value continues up to the next blank.
func (n *normalizer) copy(rest string, size int) {
	word := rest[:size]
	goesOn := size+1 < len(rest) && (strings.IndexByte("-._/+@#", rest[size]) >= 0 && isWord(rest[size+1]) || rest[size] == ':' && isDigit(rest[size+1]))
	n.compared = isComparing(word) || n.compared && (goesOn || n.prev == '<')
	n.out.WriteString(word)
	n.prev = rest[size-1]
	n.at += size
}

// copySegments copies a name of words joined by underscores, replacing those made up for
// one run.
func (n *normalizer) copySegments(rest string, size int, figures bool) {
	for at := 0; at < size; {
		if part := rest[at:]; at > 0 && rest[at-1] == '_' {
			length, stand := matchUUID(part, '_')
			if length == 0 && figures {
				length, stand = matchIdentifier(part, '_')
			}
			if length > 0 {
				n.replace(length, stand)
				at += length
				continue
			}
		}
		end := strings.IndexByte(rest[at:size], '_') + 1
		if end == 0 {
			end = size - at
		}
		n.copy(rest[at:], end)
		at += end
	}
}

// isComparing reports whether the compared value follows such a word.
func isComparing(word string) bool {
	if len(word) < 2 || len(word) > 8 {
		return false
	}
	switch strings.ToLower(word) {
	case "got", "want", "wanted", "expect", "expects", "expected", "actual", "actually", "have", "received", "equal", "equals", "be", "was", "were", "not":
		return true
	}
	return false
}

// isOperand reports whether what came before is compared with what comes now.
func isOperand(rest string) bool {
	rest = rest[matchRun(rest[:min(len(rest), 4)], func(c byte) bool { return strings.IndexByte(" \"'`)", c) >= 0 }):]
	return strings.HasPrefix(rest, "!=") || strings.HasPrefix(rest, "==")
}

// recognize finds something that differs from run to run at the start of a word. It
// returns its length, 0 if there is none, and its placeholder. value reports whether it
// stays if it was compared, as a correct program prints the same one each time. No rule
// looks further than it consumes plus a bounded number of bytes.
func (n *normalizer) recognize(rest string, size int, figures bool) (length int, stand string, value bool) {
	if isDigit(rest[0]) {
		if length, stand = matchPointer(rest); length > 0 {
			return length, stand, false
		}
		for _, r := range [...]rule{matchBytes, matchTimestamp, matchCalendar, matchClock, matchDuration} {
			if length, stand = r(rest, n.prev); length > 0 {
				return length, stand, true
			}
		}
	} else {
		if size == 1 {
			length, stand = matchTemporary(rest, n.prev)
			return length, stand, false
		}
		if length, stand = matchCalendar(rest, n.prev); length > 0 {
			return length, stand, true
		}
		if length, stand = logLine(rest, size); length > 0 {
			return length, stand, true
		}
	}
	if length, stand = matchUUID(rest, n.prev); length > 0 {
		return length, stand, false
	}
	if !inToken(n.prev) && (size >= leastToken || size < len(rest) && inToken(rest[size])) {
		if length, stand = matchToken(rest); length > 0 {
			return length, stand, true
		}
	}
	if length, stand = matchPod(rest, n.prev); length > 0 {
		return length, stand, true
	}
	if figures {
		if length, stand = matchNumbered(rest, size, n.prev); length > 0 {
			return length, stand, false
		}
	}
	if figures || size >= leastLetters {
		if length, stand = matchIdentifier(rest, n.prev); length > 0 {
			return length, stand, true
		}
	}
	if figures {
		if length, stand = bigNumber(rest, n.prev); length > 0 {
			return length, stand, true
		}
	}
	return 0, "", false
}

// rule recognizes something at the start of a text that begins a word. prev is the
// character before.
type rule func(text string, prev byte) (length int, stand string)

func (n *normalizer) replace(size int, stand string) {
	n.out.WriteString(stand)
	n.begun, n.compared = true, false
	n.prev = n.text[n.at+size-1]
	n.at += size
}

func (n *normalizer) skipBytes(size int) { n.at += size }

// writeBlank writes one space for any number of blanks, and none at the beginning.
func (n *normalizer) writeBlank() {
	if n.out.Len() > 0 && n.prev != ' ' {
		n.out.WriteByte(' ')
	}
}

// isWord reports whether c is a letter, digit, underscore or beyond ASCII.
func isWord(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// matchRun counts the leading bytes of a kind.
func matchRun(text string, is func(byte) bool) int {
	for i := range len(text) {
		if !is(text[i]) {
			return i
		}
	}
	return len(text)
}

func wordLength(text string) int { return matchRun(text, isWord) }

func matchDigits(text string) int { return matchRun(text, isDigit) }

// endsWord reports whether no word continues after size bytes.
func endsWord(text string, size int) bool { return size >= len(text) || !isWord(text[size]) }

// matchEscape returns the length of a terminal escape sequence.
func matchEscape(text string) int {
	if len(text) < 2 || text[1] != '[' {
		return 1
	}
	size := 2 + matchRun(text[2:], func(c byte) bool { return c >= 0x20 && c < 0x40 })
	if size < len(text) && text[size] >= 0x40 && text[size] < 0x7f {
		size++
	}
	return size
}
