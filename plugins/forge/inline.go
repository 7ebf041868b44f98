package forge

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// inlinePrefix begins a setting within a documentation comment. Forge takes it
// anywhere in a line of one, and what follows up to the end of the line as TOML:
// `default.fuzz = {runs = 5}` and quoted keys count as well. With it a source
// could let itself read and write any file.
const inlinePrefix = "forge-config:"

// inlineSetting is a setting that a source may have: how thoroughly to test.
// Nothing of TOML but this plain form is taken.
var inlineSetting = regexp.MustCompile(`^[ \t]*default\.(fuzz\.runs|fuzz\.max_test_rejects|invariant\.runs|invariant\.depth|invariant\.fail_on_revert)[ \t]*=[ \t]*([0-9]{1,9}|true|false)[ \t]*$`)

// badConfiguration tells what is wrong with the settings in a source; empty is
// nothing. The prefix counts wherever it stands, in whatever comment, text or
// code: where forge sees a comment is not decided here.
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
			return fmt.Sprintf("it has the setting %q, and sources may only set default.fuzz.runs, default.fuzz.max_test_rejects, default.invariant.runs, default.invariant.depth and default.invariant.fail_on_revert: take it out", excerpt(inlinePrefix+value))
		}
	}
	// Letters that only look apart: should a version of forge read them as one
	// word, it is no way in.
	if strings.Count(squeezed(source), inlinePrefix) != found {
		return fmt.Sprintf("it has %q in pieces or in other letters: take it out", inlinePrefix)
	}
	return ""
}

// squeezed leaves out all that could be lost between the letters of a word.
func squeezed(source string) string {
	return strings.Map(func(r rune) rune {
		if r == '*' || r == '/' || unicode.IsSpace(r) || !unicode.IsGraphic(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, source)
}

// maxQuoted bounds what a message quotes.
const maxQuoted = 120

func excerpt(text string) string {
	if len(text) <= maxQuoted {
		return text
	}
	return strings.ToValidUTF8(text[:maxQuoted], "") + "…"
}
