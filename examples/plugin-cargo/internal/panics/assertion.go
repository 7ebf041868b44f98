package panics

import (
	"regexp"
	"strings"
)

// Assertion is what an assertion printed besides its message.
type Assertion struct {
	// Failed reports whether the panic is that of an assertion.
	Failed     bool
	Got, Want  string
	Difference string
}

var (
	sides = regexp.MustCompile(`(?s)^assertion .*?\n +left: (.*)\n +right: (.*)$`)
	// In pretty_assertions the difference follows the first line.
	pretty = regexp.MustCompile(`(?s)^assertion .*?\n\n?(Diff < left / right > :\n.*)$`)
	// should_panic(expected = "..."), after the panic or instead of one.
	expected = regexp.MustCompile(`(?m)^note: panic did not contain expected string\n +panic message: (.*)\n +expected substring: (.*)$`)
	noPanic  = regexp.MustCompile(`(?m)^note: test did not panic as expected(?: at (.+?):(\d{1,9}):(\d{1,9}))?$`)
	returned = regexp.MustCompile(`(?m)^Error: (.*)$`)
)

// ReadAssertion reads the message of a panic.
func ReadAssertion(message string) Assertion {
	a := Assertion{Failed: strings.HasPrefix(message, "assertion ")}
	if m := pretty.FindStringSubmatch(message); m != nil {
		a.Difference = strings.TrimRight(m[1], "\n ")
	} else if m := sides.FindStringSubmatch(message); m != nil {
		a.Got, a.Want = unquoteSide(m[1]), unquoteSide(m[2])
	}
	return a
}

// unquoteSide removes the quotation marks of Rust before 1.73.
func unquoteSide(side string) string {
	side = strings.TrimSuffix(side, ",")
	if len(side) >= 2 && side[0] == '`' && side[len(side)-1] == '`' {
		return side[1 : len(side)-1]
	}
	return side
}

// ReadExpected returns the message with which a should_panic test panicked and the one it
// expected, if they differ.
func ReadExpected(text string) (got, want string, ok bool) {
	if m := lastMatch(expected, text); m != nil {
		return m[1], m[2], true
	}
	return "", "", false
}

// ReadNoPanic reports whether a should_panic test did not panic, and where that test is, if
// libtest says so.
func ReadNoPanic(text string) (Place, bool) {
	m := lastMatch(noPanic, text)
	if m == nil || m[1] == "" {
		return Place{}, m != nil
	}
	return parsePlace(m[1:]), true
}

// ReadReturned returns the error that a test returned.
func ReadReturned(text string) (string, bool) {
	if m := lastMatch(returned, text); m != nil {
		return m[1], true
	}
	return "", false
}

// lastMatch returns the last match: libtest adds its notes after what a test printed.
func lastMatch(re *regexp.Regexp, text string) []string {
	all := re.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}
