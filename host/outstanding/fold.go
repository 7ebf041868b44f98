package outstanding

import (
	"cmp"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// EndsEarly reports whether tests of a suite with such an end, or an unknown one, may
// never have started.
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

// Scope is what a command ran, as far as it affects what a pass proves.
type Scope struct {
	// Tests are what a rerun requested, possibly an empty slice; nil for a run.
	Tests []Target
	// Widened reports whether the roots of Tests were run whole instead of Tests.
	Widened bool
	// SomeTests reports whether the command ran only some tests of its suites.
	SomeTests bool
	// Args stands for the runner arguments, [EnvMark], and the environment. They may
	// leave tests out in ways that only the runner knows, so what ran whole with some
	// arguments says nothing about what is outstanding from a run with others.
	Args string
	// Way is the way in which the command ran tests; nil if unknown.
	Way *Way
	// Again is how tests that are red are to run again; nil means in the same way.
	Again *Again
	// InsideTests reports whether the command may have run a part of a test, so that
	// the pass of a test that contains others proves nothing.
	InsideTests bool
}

// Again is a way to run tests, and its [Scope.Args].
type Again struct {
	Args string
	Way  *Way
}

// Reach is how far a run got.
type Reach int

// The reaches of a run, each including the one before.
const (
	// Partial means that it ran only some tests, or did not reach its end.
	Partial Reach = iota
	// Ended means that it was of everything and reached its end.
	Ended
	// Green means that, in addition, everything that ran passed.
	Green
)

// Fold follows the results of a run and computes the outstanding set after it. Its
// memory grows with the outstanding set, the failures and the number of listed tests,
// not with the number of results.
type Fold struct {
	runID  string
	scope  Scope
	before Set
	index  map[identity]int
	// was are the tests of before, in whatever way they were red
	was map[sdk.TestID]bool

	asked       map[sdk.TestID]bool // exactly what was requested
	askedInside map[sdk.TestID]bool // listed tests of which a part was requested
	askedRoots  map[sdk.TestID]bool // listed tests that ran whole
	askedSuites map[string]bool     // suites that ran whole
	askedAll    bool                // everything ran

	red      map[sdk.TestID]Entry      // not passed in this run
	fixtures map[sdk.TestID]bool       // failed; their suites are red instead
	order    []sdk.TestID              // of red
	passed   map[sdk.TestID]bool       // proved, of before and asked
	inner    map[sdk.TestID]bool       // of before: ran whole, and only what is inside failed
	seen     map[sdk.TestID]sdk.Status // of before, asked, and their roots
	suites   map[string]sdk.SuiteOutcome
	roots    map[string]map[string]bool // listed tests seen, by suite
	ran      map[string]bool            // suites of which a test passed or failed
	// blamed are tests that failed in an attempt or that a failure names, except for
	// failures by a signal from outside; signalled are those that these name.
	blamed, signalled map[sdk.TestID]bool
	// raced are tests in which a data race was detected
	raced map[sdk.TestID]bool
	// cut reports whether the run itself was cut off, interrupted whether the user did it
	cut, interrupted bool
	// outer are the roots of outstanding tests
	outer map[sdk.TestID]bool
	// Knows is what is known besides what ran.
	Knows Knowledge
	// skipped are listed tests that only skipped themselves, skippedParts the parts of others
	// that did: all of those in outer up to a bound, else one
	skipped      map[sdk.TestID]bool
	skippedParts map[sdk.TestID][]sdk.TestID
	// names are those of outstanding parts, namesakes what passed under one of them
	names     map[string]bool
	namesakes map[sdk.TestID]bool
	// cached are suites that the runner took from its cache, which proves nothing
	cached map[string]bool
}

// Knowledge is what is known of the existing tests, besides what ran.
type Knowledge struct {
	// Exists are the tests that exist now, to distinguish those that are gone from
	// those that did not run; nil if unknown.
	Exists *Inventory
	// Removed are tests whose file is gone: they cannot come back with other arguments
	// or in another environment.
	Removed map[sdk.TestID]bool
	// Absent are outstanding tests that are no longer listed.
	Absent Absences
	// Skipped are outstanding parts of tests that may go on under the name of a part that
	// skipped itself.
	Skipped map[sdk.TestID]bool
	// Sources are the tests in the sources of broken suites. An empty list is knowledge,
	// too: a suite without tests need not show any once it is fixed.
	Sources map[string][]string
	// Stopped means that the run was cancelled: what did not run is not the runner's fault.
	Stopped bool
}

// NewFold starts with the outstanding set before the run.
func NewFold(runID string, before Set, scope Scope) *Fold {
	f := &Fold{
		runID: runID, scope: scope, before: before, index: before.index(),
		asked: map[sdk.TestID]bool{}, askedRoots: map[sdk.TestID]bool{}, askedSuites: map[string]bool{}, askedInside: map[sdk.TestID]bool{},
		blamed: map[sdk.TestID]bool{}, signalled: map[sdk.TestID]bool{}, raced: map[sdk.TestID]bool{},
		red: map[sdk.TestID]Entry{}, fixtures: map[sdk.TestID]bool{}, passed: map[sdk.TestID]bool{}, inner: map[sdk.TestID]bool{},
		seen: map[sdk.TestID]sdk.Status{}, suites: map[string]sdk.SuiteOutcome{}, roots: map[string]map[string]bool{}, ran: map[string]bool{},
		skipped: map[sdk.TestID]bool{}, skippedParts: map[sdk.TestID][]sdk.TestID{}, cached: map[string]bool{},
	}
	f.outer, f.was = map[sdk.TestID]bool{}, map[sdk.TestID]bool{}
	f.names, f.namesakes = map[string]bool{}, map[sdk.TestID]bool{}
	for _, e := range before.Entries {
		if e.Root != "" {
			f.names[e.Test] = true
		}
		f.was[e.TestID] = true
		f.outer[sdk.TestID{Suite: e.Suite, Test: e.listed()}] = true
	}
	for _, t := range scope.Tests {
		f.asked[t.TestID] = true
		switch {
		case t.TestID == everything:
			f.askedAll = true
		case t.Test == "":
			f.askedSuites[t.Suite] = true
		case scope.Widened && t.Root != "":
			f.askedRoots[sdk.TestID{Suite: t.Suite, Test: t.Root}] = true
		case t.Root == "":
			f.askedRoots[t.TestID] = true
		default:
			f.askedInside[sdk.TestID{Suite: t.Suite, Test: t.Root}] = true
		}
	}
	return f
}

// MaxSkippedParts bounds how many of a test are remembered.
const MaxSkippedParts = 10_000

// Listen follows the events of the run.
func (f *Fold) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.TestEnded:
		f.addResult(&e.Result)
	case *api.FailureFound:
		f.addFailure(e.TestID, e.Kind)
	case *api.SuiteEnded:
		f.addSuite(e.Suite, e.Outcome)
		if e.Cached {
			f.cached[e.Suite] = true
		}
	}
}

// addResult handles the end of a test.
func (f *Fold) addResult(r *api.Result) {
	id := r.TestID
	if r.Fixture {
		f.addFixture(id, r.Status)
		return
	}
	root := cmp.Or(r.Root, r.Test)
	if f.roots[r.Suite] == nil {
		f.roots[r.Suite] = map[string]bool{}
	}
	listed := sdk.TestID{Suite: r.Suite, Test: root}
	switch {
	case r.Status != sdk.Skipped:
		delete(f.skipped, listed)
	case !f.roots[r.Suite][root]:
		f.skipped[listed] = true
	}
	if n := len(f.skippedParts[listed]); r.Root != "" && r.Status == sdk.Skipped && (n == 0 || f.outer[listed] && n < MaxSkippedParts) {
		f.skippedParts[listed] = append(f.skippedParts[listed], id)
	}
	f.roots[r.Suite][root] = true
	was := f.was[id]
	if was || f.asked[id] || f.outer[id] {
		// Of several attempts the worst counts.
		if isWorse(r.Status, f.seen[id]) {
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
			f.addRed(Entry{TestID: id, Root: r.Root, Reason: ReasonFailed})
		} else if was && f.provesWhole(id, root, true) {
			f.inner[id] = true
		}
	case sdk.Unfinished:
		e := Entry{TestID: id, Root: r.Root, Reason: ReasonUnfinished}
		if r.Container {
			e.Why = WhyParts
		}
		f.addRed(e)
	case sdk.Passed:
		if f.names[id.Test] {
			f.namesakes[id] = true
		}
		if (was || f.asked[id]) && f.provesWhole(id, root, r.Container) {
			f.passed[id] = true
		}
	}
}

// provesWhole reports whether a pass of the test covers the whole test. If only a part of
// a listed test was requested, the test passes even if there is no such part.
func (f *Fold) provesWhole(id sdk.TestID, root string, container bool) bool {
	entered := id.Test == root && (f.askedInside[id] || f.scope.Tests == nil && f.scope.InsideTests)
	if !container && !entered {
		return true
	}
	if f.scope.Tests != nil {
		return f.askedAll || f.asked[id] || f.askedSuites[id.Suite] || f.askedRoots[sdk.TestID{Suite: id.Suite, Test: root}]
	}
	return !f.scope.InsideTests
}

// addSuite handles the end of a suite.
func (f *Fold) addSuite(suite string, end sdk.SuiteOutcome) {
	if EndsEarly(end) {
		end = sdk.SuiteAborted
	}
	// If several commands ran one suite, the worst end counts.
	if isBroken(end) || end == sdk.SuiteAborted || f.suites[suite] == 0 {
		f.suites[suite] = end
	}
	if isBroken(end) {
		why := WhyUnbuilt
		if end == sdk.SuiteFailedOutsideTests {
			why = WhyOutside
		}
		f.addRed(Entry{TestID: sdk.TestID{Suite: suite}, Reason: ReasonSuite, Why: why})
	}
}

// AddNeverStarted adds a test that was selected and, as far as known, did not start.
func (f *Fold) AddNeverStarted(t sdk.TestID, why Why) {
	if f.roots[t.Suite] == nil {
		f.roots[t.Suite] = map[string]bool{}
	}
	f.roots[t.Suite][t.Test] = true
	f.addRed(Entry{TestID: t, Reason: ReasonNeverStarted, Why: why})
}

// MarkRunUnknown makes everything outstanding, because what the run left undone cannot be
// named.
func (f *Fold) MarkRunUnknown(why Why) {
	f.addRed(Entry{TestID: everything, Reason: ReasonRun, Why: why})
}

// MarkTestsUnknown makes a whole suite outstanding, because it is unknown which of its
// tests are red.
func (f *Fold) MarkTestsUnknown(suite string, why Why) {
	f.addRed(Entry{TestID: sdk.TestID{Suite: suite}, Reason: ReasonSuite, Why: why})
}

// HasUnproven reports whether outstanding tests had no result in this run.
func (f *Fold) HasUnproven() bool {
	for _, e := range f.before.Entries {
		if f.seen[e.TestID] == "" {
			return true
		}
	}
	return false
}

// HasResult reports whether a listed test of a suite has a result.
func (f *Fold) HasResult(suite, listed string) bool { return f.roots[suite][listed] }

// CountListed returns the number of listed tests with a result.
func (f *Fold) CountListed() int {
	n := 0
	for _, tests := range f.roots {
		n += len(tests)
	}
	return n
}

// Overrule forgets that tests are red: a later command, with its own fold, decides
// about them.
func (f *Fold) Overrule(overruled func(sdk.TestID) bool) {
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

// FindFailed returns the tests that failed in suites that ran to their ends.
func FindFailed(f *Fold) []Entry {
	var failed []Entry
	for _, id := range f.order {
		if e := f.red[id]; e.Reason == ReasonFailed && id.Test != "" && f.suites[id.Suite] == sdk.SuiteFailed {
			failed = append(failed, e)
		}
	}
	return failed
}

// HasRaced reports whether a data race was detected in a test. It is there whether or not
// another attempt shows it.
func HasRaced(f *Fold, id sdk.TestID) bool { return f.raced[id] }

// HasRace reports whether a data race was detected.
func HasRace(f *Fold) bool { return len(f.raced) > 0 }

// HasRedBeside reports whether something is red that is not among these tests.
func HasRedBeside(f *Fold, tests map[sdk.TestID]bool) bool {
	return slices.ContainsFunc(f.order, func(id sdk.TestID) bool { return !tests[id] })
}

// CountAsPassed makes failed tests count as passed: they passed when retried, and the
// project lets flaky tests pass.
func (f *Fold) CountAsPassed(tests map[sdk.TestID]bool) {
	f.Overrule(func(id sdk.TestID) bool { return tests[id] })
	for id := range tests {
		f.passed[id] = true
	}
}

func (f *Fold) addRed(e Entry) {
	if before, ok := f.red[e.TestID]; !ok {
		f.order = append(f.order, e.TestID)
	} else if before.Why != "" && before.Reason == e.Reason {
		e.Why = before.Why // the earlier reason is more specific
	}
	e.RunID, e.LastRunID, e.Args, e.Way = f.runID, f.runID, f.scope.Args, f.scope.Way
	if again := f.scope.Again; again != nil {
		e.Args, e.Way = again.Args, again.Way
	}
	f.red[e.TestID] = e
}

// addFailure handles a failure of a test, a suite or the run. Usually a result says the
// same; a failure without a result must not be lost.
func (f *Fold) addFailure(id sdk.TestID, kind string) {
	// A signal that ended its process may be the user's.
	if kind == sdk.KindSignal {
		defer func() { f.signalled[id] = true }()
	} else {
		defer func() { f.blamed[id] = true }()
	}
	if kind == sdk.KindRace {
		f.raced[id] = true
	}
	if _, ok := f.red[id]; ok {
		return
	}
	why := whyOf(kind)
	switch {
	case id == everything && f.scope.Tests != nil && !f.askedAll:
		// The requested tests have not passed, and so stay outstanding. Nothing else is
		// known to be red.
	case id == everything && why == WhyCut:
		f.cut = true // what it left undone may be known by name; see [Fold.MarkCutOff]
	case id == everything:
		f.MarkRunUnknown(why)
	case f.fixtures[id]:
		f.MarkTestsUnknown(id.Suite, WhyFixture)
	case id.Test == "":
		f.MarkTestsUnknown(id.Suite, why)
	default:
		f.addRed(Entry{TestID: id, Reason: ReasonFailed})
	}
}

// whyOf returns the reason that a failure outside a test's result gives for an entry.
func whyOf(kind string) Why {
	switch kind {
	case sdk.KindBuild, sdk.KindVet:
		return WhyUnbuilt
	case sdk.KindSetup:
		return WhySetup
	case sdk.KindTimeout, sdk.KindSignal:
		return WhyCut
	}
	return WhyOutside
}

// MarkInterrupted records that the user ended the run. That alone makes outstanding only
// what had started, by name if possible. named reports whether the started tests of a suite
// are known by name.
func (f *Fold) MarkInterrupted(named func(suite string) bool) {
	f.interrupted, f.cut = true, false
	f.Overrule(func(id sdk.TestID) bool {
		e := f.red[id]
		return id.Test == "" && e.Why == WhyCut && (e.Suite == "" || len(f.roots[e.Suite]) == 0 || named(e.Suite))
	})
}

// addFixture handles the end of a fixture. Its suite becomes outstanding instead of it: a
// fixture cannot be rerun without the suite, and is not reported when it works.
func (f *Fold) addFixture(id sdk.TestID, status sdk.Status) {
	if status != sdk.Failed && status != sdk.Unfinished {
		return
	}
	f.fixtures[id] = true
	if _, ok := f.red[id]; ok {
		f.Overrule(func(t sdk.TestID) bool { return t == id })
	}
	f.MarkTestsUnknown(id.Suite, WhyFixture)
}

// MarkCutOff handles the end of a run that may itself have been cut off. Everything is
// outstanding then, unless all that it left undone is named.
func (f *Fold) MarkCutOff(named bool) {
	if f.cut && !named {
		f.MarkRunUnknown(WhyCut)
	}
	f.cut = false
}

// EnvMark separates the arguments of a run from its environment, in [Scope.Args].
const EnvMark = "\x01"

// HasRed reports whether anything was added.
func (f *Fold) HasRed() bool { return len(f.red) > 0 }

// IsRed reports whether a test, or a suite as a whole, was added.
func (f *Fold) IsRed(id sdk.TestID) bool {
	_, red := f.red[id]
	return red
}
