package parse

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/wording"
	"github.com/proctorhq/proctor/sdk"
)

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
			message, c.diff = wording.Read(said)
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
	if message, diff := wording.Read(said); message != "" {
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
			return wording.Tidy(wording.Dedent(value))
		}
		value = append(value, l)
	}
	return ""
}

// specName removes what all specs have in common.
func specName(name string) string {
	return strings.Join(strings.Fields(strings.Replace(name, "[It] ", "", 1)), " ")
}
