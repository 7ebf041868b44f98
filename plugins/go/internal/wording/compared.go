package wording

import (
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

// readMessage parses a free-form message and finds what it compares.
func readMessage(text []string) (message string, diff sdk.Diff) {
	text = withoutPlace(text)
	head, printed, tail := splitDiff(text)
	if len(printed) == 0 {
		var rest []string
		diff.Got, diff.Want, rest = findGotWant(text)
		if message = Tidy(withoutFrames(rest)); message == "" {
			message = Tidy(text)
		}
		return message, diff
	}
	diff.Text = snapshotSides.ReplaceAllString(Tidy(Dedent(printed)), "(-$1 +$2)\n")
	announced := len(head) // the line that announces the diff is part of no value before it
	if announced > 0 && strings.HasPrefix(strings.ToLower(head[announced-1]), "diff:") {
		announced--
	}
	var rest []string
	diff.Got, diff.Want, rest = findGotWant(head[:announced])
	head = slices.Concat(rest, head[announced:])
	message = strings.TrimSuffix(Tidy(withoutFrames(head)), "\nDiff:")
	notes := Tidy(withoutFrames(tail))
	switch {
	case message == "" && notes == "":
		message = "values differ:"
	case message == "":
		message = "values differ"
	}
	if notes != "" {
		message += chooseSeparator(message, notes) + notes
	}
	return message, diff
}

// snapshotSides matches the header of a diff against a snapshot, which names both sides
// and counts their lines.
var snapshotSides = lazyregexp.New(`^- (Snapshot) - \d+\n\+ (Received) \+ \d+\n`)

// ownPlace matches the place that a library puts before its message; package testing
// has printed it already.
var ownPlace = lazyregexp.New(`^\S+\.go:\d+(?:: |$)`)

func withoutPlace(text []string) []string {
	if len(text) < 2 || strings.TrimSpace(text[0]) != "" || !ownPlace.MatchString(text[1]) {
		return text
	}
	kept := []string{ownPlace.ReplaceAllString(text[1], "")}
	for _, l := range text[2:] {
		if !strings.HasPrefix(l, "↪ PostScript") { // the test's own words follow
			kept = append(kept, strings.TrimPrefix(l, "\t"))
		}
	}
	return kept
}

// splitDiff finds a diff in a message, as assertion libraries print it, and what
// precedes and follows it.
func splitDiff(text []string) (head, printed, tail []string) {
	at, end := diffStart(text), len(text)
	if at < 0 {
		if at = bareDiff(text); at < 0 {
			return text, nil, nil
		}
	} else {
		end = at + diffLength(text[at:])
	}
	head, printed = text[:at], text[at:end]
	if at > 0 && strings.HasPrefix(text[at-1], "↪ ") {
		head = text[:at-1]
	}
	if before, opening, found := cutOpening(head); found {
		head, printed = before, append([]string{opening}, printed...)
	}
	return head, printed, text[end:]
}

// diffStart returns the index of the first line of an announced diff, or -1.
func diffStart(text []string) int {
	for i, l := range text[:max(0, len(text)-1)] {
		low := strings.ToLower(strings.TrimSpace(l))
		switch {
		case strings.HasPrefix(low, "--- ") && strings.HasPrefix(strings.TrimSpace(text[i+1]), "+++ "):
			return i
		case strings.HasPrefix(l, "- Snapshot") && strings.HasPrefix(text[i+1], "+ Received"):
			return i
		case strings.HasSuffix(low, "diff:"), strings.HasPrefix(low, "↪ assertion | diff"), signLegend.MatchString(low):
			if strings.HasPrefix(strings.TrimSpace(text[i+1]), "--- ") && i+2 < len(text) {
				continue // a second line of the announcement
			}
			if label, value := parseLabel(text[i+1]); label != neither && value == "" && i+2 < len(text) {
				continue // the announcement of values, which may be diffs themselves
			}
			return i + 1
		}
	}
	return -1
}

// diffLength returns how many lines a diff has. It ends where other text begins after
// an empty line.
func diffLength(text []string) int {
	for i, l := range text {
		if i > 0 && l != "" && !isDiffLine(l) && strings.TrimSpace(text[i-1]) == "" || strings.HasPrefix(l, "↪ ") {
			return i
		}
	}
	return len(text)
}

// bareDiff returns where an unannounced diff at the end of the text begins, or -1.
// Lists have signs, too, but not both of them, and a heading may be underlined with one.
func bareDiff(text []string) int {
	at, added, removed := len(text), false, false
	for at > 0 && (text[at-1] == "" || isDiffLine(text[at-1]) && !isUnderline(text[:at])) {
		at--
		added = added || strings.HasPrefix(text[at], "+")
		removed = removed || strings.HasPrefix(text[at], "-")
	}
	for at < len(text) && strings.TrimSpace(text[at]) == "" {
		at++
	}
	if !added || !removed {
		return -1
	}
	return at
}

// isUnderline reports whether the last line underlines the one before it.
func isUnderline(text []string) bool {
	last := len(text) - 1
	return last > 0 && len(text[last]) > 4 && strings.Trim(text[last], "-") == "" && text[last-1] != "" && !isDiffLine(text[last-1])
}

// isDiffLine reports whether a line can be part of a diff.
func isDiffLine(l string) bool {
	return strings.ContainsAny(l[:1], " \t+-@\\})]") || strings.HasPrefix(l, "\u00a0")
}

// cutOpening removes the beginning of a value from the last line of a message if the
// rest of the value is in the diff that follows.
func cutOpening(head []string) (before []string, opening string, found bool) {
	if len(head) == 0 {
		return nil, "", false
	}
	last := strings.ReplaceAll(head[len(head)-1], "\u00a0", " ")
	i := strings.LastIndex(last, "  ")
	if i < 0 || !strings.HasSuffix(last, "{") && !strings.HasSuffix(last, "(") {
		return nil, "", false
	}
	return append(head[:len(head)-1:len(head)-1], strings.TrimRight(last[:i], " ")), last[i:], true
}

var (
	// signLegend matches how users of go-cmp explain the signs.
	signLegend = lazyregexp.New(`\((-\s*[a-z]+,?\s*\+\s*[a-z]+|\+\s*[a-z]+,?\s*-\s*[a-z]+)\)|^\s*[-+](want|got|expected|actual),?\s*[-+](want|got|expected|actual)\s*:?$`)
	// inline are the usual orders of both values on one line, the surest first. What begins a
	// value is a word alone, or one with a sign, that is no part of a name or a URL.
	inline = []struct {
		shape     *lazyregexp.Regexp
		got, want int
		has       []string // at least one of which a line must have
	}{
		{lazyregexp.New(wordStart + wanted + `(.+?)(?:[,;]\s+(?:but )?(?:got|actual|have|received|found)(?: was| instead)?|[,;]?\s+but (?:got|was|received|found)|\s+got)(?:\s*[:=]\s*|\s+)(.+)$`), 2, 1, givenOrFound},
		{lazyregexp.New(wordStart + wanted + `(.+?)\.\s+(?:but )?` + given + `(.+?)\.?$`), 2, 1, givenWords},
		{lazyregexp.New(wordStart + given + `(.+?)` + thenWanted), 1, 2, givenWords},
		{lazyregexp.New(`(?i)^(?:.*[^!<>])?=\s+(.+?)` + thenWanted), 1, 2, equals},
		{lazyregexp.New(wordStart + given + `(.+?)\s+(?:but )?` + wanted + `(.+)$`), 1, 2, givenWords},
		{lazyregexp.New(`(?i)^(?:.*[^!<>])?=\s+(.+?)\s+want\s+(.+)$`), 1, 2, equals},
		{lazyregexp.New(`(?i)^.*\s(?:was|were|is|are|returned|found|received)\s+(.+?)[,;]\s+` + wanted + `(.+)$`), 1, 2, verbs},
		{lazyregexp.New(`(?i)^(?:.*[\s(,;:])?[^\s?&]*[\w)\]]=((?:[^=()]|\(.*\))+?)[,;]\s+` + wanted + `((?:[^=,({\["]|[({\["].*)+)$`), 1, 2, equals}, // not the last of several, nor of a query
	}
	givenWords   = []string{"got", "actual", "have"}
	givenOrFound = []string{"got", "actual", "have", "received", "found", "was"}
	equals       = []string{"="}
	verbs        = []string{"was", "were", "is", "are", "returned", "found", "received"}
	// unwanted matches where a value is said not to be the wanted one.
	unwanted = lazyregexp.New(`(?i)(?:\bnot|n't|\bnever) (?:want|expect)`)
)

const (
	wordStart  = `(?i)(?:^|[\s(,;:])`
	given      = `(?:got|actual|have)(?:\s*[:=]\s*|\s+)`
	wanted     = `(?:want(?:ed)?|expect(?:ed)?)(?:\s*[:=]\s*|\s+)`
	thenWanted = `(?:[,;.]\s+(?:but )?` + wanted + `|:\s+want(?:ed)?\s+|\s+\((?:want(?:ed)?|expected)(?:\s*[:=]\s*|\s+)|\s+(?:want(?:ed)?|expected)\s*[:=]\s*)(.+)$`
)

// maxInline bounds the lines that are searched for compared values.
const maxInline = 4 << 10

// findGotWant finds the compared values, on labeled lines or else within one line. rest is
// the text without the labeled lines.
func findGotWant(text []string) (got, want string, rest []string) {
	if !slices.ContainsFunc(text, mayWant) {
		return "", "", text
	}
	if got, want, rest = readLabeled(text, parseLabel); got != "" {
		return got, want, rest
	}
	if isPair(text) {
		got, want, rest = readLabeled(text, parseWord)
	}
	if split, after := splitLabels(text); got == "" && isPair(split) {
		got, want, rest = readLabeled(split, parseLabel)
		rest = append(rest, after...)
	}
	if got = strings.TrimSuffix(got, ","); got != "" {
		if Tidy(rest) == "" {
			rest = []string{"values differ:"} // the labels cannot be told from a sentence later
		}
		return got, want, rest
	}
	for _, l := range text {
		if got, want, ok := parseInline(l); ok {
			return got, want, text
		}
	}
	return "", "", text
}

// mayWant reports whether a line may have a word for a wanted value. The expressions are slow, and
// most lines have none.
func mayWant(l string) bool {
	low := strings.ToLower(l)
	return strings.Contains(low, "want") || strings.Contains(low, "exp")
}

// labelParser returns which value a line announces, and what of it stands beside that.
type labelParser func(l string) (label side, rest string)

// readLabeled reads the values on labeled lines.
func readLabeled(text []string, parse labelParser) (got, want string, rest []string) {
	values := map[side][]string{}
	current, whole := neither, false
	ragged := false // a value continues at the start of a line
	for i, l := range text {
		label, value := parse(l)
		switch {
		case label != neither:
			if got, want, ok := parseInline(l); ok {
				return got, want, text
			}
			// A value below its label may continue at any indentation; one beside its
			// label only further in, or up to the other label.
			current, whole = label, value == ""
			if value != "" {
				values[current] = append(values[current], value)
			}
		case current != neither && (whole || ragged || strings.HasPrefix(l, " ") || strings.HasPrefix(l, "\t")):
			values[current] = append(values[current], l)
		case current != neither && len(values) == 1 && labelFollows(text[i:], parse):
			ragged = true
			values[current] = append(values[current], l)
		default:
			current = neither
			rest = append(rest, l)
		}
	}
	// An empty value can only be told from none where its label stands.
	if got, want = Tidy(Dedent(values[isGot])), Tidy(Dedent(values[isWant])); got != "" && want != "" {
		return got, want, rest
	}
	return "", "", nil
}

var (
	// labelAtEnd matches a line that announces the value below it by its last words, or is
	// marked for that: "Parse() returned wrong errors; got errors:", "-- got --".
	labelAtEnd = lazyregexp.New(`(?i)^(|.*?[\s,;:.(<*=-])(got|actual|have|want(?:ed)?|expect(?:ed)?)(?:((?: [a-z][\w.]*){1,3})\s*:|\s*[-=*>:]*)$`)
	// beforeLabel matches what joins such a label to what precedes it.
	beforeLabel = lazyregexp.New(`(?i)(?:^|[\s,;(<*=-]+)(?:but|but instead|instead)?[\s,;(<*=-]*$`)
	// diffMarker matches a line that ends the values above it.
	diffMarker = lazyregexp.New(`(?i)^(?:[-=<*]+ ?diff\b|diff:$)`)
)

// splitLabels puts each label that ends a line on a line of its own, as parseLabel reads it.
// after is what follows the values, and what the words of a label demand of them: want prefix.
func splitLabels(text []string) (split, after []string) {
	of := "" // the words of the other label
	for i, l := range text {
		m := labelAtEnd.FindStringSubmatch(strings.TrimSpace(l))
		before := ""
		if m != nil {
			before = beforeLabel.ReplaceAllString(m[1], "")
		}
		switch {
		case m != nil && !phrase.MatchString(before): // else: not what was expected
			if before != "" {
				split = append(split, before)
			}
			split = append(split, m[2]+":")
			if words := m[3]; words != "" && words == of {
				after = nil
			} else if of = words; words != "" {
				after = append(after, m[2]+words+":")
			}
		case diffMarker.MatchString(l):
			return split, append(after, text[i:]...)
		default:
			split = append(split, l)
		}
	}
	return split, after
}

// labelFollows reports whether a later line begins the other value.
func labelFollows(text []string, parse labelParser) bool {
	return slices.ContainsFunc(text, func(l string) bool {
		label, _ := parse(l)
		return label != neither
	})
}

// side is the compared value that a label announces.
type side uint8

const (
	neither side = iota
	isGot
	isWant
)

// labels are the words that announce a value.
var labels = []struct {
	word string
	side side
}{{"got", isGot}, {"actual", isGot}, {"have", isGot}, {"wanted", isWant}, {"want", isWant}, {"expected", isWant}, {"expect", isWant}, {"exp", isWant}}

// parseLabel parses a label at the start of a line: "  Got : 5".
func parseLabel(l string) (label side, rest string) {
	l = strings.TrimLeft(l, " \t")
	for _, known := range labels {
		if len(l) <= len(known.word) || !strings.EqualFold(l[:len(known.word)], known.word) {
			continue
		}
		rest = strings.TrimLeft(l[len(known.word):], " \t")
		if strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==") {
			return known.side, strings.TrimPrefix(rest[1:], " ")
		}
	}
	return neither, ""
}

// parseWord is as parseLabel, but needs no colon. One at the end belongs to a sentence.
func parseWord(l string) (label side, rest string) {
	if label, rest = parseLabel(l); label != neither || strings.HasSuffix(l, ":") {
		return label, rest
	}
	word, rest, _ := strings.Cut(strings.TrimLeft(l, " \t"), " ")
	for _, known := range labels {
		if strings.EqualFold(word, known.word) {
			return known.side, strings.TrimLeft(rest, " ")
		}
	}
	return neither, ""
}

// isPair reports whether each value is announced by one line.
func isPair(text []string) bool {
	var lines [isWant + 1]int
	for _, l := range text {
		label, _ := parseWord(l)
		lines[label]++
	}
	return lines[isGot] == 1 && lines[isWant] == 1
}

// parseInline finds both values on one line.
func parseInline(l string) (got, want string, ok bool) {
	if len(l) > maxInline {
		return "", "", false
	}
	if !mayWant(l) || unwanted.MatchString(l) {
		return "", "", false
	}
	if got, want, ok = readOrders(l); ok {
		return got, want, true
	}
	m := another.FindStringSubmatch(l) // the first label may be part of a sentence
	if m == nil {
		return "", "", false
	}
	_, after, _ := strings.Cut(l, m[0])
	return readOrders(m[0] + after)
}

// readOrders finds both values in a usual order.
func readOrders(l string) (got, want string, ok bool) {
	low := strings.ToLower(l)
	for _, order := range inline {
		if !slices.ContainsFunc(order.has, func(word string) bool { return strings.Contains(low, word) }) {
			continue
		}
		m := order.shape.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		got, want = withoutClosing(strings.TrimSuffix(strings.TrimSpace(m[order.got]), " instead")), withoutClosing(strings.TrimSuffix(strings.TrimSpace(m[order.want]), ","))
		if got != "" && want != "" && !isPart(got) && !isPart(want) && !isDemand(want) {
			return got, want, true
		}
	}
	return "", "", false
}

// isPart reports whether what stands where a value is expected is only a part of one, or a
// sentence: what looked like a label was within a quoted text, a remark or a comparison.
func isPart(value string) bool {
	if quoted, err := strconv.QuotedPrefix(value); err == nil && quoted == value {
		return false
	}
	switch {
	case value == "not", value == "it", value[0] == '=', isProse(value), phrase.MatchString(value), another.MatchString(value):
		return true
	case strings.Count(value, `"`)%2 == 1, strings.Count(value, "`")%2 == 1, value[0] == '\'' && strings.Count(value, "'")%2 == 1:
		return true
	}
	for _, pair := range []string{"[]", "{}"} {
		if len(value) > 1 && strings.Count(value, pair[:1]) != strings.Count(value, pair[1:]) {
			return true
		}
	}
	return closing(value, '[', ']') >= 0 || closing(value, '{', '}') >= 0 || closing(value, '(', ')') >= 0 && strings.ContainsAny(value, " :")
}

// phrase matches words that begin or end a part of a sentence, as in: got the expected value.
var phrase = lazyregexp.New(`^(?:[a-z]+ed )?(?:with|by|for|from) |^[-+][,:]?$|(?:^| )(?:the|this|we|you|they|when|than|to|with|which|what|does|did|its|as|for|vs|and|or|not|of|from|found in|contain|wrap|missing|was|is)$`)

// another matches what begins another pair of values, as in: expected data. got 1, want 2.
var another = lazyregexp.New(`(?i)[,;.:]\s+(?:but )?` + given + `|[,;.]\s+(?:but )?` + wanted)

// closing returns where a value has a bracket that closes one before it, or -1.
func closing(value string, opens, closes rune) int {
	depth := 0
	for i, r := range value {
		switch r {
		case opens:
			depth++
		case closes:
			if depth--; depth < 0 && len(value) > 1 {
				return i
			}
		}
	}
	return -1
}

// withoutClosing removes the parenthesis at the end that closes a remark around the label.
func withoutClosing(value string) string {
	if i := closing(value, '(', ')'); i >= 0 && i == len(value)-1 {
		return value[:i]
	}
	return value
}

// demand matches what a sentence demands of the value that it begins with, or its end.
var demand = lazyregexp.New(` to [a-z]|\.$`)

// isDemand reports whether what stands where the wanted value is expected is such a sentence, as
// in: expected the server to respond, but got EOF.
func isDemand(want string) bool {
	_, err := strconv.QuotedPrefix(want)
	return err != nil && demand.MatchString(want)
}

// isProse reports whether a text that stands where a value is expected is a sentence about
// one, as in: expected "GET" to redirect to "/a", got "/b".
func isProse(text string) bool {
	if strings.HasPrefix(text, "to ") || strings.HasPrefix(text, "that ") {
		return true
	}
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return false
	}
	rest, spaced := strings.CutPrefix(text[len(quoted):], " ")
	return spaced && rest != "" && (rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z')
}

// framePlace matches the second line of a call in a stack.
var framePlace = lazyregexp.New(`^\t\S.*\.(?:go|s):\d+$`)

// withoutFrames removes calls from the stacks that an error prints, such as those of
// github.com/pkg/errors: the calls of Go's own testing and runtime, and what an earlier stack
// has, since each error that wraps another prints its own. Stacks that are compared are whole:
//
//	root cause
//	example.com/m.load
//		/m/load.go:12
//	testing.tRunner
//		/usr/local/go/src/testing/testing.go:2036
func withoutFrames(text []string) []string {
	var kept []string
	told := map[string]bool{}
	for i := 0; i < len(text); i++ {
		if i+1 == len(text) || !strings.HasPrefix(text[i+1], "\t") || strings.ContainsAny(text[i], " \t") || !framePlace.MatchString(text[i+1]) {
			kept = append(kept, text[i])
			continue
		}
		call := text[i] + text[i+1]
		if !told[call] && !strings.HasPrefix(text[i], "testing.") && !strings.HasPrefix(text[i], "runtime.") {
			kept = append(kept, text[i], text[i+1])
		}
		told[call] = true
		i++
	}
	return kept
}
