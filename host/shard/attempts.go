package shard

import (
	"cmp"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// collect collects the evidence that counts. A test that failed in an earlier attempt
// counts with its failure, whatever a later one shows: the sources are the same.
func (m *Merge) collect() {
	for _, last := range m.Last {
		earlier := m.earlierOf(last)
		if len(earlier) == 0 {
			m.add(last, nil, nil, nil)
			continue
		}
		m.addAttempts(append(earlier, last))
	}
	for _, other := range m.Others {
		m.add(other, nil, nil, nil)
	}
	m.Failures = uniqueFailures(m.Failures)
}

// earlierOf returns the earlier attempts of a shard, oldest first.
func (m *Merge) earlierOf(last Report) []Report {
	var earlier []Report
	for _, r := range m.Earlier {
		if r.Shard.Index == last.Shard.Index {
			earlier = append(earlier, r)
		}
	}
	return earlier
}

// add adds a report without some tests, which are counted elsewhere; suites of these end
// as failed. Those in outside failed by themselves in another attempt: no failure, known or
// not, accounts for that.
func (m *Merge) add(r Report, without map[sdk.TestID]bool, failed, outside map[string]bool) {
	cached := map[string]bool{}
	for _, res := range r.Results {
		cached[res.Suite] = cached[res.Suite] || res.Cached
		if !without[rootOf(res)] {
			m.Results = append(m.Results, res)
		}
	}
	m.Failures = append(m.Failures, r.Run.Failures...)
	if r.Shard == nil {
		return
	}
	for _, p := range r.Shard.Planned {
		outcome := OutcomeOf(p.Ended)
		switch {
		case outside[p.Suite]:
			outcome = sdk.SuiteFailedOutsideTests
		case outcome == sdk.SuitePassed && failed[p.Suite]:
			outcome = sdk.SuiteFailed
		}
		if outcome != 0 {
			m.Ends = append(m.Ends, End{Suite: p.Suite, Outcome: outcome, Cached: cached[p.Suite]})
		}
	}
}

// rootOf is the listed test that a result belongs to.
func rootOf(r api.Result) sdk.TestID {
	return sdk.TestID{Suite: r.Suite, Test: cmp.Or(r.Root, r.Test)}
}

// reds are what an attempt showed as failed: listed tests, with the tests in them that
// are to blame, and suites as a whole. known are the failures in quarantine of listed tests.
type reds struct {
	tests  map[sdk.TestID][]sdk.TestID
	suites map[string][]api.Failure
	known  map[sdk.TestID][]api.Failure
}

// hasTestsOf reports whether tests of a suite failed.
func (r reds) hasTestsOf(suite string) bool {
	for root := range r.tests {
		if root.Suite == suite {
			return true
		}
	}
	return false
}

// redsOf finds what failed in an attempt. What a signal or the user ended proves
// nothing.
func redsOf(r Report) reds {
	found := reds{tests: map[sdk.TestID][]sdk.TestID{}, suites: map[string][]api.Failure{}, known: map[sdk.TestID][]api.Failure{}}
	roots, excused := map[sdk.TestID]sdk.TestID{}, map[sdk.TestID]bool{}
	for _, f := range r.Run.Failures {
		if f.Quarantine != "" {
			excused[f.TestID] = true
		}
	}
	blame := func(root, test sdk.TestID) { found.tests[root] = append(found.tests[root], test) }
	for _, res := range r.Results {
		id := res.TestID
		roots[id] = rootOf(res)
		if res.Status == sdk.Failed && !res.Derived && !res.Fixture && !excused[id] {
			blame(rootOf(res), id)
		}
	}
	for _, f := range r.Run.Failures {
		id := f.TestID
		root, isTest := roots[id]
		switch {
		case f.Quarantine != "" && isTest:
			found.known[root] = append(found.known[root], f)
		case f.Kind == sdk.KindSignal || f.Quarantine != "" || r.Cancelled && f.Kind == sdk.KindTimeout:
		case isTest:
			blame(root, id)
		default:
			found.suites[f.Suite] = append(found.suites[f.Suite], f)
		}
	}
	return found
}

// series is the attempts of one shard, oldest first, and what is decided about them.
type series struct {
	attempts []Report
	// reds are what each of them showed as failed.
	reds []reds
	// from says which attempt the failure of a listed test is taken from, in place of what
	// came later. known says the same of failures in quarantine.
	from, known map[sdk.TestID]int
	// outside are the suites that failed by themselves in an attempt.
	outside map[string]bool
}

func newSeries(attempts []Report) *series {
	s := &series{attempts: attempts, from: map[sdk.TestID]int{}, outside: map[string]bool{}}
	for _, r := range attempts {
		s.reds = append(s.reds, redsOf(r))
	}
	return s
}

// last returns the last attempt, and end what failed in it.
func (s *series) last() Report { return s.attempts[len(s.attempts)-1] }
func (s *series) end() reds    { return s.reds[len(s.reds)-1] }

// addAttempts adds the attempts of one shard, oldest first.
func (m *Merge) addAttempts(attempts []Report) {
	s := newSeries(attempts)
	for n := range attempts[:len(attempts)-1] {
		m.addUnexplained(s, n)
		for root := range s.reds[n].tests {
			_, taken := s.from[root]
			if _, again := s.end().tests[root]; !again && !taken {
				s.from[root] = n
			}
		}
		for suite, failures := range s.reds[n].suites {
			m.addFailedSuite(s, suite, failures)
		}
	}
	s.known = s.findKnown()
	without, failed := map[sdk.TestID]bool{}, map[string]bool{}
	for _, counts := range []map[sdk.TestID]int{s.from, s.known} {
		for root := range counts {
			without[root], failed[root.Suite] = true, true
		}
	}
	m.add(s.last(), without, failed, s.outside)
	for n := range attempts {
		m.addKnown(s, n)
	}
	races := racesOf(attempts)
	for n := range attempts {
		m.addAttempt(s, n, races)
	}
	slices.SortFunc(m.Flaky, func(a, b api.Retried) int {
		return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
	})
	slices.SortStableFunc(m.SuiteFailures, func(a, b api.Failure) int { return cmp.Compare(a.Suite, b.Suite) })
}

// addFailedSuite adds a suite that failed as a whole in an earlier attempt, unless it does so
// in the last one, whose failures count anyway.
func (m *Merge) addFailedSuite(s *series, suite string, failures []api.Failure) {
	_, again := s.end().suites[suite]
	switch {
	case !again && slices.ContainsFunc(failures, isRace):
		m.Failures, m.stillRed = append(m.Failures, failures...), true
	case again || m.isFlakySuite(suite):
	case !hasEnded(s.last().Run, suite) || s.end().hasTestsOf(suite): // it has not passed since
		m.Failures, m.stillRed = append(m.Failures, failures...), true
	default:
		m.SuiteFailures = append(m.SuiteFailures, failures...)
		m.addFlakySuite(suite, s.last())
	}
}

func (m *Merge) isFlakySuite(suite string) bool {
	return slices.ContainsFunc(m.Flaky, func(t api.Retried) bool { return t.TestID == sdk.TestID{Suite: suite} })
}

// addFlakySuite adds a suite that failed as a whole before and passed in the last attempt.
func (m *Merge) addFlakySuite(suite string, last Report) {
	m.Flaky = append(m.Flaky, api.Retried{
		TestID: sdk.TestID{Suite: suite}, Flaky: true,
		Attempts: []api.Attempt{{RunID: last.RunID, Outcome: api.OutcomePassed}},
	})
}

// addUnexplained adds the suites that ended red in an earlier attempt, of which nothing that
// failed there says why: a later attempt that is green does not hide that.
func (m *Merge) addUnexplained(s *series, n int) {
	r, last := s.attempts[n], s.last()
	if !isRed(r) {
		return
	}
	suites := Unexplained(r.Run)
	if len(suites)+len(s.reds[n].tests)+len(s.reds[n].suites) == 0 && !r.Cancelled {
		m.problem("attempt %d of shard %s is %s", r.Shard.Attempt, r.Shard, describeVerdict(r.Run))
	}
	var again []string
	if isRed(last) {
		again = Unexplained(last.Run)
	}
	for _, suite := range suites {
		switch {
		case slices.Contains(again, suite):
		case !hasEnded(last.Run, suite):
			m.stillRed = true
		case s.end().hasTestsOf(suite): // it has not passed, either
			s.outside[suite], m.stillRed = true, true
		default:
			s.outside[suite] = true
			if !m.isFlakySuite(suite) {
				m.addFlakySuite(suite, last)
			}
		}
	}
}

// isRed reports whether something failed in an attempt.
func isRed(r Report) bool { return r.Verdict == api.Failed || r.Verdict == api.BuildFailed }

// IsRedEnd reports whether a suite that ended like this has failed.
func IsRedEnd(end api.SuiteEnd) bool {
	return end == api.SuiteEndFailed || end == api.SuiteEndOutside || end == api.SuiteEndBuildFailed
}

// showsRed reports whether a report shows something that makes a merge red.
func showsRed(r Report) bool {
	found := redsOf(r)
	return len(found.tests)+len(found.suites)+len(Unexplained(r.Run)) > 0 ||
		slices.ContainsFunc(r.Run.Failures, func(f api.Failure) bool { return f.Quarantine == "" })
}

// Unexplained returns the suites of an attempt that ended red although nothing that failed
// there accounts for it. A known failure of a test is why its suite failed, but not why it
// failed outside of its tests, and no failure of a test is why its process died after them.
// What ended when the user ended the run did not fail by itself.
func Unexplained(run api.Run) []string {
	found := redsOf(Report{Run: run})
	explained, known, died := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range run.Failures {
		switch {
		case run.Cancelled && f.Suite != "" && (f.Kind == sdk.KindSignal || f.Kind == sdk.KindTimeout):
			explained[f.Suite] = true
		case f.Kind == sdk.KindSignal && f.Test == "":
			died[f.Suite] = true
		}
	}
	for root := range found.tests {
		explained[root.Suite] = true
	}
	for suite, failures := range found.suites {
		explained[suite] = true
		for _, f := range failures {
			for _, blocked := range f.Blocks {
				explained[blocked] = true
			}
		}
	}
	for root := range found.known {
		known[root.Suite] = true
	}
	var suites []string
	for _, p := range run.Shard.Planned {
		ended := IsRedEnd(p.Ended) && (p.Ended != api.SuiteEndFailed || !known[p.Suite])
		if ended && !explained[p.Suite] && !explained[""] || // without a name, it is all of the run
			died[p.Suite] && IsRedEnd(p.Ended) {
			suites = append(suites, p.Suite)
		}
	}
	return suites
}

// findKnown returns the listed tests of which only an earlier attempt shows a failure, one in
// quarantine, with the number of the attempt. It stays on record in place of what the last
// attempt showed, if that is a pass or a skip: a test that did not get to its end there, or did
// not run, must not look as if it had.
func (s *series) findKnown() map[sdk.TestID]int {
	ended := endedRoots(s.last())
	known := map[sdk.TestID]int{}
	for n := range s.attempts[:len(s.attempts)-1] {
		for root := range s.reds[n].known {
			_, taken := known[root]
			_, counts := s.from[root]
			if !taken && !counts && ended[root] && len(s.end().tests[root]) == 0 {
				known[root] = n
			}
		}
	}
	return known
}

// endedRoots returns the listed tests that ran to their end, and nothing in them failed.
func endedRoots(r Report) map[sdk.TestID]bool {
	ended := map[sdk.TestID]bool{}
	for _, res := range r.Results {
		root := rootOf(res)
		was, seen := ended[root]
		ended[root] = (was || !seen) && res.Status != sdk.Failed && res.Status != sdk.Unfinished
	}
	return ended
}

// addKnown adds what an attempt showed of tests whose failure in quarantine is taken from it,
// and such failures of the tests whose other failures are.
func (m *Merge) addKnown(s *series, n int) {
	for _, res := range s.attempts[n].Results {
		if at, ok := s.known[rootOf(res)]; ok && at == n {
			m.Results = append(m.Results, res)
		}
	}
	tests := map[sdk.TestID]bool{}
	for root, failures := range s.reds[n].known {
		at, ok := s.known[root]
		if !ok {
			at, ok = s.from[root]
		}
		if !ok || at != n {
			continue
		}
		for _, f := range failures {
			m.Failures, tests[f.TestID] = append(m.Failures, f), true
		}
	}
	m.Known += len(tests)
}

// hasEnded reports whether a suite came to its end in a shard; without a name, everything.
func hasEnded(run api.Run, suite string) bool {
	for _, p := range run.Shard.Planned {
		if (suite == "" || p.Suite == suite) && !hasEndedWhole(p.Ended) {
			return false
		}
	}
	return true
}

// hasEndedWhole reports whether all tests of a suite that ended like this came to their end.
func hasEndedWhole(end api.SuiteEnd) bool {
	return end == api.SuiteEndPassed || end == api.SuiteEndFailed || end == api.SuiteEndNoTests
}

// passedTests returns the tests, and parts of tests, that passed, and nothing beside them in
// their listed test failed.
func passedTests(r Report) map[sdk.TestID]bool {
	ended, passed := endedRoots(r), map[sdk.TestID]bool{}
	for _, res := range r.Results {
		was, seen := passed[res.TestID]
		passed[res.TestID] = (was || !seen) && res.Status == sdk.Passed && ended[rootOf(res)]
	}
	return passed
}

// addAttempt adds what one of several attempts showed of flaky tests: the failures that
// count, and beside these what others showed.
func (m *Merge) addAttempt(s *series, n int, races map[sdk.TestID]bool) {
	r := s.attempts[n]
	beside := Attempt{Run: r.Run}
	passed := passedTests(s.last())
	shown := make([]outcomes, len(s.attempts))
	for i := n; i < len(s.attempts); i++ {
		shown[i] = outcomesOf(s.attempts[i], s.reds[i])
	}
	for _, res := range r.Results {
		at, flaky := s.from[rootOf(res)]
		switch {
		case !flaky:
		case at == n:
			m.Results = append(m.Results, res)
		default:
			beside.Results = append(beside.Results, res)
			if root := rootOf(res); !slices.Contains(beside.Tests, root) {
				beside.Tests = append(beside.Tests, root)
			}
		}
	}
	for root, at := range s.from {
		if at != n {
			continue
		}
		seen := map[sdk.TestID]bool{}
		for i, red := range s.reds[n:] { // another part of it may have failed in a later attempt
			for _, test := range red.tests[root] {
				if seen[test] {
					continue
				}
				seen[test] = true
				t := api.Retried{TestID: test, Flaky: passed[test] && !races[root]}
				for j := n + i + 1; j < len(s.attempts); j++ {
					t.Attempts = append(t.Attempts, api.Attempt{RunID: s.attempts[j].RunID, Outcome: shown[j].of(test)})
				}
				m.Flaky = append(m.Flaky, t)
				m.stillRed = m.stillRed || !t.Flaky // it raced, was skipped, or did not run again
				m.Failures = append(m.Failures, shown[n+i].failures[test]...)
			}
		}
	}
	if len(beside.Results) > 0 {
		m.Attempts = append(m.Attempts, beside)
	}
}

// racesOf returns the listed tests in which an attempt detected a data race. It is there
// whether or not another attempt shows it.
func racesOf(attempts []Report) map[sdk.TestID]bool {
	races := map[sdk.TestID]bool{}
	for _, r := range attempts {
		raced := map[sdk.TestID]bool{}
		for _, f := range r.Run.Failures {
			if isRace(f) {
				raced[f.TestID] = true
			}
		}
		for _, res := range r.Results {
			if raced[res.TestID] {
				races[rootOf(res)] = true
			}
		}
	}
	return races
}

func isRace(f api.Failure) bool { return f.Kind == sdk.KindRace }

// outcomes is what an attempt showed of tests and parts of tests.
type outcomes struct {
	roots    map[sdk.TestID]sdk.TestID
	passed   map[sdk.TestID]bool
	failures map[sdk.TestID][]api.Failure
	found    reds
}

func outcomesOf(r Report, found reds) outcomes {
	o := outcomes{roots: map[sdk.TestID]sdk.TestID{}, passed: passedTests(r), failures: map[sdk.TestID][]api.Failure{}, found: found}
	for _, res := range r.Results {
		o.roots[res.TestID] = rootOf(res)
	}
	for _, f := range r.Run.Failures {
		o.failures[f.TestID] = append(o.failures[f.TestID], f)
	}
	return o
}

func (o outcomes) of(test sdk.TestID) api.Outcome {
	root, seen := o.roots[test]
	switch {
	case !seen:
		return api.OutcomeDidNotRun
	case o.passed[test]:
		return api.OutcomePassed
	case len(o.found.tests[root]) > 0:
		return api.OutcomeFailed
	}
	return api.OutcomeSkipped
}

// uniqueFailures drops failures that several shards have: a package that does not build is
// built for whatever imports it.
func uniqueFailures(all []api.Failure) []api.Failure {
	at := map[string]int{}
	var unique []api.Failure
	for _, f := range all {
		key := f.ID
		if i, twice := at[key]; twice && key != "" && isSame(unique[i], f) {
			for _, suite := range f.Blocks {
				if !slices.Contains(unique[i].Blocks, suite) {
					unique[i].Blocks = append(unique[i].Blocks, suite)
				}
			}
			continue
		}
		at[key] = len(unique)
		f.Blocks = slices.Clone(f.Blocks)
		unique = append(unique, f)
	}
	return unique
}

func isSame(a, b api.Failure) bool {
	return a.TestID == b.TestID && a.Kind == b.Kind && a.Location == b.Location && a.Message == b.Message &&
		slices.Equal(a.Also, b.Also) && a.Quarantine == b.Quarantine
}
