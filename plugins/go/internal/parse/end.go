package parse

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// endSuite takes the end of a suite.
func (p *Parser) endSuite(s *suite, ev *testjson.Event) {
	s.end = &suiteEnd{action: ev.Action, elapsed: ev.Elapsed}
	s.failedBuild = string(ev.FailedBuild)
	s.anyFailed = s.anyFailed || len(s.held) > 0
	delete(p.suites.running, s.name)
	p.suites.last = nil
	p.suites.ended[s.name] = struct{}{}
	p.counts.suites++
	unbuilt := s.started == 0 && (s.buildNote != "" || s.failedBuild != "")
	if c := s.dump.crash(); c != nil && c.isSignal() || unbuilt && p.command.builds.someInterrupted() || c == nil && ev.Action == testjson.ActionFail && len(s.tests) > 0 && !s.completed {
		// Whether the host or the user ended it is known at the end of the run.
		p.suites.waiting = append(p.suites.waiting, s)
		return
	}
	p.ender.conclude(s, sdk.Exit{})
}

// suiteEnder decides how suites ended and reports them.
type suiteEnder struct {
	*reporter
	settler    *settler
	attributor *attributor
	builds     *builds
}

// conclude reports a suite that has ended.
func (e *suiteEnder) conclude(s *suite, exit sdk.Exit) {
	e.endBenchmarks(s)
	var outcome sdk.SuiteOutcome
	switch {
	case s.end.action == testjson.ActionSkip:
		outcome = sdk.SuiteNoTests
	case s.end.action == testjson.ActionPass:
		outcome = e.concludePassed(s)
	case s.started == 0 && (s.buildNote != "" || s.failedBuild != "") && e.builds.wasStopped(s, exit):
		outcome = sdk.SuiteUnfinished
	case s.started == 0 && (s.buildNote != "" || s.failedBuild != ""):
		outcome = sdk.SuiteBuildFailed
		e.builds.blocked(s)
	default:
		outcome = e.concludeFailed(s, exit)
	}
	e.finish(s, outcome)
}

// finish reports what is left of a suite.
func (e *suiteEnder) finish(s *suite, outcome sdk.SuiteOutcome) {
	e.settler.settleAll(s)
	e.noteRehearsals(s)
	e.endFailfast(s)
	e.notePretence(s)
	for _, t := range s.live() {
		e.sink.Test(e.result(s, t, sdk.Unfinished))
	}
	elapsed := 0.0
	if s.end != nil {
		elapsed = s.end.elapsed
	}
	e.sink.Suite(sdk.SuiteResult{Suite: s.name, Outcome: outcome, Elapsed: seconds(elapsed)})
}

// concludePassed is for a suite that says it passed. Its TestMain may have
// swallowed failures, and its process may have ended early with code 0.
func (e *suiteEnder) concludePassed(s *suite) sdk.SuiteOutcome {
	if len(s.tests) > 0 && !s.completed {
		e.attributor.explainDeath(s, sdk.Exit{})
	}
	e.settler.settleAll(s)
	switch {
	case len(s.tests) > 0:
		return sdk.SuiteAborted
	case s.anyFailed:
		return e.outcomeOfFailed(s)
	case s.started == 0:
		return e.outcomeOfNothing(s)
	case !e.hasHadTurns(s), !e.allHeard(s):
		return sdk.SuiteAborted
	}
	if r := s.unclaimed(""); r != nil {
		// GORACE=exitcode=0 keeps it out of the exit status.
		e.attributor.explainOutside(s)
		return sdk.SuiteFailedOutsideTests
	}
	return sdk.SuitePassed
}

// outcomeOfFailed is for a suite in which tests failed, and in which none died:
// all others had their turn, or not.
func (e *suiteEnder) outcomeOfFailed(s *suite) sdk.SuiteOutcome {
	if s.goexit {
		e.sink.Note(s.name + ": a subtest ended its parent, so the subtests after it did not run")
	}
	if e.selection.failfast {
		e.sink.Note(s.name + ": -failfast kept the tests after the first failure from running")
	}
	if !s.completed || s.goexit || e.selection.failfast || !e.allHeard(s) {
		return sdk.SuiteAborted
	}
	return sdk.SuiteFailed
}

// concludeFailed finds out why a suite failed.
func (e *suiteEnder) concludeFailed(s *suite, exit sdk.Exit) sdk.SuiteOutcome {
	if c := s.dump.crash(); c != nil {
		failed := s.anyFailed
		e.attributor.explainCrash(s, c, exit)
		switch {
		case !s.completed, failed && e.selection.failfast:
			return sdk.SuiteAborted
		case failed:
			return sdk.SuiteFailed
		}
		return sdk.SuiteFailedOutsideTests
	}
	e.endAnnounced(s)
	if c := s.dump.traceless(); c != nil && !s.completed {
		e.attributor.explainCrash(s, c, exit)
		return sdk.SuiteAborted
	}
	if len(s.tests) > 0 {
		e.attributor.explainDeath(s, exit)
		return sdk.SuiteAborted
	}
	// Held tests decide whether a subtest ended its parent.
	e.settler.settleAll(s)
	if s.anyFailed {
		e.attributor.blameRaces(s)
		return e.outcomeOfFailed(s)
	}
	e.attributor.explainOutside(s)
	if !s.completed {
		return sdk.SuiteAborted
	}
	return sdk.SuiteFailedOutsideTests
}

// endAnnounced ends the tests that said they failed and whose event is lost.
func (e *suiteEnder) endAnnounced(s *suite) {
	for _, t := range s.live() {
		if !announced(t) {
			continue
		}
		if t.parent != nil {
			t.parent.childFailed = true
		}
		s.drop(t)
		e.counts.add(sdk.Failed)
		s.try(t, sdk.Failed)
		s.anyFailed = true
		s.held = append(s.held, t)
	}
}

// suites are those that the events told of.
type suites struct {
	// running have started and not ended.
	running map[string]*suite
	// last is the suite of the previous event.
	last *suite
	// ended holds the names of suites that have ended.
	ended map[string]struct{}
	// waiting are suites whose process may have been ended from outside: whether
	// it was the host's time-out is known at the end.
	waiting []*suite
}

// unfinished are the suites whose end was not seen, by name.
func (ss *suites) unfinished() []*suite {
	all := make([]*suite, 0, len(ss.running))
	for _, s := range ss.running {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *suite) int { return strings.Compare(a.name, b.name) })
	return all
}

// cutShort reports a suite whose end was not seen.
func (e *suiteEnder) cutShort(s *suite, exit sdk.Exit) {
	if c := s.dump.crash(); c != nil {
		e.attributor.explainCrash(s, c, exit)
	} else if !exit.Unknown && !exit.Cancelled && exit.Code != 0 && len(s.leaves()) > 0 {
		e.attributor.explainDeath(s, exit)
	}
	e.finish(s, sdk.SuiteUnfinished)
}

// live are the running tests in the order in which they started.
func (s *suite) live() []*test {
	all := make([]*test, 0, len(s.tests))
	for _, t := range s.tests {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *test) int { return a.order - b.order })
	return all
}

// leaves are the running tests that do not wait, in order.
func (s *suite) leaves() []*test {
	var leaves []*test
	for _, t := range s.live() {
		if t.isLeaf() {
			leaves = append(leaves, t)
		}
	}
	return leaves
}
