package parse

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/wording"
	"github.com/proctorhq/proctor/sdk"
)

// check is a failed check, as package testing or a library printed it.
type check struct {
	kind    string // empty if it is of no special one
	message string
	diff    sdk.Diff
	// at is the place of the check, and from the one in the test's own code.
	at, from sdk.Location
	stack    []sdk.Frame
	// index is where it starts in the test's lines.
	index int
}

// setPlaces sets the places of a check to those of the calls that led to it, its own first.
func (c *check) setPlaces(calls []sdk.Location) {
	if n := len(calls); n > 0 {
		c.at, c.from = calls[0], calls[n-1]
	}
}

// examinePrinted finds the failed checks of libraries that run their own tests within
// one test, and of those that print.
func (x *examiner) examinePrinted(s *suite, f *finding) {
	text := plainTexts(f.lines)
	failed, ginkgo := isGinkgo(text)
	var checks []check
	switch {
	case ginkgo:
		checks = readGinkgo(x.tree, s, text, failed)
	case isGocheck(text):
		checks = readGocheck(x.tree, s, text)
	case strings.HasPrefix(f.message, gopterSeed):
		if checks = readGopter(text); len(checks) > 0 {
			_, input, _ := strings.Cut(checks[0].message, "\n")
			f.set("counterexample", input)
			f.message = ""
		}
	default:
		if checks = readConvey(x.tree, s, text); len(checks) == 0 && f.message == "" {
			checks = readIs(x.tree, s, text)
		}
	}
	if len(checks) == 0 {
		return
	}
	before := f.also
	if f.message != "" {
		before = append([]sdk.Also{{Location: f.location, Message: withDiff(f.message, f.diff)}}, f.also...)
	}
	f.take(checks[0])
	f.unread, f.also = false, nil
	for _, c := range checks[1:] {
		f.also = append(f.also, sdk.Also{Location: c.at, Message: withDiff(c.message, c.diff)})
	}
	f.also = append(f.also, before...)
}

// plainTexts returns lines without the colours that a library added.
func plainTexts(lines []line) []string {
	text := make([]string, len(lines))
	for i, l := range lines {
		text[i] = l.text
	}
	return withoutColours(text)
}

func withoutColours(text []string) []string {
	plain := text
	for i, l := range text {
		if !strings.Contains(l, "\x1b[") {
			continue
		}
		if &plain[0] == &text[0] {
			plain = slices.Clone(text)
		}
		plain[i] = colours.ReplaceAllString(l, "")
	}
	return plain
}

var colours = lazyregexp.New(`\x1b\[[0-9;]*m`)

// isLine is how github.com/matryer/is prints a check, and what stands beside it as a
// comment, or github.com/go-playground/assert:
//
//	\ta_test.go:13: a != b // names must match
//	a_test.go:13 1 does not equal 2
var isLine = lazyregexp.New(`^(?:\t([^\s/\\:]+\.go):(\d+): (.+)|([^\s/\\:]+\.go):(\d+) (.+))$`)

// readIs parses such checks if the source at the place calls something.
func readIs(tree *tree, s *suite, text []string) []check {
	var checks []check
	for i, l := range text {
		if !strings.Contains(l, ".go:") {
			continue
		}
		m := isLine.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		m = slices.DeleteFunc(m, func(group string) bool { return group == "" })
		file, line, ok := pathAndLine(m[1] + ":" + m[2])
		if !ok || tree.calls(s).judge(block{file: file, line: line}) != callUnknown {
			continue
		}
		message := m[3]
		if what, comment, found := strings.Cut(message, " // "); found {
			message = what + ": " + comment
		}
		checks = append(checks, check{kind: sdk.KindAssertion, message: message, at: tree.locate(s, file, line), index: i})
	}
	return checks
}

var (
	// gocheckEnd matches the summary that gopkg.in/check.v1 prints if something failed.
	gocheckEnd = lazyregexp.New(`^OOPS: \d+ passed`)
	// gocheckHead matches the beginning of a failed method's or fixture's text; START
	// begins that of any.
	gocheckHead = lazyregexp.New(`^(START|FAIL|PANIC): (\S+\.go):(\d+): (\S+)$`)
	// gocheckPlace matches the place of a check, which precedes its source.
	gocheckPlace = lazyregexp.New(`^(\S+\.go):(\d+):?$`)
	// gocheckSide matches a compared value.
	gocheckSide = lazyregexp.New(`^(obtained|expected) ([^=]+ = .*)$`)
)

func isGocheck(text []string) bool {
	for i := len(text) - 1; i >= 0; i-- {
		if strings.HasPrefix(text[i], "OOPS: ") && gocheckEnd.MatchString(text[i]) {
			return true
		}
	}
	return false
}

// readGocheck reads what check.v1 prints of the methods that failed:
//
//	----------------------------------------------------------------------
//	FAIL: a_test.go:24: S.TestNil
//
//	a_test.go:24:
//	    helper(c)
//	a_test.go:28:
//	    c.Assert(errors.New("oops"), IsNil)
//	... value *errors.errorString = &errors.errorString{s:"oops"} ("oops")
func readGocheck(tree *tree, s *suite, text []string) []check {
	var checks []check
	started := map[string]int{} // printed by -check.vv, before the heading they belong to
	for i := 0; i < len(text); i++ {
		m := gocheckHead.FindStringSubmatch(text[i])
		if m == nil {
			continue
		}
		if m[1] == "START" {
			started[m[4]] = i + 1
			continue
		}
		from, end := i+1, i+1
		if at, vv := started[m[4]]; vv {
			from = at
		} else {
			for end < len(text) && !strings.HasPrefix(text[end], "----------") && !gocheckEnd.MatchString(text[end]) && !gocheckHead.MatchString(text[end]) {
				end++
			}
		}
		found := readGocheckMethod(tree, s, m[4], text[from:min(end, len(text))], m[1] == "PANIC")
		if len(found) == 0 {
			file, line, _ := pathAndLine(m[2] + ":" + m[3])
			found = []check{{kind: sdk.KindAssertion, message: m[4] + " failed without a message", at: tree.locate(s, file, line)}}
		}
		for n := range found {
			found[n].index += from
		}
		checks = append(checks, found...)
		i = max(i, end-1)
	}
	return checks
}

// readGocheckMethod parses the checks of one method.
func readGocheckMethod(tree *tree, s *suite, method string, text []string, panicked bool) []check {
	var checks []check
	for i := 0; i < len(text); i++ {
		if panicked && strings.HasPrefix(text[i], "... Panic: ") {
			checks = append(checks, readGocheckPanic(tree, s, method, text[i:], i))
			break
		}
		if !gocheckPlace.MatchString(text[i]) {
			continue
		}
		c := check{kind: sdk.KindAssertion, index: i}
		var calls []sdk.Location
		source := ""
		for ; i < len(text) && text[i] != ""; i++ {
			if m := gocheckPlace.FindStringSubmatch(text[i]); m != nil {
				file, line, _ := pathAndLine(m[1] + ":" + m[2])
				calls, source = append(calls, tree.locate(s, file, line)), ""
				continue
			}
			if said, found := strings.CutPrefix(text[i], "... "); found {
				c.addDescription(said)
			} else if line := strings.TrimSpace(text[i]); source == "" {
				source = line
			} else {
				source += " " + line
			}
		}
		c.at = calls[len(calls)-1]
		if len(calls) > 1 {
			c.from = calls[0]
		}
		c.message = strings.TrimRight(method+": "+source+":\n"+wording.Tidy(strings.Split(c.message, "\n")), ":\n ")
		checks = append(checks, c)
	}
	return checks
}

// addDescription adds a line of the library's description of a check.
func (c *check) addDescription(said string) {
	if strings.HasPrefix(said, "Difference:") {
		c.diff.Text = " "
		return
	}
	if c.diff.Text != "" && strings.HasPrefix(said, "    ") {
		c.diff.Text = strings.TrimLeft(c.diff.Text+"\n"+strings.TrimPrefix(said, "    "), " \n")
		return
	}
	if m := gocheckSide.FindStringSubmatch(said); m != nil {
		if m[1] == "obtained" {
			c.diff.Got = m[2]
		} else {
			c.diff.Want = m[2]
		}
	}
	c.message += "\n" + strings.TrimPrefix(said, "Error: ")
}

// readGocheckPanic parses a panic with its stack, in which each place precedes the name
// of its function.
func readGocheckPanic(tree *tree, s *suite, method string, text []string, index int) check {
	value := strings.TrimPrefix(text[0], "... Panic: ")
	if at := strings.LastIndex(value, " (PC=0x"); at >= 0 {
		value = value[:at]
	}
	c := check{kind: sdk.KindPanic, message: method + ": " + value, index: index}
	for i := 1; i+1 < len(text); i++ {
		m := gocheckPlace.FindStringSubmatch(text[i])
		if m == nil || !strings.HasPrefix(text[i+1], "  in ") {
			continue
		}
		file, line, _ := pathAndLine(m[1] + ":" + m[2])
		if !tree.isOwn(file) {
			continue
		}
		at := tree.locate(s, file, line)
		if c.at.File == "" {
			c.at = at
		} else {
			c.from = at
		}
	}
	return c
}
