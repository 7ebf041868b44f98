package testexec

import (
	"fmt"
	"os"
	"time"
)

// clock knows how much time a measurement has.
type clock struct {
	// deadline is when it has to be over; zero is never.
	deadline time.Time
	// budget is how much longer the tests may take one by one than together; 0 is
	// without end.
	budget time.Duration
}

// readClock reads when a measurement has to be over. The table is written right
// before the go command is started, so its time is when that began.
func readClock(tablePath string, m Measure) (clock, error) {
	c := clock{budget: time.Duration(m.BudgetMillis) * time.Millisecond}
	if m.DeadlineMillis <= 0 {
		return c, nil
	}
	info, err := os.Stat(tablePath)
	if err != nil {
		return c, err
	}
	c.deadline = info.ModTime().Add(time.Duration(m.DeadlineMillis) * time.Millisecond)
	return c, nil
}

// left is how much time there is, at most so much; 0 as most is without end. It is
// negative when the time is over, and 0 when there is no end.
func (c clock) left(most time.Duration) time.Duration {
	if c.deadline.IsZero() {
		return most
	}
	left := time.Until(c.deadline)
	switch {
	case left <= 0:
		return -1
	case most > 0:
		return min(most, left)
	}
	return left
}

// leastShare is what the tests of a package may take together at least, where twice as
// much is left.
const leastShare = 2 * time.Minute

// share is how long the tests of a package may take together, of so many packages that
// are not measured yet: one that hangs must not take the time of the others, nor that
// in which its own other tests are run one by one. 0 is without end, and negative when
// the time is over.
func (c clock) share(packages int) time.Duration {
	left := c.left(0)
	if left <= 0 {
		return left
	}
	return max(left/time.Duration(packages+1), min(leastShare, left/2))
}

// tooMuch tells why tests are not measured one by one: what starting the binary takes,
// for each of them, does not fit into the time. cut: with more time until the deadline
// it would.
func (c clock) tooMuch(start time.Duration, tests int, together time.Duration) (why string, cut bool) {
	all := start * time.Duration(tests)
	if c.budget > 0 && all > c.budget+together {
		return fmt.Sprintf("its start takes %s, for each of %d tests: over the budget of %s", short(start), tests, c.budget), false
	}
	if left := c.left(0); left != 0 && all > left {
		return fmt.Sprintf("its start takes %s, for each of %d tests: more than the time that was left", short(start), tests), true
	}
	return "", false
}

// over tells why measuring stops when some tests of all have been measured.
func (c clock) over(spent, together time.Duration, done, tests int) string {
	if c.left(0) < 0 {
		return fmt.Sprintf("the time budget was over after %d of %d tests", done, tests)
	}
	if c.budget > 0 && spent > c.budget+together {
		return fmt.Sprintf("its tests take too long one by one: the budget of %s was over after %d of %d tests", c.budget, done, tests)
	}
	return ""
}

// short is a time for readers.
func short(d time.Duration) time.Duration {
	if d < 10*time.Millisecond {
		return d.Round(100 * time.Microsecond)
	}
	return d.Round(10 * time.Millisecond)
}
