package api

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxHeadline bounds a headline in bytes; maxHead bounds the part of it that is the
	// message's first line.
	maxHeadline = 200
	maxHead     = 110
	// maxValue is the longest value that can be taken in at a glance.
	maxValue = 60
	// maxScanned is how much of a text is examined, in bytes.
	maxScanned = 16 << 10
)

// Headline summarizes a failure in one line: the first line of its message and, unless
// that already says so, what differs.
func (f Failure) Headline() string { return Headline(f.Message, f.Diff) }

// Headline summarizes a message and a comparison.
func Headline(message string, d sdk.Diff) string {
	if bare, found := CutTexts(message, d); found {
		message = bare
	}
	if d.Text == "" {
		d = firstDifference(d)
	}
	head, rest, _ := strings.Cut(strings.TrimLeft(message, " \t\r\n"), "\n")
	head, rest = strings.ReplaceAll(strings.TrimSpace(head), "\t", " "), rest[:min(len(rest), maxScanned)]
	if d.IsZero() {
		return completeSentence(head, strings.Split(rest, "\n"))
	}
	if label, value, found := strings.Cut(head, ":"); found && label != "" && (value == " "+d.Got || value == " "+d.Want) {
		head, rest = "", head+"\n"+rest // the message is only the values
	}
	if d.Got+d.Want != "" && ContainsWord(head, d.Got) && ContainsWord(head, d.Want) {
		return head
	}
	what := changedLines(d)
	if what == "" || IsObvious(d) {
		what = namedValues(d, strings.Split(rest, "\n"))
	}
	if what == "" || head == "" {
		return head + what
	}
	return truncate(truncate(strings.TrimRight(head, ":. "), maxHead)+": "+what, maxHeadline)
}

// CutTexts removes the two compared values from a message that prints them as texts of
// several lines, each below or after a label; found reports whether it does.
func CutTexts(message string, d sdk.Diff) (bare string, found bool) {
	if !strings.Contains(d.Got, "\n") && !strings.Contains(d.Want, "\n") || d.Got == "" || d.Want == "" {
		return message, false
	}
	lines := strings.Split(message, "\n")
	for _, value := range []string{d.Got, d.Want} {
		from, to := findText(lines, strings.Split(strings.TrimRight(value, "\n"), "\n"))
		if from < 0 {
			return message, false
		}
		lines = append(lines[:from:from], lines[to:]...)
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n"), true
}

// findText returns the range of lines that hold a text with its label, and what is blank
// between them; -1 if none do.
func findText(lines, text []string) (from, to int) {
	isBlank := func(line string) bool { return strings.TrimSpace(line) == "" }
	for len(text) > 1 && isBlank(text[0]) {
		text = text[1:]
	}
	begin := func(lines, text []string) bool {
		return len(lines) >= len(text) && slices.EqualFunc(lines[:len(text)], text, func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) })
	}
	for i, line := range lines {
		label, first, found := strings.Cut(line, ":")
		if !found || isBlank(label) {
			continue
		}
		if !isBlank(first) {
			if begin([]string{first}, text[:1]) && begin(lines[i+1:], text[1:]) {
				return i, i + len(text)
			}
			continue
		}
		below := i + 1
		for below < len(lines) && isBlank(lines[below]) && !isBlank(text[0]) {
			below++
		}
		if begin(lines[below:], text) {
			return i, below + len(text)
		}
	}
	return -1, -1
}

// firstDifference returns the first pair of lines in which two texts differ.
func firstDifference(d sdk.Diff) sdk.Diff {
	got, want := strings.Split(d.Got, "\n"), strings.Split(d.Want, "\n")
	for i := range min(len(got), len(want)) {
		if strings.TrimSpace(got[i]) != "" && strings.TrimSpace(want[i]) != "" && got[i] != want[i] {
			return sdk.Diff{Got: got[i], Want: want[i]}
		}
	}
	return d
}

// completeSentence appends to a first line the lines that complete its sentence.
func completeSentence(head string, rest []string) string {
	fragment := head != "" && !strings.ContainsAny(head, " :.") // not a sentence
	open, blank := fragment || strings.HasSuffix(head, ":"), false
	for _, l := range rest {
		text := oneSpace(l)
		switch {
		case strings.Trim(text, "-=~ ") == "":
			blank = blank || text == ""
			open = open || text != "" // it is underlined
			continue
		case !open && !(blank && strings.HasSuffix(text, ":")), len(head) > maxHeadline:
			return truncate(head, max(maxHeadline, len(head)))
		case !open:
			head, open = head+": "+text, true
		case fragment, strings.ContainsAny(head[len(head)-1:], ":{[(,"), strings.ContainsAny(text[:1], "}])"):
			head += " " + text
		default:
			head += ", " + text
		}
	}
	return head
}

// IsObvious reports whether the two values of d alone show what differs: both are short,
// and neither is a structure or an address.
func IsObvious(d sdk.Diff) bool {
	return d.Got != d.Want && isShortValue(d.Got) && isShortValue(d.Want)
}

func isShortValue(value string) bool {
	return value != "" && len(value) <= maxValue && !strings.ContainsAny(value, "\n{") && !HasAddress(value)
}

// HasAddress reports whether a text contains a memory address, which says nothing to a
// reader.
func HasAddress(text string) bool { return address.MatchString(text) }

var address = lazyregexp.New(`\(0x[0-9a-f]{6,}\)|\| 0x[0-9a-f]{6,}>|\b0x[cC]0[0-9a-f]{8}\b`)

// namedValues formats the two values with the labels that the message gives them. rest are
// the message's lines after the first.
func namedValues(d sdk.Diff, rest []string) string {
	type side struct{ label, value string }
	var told []side
	var notes []string
	got, want := d.Got, d.Want
	for _, l := range rest {
		label, value, found := strings.Cut(l, ":")
		switch value = strings.TrimSpace(value); {
		case found && value != "" && value == got:
			told, got = append(told, side{oneSpace(label) + ": ", value}), ""
		case found && value != "" && value == want:
			told, want = append(told, side{oneSpace(label) + ": ", value}), ""
		case oneSpace(l) != "":
			notes = append(notes, oneSpace(l))
		}
	}
	for _, s := range []side{{"got ", got}, {"want ", want}} {
		if s.value != "" {
			told = append(told, s)
		}
	}
	if len(told) == 2 {
		told[0].value, told[1].value = CutCommonPrefix(inOneLine(told[0].value, told[1].value))
	} else if len(told) == 1 {
		told[0].value = oneSpace(told[0].value)
	}
	var parts []string
	for _, s := range told {
		parts = append(parts, s.label+truncate(s.value, maxValue))
	}
	for _, note := range notes {
		if !(d.Got != "" && strings.Contains(note, d.Got)) && !(d.Want != "" && strings.Contains(note, d.Want)) {
			parts = append(parts, note)
		}
	}
	return strings.Join(parts, ", ")
}

// changedLines returns the first differing line of each side.
func changedLines(d sdk.Diff) string {
	lines := strings.Split(strings.ReplaceAll(d.Text[:min(len(d.Text), maxScanned)], "\u00a0", " "), "\n")
	legend := ""
	var removed, added string
	ended, more := false, false
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if i+1 < len(lines) && strings.HasPrefix(l, "--- ") && strings.HasPrefix(lines[i+1], "+++ ") {
			legend = formatLegend(l[4:], lines[i+1][4:])
			i++
			continue
		}
		if m := signs.FindString(l); m != "" && legend == "" {
			legend = m + " "
			continue
		}
		sign := byte(' ')
		if l != "" {
			sign = l[0]
		}
		text := strings.TrimSuffix(strings.TrimRight(l[min(1, len(l)):], " \t"), ",")
		switch {
		case sign == '-' && removed == "" && !ended:
			removed = "- " + text
		case sign == '+' && added == "" && !ended:
			added = "+ " + text
		case sign == '-' || sign == '+':
			more = true
		default:
			ended = removed+added != ""
		}
	}
	if removed+added == "" {
		return ""
	}
	if removed != "" && added != "" {
		was, is := inOneLine(removed[2:], added[2:])
		removed, added = CutCommonPrefix("- "+was, "+ "+is)
	} else {
		removed, added = oneSpace(removed), oneSpace(added)
	}
	what := truncate(removed, maxValue)
	if removed != "" && added != "" {
		what += ", "
	}
	what += truncate(added, maxValue)
	if more {
		what += ", …"
	}
	return legend + what
}

// signs matches the legend of a diff, which explains its signs.
var signs = lazyregexp.New(`\([-+]\s*\w+,?\s*[-+]\s*\w+\)`)

// formatLegend returns a legend for the names of the two sides, if they are words.
func formatLegend(removed, added string) string {
	isWord := func(s string) bool {
		return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	}
	removed, added = strings.ToLower(strings.TrimSpace(removed)), strings.ToLower(strings.TrimSpace(added))
	if !isWord(removed) || !isWord(added) {
		return ""
	}
	return "(-" + removed + " +" + added + ") "
}

// CutCommonPrefix shortens the common beginning of two long texts to its last
// characters, but keeps their signs.
func CutCommonPrefix(a, b string) (string, string) {
	if len(a) <= maxValue && len(b) <= maxValue {
		return a, b
	}
	const kept = 16
	from := 0
	if a != "" && b != "" && a[0] != b[0] && strings.HasPrefix(a, "- ") && strings.HasPrefix(b, "+ ") {
		from = 2
	}
	same := from
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	cut := same - kept
	for cut > from && !utf8.RuneStart(a[cut]) {
		cut--
	}
	if cut <= from+kept {
		return a, b
	}
	return a[:from] + "…" + a[cut:], b[:from] + "…" + b[cut:]
}

// truncate cuts a text to a number of bytes, with an ellipsis.
func truncate(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return prose.Head(text, most-len("…")) + "…"
}

// inOneLine returns two values in a line each. What differs only in blanks is quoted.
func inOneLine(a, b string) (string, string) {
	if flat := oneSpace(a); flat != oneSpace(b) || a == b {
		return flat, oneSpace(b)
	}
	return strconv.Quote(a), strconv.Quote(b)
}

func oneSpace(text string) string { return strings.Join(strings.Fields(text), " ") }

// ContainsWord reports whether a text contains a value as a word of its own: "line 12"
// does not contain "1". Any text that is not blank contains the empty value.
func ContainsWord(text, value string) bool {
	for from := 0; value != ""; {
		at := strings.Index(text[from:], value)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:from+at])
		after, _ := utf8.DecodeRuneInString(text[from+at+len(value):])
		if !isWord(before) && !isWord(after) {
			return true
		}
		from += at + 1
	}
	return strings.TrimSpace(text) != ""
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
