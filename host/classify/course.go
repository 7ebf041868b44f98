package classify

import "github.com/proctorhq/proctor/host/record"

// course is the way that a test or file took through a session, and what was on
// record before.
type course struct {
	// seen: it was known of before the session.
	seen bool
	// prior: a session before ran it; priorBad: the most recent one ended badly.
	prior, priorBad bool

	// ran: it has a conclusive result in the session. The others tell what those
	// were.
	ran, everBad, everPassed, bad bool
}

// follow takes the next conclusive result of the session.
func (c *course) follow(bad bool) {
	c.ran, c.bad = true, bad
	c.everBad = c.everBad || bad
	c.everPassed = c.everPassed || !bad
}

// stand is the table of docs/history.md.
func (c course) stand(deferred bool) (record.Classification, record.EntryStatus) {
	if !c.ran {
		return "", ""
	}
	class := c.classify()
	switch {
	case c.bad && deferred:
		return class, record.StatusDeferred
	case c.bad:
		return class, record.StatusUnresolved
	case class == record.Fixed:
		return class, record.StatusFixed
	}
	return class, record.StatusPassed
}

func (c course) classify() record.Classification {
	if c.bad {
		switch {
		case c.prior && c.priorBad:
			return record.Failing
		case c.prior || c.everPassed:
			return record.Regression
		}
		return record.Gap
	}
	switch {
	case c.everBad || c.prior && c.priorBad:
		return record.Fixed
	case c.seen:
		return record.Steady
	}
	return record.Gap
}
