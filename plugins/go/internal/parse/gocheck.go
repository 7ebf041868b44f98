package parse

import (
	"regexp"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

var (
	// gocheckEnd is the sum that gopkg.in/check.v1 prints where something failed.
	gocheckEnd = regexp.MustCompile(`^OOPS: \d+ passed`)
	// gocheckHead begins the text of a method that failed, or of a fixture; START that
	// of any.
	gocheckHead = regexp.MustCompile(`^(START|FAIL|PANIC): (\S+\.go):(\d+): (\S+)$`)
	// gocheckPlace is where a check stands, above its source.
	gocheckPlace = regexp.MustCompile(`^(\S+\.go):(\d+):?$`)
	// gocheckSide is a value that was compared.
	gocheckSide = regexp.MustCompile(`^(obtained|expected) ([^=]+ = .*)$`)
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
	started := map[string]int{} // by -check.vv, which has the head below what it heads
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

// readGocheckMethod reads the checks of one method.
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
				c.say(said)
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
		c.message = strings.TrimRight(method+": "+source+":\n"+tidy(strings.Split(c.message, "\n")), ":\n ")
		checks = append(checks, c)
	}
	return checks
}

// say adds a line of what the library says of a check.
func (c *check) say(said string) {
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

// readGocheckPanic reads a panic with its stack, in which each place stands above the
// name of its function.
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
		if isVendored(file) || tree.isGo(file) {
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
