package report

import (
	"cmp"
	"slices"

	"github.com/proctorhq/proctor/host/api"
)

// cause is what made some tests of a run red: one thing to look at.
type cause struct {
	run   *Run
	suite *Suite // of the first test
	first *Case
	// more counts the other tests with it.
	more int
	rank int
}

// causesOf returns the causes of everything red, new failures first. Failures that share a
// signature have one cause, and so do the tests of a suite that never started.
func causesOf(d *Document) []cause {
	var causes []cause
	for _, run := range d.Runs {
		known := map[string]int{}
		for _, s := range run.Suites {
			for _, c := range s.Cases {
				if !c.Status.IsRed() {
					continue
				}
				key := ""
				if failures := c.Failures(); len(failures) > 0 {
					key = failures[0].Signature
				} else if c.Status == NeverStarted {
					key = "never started in " + s.ID
				}
				if i, ok := known[key]; ok && key != "" {
					causes[i].more++
					causes[i].rank = min(causes[i].rank, rankOf(c))
					continue
				}
				known[key] = len(causes)
				causes = append(causes, cause{run: run, suite: s, first: c, rank: rankOf(c)})
			}
		}
	}
	slices.SortStableFunc(causes, func(a, b cause) int { return cmp.Compare(a.rank, b.rank) })
	return causes
}

// rankOf orders red cases: what keeps tests from running, new failures, older failures,
// tests that did not run.
func rankOf(c *Case) int {
	failures := c.Failures()
	switch {
	case len(failures) == 0:
		return 5
	case c.Status == Errored && failures[0].Test == "":
		return 0 // it hides tests
	case isNew(failures[0]):
		return 1
	case failures[0].Standing == nil:
		return 2
	case failures[0].Classification == api.Gap:
		return 3
	}
	return 4
}

// isNew reports whether the test passed the time before.
func isNew(f api.Failure) bool {
	return f.Standing != nil && f.Classification == api.Regression
}
