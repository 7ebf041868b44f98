package tally

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// Collector turns what a plugin reports about a run's commands into events. It is called
// from one goroutine.
type Collector struct {
	// Tally hears every event before the others do.
	Tally     *Tally
	listeners api.Listeners
	ordinals  map[failureKey]int

	// undecided are tests that failed by others inside of them and are not known to
	// have ended: how their suites end decides. ends are the suites of this command
	// of which that is known; true is early.
	undecided map[string][]api.Result
	ends      map[string]bool

	// There may be a million of these, so each is one value that is told again and again.
	test    api.TestEnded
	failure api.FailureFound
	unread  api.Unread
}

// failureKey is what tells failures apart, up to their order.
type failureKey struct{ suite, test, kind string }

// NewCollector tells the listeners, in their order.
func NewCollector(listeners ...api.Listener) *Collector {
	return &Collector{Tally: NewTally(), listeners: listeners, ordinals: map[failureKey]int{},
		undecided: map[string][]api.Result{}, ends: map[string]bool{}}
}

// AddListener has a listener hear what comes from now on.
func (c *Collector) AddListener(l api.Listener) { c.listeners = append(c.listeners, l) }

func (c *Collector) tell(e api.Event) {
	c.Tally.Listen(e)
	c.listeners.Listen(e)
}

// Test takes the end of a test.
func (c *Collector) Test(t sdk.TestResult) {
	switch t.Status {
	case sdk.Passed, sdk.Failed, sdk.Skipped:
	default: // also what a newer plugin may send: it is not known to have ended well
		t.Status = sdk.Unfinished
	}
	t.Measures = slices.DeleteFunc(t.Measures, func(m sdk.Measure) bool { return !isNumber(m.Value) })
	r := api.Result{TestResult: t, DurationS: t.Elapsed.Seconds()}
	if r.Derived && r.Status == sdk.Failed && !t.Ended && !r.Fixture {
		early, known := c.ends[r.Suite]
		if !known {
			c.undecided[r.Suite] = append(c.undecided[r.Suite], r)
			return
		}
		c.tellDecided(r, early)
		return
	}
	c.tellTest(r)
}

// tellDecided tells the result of a test that failed by others inside of it. Where
// its suite ended early its own end is none, whatever the runner said: when the
// process dies in a part of it, the parts that follow have no names yet.
func (c *Collector) tellDecided(r api.Result, early bool) {
	if early {
		r.Status, r.Derived, r.Container = sdk.Unfinished, false, true
		c.Tally.died++
	}
	c.tellTest(r)
}

func (c *Collector) tellTest(r api.Result) {
	c.test.Result = r
	c.tell(&c.test)
}

// decide tells what waited for the end of a suite.
func (c *Collector) decide(suite string, early bool) {
	waiting := c.undecided[suite]
	delete(c.undecided, suite)
	for _, r := range waiting {
		c.tellDecided(r, early)
	}
}

// EndCommand ends the output of a command: suites of which no end was told have none.
func (c *Collector) EndCommand() {
	for _, suite := range slices.Sorted(maps.Keys(c.undecided)) {
		c.decide(suite, true)
	}
	clear(c.ends)
}

// Failure takes a failure and gives it its name.
func (c *Collector) Failure(f sdk.Failure) {
	key := failureKey{f.Suite, f.Test, f.Kind}
	// Ordinals are only needed for names that come twice. Past the bound the
	// names of such failures may repeat; memory must not grow with failures.
	n := c.ordinals[key]
	if len(c.ordinals) < maxOrdinals {
		c.ordinals[key] = n + 1
	}
	c.failure.Failure = api.Failure{ID: api.FailureID(f.Suite, f.Test, f.Kind, n), Failure: f, Repro: shellLine(f.Repro)}
	c.tell(&c.failure)
}

// maxOrdinals bounds how many failures are told apart by number.
const maxOrdinals = 20_000

// Suite takes the end of a suite, and decides what waited for it.
func (c *Collector) Suite(s sdk.SuiteResult) {
	early := outstanding.EndsEarly(s.Outcome)
	c.ends[s.Suite] = c.ends[s.Suite] || early
	c.decide(s.Suite, early)
	c.tell(&api.SuiteEnded{SuiteResult: s})
}

// Progress takes a snapshot. What was told counts, in the way in which the end counts
// it: a plugin does not know yet which failures come from others.
func (c *Collector) Progress(p sdk.Progress) {
	n := c.Tally.Counts
	p.Passed, p.Failed, p.Skipped = n.Passed, n.Failed, n.Skipped
	c.tell(&api.Progressed{Progress: p})
}

// Unread takes what could not be read.
func (c *Collector) Unread(u sdk.Unread) {
	c.unread.Unread = u
	c.tell(&c.unread)
}

// Note takes something to know about the run.
func (c *Collector) Note(text string) { c.tell(&api.Noted{Text: text}) }

// Refused takes what the runner did not take.
func (c *Collector) Refused(r sdk.Refusal) { c.tell(&api.Refused{Refusal: r}) }

// Condition takes what results depend on.
func (c *Collector) Condition(name, value string) {
	c.tell(&api.ConditionFound{Name: name, Value: value})
}

// RunError takes the runner's own words that it could not work.
func (c *Collector) RunError(text string) { c.tell(&api.RunnerFailed{Text: text}) }

// Output takes a piece of the output that was asked for.
func (c *Collector) Output(data []byte) { c.tell(&api.Printed{Data: data}) }

// isNumber reports whether a measure is a number of JSON: anything else would make the
// record unreadable.
func isNumber(n json.Number) bool {
	return json.Valid([]byte(n)) && strings.Trim(n.String(), "-+.0123456789eE") == ""
}

// shellLine writes a command so that it can be pasted into a shell.
func shellLine(c sdk.Command) string {
	if len(c.Argv) == 0 {
		return ""
	}
	var words []string
	keys := make([]string, 0, len(c.Env))
	for k := range c.Env {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		words = append(words, k+"="+prose.ShellWord(c.Env[k]))
	}
	line := strings.Join(append(words, prose.ShellLine(c.Argv)), " ")
	if c.Dir != "" && c.Dir != "." {
		line = fmt.Sprintf("(cd %s && %s)", prose.ShellWord(c.Dir), line)
	}
	return line
}
