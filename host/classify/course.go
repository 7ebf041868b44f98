package classify

import "github.com/proctorhq/proctor/host/api"

// course is the way that a test or file took through a session up to the last
// conclusive result there, and what other sessions had on record by then: some of
// them may have run it in between.
type course struct {
	before

	// ran: it has a conclusive result in the session. The others tell what those
	// were.
	ran, everBad, everPassed, bad bool
}

// before is what other sessions tell at some time.
type before struct {
	// seen reports whether another session knew of it.
	seen bool
	// prior: another session ran it; priorBad: the last result of those was bad.
	prior, priorBad bool
}

// learn takes the next result of another session.
func (b *before) learn(a attempt) {
	b.seen = true
	if a.conclusive() {
		b.prior, b.priorBad = true, a.bad
	}
}

// follow takes the next conclusive result of the session, and what others tell by
// then.
func (c *course) follow(bad bool, b before) {
	c.before, c.ran, c.bad = b, true, bad
	c.everBad = c.everBad || bad
	c.everPassed = c.everPassed || !bad
}

// stand is the table of docs/history.md.
func (c course) stand(deferred bool) (api.Classification, api.EntryStatus) {
	if !c.ran {
		return "", ""
	}
	class := c.classify()
	switch {
	case c.bad && deferred:
		return class, api.StatusDeferred
	case c.bad:
		return class, api.StatusUnresolved
	case class == api.Fixed:
		return class, api.StatusFixed
	}
	return class, api.StatusPassed
}

func (c course) classify() api.Classification {
	if c.bad {
		switch {
		case c.prior && c.priorBad:
			return api.Failing
		case c.prior || c.everPassed:
			return api.Regression
		}
		return api.Gap
	}
	switch {
	case c.everBad || c.prior && c.priorBad:
		return api.Fixed
	case c.seen:
		return api.Steady
	}
	return api.Gap
}
