package classify

import "github.com/proctorhq/proctor/host/api"

// course is the course of a test or file through a session up to its last conclusive
// result, with what other sessions, some of them interleaved, had recorded by then.
type course struct {
	before

	// ran reports whether the session has a conclusive result. The others describe
	// those.
	ran, everBad, everPassed, bad bool
}

// before is what other sessions had recorded at some point.
type before struct {
	// seen reports whether another session knew the test.
	seen bool
	// prior reports whether another session ran it, priorBad whether the last of those
	// results was bad.
	prior, priorBad bool
}

// addResult adds the next result of another session.
func (b *before) addResult(a attempt) {
	b.seen = true
	if a.isConclusive() {
		b.prior, b.priorBad = true, a.bad
	}
}

// addResult adds the session's next conclusive result, and what others had recorded by
// then.
func (c *course) addResult(bad bool, b before) {
	c.before, c.ran, c.bad = b, true, bad
	c.everBad = c.everBad || bad
	c.everPassed = c.everPassed || !bad
}

// standing implements the table of docs/history.md.
func (c course) standing(deferred bool) (api.Classification, api.EntryStatus) {
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
