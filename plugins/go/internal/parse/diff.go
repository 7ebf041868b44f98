package parse

import (
	"regexp"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// readMessage reads a message in free form and finds what it compares.
func readMessage(text []string) (message string, diff sdk.Diff) {
	if at := diffStart(text); at >= 0 {
		diff.Text = tidy(dedent(text[at:]))
		message = tidy(text[:at])
		if message == "" {
			message = strings.TrimSpace(text[0])
		}
		return strings.TrimSuffix(message, "\nDiff:"), diff
	}
	var rest []string
	diff.Got, diff.Want, rest = gotWant(text)
	if message = tidy(rest); message == "" {
		message = tidy(text)
	}
	return message, diff
}

// diffStart is the index of the first line of a diff; -1 without one.
func diffStart(text []string) int {
	for i, l := range text {
		if i+1 >= len(text) {
			return -1
		}
		low := strings.ToLower(strings.TrimSpace(l))
		switch {
		case strings.HasSuffix(low, "diff:"), strings.HasPrefix(low, "--- ") && strings.HasPrefix(strings.TrimSpace(text[i+1]), "+++ "):
			if strings.HasPrefix(low, "--- ") {
				return i
			}
			return i + 1
		case signLegend.MatchString(low):
			return i + 1
		}
	}
	return -1
}

var (
	// signLegend is how users of go-cmp say what the signs mean.
	signLegend = regexp.MustCompile(`\((-\s*[a-z]+,?\s*\+\s*[a-z]+|\+\s*[a-z]+,?\s*-\s*[a-z]+)\)`)
	// inlineGotWant and inlineWantGot are the two usual orders in one line.
	inlineGotWant = regexp.MustCompile(`(?i)(?:\bgot:?|\bactual:?|=)\s+(.+?)[,;]\s+(?:but )?(?:want|wanted|expected)(?:ed)?:?\s+(.+)$`)
	inlineWantGot = regexp.MustCompile(`(?i)\b(?:want|wanted|expected):?\s+(.+?)[,;]\s+(?:but )?(?:got|actual)(?: was)?:?\s+(.+)$`)
)

// maxInline bounds the lines that are looked at for compared values.
const maxInline = 4 << 10

// gotWant finds the compared values: as labelled lines, else within one line.
// rest is the text without the labelled lines.
func gotWant(text []string) (got, want string, rest []string) {
	values := map[side][]string{}
	current, whole := neither, false
	for _, l := range text {
		label, value := marked(l)
		switch {
		case label != neither:
			if got, want, ok := inline(l); ok {
				return got, want, text
			}
			// A value below its label may go on at any indentation, one beside it
			// only further in.
			current, whole = label, value == ""
			if value != "" {
				values[current] = append(values[current], value)
			}
		case current != neither && (whole || strings.HasPrefix(l, " ") || strings.HasPrefix(l, "\t")):
			values[current] = append(values[current], l)
		default:
			current = neither
			rest = append(rest, l)
		}
	}
	if len(values[isGot]) > 0 && len(values[isWant]) > 0 {
		return tidy(dedent(values[isGot])), tidy(dedent(values[isWant])), rest
	}
	for _, l := range text {
		if got, want, ok := inline(l); ok {
			return got, want, text
		}
	}
	return "", "", text
}

// side is which of the two compared values a label announces.
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
}{{"got", isGot}, {"actual", isGot}, {"wanted", isWant}, {"want", isWant}, {"expected", isWant}, {"expect", isWant}}

// marked reads a label at the start of a line: "  Got : 5".
func marked(l string) (label side, rest string) {
	l = strings.TrimLeft(l, " \t")
	for _, known := range labels {
		if len(l) <= len(known.word) || !strings.EqualFold(l[:len(known.word)], known.word) {
			continue
		}
		if rest, found := strings.CutPrefix(strings.TrimLeft(l[len(known.word):], " \t"), ":"); found {
			return known.side, strings.TrimPrefix(rest, " ")
		}
	}
	return neither, ""
}

// inline finds both values in one line. Most lines have neither word, and the
// expressions are slow.
func inline(l string) (got, want string, ok bool) {
	if len(l) > maxInline {
		return "", "", false
	}
	low := strings.ToLower(l)
	if !strings.Contains(low, "want") && !strings.Contains(low, "expected") {
		return "", "", false
	}
	if m := inlineWantGot.FindStringSubmatch(l); m != nil {
		return strings.TrimSpace(m[2]), strings.TrimSpace(m[1]), true
	}
	if m := inlineGotWant.FindStringSubmatch(l); m != nil {
		return strings.TrimSpace(m[1]), strings.TrimSpace(m[2]), true
	}
	return "", "", false
}
