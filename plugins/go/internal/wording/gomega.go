package wording

import (
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

// gomegaValue matches the beginning of a value as gomega prints it, with its type, and
// for a pointer with its address, which is noise.
var gomegaValue = lazyregexp.New(`^ {4}<([^|>]*[^|> ])(?: \| 0x[0-9a-f]+)?((?: \| [^>]*)?)>: ?`)

// gomegaStart returns the line on which gomega's own words begin, after the test's, or
// -1.
func gomegaStart(text []string) int {
	for i := 0; i+1 < len(text); i++ {
		if (text[i] == "Expected" || text[i] == "Unexpected error:" || text[i] == "Expected error:") && gomegaValue.MatchString(text[i+1]) {
			return i
		}
	}
	return -1
}

// readGomega reads a sentence that is spread over lines, with the values between its
// words:
//
//	Expected
//	    <int>: 1
//	to equal
//	    <int>: 2
func readGomega(text []string, at int) (message string, diff sdk.Diff) {
	lines := make([]string, 0, len(text)-at)
	for _, l := range text[at:] {
		lines = append(lines, gomegaValue.ReplaceAllString(l, "    <$1$2>: "))
	}
	var parts []string // words and values alternate
	isValue := func(l string) bool { return strings.HasPrefix(l, "    ") }
	long := false
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && isValue(lines[end]) == isValue(lines[i]) {
			end++
		}
		part := Tidy(Dedent(lines[i:end]))
		if isValue(lines[i]) && strings.Contains(part, "\n") {
			long = true
		}
		if part != "" {
			parts = append(parts, part)
		}
		i = end
	}
	if len(parts) > 3 && parts[0] == "Expected" && gomegaEqual.MatchString(parts[2]) {
		diff.Got, diff.Want = parts[1], parts[3]
	}
	message = strings.Join(parts, " ")
	if long || len(message) > maxHeadline || strings.Contains(message, "\n") {
		message = Tidy(lines)
	}
	if own := strings.TrimRight(Tidy(text[:at]), ":."); own != "" {
		separator := ": "
		if strings.Contains(message, "\n") {
			separator = ":\n"
		}
		message = own + separator + message
	}
	return message, diff
}

// gomegaEqual matches words that the wanted value follows.
var gomegaEqual = lazyregexp.New(`^to (equal|be identical to|be equivalent to|match (JSON|XML|YAML) of)$`)

// maxHeadline is the longest sentence that is put on one line.
const maxHeadline = 200
