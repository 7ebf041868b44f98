package outstanding

import (
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// EndsEarly reports whether tests of a suite with such an end may never have started.
// So may those of one with an end that nobody knows.
func EndsEarly(end sdk.SuiteOutcome) bool {
	switch end {
	case sdk.SuitePassed, sdk.SuiteFailed, sdk.SuiteBuildFailed, sdk.SuiteFailedOutsideTests, sdk.SuiteNoTests:
		return false
	}
	return true
}

// isBroken reports whether a suite with such an end is red as a whole.
func isBroken(end sdk.SuiteOutcome) bool {
	return end == sdk.SuiteBuildFailed || end == sdk.SuiteFailedOutsideTests
}

// Scope is what a command ran, as far as it bears on what a pass proves.
type Scope struct {
	// Tests are what a rerun asked for, if only an empty slice; nil for a run.
	Tests []Target
	// Widened reports whether the roots of Tests were run whole instead of Tests.
	Widened bool
	// SomeTests reports whether the command ran only some tests of its suites.
	SomeTests bool
	// Args stands for the runner arguments, [EnvMark], and the environment. They
	// may leave tests out in ways that only the runner knows, so that what ran
	// whole with some arguments says nothing about what is outstanding from a
	// run with others.
	Args string
	// Way is in which way the command ran tests; nil is not known.
	Way *Way
	// InsideTests reports whether the command may have run a part of a test, so that
	// the pass of a test that contains others proves nothing.
	InsideTests bool
}

// Reach is how far a run got.
type Reach int

// The reaches of a run, each including the one before.
const (
	// Partial: it was of some tests, or did not get to its end.
	Partial Reach = iota
	// Ended: it was of everything and got to its end.
	Ended
	// Green: and everything that ran passed.
	Green
)

// Fold follows the results of a run and computes the outstanding set after it.
// Its memory grows with the outstanding set, the failures and the number of
// listed tests, not with the number of results.
type Fold struct {
	runID  string
	scope  Scope
	before Set
	index  map[identity]int
	// known are the tests of before, in whatever way they were red
	was map[api.Test]bool

	asked       map[api.Test]bool // exactly what was asked for
	askedInside map[api.Test]bool // listed tests of which a part was asked for
	askedRoots  map[api.Test]bool // listed tests that ran whole
	askedSuites map[string]bool   // suites that ran whole
	askedAll    bool              // everything ran

	red      map[api.Test]Entry      // not passed in this run
	fixtures map[api.Test]bool       // failed; their suites are red instead
	order    []api.Test              // of red
	passed   map[api.Test]bool       // proved, of before and asked
	inner    map[api.Test]bool       // of before: ran whole, and only what is inside failed
	seen     map[api.Test]sdk.Status // of before, asked, and their roots
	suites   map[string]sdk.SuiteOutcome
	roots    map[string]map[string]bool // listed tests seen, by suite
	ran      map[string]bool            // suites of which a test passed or failed
	listed   map[string][]string        // what broken suites have in their sources
	// blamed: it failed in an attempt, or a failure names it that no signal from
	// outside explains. signalled: one names it that does.
	blamed, signalled map[api.Test]bool
	// cut: the run itself was cut off, interrupted: by the user
	cut, interrupted bool
	// roots of outstanding tests, and what exists now; nil is not known
	outer  map[api.Test]bool
	exists *Inventory
	// removed are tests whose files are gone
	removed map[api.Test]bool
	// absent are outstanding tests that are not listed any more
	absent Absences
	// skipped are listed tests that did nothing but skip themselves
	skipped map[api.Test]bool
}

// NewFold starts with the outstanding set before the run.
func NewFold(runID string, before Set, scope Scope) *Fold {
	f := &Fold{
		runID: runID, scope: scope, before: before, index: before.index(),
		asked: map[api.Test]bool{}, askedRoots: map[api.Test]bool{}, askedSuites: map[string]bool{}, askedInside: map[api.Test]bool{},
		blamed: map[api.Test]bool{}, signalled: map[api.Test]bool{},
		red: map[api.Test]Entry{}, fixtures: map[api.Test]bool{}, passed: map[api.Test]bool{}, inner: map[api.Test]bool{},
		seen: map[api.Test]sdk.Status{}, suites: map[string]sdk.SuiteOutcome{}, roots: map[string]map[string]bool{}, ran: map[string]bool{},
		skipped: map[api.Test]bool{},
	}
	f.outer, f.was = map[api.Test]bool{}, map[api.Test]bool{}
	for _, e := range before.Entries {
		f.was[e.Test] = true
		f.outer[api.Test{Suite: e.Suite, Test: e.listed()}] = true
	}
	for _, t := range scope.Tests {
		f.asked[t.Test] = true
		switch {
		case t.Test == everything:
			f.askedAll = true
		case t.Test.Test == "":
			f.askedSuites[t.Suite] = true
		case scope.Widened && t.Root != "":
			f.askedRoots[api.Test{Suite: t.Suite, Test: t.Root}] = true
		case t.Root == "":
			f.askedRoots[t.Test] = true
		default:
			f.askedInside[api.Test{Suite: t.Suite, Test: t.Root}] = true
		}
	}
	return f
}

// Listen follows the events of the run.
func (f *Fold) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.TestEnded:
		f.addResult(&e.Result)
	case *api.FailureFound:
		f.addFailure(api.Test{Suite: e.Suite, Test: e.Test}, e.Kind)
	case *api.SuiteEnded:
		f.addSuite(e.Suite, e.Outcome)
	}
}

// addResult takes the end of a test.
func (f *Fold) addResult(r *api.Result) {
	id := api.Test{Suite: r.Suite, Test: r.Test}
	if r.Fixture {
		f.addFixture(id, r.Status)
		return
	}
	root := r.Root
	if root == "" {
		root = r.Test
	}
	if f.roots[r.Suite] == nil {
		f.roots[r.Suite] = map[string]bool{}
	}
	f.noteSkip(api.Test{Suite: r.Suite, Test: root}, r.Status)
	f.roots[r.Suite][root] = true
	was := f.was[id]
	if was || f.asked[id] || f.outer[id] {
		// Several attempts: the worst one counts.
		if worse(r.Status, f.seen[id]) {
			f.seen[id] = r.Status
		}
	}
	if r.Status == sdk.Passed || r.Status == sdk.Failed {
		f.ran[r.Suite] = true
	}
	switch r.Status {
	case sdk.Failed:
		if !r.Derived {
			f.blamed[id] = true
			f.addRed(Entry{Test: id, Root: r.Root, Reason: ReasonFailed})
		} else if was && f.proves(id, root, true) {
			f.inner[id] = true
		}
	case sdk.Unfinished:
		e := Entry{Test: id, Root: r.Root, Reason: ReasonUnfinished}
		if r.Container {
			e.Why = WhyParts
		}
		f.addRed(e)
	case sdk.Passed:
		if (was || f.asked[id]) && f.proves(id, root, r.Container) {
			f.passed[id] = true
		}
	}
}

// proves reports whether a pass of the test is about the whole test. A listed test of
// which a command ran a part passes when there is no such part, too.
func (f *Fold) proves(id api.Test, root string, container bool) bool {
	entered := id.Test == root && (f.askedInside[id] || f.scope.Tests == nil && f.scope.InsideTests)
	if !container && !entered {
		return true
	}
	if f.scope.Tests != nil {
		return f.askedAll || f.asked[id] || f.askedSuites[id.Suite] || f.askedRoots[api.Test{Suite: id.Suite, Test: root}]
	}
	return !f.scope.InsideTests
}

// addSuite takes the end of a suite.
func (f *Fold) addSuite(suite string, end sdk.SuiteOutcome) {
	if EndsEarly(end) {
		end = sdk.SuiteAborted
	}
	// The worst end counts where several commands ran one suite.
	if isBroken(end) || end == sdk.SuiteAborted || f.suites[suite] == 0 {
		f.suites[suite] = end
	}
	if isBroken(end) {
		why := WhyUnbuilt
		if end == sdk.SuiteFailedOutsideTests {
			why = WhyOutside
		}
		f.addRed(Entry{Test: api.Test{Suite: suite}, Reason: ReasonSuite, Why: why})
	}
}

// NeverStarted takes a test that was selected and did not start, as far as is known.
func (f *Fold) NeverStarted(t api.Test, why Why) {
	if f.roots[t.Suite] == nil {
		f.roots[t.Suite] = map[string]bool{}
	}
	f.roots[t.Suite][t.Test] = true
	f.addRed(Entry{Test: t, Reason: ReasonNeverStarted, Why: why})
}

// RunUnknown says that it cannot be told by name what the run left undone:
// everything is outstanding then.
func (f *Fold) RunUnknown(why Why) {
	f.addRed(Entry{Test: everything, Reason: ReasonRun, Why: why})
}

// TestsUnknown says that it is not known which tests of an aborted suite never
// started: the whole suite is outstanding then.
func (f *Fold) TestsUnknown(suite string, why Why) {
	f.addRed(Entry{Test: api.Test{Suite: suite}, Reason: ReasonSuite, Why: why})
}

// Lists says which tests a suite has in its sources although it is broken. An
// empty list is knowledge too: what never had tests need not show any to be
// mended.
func (f *Fold) Lists(suite string, tests []string) {
	if f.listed == nil {
		f.listed = map[string][]string{}
	}
	f.listed[suite] = tests
}

// Exists says which tests exist now, to tell those that are gone from those
// that did not run.
func (f *Fold) Exists(inv Inventory) { f.exists = &inv }

// Unproven reports whether outstanding tests had no result in this run.
func (f *Fold) Unproven() bool {
	for _, e := range f.before.Entries {
		if f.seen[e.Test] == "" {
			return true
		}
	}
	return false
}

// hadNoTests reports whether a suite is known to have had none before this run.
func (f *Fold) hadNoTests(suite string) bool {
	known := f.before.Known[suite]
	return known != nil && len(known) == 0
}

// Before is the outstanding set that the fold started with.
func (f *Fold) Before() Set { return f.before }

// Seen reports whether a listed test of a suite has a result.
func (f *Fold) Seen(suite, listed string) bool { return f.roots[suite][listed] }

// Listed is the number of listed tests that have a result.
func (f *Fold) Listed() int {
	n := 0
	for _, tests := range f.roots {
		n += len(tests)
	}
	return n
}

// Overrule forgets that tests are red: a later command, which has a fold of its
// own, decides about them.
func (f *Fold) Overrule(overruled func(api.Test) bool) {
	order := f.order[:0]
	for _, id := range f.order {
		if overruled(id) {
			delete(f.red, id)
			continue
		}
		order = append(order, id)
	}
	f.order = order
}

func (f *Fold) addRed(e Entry) {
	if before, ok := f.red[e.Test]; !ok {
		f.order = append(f.order, e.Test)
	} else if before.Why != "" && before.Reason == e.Reason {
		e.Why = before.Why // what was told of it before its end says more
	}
	e.RunID, e.LastRunID, e.Args, e.Way = f.runID, f.runID, f.scope.Args, f.scope.Way
	f.red[e.Test] = e
}

// After computes the outstanding set after the run. current is the set as
// stored now: another process may have changed it since the run began.
func (f *Fold) After(current Set, reach Reach) Set {
	after := Set{Known: map[string][]string{}}
	have := map[identity]bool{}
	keep := func(e Entry) {
		if id := e.identity(); !have[id] {
			have[id] = true
			after.Entries = append(after.Entries, e)
		}
	}
	for _, e := range current.Entries {
		red, ok := f.red[e.Test]
		switch {
		case ok && !f.isMine(e):
			keep(e) // red in another way, too
		case ok:
			keep(f.still(e, red))
		case !f.cleared(e, reach):
			keep(e)
		}
	}
	// Packages run side by side and report in any order: sorted, the same run
	// leads to the same rerun, and a limit takes one suite after the other.
	added := slices.Clone(f.order)
	slices.SortStableFunc(added, func(a, b api.Test) int { return strings.Compare(a.Suite, b.Suite) })
	for _, id := range added {
		keep(f.told(f.red[id]))
	}
	for _, e := range after.Entries {
		if known := f.known(e.Suite, current.Known[e.Suite]); known != nil {
			after.Known[e.Suite] = known
		}
	}
	return after
}

// told is what is known of a red test at the end of the run: one that did not finish
// and of which nothing else is told, something else kept from its end.
func (f *Fold) told(e Entry) Entry {
	blamed := f.blamed[e.Test] || f.signalled[e.Test] && !f.interrupted
	if e.Reason == ReasonUnfinished && e.Why == "" && !blamed {
		e.Why = WhyBeside
	}
	return e
}

// still is what an outstanding test is that is red again: outstanding since the
// earlier run. That a run ended before it says less than what was told of it before.
func (f *Fold) still(before, red Entry) Entry {
	red = f.told(red)
	if red.wasOnlyCutShort() && !before.wasOnlyCutShort() {
		red.Reason, red.Why = before.Reason, before.Why
	}
	red.RunID, red.Was = before.RunID, before.Was
	if before.Way != nil || red.Way == nil {
		if now, _, _ := strings.Cut(red.Args, EnvMark); now != "" || red.Test.Test != "" {
			red.Args = before.Args // a whole that is red without arguments is red with none left out
		}
		red.Way = before.Way
	}
	return red
}

// cleared reports whether an outstanding test that is not red in this run has
// left the set.
func (f *Fold) cleared(e Entry, reach Reach) bool {
	if !f.decides(e) {
		return false
	}
	if !f.scope.Way.Proves(e.Way) {
		// What does not exist any more does not in any way.
		return e.Test.Test != "" && reach == Green && f.wasRemoved(e) && f.seen[e.Test] == "" && f.isGone(e)
	}
	if f.passed[e.Test] || f.handsOver(e) || f.neededNoRun(e) || f.isAbsent(e) {
		return true
	}
	if e.Test == everything {
		// Of a killed run the arguments are not known.
		return reach >= Ended && (e.Args == "" || f.sameArgs(e, reach))
	}
	// Where tests can be listed, a listing in the same setting has told; see isAbsent.
	unlisted := e.Args == f.scope.Args && (f.exists == nil || e.Test.Test == "")
	if reach == Green && (unlisted || f.wasRemoved(e)) && f.seen[e.Test] == "" && f.isGone(e) {
		return true // everything that exists passed, and this is not among it
	}
	if e.Test.Test != "" {
		return false
	}
	// A suite leaves when it ran whole, not all of it was skipped, and its own
	// end is not red: what is red in it now stands in the set by name.
	whole := f.askedAll || f.askedSuites[e.Suite] || (f.scope.Tests == nil && !f.scope.SomeTests && f.sameArgs(e, reach))
	end := f.suites[e.Suite]
	return whole && (f.ran[e.Suite] && (end == sdk.SuitePassed || end == sdk.SuiteFailed) || end == sdk.SuiteNoTests && f.hadNoTests(e.Suite))
}

// decides reports whether what this run saw is the latest about an outstanding
// test: another process may have found it red since this run began.
func (f *Fold) decides(e Entry) bool {
	i, was := f.index[e.identity()]
	return e.LastRunID == f.runID || was && e.LastRunID == f.before.Entries[i].LastRunID
}

// isGone reports whether a test without a result in a green run of everything does
// not exist any more. A part of a test is gone when the whole passed without
// it. What is listed and has no result did not run, for whatever reason. Where
// tests cannot be listed, the run itself is the only inventory.
func (f *Fold) isGone(e Entry) bool {
	root := api.Test{Suite: e.Suite, Test: e.listed()}
	if e.Root != "" && f.seen[root] != "" {
		return f.seen[root] == sdk.Passed
	}
	if f.exists == nil {
		return true
	}
	tests, suiteListed := f.exists.Tests[e.Suite]
	switch {
	case !suiteListed:
		return f.exists.Complete
	case e.Test.Test == "":
		return len(tests) == 0
	}
	return !contains(tests, e.listed()) && !contains(f.exists.OnRequest[e.Suite], e.listed())
}

// known is the list of tests a suite has, when it just ran whole; else what was
// known before, with what was seen since.
func (f *Fold) known(suite string, before []string) []string {
	whole := f.askedAll || f.askedSuites[suite] || (f.scope.Tests == nil && !f.scope.SomeTests)
	end := f.suites[suite]
	if whole && (end == sdk.SuitePassed || end == sdk.SuiteFailed || end == sdk.SuiteAborted) {
		return sorted(f.roots[suite])
	}
	if tests, ok := f.listed[suite]; ok && isBroken(end) {
		return sorted(toSet(tests))
	}
	if before == nil {
		return nil
	}
	merged := toSet(before)
	for name := range f.roots[suite] {
		merged[name] = true
	}
	return sorted(merged)
}

// sorted returns the names in a set. It is never nil, which would say that they
// are not known.
func sorted(names map[string]bool) []string {
	list := slices.AppendSeq([]string{}, maps.Keys(names))
	slices.Sort(list)
	return list
}
