package coverage

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/proctorhq/proctor/host/api"
)

// row is a test of an answer, or a suite if test is empty.
type row struct {
	kind        rowKind
	suite, test string
	lines       []Range
	why         string
	stale       bool
	blocks      int
	measured    *Suite
	// more reports whether it may execute other requested lines as well; doubted,
	// whether that is because it may depend on anything.
	more, doubted bool
}

// rowKind is why something belongs to an answer, most precise first.
type rowKind int

const (
	kindExecutes rowKind = iota
	kindDeclared
	kindReads
	kindStarts
	kindWhole
	kindMay
)

// link is how a test belongs to lines that it does not execute, and the words for it.
func (k rowKind) link() (api.CoveringLink, string) {
	switch k {
	case kindReads:
		return api.LinkReads, "it read the file"
	case kindDeclared:
		return api.LinkDeclared, "it is declared there"
	}
	return "", ""
}

func (k rowKind) granularity() api.Granularity {
	switch k {
	case kindExecutes, kindDeclared, kindReads:
		return api.GranularityTest
	case kindStarts, kindWhole:
		return api.GranularitySuite
	}
	return api.GranularityImport
}

type rowKey struct{ suite, test string }

// list adds a test or a suite, keeping the most precise row of each.
func (c *cover) list(r row, s *Suite, t *Test) {
	r.measured = s
	r.more = r.kind == kindMay
	c.may = c.may || r.more
	if t != nil {
		r.blocks = count(t.Blocks)
	}
	key := rowKey{r.suite, r.test}
	i, ok := c.listed[key]
	if !ok {
		c.listed[key] = len(c.rows)
		c.rows = append(c.rows, r)
		return
	}
	was := &c.rows[i]
	r.more = r.more || was.more
	was.more = r.more
	if r.kind.granularity() == was.kind.granularity() {
		r.lines = mergeRanges(append(slices.Clone(was.lines), r.lines...))
	}
	if r.kind < was.kind {
		*was = r
	} else if r.kind == was.kind {
		was.lines, was.stale = r.lines, was.stale || r.stale
	}
}

// sort orders rows by precision, then by how little else they execute, which does
// not apply to whole suites.
func (c *cover) sort() {
	exact := map[api.Granularity]int{api.GranularityTest: 0, api.GranularitySuite: 1, api.GranularityImport: 2}
	slices.SortFunc(c.rows, func(a, b row) int {
		return cmp.Or(
			cmp.Compare(exact[a.kind.granularity()], exact[b.kind.granularity()]),
			cmp.Compare(a.blocks, b.blocks), cmp.Compare(a.suite, b.suite), cmp.Compare(a.test, b.test),
		)
	})
}

// maxLineTexts bounds the ranges in all rows of an answer: for a whole file with many
// gaps, those of the first thousand tests.
const maxLineTexts = 100_000

// listTests returns the rows as the answer lists them.
func (c *cover) listTests() []api.CoveringTest {
	c.sort()
	tests, left := make([]api.CoveringTest, 0, len(c.rows)), maxLineTexts
	for _, r := range c.rows {
		t := api.CoveringTest{Suite: r.suite, Test: r.test, Granularity: r.kind.granularity(), Stale: r.stale, Blocks: r.blocks, Why: r.why}
		if link, why := r.kind.link(); link != "" {
			t.Link, t.Why = link, why
		}
		if r.measured != nil {
			at := r.measured.MeasuredAt
			t.MeasuredAt = &at
		}
		if len(r.lines) <= left {
			t.Lines = texts(r.lines)
			left -= len(r.lines)
		}
		tests = append(tests, t)
	}
	return tests
}

// texts formats ranges, each as "42" or "40-60".
func texts(ranges []Range) []string {
	var all []string
	for _, r := range ranges {
		if r.First == r.Last {
			all = append(all, strconv.Itoa(r.First))
		} else {
			all = append(all, fmt.Sprintf("%d-%d", r.First, r.Last))
		}
	}
	return all
}

// linesWhere returns the requested lines that satisfy holds.
func (c *cover) linesWhere(holds func(line) bool) []Range {
	var ranges []Range
	for i, n := range c.asked {
		if holds(c.lines[i]) {
			ranges = append(ranges, Range{n, n})
		}
	}
	return mergeRanges(ranges)
}
