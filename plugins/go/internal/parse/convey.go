package parse

import (
	"cmp"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/wording"
	"github.com/proctorhq/proctor/sdk"
)

var (
	// conveyFile and conveyLine match the place of a failed check of
	// github.com/smartystreets/goconvey, and what follows on the second line.
	conveyFile = lazyregexp.New(`^  \* (\S.*\.go) ?$`)
	conveyLine = lazyregexp.New(`^  Line (\d+):(?: - (.*))?$`)
)

// readConvey reads the failed checks of goconvey, which prints those of a story at its end, and
// the panics before them:
//
//	Failures:
//
//	  * /path/a_test.go
//	  Line 14:
//	  Expected: 3
//	  Actual:   2
//	  (Should equal)!
func readConvey(tree *tree, s *suite, text []string) []check {
	var checks []check
	for i := 0; i+1 < len(text); i++ {
		if !strings.HasPrefix(text[i], "  * ") {
			continue
		}
		place := conveyFile.FindStringSubmatch(text[i])
		if place == nil {
			continue
		}
		m := conveyLine.FindStringSubmatch(text[i+1])
		if m == nil {
			continue
		}
		c := check{kind: sdk.KindAssertion, index: i}
		file, line, _ := pathAndLine(place[1] + ":" + m[1])
		c.at = tree.locate(s, file, line)
		var said []string
		if strings.Contains(text[i+1], " - ") {
			c.kind, said = sdk.KindPanic, []string{m[2]}
		}
		for i += 2; i < len(text) && !conveyFile.MatchString(text[i]); i++ {
			l := strings.TrimPrefix(text[i], "  ")
			if _, stack := parseGoroutine(l); stack {
				c.at = cmp.Or(tree.placeIn(s, text[i:stackEnd(text, i)]), c.at)
				break
			}
			if text[i] == "" {
				break
			}
			said = append(said, strings.TrimRight(l, " "))
		}
		i--
		c.message, c.diff = wording.Read(said)
		if c.kind == sdk.KindPanic {
			c.message, c.diff = wording.Tidy(said), sdk.Diff{}
		}
		checks = append(checks, c)
	}
	return checks
}

// stackEnd returns where the stack of a goroutine that starts at a line ends.
func stackEnd(text []string, at int) int {
	if n := slices.Index(text[at:], ""); n >= 0 {
		return at + n
	}
	return len(text)
}
