package forge

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// inlinePrefix begins a setting within a documentation comment. Forge accepts it
// anywhere in a line of one, and the rest of the line as TOML, including `default.fuzz
// = {runs = 5}` and quoted keys. A source could use it to let itself read and write any
// file.
const inlinePrefix = "forge-config:"

// inlineSetting matches an allowed setting: how thoroughly to test. Only this plain
// form of TOML is accepted.
var inlineSetting = lazyregexp.New(`^[ \t]*default\.(fuzz\.runs|fuzz\.max_test_rejects|invariant\.runs|invariant\.depth|invariant\.fail_on_revert)[ \t]*=[ \t]*([0-9]{1,9}|true|false)[ \t]*$`)

// badConfiguration says what is wrong with the settings in a source; empty means
// nothing. The prefix counts anywhere, in any comment, text or code: this does not
// decide where forge sees a comment.
func badConfiguration(source string) string {
	found := 0
	for rest := source; ; found++ {
		at := strings.Index(rest, inlinePrefix)
		if at < 0 {
			break
		}
		rest = rest[at+len(inlinePrefix):]
		value, _, _ := strings.Cut(rest, "\n")
		value, _, _ = strings.Cut(strings.TrimSuffix(value, "\r"), "*/")
		if !inlineSetting.MatchString(value) {
			return fmt.Sprintf("it has the setting %q, and sources may only set default.fuzz.runs, default.fuzz.max_test_rejects, default.invariant.runs, default.invariant.depth and default.invariant.fail_on_revert: take it out", shorten(inlinePrefix+value))
		}
	}
	// The letters may only look separate: this covers a version of forge that reads them
	// as one word.
	if strings.Count(squeeze(source), inlinePrefix) != found {
		return fmt.Sprintf("it has %q in pieces or in other letters: take it out", inlinePrefix)
	}
	return ""
}

// squeeze removes everything that could be ignored between the letters of a word.
func squeeze(source string) string {
	return strings.Map(func(r rune) rune {
		if r == '*' || r == '/' || unicode.IsSpace(r) || !unicode.IsGraphic(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, source)
}

// maxQuoted bounds a quotation in a message.
const maxQuoted = 120

func shorten(text string) string {
	if len(text) <= maxQuoted {
		return text
	}
	return strings.ToValidUTF8(text[:maxQuoted], "") + "…"
}
