package parse

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
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
		part := tidy(dedent(lines[i:end]))
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
		message = tidy(lines)
	}
	if own := strings.TrimRight(tidy(text[:at]), ":."); own != "" {
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

var (
	// ginkgoEnd matches the summary that ginkgo prints if specs failed.
	ginkgoEnd = lazyregexp.New(`^FAIL! --? (?:\d+ Passed \| (\d+) Failed)?`)
	// ginkgoHead matches the beginning of the report of a spec, or of a node around all
	// specs.
	ginkgoHead = lazyregexp.New(`^(?:• )?(?:\[\w+\] )?\[(FAILED|PANICKED|TIMEDOUT|INTERRUPTED|ABORTED)(?: - [^\]]*)?\] \[[\d.]+ seconds\]`)
	// ginkgoSaid matches the beginning of why a spec failed, and ginkgoAt the end.
	ginkgoSaid = lazyregexp.New(`^  \[(FAILED|PANICKED|TIMEDOUT|INTERRUPTED|ABORTED)\] ?(.*)$`)
	ginkgoAt   = lazyregexp.New(`^  In \[\w+\] at: (\S+:\d+)`)
	// ginkgoOld matches such a beginning as ginkgo 1 prints it.
	ginkgoOld = lazyregexp.New(`^•(?:!|\.\.\.)? (Failure|Panic|Timeout)(?: in [^\[]*)? \[[\d.]+ seconds\]`)
	// ginkgoSum matches a spec in the summary, above the place where it failed.
	ginkgoSum = lazyregexp.New(`^\s*\[(FAIL|Fail|PANICKED!|Panic!|TIMEDOUT|INTERRUPTED|ABORTED)\] (.*)$`)
)

// isGinkgo finds the summary, and how many specs failed according to it.
func isGinkgo(text []string) (failed int, found bool) {
	for i := len(text) - 1; i >= 0; i-- {
		if !strings.HasPrefix(text[i], "FAIL!") {
			continue
		}
		if m := ginkgoEnd.FindStringSubmatch(text[i]); m != nil {
			failed, _ := strconv.Atoi(m[1]) // not counted if a node around all specs failed
			return failed, true
		}
	}
	return 0, false
}

// maxSpecs bounds the failed specs reported for a test.
const maxSpecs = maxAlso

// readGinkgo parses the specs that failed, all of which run within one test. The list
// at the end supplies those whose reports were not kept.
func readGinkgo(tree *tree, s *suite, text []string, failed int) []check {
	var checks []check
	reports := map[string]int{}
	from := 0
	for i := 0; i < len(text); i++ {
		if endsSpec(text[i]) {
			from = i + 1
		}
		old := ginkgoOld.MatchString(text[i])
		if !old && !ginkgoHead.MatchString(text[i]) {
			continue
		}
		head := i
		for i+1 < len(text) && !ginkgoHead.MatchString(text[i+1]) && !ginkgoOld.MatchString(text[i+1]) && !endsSpec(text[i+1]) {
			i++
		}
		c, name := check{}, ""
		if old {
			c, name = readOldSpec(tree, s, text[head+1:i+1])
		} else {
			c, name = readSpec(tree, s, text[from:head], text[head+1:i+1])
		}
		if name != "" {
			reports[name]++
			c.index = head
			checks = append(checks, c)
		}
		from = i + 1
	}
	for i := range text {
		m := ginkgoSum.FindStringSubmatch(text[i])
		if m == nil {
			continue
		}
		name := strings.Join(strings.Fields(m[2]), " ")
		if reports[name]--; reports[name] >= 0 {
			continue
		}
		c := check{kind: sdk.KindAssertion, message: specName(name) + " failed", index: i}
		if i+1 < len(text) {
			if file, line, ok := pathAndLine(strings.TrimSpace(text[i+1])); ok {
				c.at = tree.locate(s, file, line)
			}
		}
		checks = append(checks, c)
	}
	// Specs run in random order, and the first one reported names the failure.
	slices.SortStableFunc(checks, func(a, b check) int {
		if (a.at.File == "") != (b.at.File == "") {
			return strings.Compare(b.at.File, a.at.File) // unknown places last
		}
		return cmp.Or(strings.Compare(a.at.File, b.at.File), cmp.Compare(a.at.Line, b.at.Line), strings.Compare(a.message, b.message))
	})
	checks = checks[:min(len(checks), maxSpecs)]
	if left := failed - len(checks); left > 0 && len(checks) > 0 {
		checks = append(checks, check{message: fmt.Sprintf("%d more specs failed", left)})
	}
	return checks
}

// endsSpec reports whether a line separates the reports of specs.
func endsSpec(l string) bool {
	return strings.HasPrefix(l, "----------") || strings.HasPrefix(l, "Summarizing ")
}

// readSpec reads the report of one spec:
//
//	Book when long [It] has pages
//	/path/book_test.go:18
//
//	  [FAILED] Expected
//	      <int>: 1
//	  to equal
//	      <int>: 2
//	  In [It] at: /path/book_test.go:20 @ 11/23/26 07:34:05.229
//
// With -ginkgo.vv what it failed of stands before, and its name on several lines.
func readSpec(tree *tree, s *suite, before, text []string) (c check, name string) {
	var names []string
	for _, l := range text {
		if l = strings.TrimSpace(l); l == "" {
			break
		}
		if _, _, ok := pathAndLine(l[strings.LastIndexByte(l, ' ')+1:]); !ok {
			names = append(names, l)
		}
	}
	name = strings.Join(strings.Fields(strings.Join(names, " ")), " ")
	c.kind = sdk.KindAssertion
	text = append(before[:len(before):len(before)], text...)
	for i := 0; i < len(text); i++ {
		m := ginkgoSaid.FindStringSubmatch(text[i])
		if m == nil || strings.HasPrefix(m[2], "in [") {
			continue // in a line with a time
		}
		said := []string{m[2]}
		for i++; i < len(text) && !ginkgoAt.MatchString(text[i]); i++ {
			said = append(said, strings.TrimPrefix(text[i], "  "))
		}
		if i < len(text) {
			c.at = tree.locateSpec(s, ginkgoAt.FindStringSubmatch(text[i])[1], text[i:])
		}
		message := ""
		if m[1] == "PANICKED" {
			c.kind = sdk.KindPanic
			message = panicOfSpec(text[min(i+1, len(text)):])
		}
		if message == "" {
			message, c.diff = readText(said)
		}
		c.message = specName(name) + ": " + strings.TrimLeft(message, "\n")
		if strings.HasPrefix(message, "Expected\n") {
			c.message = specName(name) + ":\n" + message
		}
		return c, name
	}
	c.message = specName(name) + " failed"
	return c, name
}

// oldNode matches the kind of a node, which ginkgo 1 prints after its name.
var oldNode = lazyregexp.New(`^(.*) (\[\w+\])$`)

// readOldSpec reads the report of a spec by ginkgo 1:
//
//	Book
//	/path/book_test.go:17
//	  has pages [It]
//	  /path/book_test.go:18
//
//	  Expected
//	      <int>: 1
//	  to equal
//	      <int>: 2
//
//	  /path/book_test.go:20
func readOldSpec(tree *tree, s *suite, text []string) (c check, name string) {
	var names []string
	depth := "" // of the last node, and of what it says
	i := 0
	for ; i < len(text) && strings.TrimSpace(text[i]) != ""; i++ {
		l := strings.TrimLeft(text[i], " ")
		depth = text[i][:len(text[i])-len(l)]
		if !isPlace(l) {
			names = append(names, oldNode.ReplaceAllString(l, "$2 $1"))
		}
	}
	name = strings.Join(strings.Fields(strings.Join(names, " ")), " ")
	c.kind = sdk.KindAssertion
	c.message = specName(name) + " failed"
	var said []string
	for i = min(i+1, len(text)); i < len(text); i++ {
		l := strings.TrimPrefix(text[i], depth)
		if !isPlace(l) {
			said = append(said, l)
			continue
		}
		c.at = tree.locateSpec(s, l, text[i:])
		break
	}
	if len(said) > 0 && said[0] == "Test Panicked" {
		c.kind, said = sdk.KindPanic, said[1:]
	}
	if message, diff := readText(said); message != "" {
		c.diff = diff
		c.message = specName(name) + ": " + strings.TrimLeft(message, "\n")
	}
	return c, name
}

// locateSpec locates where a spec failed. If that is where Go itself raised a panic, the stack
// below tells the project's part in it.
func (t *tree) locateSpec(s *suite, place string, stack []string) sdk.Location {
	file, line, _ := pathAndLine(place)
	at := t.locate(s, file, line)
	if t.isGo(file) {
		at = cmp.Or(t.placeIn(s, stack), at)
	}
	return at
}

// isPlace reports whether a line is a place in a Go file and nothing else.
func isPlace(l string) bool {
	file, _, ok := pathAndLine(l)
	return ok && isAbs(file) && strings.HasSuffix(file, ".go")
}

// panicOfSpec returns the value of a panic, which precedes its stack.
func panicOfSpec(text []string) string {
	var value []string
	for _, l := range text {
		if strings.TrimSpace(l) == "Full Stack Trace" {
			return tidy(dedent(value))
		}
		value = append(value, l)
	}
	return ""
}

// specName removes what all specs have in common.
func specName(name string) string {
	return strings.Join(strings.Fields(strings.Replace(name, "[It] ", "", 1)), " ")
}
