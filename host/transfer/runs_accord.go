package transfer

import (
	"fmt"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
)

// accord compares the parts of a run that each say what failed: its object, its
// results and failures, and its lines in the history. One that contradicts itself
// would read as a failure in one command and as a pass in another.
type accord struct {
	// failed are the tests that failed by the results, named those that did not
	// finish or have a failure, and points those that ended badly in the history.
	failed, named, points map[api.Test]bool
	// own counts the results that failed of themselves.
	own int
	// cut: there were too many to compare them one by one.
	cut bool
}

// maxCompared bounds what an archive can make us remember.
const maxCompared = 100_000

func (c *accord) add(to *map[api.Test]bool, suite, test string) {
	if len(*to) >= maxCompared {
		c.cut = true
		return
	}
	if *to == nil {
		*to = map[api.Test]bool{}
	}
	(*to)[api.Test{Suite: suite, Test: test}] = true
}

func (c *accord) result(r api.Result) {
	if r.Status == api.TestFailed && !r.Derived {
		c.own++
	}
	switch {
	case r.Status == api.TestUnfinished:
		c.add(&c.named, r.Suite, r.Test) // nothing in the history where the user broke it off
	case r.Status != api.TestFailed:
	case r.Fixture:
		c.add(&c.failed, r.Suite, "") // as the history has it
	default:
		c.add(&c.failed, r.Suite, r.Test)
	}
}

func (c *accord) failure(f api.Failure) { c.add(&c.named, f.Suite, f.Test) }

func (c *accord) point(r history.Result) { c.add(&c.points, r.Suite, r.Test.Test) }

// check compares, where a run got to its end: the parts of one that was broken off
// may have come to different points.
func (c *accord) check(run api.Run) error {
	if run.Verdict != api.Passed && run.Verdict != api.Failed {
		return nil
	}
	if (run.Counts.Failed > 0) != (c.own > 0) {
		return fmt.Errorf("run %s says that %d tests failed, and has the results of %d", run.RunID, run.Counts.Failed, c.own)
	}
	if c.cut {
		return nil
	}
	for test := range c.failed {
		if !c.points[test] {
			return fmt.Errorf("run %s has a failed result of %q, and none in its part of the history", run.RunID, ledger.Excerpt(test.Suite+" "+test.Test))
		}
	}
	for test := range c.points {
		if !c.failed[test] && !c.named[test] && test.Test != "" {
			return fmt.Errorf("run %s has %q as failed in its part of the history, and no failed result of it", run.RunID, ledger.Excerpt(test.Suite+" "+test.Test))
		}
	}
	return nil
}
