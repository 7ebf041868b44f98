package quarantine

import (
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

// signature matches what [SignatureOf] returns, of any generation.
var signature = lazyregexp.New(`^[0-9a-f]{16}[0-9a-z][0-9a-f]{8}(\+[0-9a-f]{16})?$`)

// SignatureOf identifies a failure with its whole message: a test that continues after its
// known failure may find another fault, which the cause alone does not show.
func SignatureOf(f api.Failure) string {
	if also := classify.AlsoSignature(f); also != "" {
		return classify.Signature(f) + "+" + also
	}
	return classify.Signature(f)
}

// IsWhole reports whether a failure shows all that the test said: another one may look
// the same as a part.
func IsWhole(f api.Failure) bool {
	return f.Attributes[sdk.TruncatedAttribute] == "" && classify.IsWhole(f) &&
		!slices.ContainsFunc(f.Also, func(a sdk.Also) bool { return !classify.IsWhole(api.Failure{Failure: sdk.Failure{Message: a.Message}}) })
}

// IsExcusable reports whether a kind of failure can be that of a test alone. What keeps
// tests from running, or ends their process, always decides.
func IsExcusable(kind string) bool {
	switch kind {
	case sdk.KindBuild, sdk.KindVet, sdk.KindSetup, sdk.KindTimeout, sdk.KindSignal, sdk.KindFatal, sdk.KindExit:
		return false
	}
	return true
}

// maxDerived bounds the derived failures that are followed in suites with entries.
const maxDerived = 10_000

// Judge is a listener that follows a run and finds which of its failures are the known ones
// of tests in quarantine.
type Judge struct {
	now    time.Time
	suites map[string]*suite
}

// suite is what happened in a suite with entries.
type suite struct {
	tests map[string]*course
	// others counts what failed or did not end besides the entries' own tests.
	others  int
	derived []sdk.TestResult
	outcome sdk.SuiteOutcome
}

// course is how the test of an entry ended.
type course struct {
	entry Entry
	root  string
	// seen reports whether it had a result; hidden, whether something around it may
	// have kept it from one.
	seen, hidden bool
	// failed counts its failed results, known its failures with the known signature,
	// unknown whatever else is wrong with it.
	failed, known, unknown int
}

// NewJudge returns a judge of a run of a language. now is the time of the run.
func NewJudge(entries []Entry, now time.Time) *Judge {
	j := &Judge{now: now, suites: map[string]*suite{}}
	for _, e := range entries {
		s := j.suites[e.Suite]
		if s == nil {
			s = &suite{tests: map[string]*course{}}
			j.suites[e.Suite] = s
		}
		s.tests[e.Test] = &course{entry: e}
	}
	return j
}

// Listen follows an event.
func (j *Judge) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.TestEnded:
		if s := j.suites[e.Suite]; s != nil {
			s.addResult(e.Result.TestResult)
		}
	case *api.FailureFound:
		if s := j.suites[e.Failure.Suite]; s != nil {
			s.addFailure(e.Failure)
		}
	case *api.SuiteEnded:
		if s := j.suites[e.Suite]; s != nil {
			if s.outcome != 0 && s.outcome != e.Outcome {
				s.others++ // of several commands: which one was it?
			}
			s.outcome = e.Outcome
		}
	}
}

func (s *suite) addResult(r sdk.TestResult) {
	if r.Status != sdk.Passed {
		for name, c := range s.tests {
			c.hidden = c.hidden || name == r.Test || api.IsInside(name, r.Test, r.Root)
		}
	}
	c := s.tests[r.Test]
	if c != nil && !r.Fixture {
		c.seen, c.root = true, r.Root
	}
	switch {
	case r.Status == sdk.Passed || r.Status == sdk.Skipped:
	case r.Derived && r.Status == sdk.Failed && !r.Fixture && len(s.derived) < maxDerived:
		s.derived = append(s.derived, r)
	case c == nil || r.Fixture:
		s.others++
	case r.Status != sdk.Failed: // not its known failure
		c.unknown++
	default:
		c.failed++
	}
}

func (s *suite) addFailure(f api.Failure) {
	c := s.tests[f.Test]
	switch {
	case c == nil:
		s.others++
	case IsExcusable(f.Kind) && IsWhole(f) && slices.Contains(c.entry.Signatures, SignatureOf(f)):
		c.known++
	default:
		c.unknown++
	}
}

// Finding is what a judge found.
type Finding struct {
	// Excused are the tests that had only their known failure; Results and
	// Failures count their failed results and failures.
	Excused           map[sdk.TestID]Entry
	Results, Failures int
	// Suites are those that failed by nothing else, and Derived the tests in them that
	// failed only because of those inside.
	Suites  map[string]bool
	Derived map[sdk.TestID]bool
	// Expired are the entries that no longer count, Otherwise those whose test failed
	// in another way, Unseen those whose test had no result where it should.
	Expired, Otherwise, Unseen []Entry
}

// Find returns what was found so far; at the end of a run it is final.
func (j *Judge) Find() Finding {
	found := Finding{Excused: map[sdk.TestID]Entry{}, Suites: map[string]bool{}, Derived: map[sdk.TestID]bool{}}
	for name, s := range j.suites {
		j.findIn(name, s, &found)
	}
	for _, list := range []*[]Entry{&found.Expired, &found.Otherwise, &found.Unseen} {
		slices.SortFunc(*list, compare)
	}
	return found
}

func (j *Judge) findIn(name string, s *suite, found *Finding) {
	excused, others := []*course{}, s.others
	for _, c := range s.tests {
		red := c.failed+c.known+c.unknown > 0
		isKnown := c.failed > 0 && c.known >= c.failed && c.unknown == 0
		switch {
		case c.entry.IsExpired(j.now):
			found.Expired = append(found.Expired, c.entry)
		case red && !isKnown:
			found.Otherwise = append(found.Otherwise, c.entry)
		case red:
			excused = append(excused, c)
			continue
		case !c.seen && !c.hidden:
			found.Unseen = append(found.Unseen, c.entry)
		}
		if red {
			others++
		}
	}
	for _, d := range s.derived {
		if !slices.ContainsFunc(excused, func(c *course) bool { return c.explains(d) }) {
			others++
		}
	}
	for _, c := range excused {
		found.Excused[c.entry.TestID] = c.entry
		found.Results, found.Failures = found.Results+c.failed, found.Failures+c.known
	}
	if found.Suites[name] = len(excused) > 0 && others == 0 && s.outcome == sdk.SuiteFailed; found.Suites[name] {
		for _, d := range s.derived {
			found.Derived[d.TestID] = true
		}
	}
}

// explains reports whether a test failed only because of others inside it, and this is
// one of them.
func (c *course) explains(d sdk.TestResult) bool {
	root := d.Root
	if root == "" {
		root = d.Test
	}
	return c.root == root && (c.entry.Test == d.Test || api.IsInside(c.entry.Test, d.Test, root))
}
