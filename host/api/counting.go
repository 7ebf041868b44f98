package api

import (
	"fmt"
	"strings"
)

// Plural formats a count with its noun: "1 test", "3 tests".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// OfThemCached returns the end of a sentence that counts passes: how many of them the
// runner took from its cache. It is empty if none are.
func OfThemCached(n, cached int) string {
	switch {
	case cached == 0:
		return ""
	case cached >= n:
		return ", all of them cached"
	}
	return fmt.Sprintf(", %d of them cached", cached)
}

// CountTests formats counts of tests and subtests: "2 tests, 1 subtest". It returns "" if
// there are none.
func CountTests(whole, subtests int) string {
	return OutstandingCounts{Tests: whole, Subtests: subtests}.String()
}

// Results says how the results ended and how many tests they belong to: a test has
// several results if it has subtests or ran more than once. Fixtures may fail, too.
func (c Counts) Results() string {
	ended := c.Passed + c.Failed + c.Skipped + c.Unfinished
	first, of := fmt.Sprintf("%d passed", c.Passed), ""
	switch {
	case ended == c.Tests && c.Subtests+c.Repeats+c.Fixtures == 0:
		first = Plural(c.Passed, "test") + " passed"
	case c.Tests == 0:
		first = Plural(c.Passed, "result") + " passed"
	default:
		of = " (results of " + Plural(c.Tests, "test")
		if c.Fixtures > 0 {
			of += ", " + Plural(c.Fixtures, "fixture")
		}
		of += ")"
	}
	parts := []string{first + OfThemCached(c.Passed, c.Cached), fmt.Sprintf("%d failed", c.Failed)}
	for _, part := range []struct {
		n    int
		word string
	}{{c.Flaky, "of them flaky"}, {c.Skipped, "skipped"}, {c.Unfinished, "unfinished"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	return strings.Join(parts, ", ") + of
}

// DidNotFinish formats the number of tests and subtests that started and did not finish.
func (c Counts) DidNotFinish() string {
	return CountTests(c.Unfinished-c.SubtestsUnfinished, c.SubtestsUnfinished)
}

// OutstandingCounts counts outstanding entries by kind. A suite or run is outstanding
// as a whole if nothing inside it has a name.
type OutstandingCounts struct {
	Tests    int `json:"tests"`
	Subtests int `json:"subtests"`
	Suites   int `json:"suites"`
	Runs     int `json:"runs"`
}

// Add adds the counts of o.
func (c *OutstandingCounts) Add(o OutstandingCounts) {
	c.Tests, c.Subtests, c.Suites, c.Runs = c.Tests+o.Tests, c.Subtests+o.Subtests, c.Suites+o.Suites, c.Runs+o.Runs
}

// Total returns the sum of all kinds.
func (c OutstandingCounts) Total() int { return c.Tests + c.Subtests + c.Suites + c.Runs }

// String names the kinds that are not zero: "2 tests, 1 suite".
func (c OutstandingCounts) String() string {
	var parts []string
	for _, kind := range []struct {
		n    int
		noun string
	}{{c.Tests, "test"}, {c.Subtests, "subtest"}, {c.Suites, "suite"}} {
		if kind.n > 0 {
			parts = append(parts, Plural(kind.n, kind.noun))
		}
	}
	if c.Runs > 0 {
		parts = append(parts, Plural(c.Runs, "run")+" as a whole")
	}
	return strings.Join(parts, ", ")
}

// DescribeOutstanding formats the number of entries that were outstanding after the run.
// Records written before kinds were distinguished only have the sum.
func (r Run) DescribeOutstanding() string {
	if r.OutstandingCounts.Total() == r.Outstanding {
		return r.OutstandingCounts.String()
	}
	return Plural(r.Outstanding, "name")
}
