package host

import (
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

	output func([]byte)
}

// failureKey is what tells failures apart, up to their order.
type failureKey struct{ suite, test, kind string }

func newCollector(fold *rerun.Fold, recs []recorder, obs Observer) *collector {
	return &collector{tally: newTally(), fold: fold, recorders: recs, observer: obs, ordinals: map[failureKey]int{}}
}

func (c *collector) Test(t sdk.TestResult) {
	r := resultOf(t)
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
		c.fold.Failure(record.Test{Suite: r.Suite, Test: r.Test}, whyOf(r.Kind))
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
