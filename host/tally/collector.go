package tally

import (
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// Collector hears what a plugin reports about a run's commands, and passes it on
// to everybody who needs it. It is called from one goroutine.
type Collector struct {
	Tally     *Tally
	fold      *outstanding.Fold // nil for a recorded output
	recorders []api.Listener    // none when nothing is recorded
	Observer  api.Observer
	Ordinals  map[failureKey]int

	// Keep retains results, for a rerun whose second command may overrule
	// them. A rerun is bounded; a run is not.
	Keep    bool
	Results []api.Result

	// undecided are tests that failed by others inside of them and are not known to
	// have ended: how their suites end decides. ends are the suites of this command
	// of which that is known; true is early.
	undecided map[string][]api.Result
	ends      map[string]bool

	OnOutput func([]byte)
}

// failureKey is what tells failures apart, up to their order.
type failureKey struct{ suite, test, kind string }

func NewCollector(fold *outstanding.Fold, recs []api.Listener, obs api.Observer) *Collector {
	return &Collector{Tally: NewTally(), fold: fold, recorders: recs, Observer: obs, Ordinals: map[failureKey]int{},
		undecided: map[string][]api.Result{}, ends: map[string]bool{}}
}

func (c *Collector) Test(t sdk.TestResult) {
	r := resultOf(t)
	if r.Derived && r.Status == api.TestFailed && !t.Ended && !r.Fixture {
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
func (c *Collector) decided(r api.Result, early bool) {
	if early {
		r.Status, r.Derived, r.Container = api.TestUnfinished, false, true
		c.Tally.died++
	}
	c.result(r)
}

// decide passes on what waited for the end of a suite.
func (c *Collector) decide(suite string, early bool) {
	waiting := c.undecided[suite]
	delete(c.undecided, suite)
	for _, r := range waiting {
		c.decided(r, early)
	}
}

// EndCommand ends the output of a command: suites of which no end was told have none.
func (c *Collector) EndCommand() {
	for _, suite := range slices.Sorted(maps.Keys(c.undecided)) {
		c.decide(suite, true)
	}
	clear(c.ends)
}

func (c *Collector) result(r api.Result) {
	c.Tally.AddResult(r)
	if c.fold != nil {
		c.fold.Result(r)
	}
	for _, rec := range c.recorders {
		rec.Result(r)
	}
	if c.Keep {
		c.Results = append(c.Results, r)
	}
	if c.Observer.Result != nil {
		c.Observer.Result(r)
	}
}

func (c *Collector) Failure(f sdk.Failure) {
	key := failureKey{f.ID.Suite, f.ID.Name, f.Kind}
	// Ordinals are only needed for names that come twice. Past the bound the
	// names of such failures may repeat; memory must not grow with failures.
	n := c.Ordinals[key]
	if len(c.Ordinals) < MaxOrdinals {
		c.Ordinals[key] = n + 1
	}
	r := FailureOf(f, api.FailureID(f.ID.Suite, f.ID.Name, f.Kind, n))
	c.Tally.AddFailure(r)
	if c.fold != nil {
		id := api.Test{Suite: r.Suite, Test: r.Test}
		c.fold.Failure(id, WhyOf(r.Kind))
		c.fold.Blame(id, r.Kind == sdk.KindSignal)
	}
	for _, rec := range c.recorders {
		rec.Failure(r)
	}
	if c.Observer.Failure != nil {
		c.Observer.Failure(r)
	}
}

// MaxOrdinals bounds how many failures are told apart by number.
const MaxOrdinals = 20_000

func (c *Collector) Suite(s sdk.SuiteResult) {
	early := suiteEnd(s.Outcome) == outstanding.SuiteAborted
	c.ends[s.Suite] = c.ends[s.Suite] || early
	c.decide(s.Suite, early)
	c.Tally.Suite(s)
	if c.fold != nil {
		c.fold.Suite(s.Suite, suiteEnd(s.Outcome))
	}
}

func (c *Collector) Unread(u sdk.Unread)          { c.Tally.unread(u) }
func (c *Collector) Note(text string)             { c.Tally.Note(text) }
func (c *Collector) Refused(r sdk.Refusal)        { c.Tally.Refused.add(r) }
func (c *Collector) Condition(name, value string) { c.Tally.condition(name, value) }
func (c *Collector) RunError(text string)         { c.Tally.runError(text) }
func (c *Collector) Progress(p sdk.Progress) {
	for _, rec := range c.recorders {
		rec.Flush()
	}
	if c.Observer.Progress != nil {
		// What was told counts, in the way in which the end counts it: a plugin does not
		// know yet which failures come from others.
		n := c.Tally.Counts
		p.Passed, p.Failed, p.Skipped = n.Passed, n.Failed, n.Skipped
		c.Observer.Progress(p)
	}
}

func (c *Collector) Output(data []byte) {
	if c.OnOutput != nil {
		c.OnOutput(data)
	}
}
