package coverage

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/proctorhq/proctor/host/api"
)

// Why a test is known that executes none of the asked lines.
const (
	WhyRead     = "it read the file"
	WhyDeclared = "it is declared there"
)

// row is a test, or a suite where test is empty, of an answer.
type row struct {
	kind        rowKind
	suite, test string
	lines       []Range
	why         string
	stale       bool
	blocks      int
	measured    *Suite
	// more: it may execute other asked lines as well. doubted: it may because it may
	// depend on anything.
	more, doubted bool
}

// rowKind is how it is known that something belongs to an answer, the most exact first.
type rowKind int

const (
	kindExecutes rowKind = iota
	kindDeclared
	kindReads
	kindStarts
	kindWhole
	kindMay
)

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

// list lists a test or a suite, by the most exact that is known of it.
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
		r.lines = merged(append(slices.Clone(was.lines), r.lines...))
	}
	if r.kind < was.kind {
		*was = r
	} else if r.kind == was.kind {
		was.lines, was.stale = r.lines, was.stale || r.stale
	}
}

// sort orders the rows: the most exact first, and of those the ones that execute
// least else. A suite as a whole is not compared by that.
func (c *cover) sort() {
	exact := map[api.Granularity]int{api.GranularityTest: 0, api.GranularitySuite: 1, api.GranularityImport: 2}
	slices.SortFunc(c.rows, func(a, b row) int {
		return cmp.Or(
			cmp.Compare(exact[a.kind.granularity()], exact[b.kind.granularity()]),
			cmp.Compare(a.blocks, b.blocks), cmp.Compare(a.suite, b.suite), cmp.Compare(a.test, b.test),
		)
	})
}

// maxLineTexts bounds the ranges that the rows of an answer name altogether: of a whole
// file with many gaps, that is those of the first thousand tests.
const maxLineTexts = 100_000

// tests are the rows as they are told.
func (c *cover) tests() []api.CoveringTest {
	c.sort()
	tests, left := make([]api.CoveringTest, 0, len(c.rows)), maxLineTexts
	for _, r := range c.rows {
		t := api.CoveringTest{Suite: r.suite, Test: r.test, Granularity: r.kind.granularity(), Stale: r.stale, Blocks: r.blocks, Why: r.why}
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

// texts writes ranges, each as "42" or "40-60".
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

// linesWhere are the asked lines of which something holds.
func (c *cover) linesWhere(holds func(line) bool) []Range {
	var ranges []Range
	for i, n := range c.asked {
		if holds(c.lines[i]) {
			ranges = append(ranges, Range{n, n})
		}
	}
	return merged(ranges)
}
