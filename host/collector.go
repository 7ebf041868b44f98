package host

import (
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/sdk"
)

// recorder is where a collector writes what it hears: a [session.Recorder], a
// [chronicle].
type recorder interface {
	Result(record.Result)
	Failure(record.Failure)
	// Flush sees to it that a killed process loses nothing of what was told.
	Flush()
}

// collector hears what a plugin reports about a run's commands, and passes it on
// to everybody who needs it. It is called from one goroutine.
type collector struct {
	tally     *tally
	fold      *rerun.Fold // nil for a recorded output
	recorders []recorder  // none when nothing is recorded
	observer  Observer
	ordinals  map[failureKey]int

	// keep retains results, for a rerun whose second command may overrule
	// them. A rerun is bounded; a run is not.
	keep    bool
	results []record.Result

	// undecided are tests that failed by others inside of them and are not known to
	// have ended: how their suites end decides. ends are the suites of this command
	// of which that is known; true is early.
	undecided map[string][]record.Result
	ends      map[string]bool

	output func([]byte)
}

// failureKey is what tells failures apart, up to their order.
type failureKey struct{ suite, test, kind string }

func newCollector(fold *rerun.Fold, recs []recorder, obs Observer) *collector {
	return &collector{tally: newTally(), fold: fold, recorders: recs, observer: obs, ordinals: map[failureKey]int{},
		undecided: map[string][]record.Result{}, ends: map[string]bool{}}
}

func (c *collector) Test(t sdk.TestResult) {
	r := resultOf(t)
	if r.Derived && r.Status == record.TestFailed && !t.Ended && !r.Fixture {
		early, known := c.ends[r.Suite]
		if !known {
			c.undecided[r.Suite] = append(c.undecided[r.Suite], r)
			return
		}
		c.decided(r, early)
		return
	}
	c.result(r)
}

// decided passes on the result of a test that failed by others inside of it. Where
// its suite ended early its own end is none, whatever the runner said: when the
// process dies in a part of it, the parts that follow have no names yet.
func (c *collector) decided(r record.Result, early bool) {
	if early {
		r.Status, r.Derived, r.Container = record.TestUnfinished, false, true
		c.tally.died++
	}
	c.result(r)
}

// decide passes on what waited for the end of a suite.
func (c *collector) decide(suite string, early bool) {
	waiting := c.undecided[suite]
	delete(c.undecided, suite)
	for _, r := range waiting {
		c.decided(r, early)
	}
}

// endCommand ends the output of a command: suites of which no end was told have none.
func (c *collector) endCommand() {
	for _, suite := range slices.Sorted(maps.Keys(c.undecided)) {
		c.decide(suite, true)
	}
	clear(c.ends)
}

func (c *collector) result(r record.Result) {
	c.tally.result(r)
	if c.fold != nil {
		c.fold.Result(r)
	}
	for _, rec := range c.recorders {
		rec.Result(r)
	}
	if c.keep {
		c.results = append(c.results, r)
	}
	if c.observer.Result != nil {
		c.observer.Result(r)
	}
}

func (c *collector) Failure(f sdk.Failure) {
	key := failureKey{f.ID.Suite, f.ID.Name, f.Kind}
	// Ordinals are only needed for names that come twice. Past the bound the
	// names of such failures may repeat; memory must not grow with failures.
	n := c.ordinals[key]
	if len(c.ordinals) < maxOrdinals {
		c.ordinals[key] = n + 1
	}
	r := failureOf(f, record.FailureID(f.ID.Suite, f.ID.Name, f.Kind, n))
	c.tally.failure(r)
	if c.fold != nil {
		id := record.Test{Suite: r.Suite, Test: r.Test}
		c.fold.Failure(id, whyOf(r.Kind))
		c.fold.Blame(id, r.Kind == sdk.KindSignal)
	}
	for _, rec := range c.recorders {
		rec.Failure(r)
	}
	if c.observer.Failure != nil {
		c.observer.Failure(r)
	}
}

// maxOrdinals bounds how many failures are told apart by number.
const maxOrdinals = 20_000

func (c *collector) Suite(s sdk.SuiteResult) {
	early := suiteEnd(s.Outcome) == rerun.SuiteAborted
	c.ends[s.Suite] = c.ends[s.Suite] || early
	c.decide(s.Suite, early)
	c.tally.suite(s)
	if c.fold != nil {
		c.fold.Suite(s.Suite, suiteEnd(s.Outcome))
	}
}

func (c *collector) Unread(u sdk.Unread)          { c.tally.unread(u) }
func (c *collector) Note(text string)             { c.tally.note(text) }
func (c *collector) Refused(r sdk.Refusal)        { c.tally.refused.add(r) }
func (c *collector) Condition(name, value string) { c.tally.condition(name, value) }
func (c *collector) RunError(text string)         { c.tally.runError(text) }
func (c *collector) Progress(p sdk.Progress) {
	for _, rec := range c.recorders {
		rec.Flush()
	}
	if c.observer.Progress != nil {
		// What was told counts, in the way in which the end counts it: a plugin does not
		// know yet which failures come from others.
		n := c.tally.counts
		p.Passed, p.Failed, p.Skipped = n.Passed, n.Failed, n.Skipped
		c.observer.Progress(p)
	}
}

func (c *collector) Output(data []byte) {
	if c.output != nil {
		c.output(data)
	}
}
