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

// Collector turns what a plugin reports about a run's commands into events. It is
// called from one goroutine.
type Collector struct {
	// Tally receives every event first.
	Tally     *Tally
	listeners api.Listeners
	ordinals  map[failureKey]int

	// undecided are tests that failed because of others inside and are not known to
	// have ended: the end of their suites decides. ends are the suites of this command
	// for which that is known; true means early.
	undecided map[string][]api.Result
	ends      map[string]bool

	// There may be a million of these, so each value is reused.
	test    api.TestEnded
	failure api.FailureFound
	unread  api.Unread
}

// failureKey distinguishes failures, up to their order.
type failureKey struct{ suite, test, kind string }

// NewCollector notifies the listeners in order.
func NewCollector(listeners ...api.Listener) *Collector {
	return &Collector{Tally: NewTally(), listeners: listeners, ordinals: map[failureKey]int{},
		undecided: map[string][]api.Result{}, ends: map[string]bool{}}
}

// AddListener adds a listener for what follows.
func (c *Collector) AddListener(l api.Listener) { c.listeners = append(c.listeners, l) }

func (c *Collector) tell(e api.Event) {
	c.Tally.Listen(e)
	c.listeners.Listen(e)
}

// Test handles the end of a test.
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

// tellDecided reports the result of a test that failed because of others inside. If its
// suite ended early, its own end does not count, whatever the runner said: when the
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

// decide reports what waited for the end of a suite.
func (c *Collector) decide(suite string, early bool) {
	waiting := c.undecided[suite]
	delete(c.undecided, suite)
	for _, r := range waiting {
		c.tellDecided(r, early)
	}
}

// EndCommand ends the output of a command: suites without a reported end have none.
func (c *Collector) EndCommand() {
	for _, suite := range slices.Sorted(maps.Keys(c.undecided)) {
		c.decide(suite, true)
	}
	clear(c.ends)
}

// Failure handles a failure and gives it its id.
func (c *Collector) Failure(f sdk.Failure) {
	key := failureKey{f.Suite, f.Test, f.Kind}
	// Ordinals are only needed for duplicate names. Beyond the bound such names may
	// repeat; memory must not grow with failures.
	n := c.ordinals[key]
	if len(c.ordinals) < maxOrdinals {
		c.ordinals[key] = n + 1
	}
	c.failure.Failure = api.Failure{ID: api.FailureID(f.Suite, f.Test, f.Kind, n), Failure: f, Repro: shellLine(f.Repro)}
	c.tell(&c.failure)
}

// maxOrdinals bounds how many failures are distinguished by number.
const maxOrdinals = 20_000

// Suite handles the end of a suite, and decides what waited for it.
func (c *Collector) Suite(s sdk.SuiteResult) {
	early := outstanding.EndsEarly(s.Outcome)
	c.ends[s.Suite] = c.ends[s.Suite] || early
	c.decide(s.Suite, early)
	c.tell(&api.SuiteEnded{SuiteResult: s})
}

// Progress handles a snapshot. What was reported counts as it will in the end: a plugin
// does not know yet which failures come from others.
func (c *Collector) Progress(p sdk.Progress) {
	n := c.Tally.Counts
	p.Passed, p.Failed, p.Skipped = n.Passed, n.Failed, n.Skipped
	c.tell(&api.Progressed{Progress: p})
}

// Unread handles what could not be read.
func (c *Collector) Unread(u sdk.Unread) {
	c.unread.Unread = u
	c.tell(&c.unread)
}

// Note handles something to know about the run.
func (c *Collector) Note(text string) { c.tell(&api.Noted{Text: text}) }

// Refused handles what the runner rejected.
func (c *Collector) Refused(r sdk.Refusal) { c.tell(&api.Refused{Refusal: r}) }

// Condition handles what results depend on.
func (c *Collector) Condition(name, value string) {
	c.tell(&api.ConditionFound{Name: name, Value: value})
}

// RunError handles the runner's own words that it could not work.
func (c *Collector) RunError(text string) { c.tell(&api.RunnerFailed{Text: text}) }

// Output handles a piece of the requested output.
func (c *Collector) Output(data []byte) { c.tell(&api.Printed{Data: data}) }

// isNumber reports whether a measure is a JSON number: anything else would make the
// record unreadable.
func isNumber(n json.Number) bool {
	return json.Valid([]byte(n)) && strings.Trim(n.String(), "-+.0123456789eE") == ""
}

// shellLine formats a command for pasting into a shell.
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
