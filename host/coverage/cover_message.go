package coverage

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

// Advice on how to learn more.
const (
	moreIndex = api.AdviseIndex
	moreAgain = api.AdviseIndexAgain
	moreRun   = api.AdviseRunAll
)

// phraseAnswer says in a sentence what is known, and how to learn more.
func phraseAnswer(c *cover, a api.Covering) (message string, more api.Operation) {
	if len(c.rows) == 0 {
		return phraseNothing(c, a)
	}
	counts := map[rowKind]int{}
	suitesMay, testsMay, others, doubted := 0, 0, 0, 0
	for _, r := range c.rows {
		counts[r.kind]++
		switch {
		case r.doubted && r.test == "":
			doubted++
		case r.kind == kindMay && r.test == "":
			suitesMay++
		case r.kind == kindMay:
			testsMay++
		case r.more:
			others++
		}
	}
	place := placeName(c)
	var parts []string
	say := func(n int, what, one, many, how string) {
		if n == 0 {
			return
		}
		verb := many
		if n == 1 {
			verb = one
		}
		parts = append(parts, fmt.Sprintf("%s %s %s%s", api.Plural(n, what), verb, place, how))
		place = "it"
	}
	say(counts[kindExecutes], "test", "executes", "execute", "")
	say(counts[kindDeclared], "test", "is declared at", "are declared at", "")
	say(counts[kindReads], "test", "reads", "read", "")
	say(counts[kindStarts], "suite", "executes", "execute", " before any test")
	say(counts[kindWhole], "suite", "executes", "execute", " as a whole")
	say(testsMay, "test", "may execute", "may execute", "")
	say(suitesMay, "suite", "may execute", "may execute", ", by import only")
	say(doubted, "suite", "may execute", "may execute", ", because not everything it does is known")
	if others > 0 && c.hasUncoveredCode() {
		parts = append(parts, fmt.Sprintf("%d of them may execute more of it than is known", others))
	}
	switch message = strings.Join(parts, "; "); {
	case c.helps:
		more = moreIndex
	case a.Stale:
		more = moreAgain
	}
	if a.Stale {
		message += "; the sources changed since that was measured"
	}
	return message, more
}

// phraseNothing says what it means that no test is listed.
func phraseNothing(c *cover, a api.Covering) (message string, more api.Operation) {
	place, n := placeName(c), len(c.concerns)
	if a.Granularity == api.GranularityUnknown {
		_, more = explainUnknownReads(c)
		more = cmp.Or(more, moreIndex)
	} else if c.helps {
		more = moreIndex
	} else if a.Stale {
		more = moreAgain
	}
	switch {
	case isBeyond(c):
		return fmt.Sprintf("%s has %s", c.q.Path, api.Plural(len(c.q.Lines), "line")), ""
	case isOutside(c):
		return fmt.Sprintf("unknown: %s is outside of the workspace, and which tests read such files is not measured", c.q.Path), moreRun
	case hasNoCode(c) && len(c.q.Ranges) == 0:
		return c.q.Path + " has no code", more
	case hasNoCode(c) && len(c.asked) == 1:
		return fmt.Sprintf("line %d of %s has no code", c.asked[0], c.q.Path), more
	case hasNoCode(c):
		return fmt.Sprintf("lines %s of %s have no code", formatRanges(c), c.q.Path), more
	case a.Granularity != api.GranularityUnknown && n == 0:
		return fmt.Sprintf("no suite is built from %s, and no test was seen to read it", c.q.Path), ""
	case a.Granularity == api.GranularityTest:
		return fmt.Sprintf("no test executes %s (%s built from it, measured test by test)", place, suitesAre(n)), more
	case a.Granularity == api.GranularitySuite:
		return fmt.Sprintf("no test executes %s (%s built from it, all measured)", place, suitesAre(n)), more
	case n > 0:
		return fmt.Sprintf("unknown: no test that was measured executes %s, and it is unknown which others are built from it", place), moreIndex
	case c.q.Graph == nil && len(c.suites) == 0:
		return fmt.Sprintf("unknown: nothing was measured, so it is unknown which tests execute %s", place), moreIndex
	case !c.complete:
		return fmt.Sprintf("unknown: no suite is known to be built from %s, and not all of them are known", c.q.Path), moreIndex
	}
	why, _ := explainUnknownReads(c)
	return fmt.Sprintf("unknown: no suite with tests is built from %s, and it is unknown which files some tests read: %s", c.q.Path, why), more
}

func suitesAre(n int) string {
	if n == 1 {
		return "1 suite is"
	}
	return fmt.Sprintf("%d suites are", n)
}

// placeName names the requested lines, as "a/b.go:40-60".
func placeName(c *cover) string {
	if len(c.q.Ranges) == 0 || c.gone {
		return c.q.Path
	}
	return c.q.Path + ":" + formatRanges(c)
}

// maxNamed is how many ranges a sentence names.
const maxNamed = 3

// formatRanges spells the requested lines.
func formatRanges(c *cover) string {
	all := texts(c.linesWhere(func(line) bool { return true }))
	if len(all) > maxNamed {
		return strings.Join(all[:maxNamed], ",") + ",…"
	}
	return strings.Join(all, ",")
}
