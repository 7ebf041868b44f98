package ledger

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/outstanding"
)

// RootOf returns the listed test of an entry.
func RootOf(e outstanding.Entry) string {
	if e.Root != "" {
		return e.Root
	}
	return e.Test.Test
}

// HasWord reports whether a line contains a word.
func HasWord(line, word string) bool {
	for at := 0; ; {
		i := strings.Index(line[at:], word)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(line[:at])
		after, _ := utf8.DecodeRuneInString(line[at+len(word):])
		if !isOfName(before) && !isOfName(after) {
			return true
		}
		at += len(word)
	}
}

// PlainTestName returns a test's name without the parameters that some languages
// append.
func PlainTestName(test string) string {
	if end := strings.IndexFunc(test, func(r rune) bool { return !isOfName(r) }); end >= 0 {
		return test[:end]
	}
	return test
}

func isOfName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
