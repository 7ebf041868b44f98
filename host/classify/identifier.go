package classify

import "strings"

// strangeness says how much likelier each character follows another in a random word than
// in a chosen one, in half nats; "g" means equally likely. It was computed from the names
// and comments of Go's library and a hundred modules. Rows are first characters, columns
// second ones: the letters, then any digit.
const strangeness = "" +
	"lgeelifngnideenfmdedhjjhilodihjdiknegkcijeimgfidkmmemmdjhjdjjdgoeehjcimfgegjlniom" +
	"ehhfbgijdllghhfhmfehgijjinifieehghkhnlegdigicdejhhfiomejhhffjmboleiidhoefgfmllimk" +
	"gigjbihgemlghfehneeggjknmknbjhhcikkenkifidhnfgfhkjoilmhiefegfolomffcegngeenhohogn" +
	"ejjhcillgljjgjdhnjcidkhknolehghbhfjdmlhhfggmheggjimknneiidcikldokejjdinjgffikogno" +
	"cgihcjlkenkhgiednifggjkmjomejeddfekfnhiigfinjecghknknoghfekghmhnhffcgeodfffhgknno" +
	"difhcijhfoiejjdfodgegjlmionjjiikioliomdkijijhhialllommdjghchhkdoiighehofeeggjngon" +
	"fjfjchifeoihiiffjiebfjjngmneighcfkfdnlhhiegndfghjjkfmkgfgieghoeooeecjeoeedlnokolo" +
	"bkiibhjldoljikhjoiihlkmjnnjcifhehjgcllhhfegmdegijjloomfifgehjjfolihjhdmhgcjjjiiog" +
	"ghfhfhjjgnlgeehbmgddiihmjineiijakjifmljijgjoihhkijlggniiiiihllkokjjkljokikkjleooe"

// kinds is the number of character classes in strangeness.
const kinds = 27

// follows returns how strange it is for c to follow prev.
func follows(prev, c byte) int { return int(strangeness[kinds*kindOf(prev)+kindOf(c)]) - 'g' }

func kindOf(c byte) int {
	if isDigit(c) {
		return kinds - 1
	}
	return int(c | 0x20 - 'a')
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isPlain reports whether identifiers of one run consist of such characters. An
// underscore often joins one to a name.
func isPlain(c byte) bool { return isDigit(c) || isLetter(c) }

// looks is what distinguishes a random word from a chosen one.
type looks struct {
	letters, figures bool
	lower, upper     bool
	// hex reports whether it is hexadecimal in a single case.
	hex bool
	// changes counts the switches between letters and digits; pieces counts what one
	// reads at a time: "Get", "HTTP", "2".
	changes, pieces int
	// strange is how much likelier it is random than chosen, in half nats.
	strange int
}

func looksOf(word string) looks {
	l := looks{hex: true}
	var prev byte
	row := 0      // start of the current run of letters or digits
	small := true // each run of digits is one small digit
	for i := range len(word) {
		c := word[i]
		if i == 0 || isDigit(c) != isDigit(prev) || !isPlain(c) || !isPlain(prev) {
			l.strange -= weighChosen(word[row:i])
			row = i
		}
		if isPlain(c) && isPlain(prev) {
			l.strange += follows(prev, c)
		}
		switch {
		case !isPlain(c):
		case isDigit(c):
			l.figures, small = true, small && c <= '4' && !isDigit(prev)
			if !isDigit(prev) {
				l.pieces++
				l.changes++
			}
		default:
			l.addLetter(c, prev)
		}
		prev = c
	}
	l.strange -= weighChosen(word[row:])
	l.changes--
	switch {
	case l.changes == 1 && len(word)-row <= 2 && isDigit(prev):
		l.strange -= 6 // numbered: dhcp4, ttyUSB12
	case l.changes > 2 && small:
		l.strange -= 12 // numbered at each level: nvme0n1p2
	}
	l.hex = l.hex && l.lower != l.upper
	if l.hex {
		l.strange += len(word) * 3 / 2 // a smaller alphabet
	}
	return l
}

func (l *looks) addLetter(c, prev byte) {
	isUpper := c < 'a'
	l.letters, l.lower, l.upper = true, l.lower || !isUpper, l.upper || isUpper
	l.hex = l.hex && isHex(c)
	if !isLetter(prev) {
		l.pieces++
		l.changes++
		return
	}
	// A name continues in its case, or begins a piece with one capital.
	switch wasUpper := prev < 'a'; {
	case isUpper && !wasUpper:
		l.pieces++
		l.strange += 2
	case !isUpper && l.upper:
		l.strange--
	case isUpper && l.lower:
		l.strange++
	}
}

// weighChosen returns the evidence that someone chose a run of letters or digits: it is
// pronounceable, counts up, repeats a character, or is a typical size.
func weighChosen(row string) (against int) {
	switch row {
	case "0", "1", "2", "3":
		return 3
	case "8", "16", "32", "64", "128", "256", "384", "512", "1024", "2048", "4096", "8192":
		return 9
	}
	if len(row) < 3 {
		return 0
	}
	counts, spoken := 1, 0
	for i := 1; i < len(row); i++ {
		if isPlain(row[i]) && isPlain(row[i-1]) {
			spoken += follows(row[i-1], row[i])
		}
		if step := int(row[i]|0x20) - int(row[i-1]|0x20); step == 0 || step == 1 {
			counts++
		}
	}
	if counts == len(row) {
		against += 6
	}
	if isLetter(row[0]) && spoken < 0 {
		against += 3
	}
	return against
}

// setting is the context of a word in a text.
type setting int

const (
	// anywhere is the ordinary context.
	anywhere setting = iota
	// inName is part of a longer name.
	inName
	// introduced follows something that announces an identifier.
	introduced
)

// leastLetters is the minimum length of a word without digits that may count as random.
const leastLetters = 8

// isDrawn reports whether a word of letters and digits was generated for one run. It is
// false for words that someone may have chosen, versions, and numbers with an exponent.
func isDrawn(word string, at setting) bool {
	n := len(word)
	if n < 5 {
		return false
	}
	l := looksOf(word)
	switch {
	case !l.letters, !l.figures && (n < leastLetters || !l.lower):
		return false
	case !l.figures: // few words are this strange
		return l.strange >= [...]int{anywhere: 17, inName: 13, introduced: 8}[at]
	case l.hex && n >= hashLength, at == introduced && n >= 8 && l.changes >= 2:
		return true
	case word[0]|0x20 == 'v' && isDigit(word[1]) || isNumeral(word):
		return false
	}
	least := [...]int{anywhere: 4, inName: 1, introduced: -5}[at]
	switch {
	case n < 6:
		least += 7
	case n < 8 && at != introduced:
		least += 3
	case n >= 12:
		least -= 4
	case at == introduced && l.changes < 2:
		least += 7 // abc123
	}
	if l.hex && n >= 7 {
		least -= 4
	}
	if l.lower && l.upper && l.pieces*20 >= n*9 {
		least -= 8 // each pair of characters is readable
	}
	return l.strange >= least
}

// isNumeral reports whether a word is a number in a notation other than decimal.
func isNumeral(word string) bool {
	const binary, octal = "01", "01234567"
	switch rest := word[2:]; {
	case word[0] != '0':
	case word[1]|0x20 == 'x':
		return matchRun(rest, isHex) == len(rest)
	case word[1]|0x20 == 'b' && strings.Trim(rest, binary) == "", word[1]|0x20 == 'o' && strings.Trim(rest, octal) == "":
		return true
	}
	n := matchDigits(word)
	return n > 0 && n+1 < len(word) && word[n]|0x20 == 'e' && n+1+matchDigits(word[n+1:]) == len(word)
}

// matchIdentifier recognizes a word made up for one run.
func matchIdentifier(text string, prev byte) (int, string) {
	n := matchRun(text, isPlain)
	if !endsPlain(text, n) {
		return 0, ""
	}
	at := anywhere
	if prev == '-' || prev == '_' || n < len(text) && (text[n] == '-' || text[n] == '_') {
		at = inName
	}
	if isColor := prev == '#' && n == 6 && matchRun(text, isHex) == n; isColor || !isDrawn(text[:n], at) {
		return 0, ""
	}
	return n, "<id>"
}

// podLength is the length of the part that Kubernetes makes up for each pod.
const podLength = 5

// inPod reports whether Kubernetes uses the character in generated names, which avoid
// vowels and their lookalikes.
func inPod(c byte) bool { return strings.IndexByte("bcdfghjklmnpqrstvwxz2456789", c) >= 0 }

// matchPod recognizes what Kubernetes appends to the name of a pod's owner:
// "7d9f8b6c5-x2x9z", or "x2x9z" alone.
func matchPod(text string, prev byte) (int, string) {
	if prev != '-' {
		return 0, ""
	}
	n := matchRun(text[:min(len(text), 11)], isPlain)
	end := n + 1 + podLength
	set := n >= 8 && n <= 10 && (matchRun(text, inPod) >= n || n >= 9 && matchDigits(text) == n)
	if set && len(text) >= end && text[n] == '-' && strings.ToLower(text[n:end]) == text[n:end] && matchRun(text[n+1:], isPlain) == podLength && endsName(text, end) {
		return end, "<id>"
	}
	if n != podLength || matchRun(text, inPod) < n || !endsName(text, n) {
		return 0, ""
	}
	l := looksOf(text[:n])
	least := 12 // not dhcp4
	switch {
	case l.changes >= 2:
		least = 5
	case l.figures && !isDigit(text[n-1]), !l.figures:
		least = 10
	}
	if !l.letters || l.strange < least {
		return 0, ""
	}
	return n, "<id>"
}

// endsName reports whether a dashed name ends after size bytes.
func endsName(text string, size int) bool {
	return endsWord(text, size) && (size+1 >= len(text) || text[size] != '-' || !isWord(text[size+1]))
}

// numberSign recognizes what follows a # and is neither a number nor a color.
func numberSign(text string) (int, string) {
	n := matchRun(text[1:min(len(text), 18)], isHex)
	if n != 5 && n != 7 && (n < 9 || n > 16) || matchDigits(text[1:]) == n || !endsWord(text, 1+n) || strings.ToLower(text[1:1+n]) != text[1:1+n] {
		return 0, ""
	}
	return 1 + n, "#<id>"
}

// isAssigned reports whether what follows "id=" is an identifier, however short.
func isAssigned(value string) bool {
	const shortest, longest = 4, 7
	n := len(value)
	if matchDigits(value) == n {
		return n >= longest
	}
	return n >= shortest && matchRun(value, isHex) == n && looksOf(value).hex
}

// endsPlain reports whether a word of letters and digits ends after size bytes.
func endsPlain(text string, size int) bool {
	return size >= len(text) || !isWord(text[size]) || text[size] == '_'
}

// leastToken is the length from which a base64 word can be distinguished from joined
// names; mostToken bounds how much of it is examined.
const (
	leastToken = 16
	mostToken  = 4 << 10
)

// matchToken recognizes a long word in a base64 alphabet, or an identifier with dashes:
// V1StGXR8_Z5jdHi6B-myT.
func matchToken(text string) (int, string) {
	n := matchRun(text[:min(len(text), mostToken)], inToken)
	if n > 0 && text[n-1] == '/' && !strings.HasPrefix(text[n:], "=") {
		n--
	}
	if n < leastToken || !endsWord(text, n) {
		return 0, ""
	}
	l := looksOf(text[:n])
	if !l.lower || !l.upper || !l.figures || l.strange < 8 {
		return 0, ""
	}
	return n + matchRun(text[n:min(len(text), n+2)], func(c byte) bool { return c == '=' }), "<id>"
}

func inToken(c byte) bool {
	return isPlain(c) || c == '-' || c == '_' || c == '/' || c == '+'
}

// matchSocket recognizes the name of a socket without a file, "@e7f7f", and what follows the
// @ when objects are printed by class: "Object@1b6d3586".
func matchSocket(text, before string) (int, string) {
	n := matchRun(text[1:min(len(text), 18)], isHex)
	least, most := 4, 16
	if isWord(lastByte(before)) {
		least, most = 6, 8
	}
	end := 1 + n
	if n < least || n > most || !endsWord(text, end) || end < len(text) && (text[end] == '-' || text[end] == '/') ||
		end+1 < len(text) && text[end] == '.' && isWord(text[end+1]) {
		return 0, ""
	}
	return end, "@<id>"
}

// isNaming reports whether an identifier usually follows the word.
func isNaming(word string) bool {
	switch strings.ToLower(word) {
	case "id", "ids", "uid", "guid", "uuid", "ulid", "session", "token", "trace", "span", "request", "commit", "revision", "nonce", "etag",
		"container", "pod", "txn", "transaction", "correlation", "cursor", "ticket":
		return true
	}
	return strings.HasSuffix(word, "ID") || strings.HasSuffix(word, "Id") || strings.HasSuffix(word, "_id")
}
