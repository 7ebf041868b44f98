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
	delete(p.suites, s.name)
	p.last = nil
	p.ended[s.name] = struct{}{}
	p.counts.suites++
	unbuilt := s.started == 0 && (s.buildNote != "" || s.failedBuild != "")
	if c := s.dump.crash(); c != nil && c.isSignal() || unbuilt && p.builds.someInterrupted() || c == nil && ev.Action == testjson.ActionFail && len(s.tests) > 0 && !s.completed {
		// Whether the host or the user ended it is known at the end of the run.
		p.waiting = append(p.waiting, s)
		return
	}
	p.conclude(s, sdk.Exit{})
}

// conclude reports a suite that has ended.
func (p *Parser) conclude(s *suite, exit sdk.Exit) {
	p.endBenchmarks(s)
	var outcome sdk.SuiteOutcome
	switch {
	case s.end.action == testjson.ActionSkip:
		outcome = sdk.SuiteNoTests
	case s.end.action == testjson.ActionPass:
		outcome = p.concludePassed(s)
	case s.started == 0 && (s.buildNote != "" || s.failedBuild != "") && p.wasStopped(s, exit):
		outcome = sdk.SuiteUnfinished
	case s.started == 0 && (s.buildNote != "" || s.failedBuild != ""):
		outcome = sdk.SuiteBuildFailed
		p.builds.blocked(s)
	default:
		outcome = p.concludeFailed(s, exit)
	}
	p.finish(s, outcome)
}

// finish reports what is left of a suite.
func (p *Parser) finish(s *suite, outcome sdk.SuiteOutcome) {
	p.settleAll(s)
	p.noteRehearsals(s)
	p.endFailfast(s)
	p.notePretence(s)
	for _, t := range s.live() {
		p.sink.Test(p.result(s, t, sdk.Unfinished))
	}
	elapsed := 0.0
	if s.end != nil {
		elapsed = s.end.elapsed
	}
	p.sink.Suite(sdk.SuiteResult{Suite: s.name, Outcome: outcome, Elapsed: seconds(elapsed)})
}

// concludePassed is for a suite that says it passed. Its TestMain may have
// swallowed failures, and its process may have ended early with code 0.
func (p *Parser) concludePassed(s *suite) sdk.SuiteOutcome {
	if len(s.tests) > 0 && !s.completed {
		p.explainDeath(s, sdk.Exit{})
	}
	p.settleAll(s)
	switch {
	case len(s.tests) > 0:
		return sdk.SuiteAborted
	case s.anyFailed:
		return p.outcomeOfFailed(s)
	case s.started == 0:
		return p.outcomeOfNothing(s)
	case !p.hasHadTurns(s), !p.allHeard(s):
		return sdk.SuiteAborted
	}
	if r := s.unclaimed(""); r != nil {
		// GORACE=exitcode=0 keeps it out of the exit status.
		p.explainOutside(s)
		return sdk.SuiteFailedOutsideTests
	}
	return sdk.SuitePassed
}

// outcomeOfFailed is for a suite in which tests failed, and in which none died:
// all others had their turn, or not.
func (p *Parser) outcomeOfFailed(s *suite) sdk.SuiteOutcome {
	if s.goexit {
		p.sink.Note(s.name + ": a subtest ended its parent, so the subtests after it did not run")
	}
	if p.selection.failfast {
		p.sink.Note(s.name + ": -failfast kept the tests after the first failure from running")
	}
	if !s.completed || s.goexit || p.selection.failfast || !p.allHeard(s) {
		return sdk.SuiteAborted
	}
	return sdk.SuiteFailed
}

// concludeFailed finds out why a suite failed.
func (p *Parser) concludeFailed(s *suite, exit sdk.Exit) sdk.SuiteOutcome {
	if c := s.dump.crash(); c != nil {
		failed := s.anyFailed
		p.explainCrash(s, c, exit)
		switch {
		case !s.completed, failed && p.selection.failfast:
			return sdk.SuiteAborted
		case failed:
			return sdk.SuiteFailed
		}
		return sdk.SuiteFailedOutsideTests
	}
	p.endAnnounced(s)
	if c := s.dump.traceless(); c != nil && !s.completed {
		p.explainCrash(s, c, exit)
		return sdk.SuiteAborted
	}
	if len(s.tests) > 0 {
		p.explainDeath(s, exit)
		return sdk.SuiteAborted
	}
	// Held tests decide whether a subtest ended its parent.
	p.settleAll(s)
	if s.anyFailed {
		p.blameRaces(s)
		return p.outcomeOfFailed(s)
	}
	p.explainOutside(s)
	if !s.completed {
		return sdk.SuiteAborted
	}
	return sdk.SuiteFailedOutsideTests
}

// endAnnounced ends the tests that said they failed and whose event is lost.
func (p *Parser) endAnnounced(s *suite) {
	for _, t := range s.live() {
		if !announced(t) {
			continue
		}
		if t.parent != nil {
			t.parent.childFailed = true
		}
		s.drop(t)
		p.counts.add(sdk.Failed)
		s.try(t, sdk.Failed)
		s.anyFailed = true
		s.held = append(s.held, t)
	}
}

// unfinishedSuites are the suites whose end was not seen, by name.
func (p *Parser) unfinishedSuites() []*suite {
	all := make([]*suite, 0, len(p.suites))
	for _, s := range p.suites {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *suite) int { return strings.Compare(a.name, b.name) })
	return all
}

// cutShort reports a suite whose end was not seen.
func (p *Parser) cutShort(s *suite, exit sdk.Exit) {
	if c := s.dump.crash(); c != nil {
		p.explainCrash(s, c, exit)
	} else if !exit.Unknown && !exit.Cancelled && exit.Code != 0 && len(s.leaves()) > 0 {
		p.explainDeath(s, exit)
	}
	p.finish(s, sdk.SuiteUnfinished)
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
